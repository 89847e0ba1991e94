//! Everything that is written from the table: Rust for the machine, Python, and reference pages.
mod python;
mod reference;
mod rust_code;
mod rust_limits;
mod rust_options;

use crate::{Outcome, output, output::File, table::Table};

/// Generates all files; with `check` only compares them.
pub fn run(check: bool) -> Outcome {
    let table = Table::read()?;
    let files = [
        File { path: rust_code::PATH, text: output::rustfmt(&rust_code::text(&table))? },
        File { path: rust_limits::PATH, text: output::rustfmt(&rust_limits::text(&table))? },
        File { path: rust_options::PATH, text: output::rustfmt(&rust_options::text(&table))? },
        File { path: python::PATH, text: python::text(&table) },
        File { path: "docs/reference/errors.md", text: reference::errors(&table) },
        File { path: "docs/reference/limits.md", text: reference::limits(&table) },
        File { path: "docs/reference/options.md", text: reference::options(&table) },
    ];
    output::settle(&files, check)
}

/// The first line of every generated file, without the comment mark.
const BANNER: &str =
    "Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.";

/// A number with an underscore between groups of three digits, as Rust and Python read it.
fn grouped(number: u64, mark: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(mark);
        }
        text.push(digit);
    }
    text
}

/// `INVALID_OPTIONS` as `InvalidOptions`.
fn pascal(name: &str) -> String {
    let mut text = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        text.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        text.extend(letters.map(|letter| letter.to_ascii_lowercase()));
    }
    text
}
