//! Programs that name every call of the table, one for each language, for the parity check: what a
//! language lacks does not compile. What is looked up at run time instead goes into `uses.json`.
mod c;
mod cpp;
mod live;
mod rust;
mod typescript;

pub use c::PATH as C;
pub use cpp::PATH as CPP;
pub use rust::PATH as RUST;
pub use typescript::PATH as TYPESCRIPT;

use super::file;
use crate::{output, output::File, table::Table};

/// How a case is marked in front of its call.
pub const MARK: &str = "case: ";

/// The case of all error codes.
pub const CODES: &str = "error codes";

/// The case of what a language has beyond the contract.
pub const EXTRAS: &str = "beyond the contract";

/// A call, and what it shows.
struct Use {
    case: String,
    call: String,
}

pub fn files(table: &Table) -> Result<Vec<File>, String> {
    Ok(vec![
        file(rust::PATH, output::rustfmt(&rust::text(table))?),
        file(c::PATH, c::text(table)),
        file(cpp::PATH, cpp::text(table)),
        file(typescript::PATH, typescript::text(table)),
        file(live::PATH, live::text(table)?),
    ])
}

/// The case of a group of options.
pub fn options_of(group: &str) -> String {
    format!("options: {}", group.replace('_', " "))
}

/// The operations of a language, and what it has besides.
fn calls(table: &Table, language: &str) -> Vec<Use> {
    let mut all = Vec::new();
    for operation in table.operations() {
        for call in operation.calls(language) {
            all.push(Use { case: operation.name.clone(), call: call.clone() });
        }
    }
    for call in table.extras(language).flat_map(|extra| extra.calls.all()) {
        all.push(Use { case: EXTRAS.to_owned(), call: call.clone() });
    }
    all
}

/// The names in a call that might be declared for it: those of members are not.
fn words(call: &str) -> impl Iterator<Item = &str> {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    call.split(move |letter| !part(letter) && letter != '.')
        .filter_map(|path| path.split('.').next())
}
