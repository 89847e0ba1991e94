//! Why a message or a JSON text was refused, and where in it.
use crate::ros::{Code, Error};
use posthouse_core::json::{Fault, JsonError};
use std::fmt;

/// The rule that was broken. Programs count by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Bytes of a message that do not fit its type.
    Malformed,
    /// A float that is not finite, or beyond what the hub's numbers hold, where the rules refuse it.
    NonFinite,
    /// A 64-bit integer beyond ±(2^53 − 1), where the rules want numbers.
    UnsafeInteger,
    /// The result is larger, deeper or has more parts than allowed.
    TooLarge,
    /// The text is not JSON.
    NotJson,
    /// A JSON object has a member that the type has not.
    UnknownField,
    /// A JSON object lacks a member.
    MissingField,
    /// A JSON value of another type than the field's.
    WrongType,
    /// A number that the field cannot hold.
    OutOfRange,
    /// An array of another length than the type's.
    WrongLength,
    /// A path that leads nowhere, or past the end of an array.
    NoSuchField,
}

impl Reason {
    /// A stable name for counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NonFinite => "non_finite",
            Self::UnsafeInteger => "unsafe_integer",
            Self::TooLarge => "too_large",
            Self::NotJson => "not_json",
            Self::UnknownField => "unknown_field",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::WrongLength => "wrong_length",
            Self::NoSuchField => "no_such_field",
        }
    }
}

/// A refused message or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that was broken.
    pub reason: Reason,
    /// The way to the bad value (`header.stamp.secs`, `points[3].x`); empty for the whole.
    pub path: String,
    /// What was found and what is wanted.
    pub what: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, what: impl Into<String>) -> Self {
        Self { reason, path: String::new(), what: what.into() }
    }

    /// Puts a field before the path: called on the way out of a message.
    #[must_use]
    pub(crate) fn under(mut self, field: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{field}{dot}{}", self.path);
        self
    }

    /// Puts an index before the path: called on the way out of an array.
    #[must_use]
    pub(crate) fn at(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
    }

    /// A fault of the writer, yet without a path.
    #[cold]
    pub(crate) fn of_writer(fault: Fault) -> Self {
        let what = match fault {
            Fault::Size => "the JSON text is larger than allowed",
            Fault::Depth => "the JSON text is nested deeper than allowed",
            Fault::Nodes => "the JSON text has more parts than allowed",
            _ => "the value has no JSON form",
        };
        Self::new(Reason::TooLarge, what)
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        let (Fault::Size | Fault::Depth | Fault::Nodes) = error.fault else {
            return Self::new(Reason::NotJson, "the value has no JSON form");
        };
        let mut refusal = Self::of_writer(error.fault);
        refusal.what.push_str(" (at most ");
        refusal.what.push_str(&error.limit.to_string());
        refusal.what.push(')');
        refusal
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            out.write_str(&self.what)
        } else {
            write!(out, "{}: {}", self.path, self.what)
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.reason {
            Reason::Malformed => Code::MessageInvalid,
            Reason::NonFinite | Reason::UnsafeInteger => Code::NotRepresentable,
            Reason::TooLarge => Code::TooLarge,
            _ => Code::ValueInvalid,
        };
        Self::new(code, refusal.to_string())
    }
}
