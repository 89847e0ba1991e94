//! The file that `__log:=` names.
use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Lines of log on disk. A disk that is full loses lines, not the node.
#[derive(Debug, Default)]
pub(super) struct LogFile(Option<Mutex<File>>);

impl LogFile {
    /// Appends to the file at `path`, if there is one.
    pub(super) fn open(path: Option<&Path>) -> Self {
        let Some(path) = path else { return Self(None) };
        match OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Self(Some(Mutex::new(file))),
            Err(error) => {
                log::warn!(target: "posthouse_ros", "{}: {error}; nothing is logged there", path.display());
                Self(None)
            }
        }
    }

    /// Appends a line; `secs` and `nsecs` since 1970.
    pub(super) fn line(&self, level: &str, secs: u32, nsecs: u32, text: &str) {
        let Some(file) = &self.0 else { return };
        let line = format!("[{level}] {secs}.{:06}: {text}\n", nsecs / 1000);
        let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
