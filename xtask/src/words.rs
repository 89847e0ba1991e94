//! Hygiene of the text in the repository: what must not be named, and how long a file may be.
use crate::{Outcome, root::root};
use std::{fs, process::Command};

/// Source files longer than this should be split.
const LONGEST: usize = 700;

/// Words that only made sense on one machine, and hosts that every tool knows by itself.
/// In two parts, so that this file does not name them either.
const FORBIDDEN: &[(&str, &str)] = &[
    ("../sha", "red"),
    ("/work", "/"),
    ("crates", ".io"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("npmjs", ".org"),
    ("npmjs", ".com"),
    ("proxy.golang", ".org"),
    ("maven", ".org"),
    ("debian", ".org"),
];

/// Written by tools, which name hosts of their own accord.
fn is_lock_file(path: &str) -> bool {
    path.ends_with("Cargo.lock") || path.ends_with("package-lock.json")
}

pub fn run() -> Outcome {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut faults = Vec::new();
    let mut count = 0;
    for path in listed.lines().filter(|path| !is_lock_file(path)) {
        // What is no text, or was removed without telling git yet, has no words.
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        count += 1;
        for (index, line) in text.lines().enumerate() {
            for (start, end) in FORBIDDEN {
                if line.contains(&format!("{start}{end}")) {
                    faults.push(format!("{path}:{}: names {start}{end}", index + 1));
                }
            }
        }
        let is_source = [".rs", ".py", ".pyi", ".sh"].iter().any(|end| path.ends_with(end));
        let lines = text.lines().count();
        if is_source && lines > LONGEST && !text.contains("Do not edit.") {
            faults.push(format!("{path}: {lines} lines; split it, {LONGEST} is the most"));
        }
    }
    if count == 0 {
        return Err("git lists no file; the check needs a git clone".to_owned());
    }
    if faults.is_empty() {
        println!("the words of {count} files are in order");
        return Ok(());
    }
    Err(faults.join("\n"))
}
