//! Definitions of ROS message and service types.
//!
//! `parse` reads one `.msg` or `.srv` text, [`Schema`] is a type with all it is made of, [`Library`] finds
//! definitions on disk, and [`Schema::from_full_text`] takes the one that a publisher brings along. Checksums and full
//! texts follow the rules of ROS's own generator, since the other side compares them.
mod constant;
mod definition;
mod library;
mod packages;
mod parse;
mod schema;

pub use constant::Literal;
pub use definition::{Array, Base, Constant, Definition, Field};
pub use library::Library;
pub use parse::{parse_message, parse_service};
pub use schema::{Schema, ServiceSchema};

/// The longest definition text taken, of one type or of one with all it is made of, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
/// How many fields and constants a type may have.
pub const MAX_MEMBERS: usize = 4096;
/// How many types a type may be made of.
pub const MAX_TYPES: usize = 1024;
/// How deeply types may be nested.
pub const MAX_DEPTH: usize = 48;
/// The longest name of a type or member, in bytes.
pub const MAX_NAME: usize = 255;

/// Whether `name` is a full type name: a package and a type, each a letter followed by letters, digits and `_`.
pub fn is_type_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.split_once('/').is_some_and(|(package, kind)| is_word(package) && is_word(kind))
}

/// Whether `name` is a letter followed by letters, digits and `_`.
pub(crate) fn is_word(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
