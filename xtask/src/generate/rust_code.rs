//! `Code` for the machine.
use super::{BANNER, pascal};
use crate::table::Table;
use std::fmt::Write as _;

pub const PATH: &str = "core/machine/src/generated/code.rs";

pub fn text(table: &Table) -> String {
    let mut out = format!("//! {BANNER}\n\n");
    out.push_str(
        "/// What went wrong, as a stable code that every language shares.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[non_exhaustive]\npub enum Code {\n",
    );
    let mut names = String::new();
    let mut all = String::new();
    let mut meanings = String::new();
    let mut actions = String::new();
    let mut parsed = String::new();
    for code in &table.codes {
        let (name, variant) = (&code.name, pascal(&code.name));
        _ = writeln!(out, "/// `{name}`: {}\n{variant},", code.meaning);
        _ = writeln!(names, "Self::{variant} => {name:?},");
        _ = writeln!(all, "Self::{variant},");
        _ = writeln!(meanings, "Self::{variant} => {:?},", code.meaning);
        _ = writeln!(actions, "Self::{variant} => {:?},", code.action);
        _ = writeln!(parsed, "{name:?} => Self::{variant},");
    }
    _ = write!(
        out,
        "}}\n\nimpl Code {{\n\
         /// All codes, in the order of the table.\npub const ALL: &'static [Self] = &[{all}];\n\n\
         /// The code as every language spells it.\n\
         pub const fn as_str(self) -> &'static str {{ match self {{ {names} }} }}\n\n\
         /// What happened, in one sentence or two.\n\
         pub const fn meaning(self) -> &'static str {{ match self {{ {meanings} }} }}\n\n\
         /// What the person who reads it can do.\n\
         pub const fn action(self) -> &'static str {{ match self {{ {actions} }} }}\n}}\n\n\
         impl core::str::FromStr for Code {{\n\
         type Err = UnknownCode;\n\
         fn from_str(text: &str) -> Result<Self, UnknownCode> {{\n\
         Ok(match text {{ {parsed} _ => return Err(UnknownCode) }})\n}}\n}}\n\n\
         /// The text is the spelling of no code.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct UnknownCode;\n"
    );
    out
}
