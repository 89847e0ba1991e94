//! Everything that is written from the table: codes, limits and options for each language, reference pages, what the
//! parity check uses; and the code in Markdown pages.
mod c;
mod c_options;
mod cpp;
mod operations;
mod python;
mod reference;
mod rust_code;
mod rust_limits;
mod rust_options;
mod typescript;
pub mod uses;

use crate::{Outcome, output, output::File, snippets, table::Table};

/// Generates all files; with `check` only compares them.
pub fn run(check: bool) -> Outcome {
    let table = Table::read()?;
    let mut files = vec![
        file(rust_code::PATH, output::rustfmt(&rust_code::text(&table))?),
        file(rust_limits::PATH, output::rustfmt(&rust_limits::text(&table))?),
        file(rust_options::PATH, output::rustfmt(&rust_options::text(&table))?),
        file(python::PATH, python::text(&table)),
        file(typescript::MODULE, typescript::module(&table)),
        file(typescript::TYPES, typescript::types(&table)),
        file(c_options::RUST, output::rustfmt(&c_options::rust(&table))?),
        file(cpp::CODES, cpp::codes(&table)),
        file(cpp::PATH, cpp::text(&table)),
        file(c::HEADER, c::header(&table)?),
        file("docs/reference/errors.md", reference::errors(&table)),
        file("docs/reference/limits.md", reference::limits(&table)),
        file("docs/reference/options.md", reference::options(&table)),
        file("docs/reference/operations.md", operations::overview(&table)),
    ];
    files.extend(
        table
            .pages
            .iter()
            .map(|page| file(&operations::path(page), operations::page(&table, page))),
    );
    files.extend(uses::files(&table)?);
    files.extend(snippets::files()?);
    output::settle(&files, check)
}

fn file(path: &str, text: String) -> File {
    File { path: path.to_owned(), text }
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

/// `pending_bytes` as `pendingBytes`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    text.extend(words.map(pascal));
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
