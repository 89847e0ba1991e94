//! Why a value was refused, where, and the sentence that tells a person.
use crate::{Code, Error};
use alloc::{format, string::String};
use core::fmt::Write as _;

/// The rule that a value broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The text is not JSON, or a [`super::Writer`] was left unfinished.
    Syntax,
    /// Nested too deeply.
    Depth,
    /// Too many values.
    Nodes,
    /// Too many bytes.
    Size,
    /// Not finite, or an integer outside ±(2^53 − 1).
    Number,
    /// Invalid UTF-8 or a lone surrogate.
    Unicode,
    /// Something that has no JSON form.
    Type,
}

/// A refused value: the fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The rule that was broken.
    pub fault: Fault,
    /// Reading: the offset in the text. Writing: the bytes written before the fault. For
    /// [`Fault::Size`]: the bytes of the text, or, while writing, how many there were when it grew too long.
    pub at: usize,
    /// The limit that was passed, for [`Fault::Depth`], [`Fault::Nodes`] and [`Fault::Size`]; else 0.
    pub limit: usize,
    /// The way to the bad value (`a.b[3]`), where it is known.
    pub path: Option<String>,
    /// What the value was, where the fault alone does not say (a type's name).
    pub detail: Option<String>,
}

impl JsonError {
    /// An error without a path.
    pub const fn new(fault: Fault, at: usize) -> Self {
        Self { fault, at, limit: 0, path: None, detail: None }
    }

    /// A value that has no JSON form; `detail` says what it was, as a noun phrase.
    pub fn unsupported(detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..Self::new(Fault::Type, 0) }
    }

    /// Puts an object's key before the path: called on the way out of the object.
    #[must_use]
    pub fn under_key(mut self, key: &str) -> Self {
        let rest = self.path.take().unwrap_or_default();
        let mut path = String::new();
        let plain = key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if plain && !key.is_empty() && key.len() <= 64 {
            path.push_str(key);
        } else {
            let _ = write!(path, "[{}]", crate::name::shown(key));
        }
        if !rest.is_empty() && !rest.starts_with('[') {
            path.push('.');
        }
        path.push_str(&rest);
        self.path = Some(path);
        self
    }

    /// Puts an array's index before the path: called on the way out of the array.
    #[must_use]
    pub fn under_index(mut self, index: usize) -> Self {
        let rest = self.path.take().unwrap_or_default();
        let dot = if rest.is_empty() || rest.starts_with('[') { "" } else { "." };
        self.path = Some(format!("[{index}]{dot}{rest}"));
        self
    }

    /// The error an operation raises: `too_large` for [`Fault::Size`], with the limit and the actual
    /// figure; `invalid` for everything else.
    pub fn into_error(self, invalid: Code, too_large: Code) -> Error {
        let Self { fault, at, limit, path, detail } = self;
        let place = match &path {
            Some(path) if !path.is_empty() => format!(" at {path}"),
            _ if at > 0 && matches!(fault, Fault::Number | Fault::Unicode) => {
                format!(" at byte {at}")
            }
            _ => String::new(),
        };
        let text = match fault {
            Fault::Size => {
                let text = format!(
                    "the value needs {at} bytes of JSON or more; at most {limit} are allowed: send less at once"
                );
                return Error::over(too_large, text, limit as u64, at as u64);
            }
            Fault::Depth => {
                let text = format!(
                    "the value{place} is nested deeper than {limit} levels below the root: flatten it"
                );
                return Error::over(invalid, text, limit as u64, limit as u64 + 1);
            }
            Fault::Nodes => {
                let text = format!(
                    "the value has more than {limit} parts (each element, member and container counts): split it"
                );
                return Error::over(invalid, text, limit as u64, limit as u64 + 1);
            }
            Fault::Syntax => format!(
                "the text is not valid JSON at byte {at}: give exactly one JSON value as RFC 8259 has it"
            ),
            Fault::Number => format!(
                "the number{place} is not finite or is an integer outside ±9007199254740991 (2^53 - 1): send it as a string"
            ),
            Fault::Unicode => format!(
                "the text{place} is not valid Unicode (a lone surrogate or broken UTF-8): repair it or send the bytes as base64"
            ),
            Fault::Type => {
                let what = detail.as_deref().unwrap_or("an unsupported type");
                format!(
                    "the value{place} is {what}, which JSON cannot express: use null, booleans, numbers, strings, arrays, or objects with string keys"
                )
            }
        };
        Error::new(invalid, text)
    }
}

impl From<Fault> for JsonError {
    fn from(fault: Fault) -> Self {
        Self::new(fault, 0)
    }
}

impl core::fmt::Display for JsonError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let error = self.clone().into_error(Code::InvalidValue, Code::ValueTooLarge);
        f.write_str(error.message())
    }
}

impl core::error::Error for JsonError {}
