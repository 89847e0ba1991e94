//! Asks Node what it makes of texts. `POSTHOUSE_NODE` names another program than `node`.
use std::{
    env,
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

/// What the engine found.
#[derive(Debug)]
pub enum Verdict {
    /// `JSON.parse` refused the text.
    Refused,
    /// A value, and what is in it.
    Value {
        /// What `JSON.stringify` gave; nothing where the value is too deep for it.
        normal: String,
        depth: usize,
        overflow: bool,
        lone: bool,
        reserved: bool,
    },
}

/// One verdict a text.
pub fn judge<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Verdict> {
    let node = env::var("POSTHOUSE_NODE").unwrap_or_else(|_| "node".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/queue/engine.mjs");
    let mut child = Command::new(&node)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{node}: {error}; this test needs Node 20 or newer"));
    let mut input = Vec::new();
    for text in texts {
        serde_json::to_writer(&mut input, text).expect("a text has a JSON form");
        input.push(b'\n');
    }
    // The script reads to the end before it writes, so neither waits for the other.
    child.stdin.take().expect("piped").write_all(&input).expect("node reads");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let verdicts = output.lines().map(|line| verdict(&line.expect("node writes UTF-8"))).collect();
    assert!(child.wait().expect("node ends").success());
    verdicts
}

/// `-`, or `depth overflow lone reserved normal`.
fn verdict(line: &str) -> Verdict {
    if line == "-" {
        return Verdict::Refused;
    }
    let mut parts = line.splitn(5, ' ');
    let mut next = || parts.next().unwrap_or_else(|| panic!("not understood: {line}"));
    Verdict::Value {
        depth: next().parse().expect("a number"),
        overflow: next() == "1",
        lone: next() == "1",
        reserved: next() == "1",
        normal: next().to_owned(),
    }
}
