//! Options from data: by the name that a language gives them, in its units, driven by the one table.
//!
//! A host hands over each option that its program gave, as the kind of thing it was. What is
//! unknown, of the wrong kind or out of range is refused in words of that language: its own
//! spelling, its own unit.
mod calls;
mod hub;
mod read;

pub use calls::{DrainSettings, ManySettings, RequestSettings, SubscriptionSettings};
pub use hub::HubSettings;

use posthouse_core::{Result, options::Group};
use read::{Read, read};

/// How a language writes options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The language, as the table of options calls it.
    pub language: &'static str,
    /// `peerTimeout` instead of `peer_timeout`.
    pub camel_case: bool,
    /// Durations are seconds, not milliseconds.
    pub seconds: bool,
}

impl Dialect {
    /// Python: snake case, seconds.
    pub const PYTHON: Self = Self { language: "python", camel_case: false, seconds: true };
    /// JavaScript: camel case, milliseconds.
    pub const JAVASCRIPT: Self = Self { language: "javascript", camel_case: true, seconds: false };
    /// C and C++: snake case, milliseconds.
    pub const C: Self = Self { language: "c", camel_case: false, seconds: false };
}

/// What a program gave for an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<'a> {
    /// Nothing: the default stays (`None`, `undefined`).
    Absent,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// Any number.
    Float(f64),
    /// A text. A path is one, too.
    Text(&'a str),
    /// Several texts.
    Texts(&'a [&'a str]),
    /// Something that can be called.
    Callback,
    /// A thing with members: a mapping, an object.
    Object,
    /// Anything else: what it is, with its article, for the message (`a tuple`).
    Other(&'a str),
}

/// What became of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// It is set.
    Done,
    /// The name is right; what was given is for the host to keep, e.g. headers or a callback.
    Host,
    /// It has members: set them as `group.member`.
    Group,
}

/// Checks an option without setting anything; for operations whose options the host keeps itself.
///
/// # Errors
/// `INVALID_OPTIONS`.
pub fn check(dialect: Dialect, group: Group, name: &str, given: Given<'_>) -> Result<Set> {
    Ok(match read(dialect, group, name, given)?.1 {
        Read::Group(_) => Set::Group,
        Read::Host | Read::Ask => Set::Host,
        _ => Set::Done,
    })
}

/// A duration that is not an option but an argument: its milliseconds; `None` for [`Given::Absent`].
///
/// # Errors
/// `INVALID_OPTIONS`.
pub fn duration_ms(dialect: Dialect, name: &str, given: Given<'_>) -> Result<Option<u64>> {
    read::duration(dialect, name, given, 0.0, f64::from(i32::MAX)).map(|ms| ms.map(|ms| ms as u64))
}
