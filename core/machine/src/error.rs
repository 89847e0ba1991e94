//! The one error of every operation: a stable code and a sentence for a person.
use alloc::{boxed::Box, string::String};
use core::fmt;

pub use crate::generated::code::{Code, UnknownCode};

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an error code of Posthouse")
    }
}

impl core::error::Error for UnknownCode {}

/// An error: its code, a message that says what was given, what is allowed and what to do, and,
/// where a limit was passed, that limit and the actual figure, and where it is about one of several things, which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    limit: Option<u64>,
    actual: Option<u64>,
    index: Option<usize>,
}

/// The result of every operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An error with a code and a message. The message must carry no secret.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            limit: None,
            actual: None,
            index: None,
        }))
    }
    /// An error about a limit that was passed: `actual` was given where `limit` is allowed.
    pub fn over(code: Code, message: impl Into<String>, limit: u64, actual: u64) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            limit: Some(limit),
            actual: Some(actual),
            index: None,
        }))
    }
    /// The same error about one of several things that were given together: which one, counted from 0.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.0.index = Some(index);
        self
    }
    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }
    /// The sentence for a person, without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// The limit that was passed, where the error is about one.
    pub fn limit(&self) -> Option<u64> {
        self.0.limit
    }
    /// The figure that was given, where the error is about a limit.
    pub fn actual(&self) -> Option<u64> {
        self.0.actual
    }
    /// Which one of several things that were given together the error is about, counted from 0, where it is about one:
    /// an item of a batch that is sent, a message of a batch that is handled.
    pub fn index(&self) -> Option<usize> {
        self.0.index
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_from_its_spelling() {
        for code in Code::ALL {
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!(!code.meaning().is_empty() && !code.action().is_empty());
        }
        assert_eq!("NOPE".parse::<Code>(), Err(UnknownCode));
    }
}
