//! Holds the table of operations against the real surface of every language and prints what is where.
//!
//! Compiled languages compile a generated program that names every call: an error names its line, the line
//! its case. Python and JavaScript look members up in the installed package. `tests/parity` has both.
//! What is public and in no operation or extra of the table is a fault, too.
mod c;
mod compile;
mod cpp;
mod node;
mod python;
mod rust;

use crate::{Outcome, generate::uses, table::Table};
use std::collections::BTreeSet;

/// Something that a platform lacks or has otherwise than the table says.
pub struct Fault {
    pub platform: String,
    pub case: String,
    pub text: String,
}

impl Fault {
    fn new(platform: &str, case: &str, text: impl Into<String>) -> Self {
        Self { platform: platform.to_owned(), case: case.to_owned(), text: text.into() }
    }
}

pub fn run() -> Outcome {
    let table = Table::read()?;
    let mut faults = Vec::new();
    for check in [rust::check, c::check, cpp::check, python::check, node::check] {
        faults.extend(check(&table)?);
    }
    print(&table, &faults);
    if faults.is_empty() {
        println!("\nno hole that the contract does not make");
        return Ok(());
    }
    let lines: Vec<String> =
        faults.iter().map(|it| format!("  {}, {}: {}", it.platform, it.case, it.text)).collect();
    Err(format!("the surface and core/machine/api differ:\n{}", lines.join("\n")))
}

/// Operations × platforms.
fn print(table: &Table, faults: &[Fault]) {
    let missing: BTreeSet<(&str, &str)> =
        faults.iter().map(|fault| (fault.platform.as_str(), fault.case.as_str())).collect();
    let groups = table.given_groups().map(|group| uses::options_of(&group.name));
    let rest: Vec<String> =
        groups.chain([uses::CODES.to_owned(), uses::EXTRAS.to_owned()]).collect();
    let rows = table.operations().map(|it| (it.name.as_str(), Some(it)));
    let rows = rows.chain(rest.iter().map(|name| (name.as_str(), None)));
    print!("{:<30}", "");
    for platform in &table.platforms {
        print!("{:<13}", platform.name);
    }
    println!();
    for (name, operation) in rows {
        print!("{name:<30}");
        for platform in &table.platforms {
            let mark = if missing.contains(&(platform.name.as_str(), name)) {
                "MISSING"
            } else if operation.is_some_and(|it| it.absent.contains_key(&platform.name)) {
                "-"
            } else {
                "yes"
            };
            print!("{mark:<13}");
        }
        println!();
    }
    let mut told = BTreeSet::new();
    for operation in table.operations() {
        for (platform, reason) in &operation.absent {
            if told.insert((platform, reason)) {
                println!("- {platform}: {reason}");
            }
        }
    }
}
