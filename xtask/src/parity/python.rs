//! Python: a program looks everything up in the installed package, in both faces.
use super::{Fault, compile};
use crate::table::Table;
use serde::Deserialize;
use std::process::Command;

#[derive(Deserialize)]
struct Line {
    platform: String,
    case: String,
    text: String,
}

pub fn check(_: &Table) -> Result<Vec<Fault>, String> {
    let python = compile::tool("POSTHOUSE_PYTHON", compile::target().join("venv/bin/python"));
    let mut command = Command::new(python);
    command.arg("tests/parity/python/live.py");
    lines(command)
}

/// Runs a program that prints one fault a line.
pub fn lines(mut command: Command) -> Result<Vec<Fault>, String> {
    let done = command
        .current_dir(crate::root::root())
        .output()
        .map_err(|error| format!("{} does not start: {error}", command.get_program().display()))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    String::from_utf8_lossy(&done.stdout)
        .lines()
        .map(|line| {
            let line: Line =
                serde_json::from_str(line).map_err(|error| format!("{line:?}: {error}"))?;
            Ok(Fault { platform: line.platform, case: line.case, text: line.text })
        })
        .collect()
}
