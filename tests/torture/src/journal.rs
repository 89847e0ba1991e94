//! What a process writes down: a line a fact, with the time. A line that was written outlives `kill -9`.
use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// Milliseconds since 1970; all processes are on one machine.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The journal of one process.
pub struct Journal(File);

impl Journal {
    pub fn open(folder: &Path, number: usize) -> Self {
        let path = folder.join(format!("journal-{number}"));
        Self(File::options().append(true).create(true).open(path).expect("a journal"))
    }

    /// In one call to the system, so that it is there whole or not at all.
    pub fn write(&self, fact: &str) {
        let line = format!("{} {fact}\n", now_ms());
        (&self.0).write_all(line.as_bytes()).expect("a line");
    }
}

/// All lines of all processes: process, time, words.
pub fn read(folder: &Path) -> Vec<(usize, i64, Vec<String>)> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        let Some(number) = name.strip_prefix("journal-") else { continue };
        let number = number.parse().expect("a number");
        for line in fs::read_to_string(entry.path()).expect("a journal").lines() {
            let mut words = line.split(' ').map(str::to_owned);
            let time = words.next().and_then(|time| time.parse().ok()).expect("a time");
            lines.push((number, time, words.collect()));
        }
    }
    lines.sort_by_key(|(_, time, _)| *time);
    lines
}
