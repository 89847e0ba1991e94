//! Development tasks of this repository, run as `cargo run -p xtask -- TASK`.
//!
//! `gen` writes everything that comes from `core/machine/api.toml`; with `--check` it only tells
//! what would change, and fails if anything would.
mod generate;
mod output;
mod root;
mod table;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- gen [--check]";

/// What a task gives back: an error text means that the task failed.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["gen"] => generate::run(false),
        ["gen", "--check"] => generate::run(true),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
