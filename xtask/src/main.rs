//! Development tasks of this repository, run as `cargo run -p xtask -- TASK`.
//!
//! `gen` writes everything that comes from `core/machine/api.toml` and the code that
//! pages cut from examples; with `--check` it only tells
//! what would change, and fails if anything would. `lint` checks that, the licences and known
//! faults of dependencies, and the words in the repository. `parity` holds the table against the surface of
//! every language. `purity` proves that the machine needs
//! no operating system. `cloudflare` builds the WebAssembly module of the Cloudflare adapter.
mod advisories;
mod cargo;
mod generate;
mod licences;
mod output;
mod parity;
mod purity;
mod root;
mod snippets;
mod table;
mod words;

use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo run -p xtask -- gen [--check] | lint | parity | purity | cloudflare";

/// What a task gives back: an error text means that the task failed.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["gen"] => generate::run(false),
        ["gen", "--check"] => generate::run(true),
        ["lint"] => lint(),
        ["parity"] => parity::run(),
        ["purity"] => purity::run(),
        ["cloudflare"] => purity::cloudflare(),
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

/// Runs every check, so that one fault does not hide the next.
fn lint() -> Outcome {
    let checks = [generate::run(true), licences::run(), advisories::run(), words::run()];
    let faults: Vec<String> = checks.into_iter().filter_map(Result::err).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
