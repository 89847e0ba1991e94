//! Writing generated files, or comparing them with what is committed.
use crate::{Outcome, root::root};
use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

/// A generated file: its path below the top folder and its whole text.
pub struct File {
    pub path: String,
    pub text: String,
}

/// Writes the files that differ. With `check`, writes nothing and fails if one differs.
pub fn settle(files: &[File], check: bool) -> Outcome {
    let mut stale = Vec::new();
    for file in files {
        let path = root().join(&file.path);
        if fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if check {
            stale.push(file.path.as_str());
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", file.path))?;
        }
        fs::write(&path, &file.text).map_err(|error| format!("{}: {error}", file.path))?;
        println!("wrote {}", file.path);
    }
    if stale.is_empty() {
        println!("{} generated files are up to date", files.len());
        return Ok(());
    }
    Err(format!(
        "out of step with what they are written from: {}\nrun `cargo run -p xtask -- gen` and commit the result",
        stale.join(", ")
    ))
}

/// Passes Rust text through rustfmt with the repository's settings.
pub fn rustfmt(text: &str) -> Result<String, String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("rustfmt does not start: {error}"))?;
    let mut input = child.stdin.take().ok_or("rustfmt has no input")?;
    input.write_all(text.as_bytes()).map_err(|error| format!("rustfmt: {error}"))?;
    drop(input);
    let done = child.wait_with_output().map_err(|error| format!("rustfmt: {error}"))?;
    if !done.status.success() {
        return Err("rustfmt refused generated Rust text".to_owned());
    }
    String::from_utf8(done.stdout).map_err(|error| format!("rustfmt: {error}"))
}
