//! What the command prints: results on the output, everything said to a person on the error stream.
use crate::exit::Failure;
use clap::ValueEnum;
use std::{
    io::{self, IsTerminal as _, Write as _},
    process::ExitCode,
};

/// When colours are used.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Prints a line at once. A reader that went away ends the process quietly, as pipes expect.
pub fn line(text: &str) {
    let mut out = io::stdout().lock();
    let done = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
    if done.and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Says something to the person on the error stream.
pub fn note(text: &str) {
    // If nobody can read it, there is nobody to tell.
    _ = writeln!(io::stderr().lock(), "{text}");
}

/// How to print; copied to wherever something is printed.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Every line is a JSON object.
    pub json: bool,
    color_out: bool,
    color_err: bool,
}

impl Output {
    pub fn new(json: bool, color: Color) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let on = |terminal: bool| match color {
            Color::Auto => terminal && !plain,
            Color::Always => true,
            Color::Never => false,
        };
        Self {
            json,
            color_out: on(io::stdout().is_terminal()) && !json,
            color_err: on(io::stderr().is_terminal()) && !json,
        }
    }

    /// A word of the output in a colour that sets it off.
    pub fn name(self, text: &str) -> String {
        if self.color_out { format!("\x1b[36m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A word of the error stream in the colour of warnings and errors.
    pub fn alarm(self, text: &str) -> String {
        if self.color_err { format!("\x1b[1;31m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Tells why the command failed and gives its exit code.
    pub fn fail(self, failure: &Failure) -> ExitCode {
        if self.json {
            let error =
                serde_json::json!({"error": {"code": failure.code, "message": failure.message}});
            note(&error.to_string());
        } else {
            note(&format!("posthouse: {}: {}", self.alarm(&failure.code), failure.message));
        }
        ExitCode::from(failure.exit)
    }
}
