//! Runs a compiler over a generated program and tells which cases do not compile.
use super::Fault;
use crate::{generate::uses::MARK, root::root};
use std::{env, ffi::OsString, fs, path::PathBuf, process::Command};

/// Where programs of this build are.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A tool that the environment may name.
pub fn tool(variable: &str, otherwise: impl Into<OsString>) -> OsString {
    env::var_os(variable).unwrap_or_else(|| otherwise.into())
}

/// Runs a compiler that prints `PATH:LINE:…` or `PATH(LINE,…` for every error.
pub fn compile(platform: &str, mut command: Command, source: &str) -> Result<Vec<Fault>, String> {
    let done = command
        .current_dir(root())
        .output()
        .map_err(|error| format!("{} does not start: {error}", command.get_program().display()))?;
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
    let mut faults = Vec::new();
    for line in text.lines() {
        let Some((path, rest)) = line.split_once([':', '(']) else { continue };
        if !path.ends_with(source) || !rest.contains("error") {
            continue;
        }
        let number = rest.split(|letter: char| !letter.is_ascii_digit()).next();
        let Some(number) = number.and_then(|number| number.parse().ok()) else { continue };
        let what = rest.split_once("error").map_or(rest, |(_, what)| what);
        faults.push(Fault::new(
            platform,
            &case(source, number)?,
            what.trim_start_matches([':', ' ']),
        ));
    }
    if faults.is_empty() && !done.status.success() {
        return Err(format!("{source} does not compile, and no line says why:\n{text}"));
    }
    Ok(faults)
}

/// The case that a line of a generated program belongs to.
pub fn case(source: &str, line: usize) -> Result<String, String> {
    let text =
        fs::read_to_string(root().join(source)).map_err(|error| format!("{source}: {error}"))?;
    let marked = text.lines().take(line).filter_map(|line| line.split_once(MARK));
    let last = marked.last().map(|(_, case)| case.trim_end_matches(" */").to_owned());
    last.ok_or_else(|| format!("{source}:{line}: an error before the first case"))
}

/// Whether a program has a member: `object.name`, where the formatter may have broken the line.
pub fn has_member(text: &str, objects: &[&str], name: &str) -> bool {
    let joined = text.split_whitespace().fold(String::new(), |mut text, word| {
        if !word.starts_with('.') {
            text.push(' ');
        }
        text.push_str(word);
        text
    });
    objects.iter().any(|object| mentioned(&joined, &format!("{object}{name}")))
}

/// Whether a name stands in a program as a whole word.
pub fn mentioned(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = rest[at + name.len()..].chars().next();
        let part =
            |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
        if !part(before) && !part(after) {
            return true;
        }
        rest = &rest[at + name.len()..];
    }
    false
}

/// The generated program's text.
pub fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}
