//! JSON of the program, written under the hub's rules.
use crate::{Error, Result};
use posthouse_core::{Code, json};
use serde::{Serialize, de::DeserializeOwned};
use std::cell::RefCell;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What a body is for: it decides the codes of its errors.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Value,
    Message,
}

impl Purpose {
    fn codes(self) -> (Code, Code) {
        match self {
            Self::Value => (Code::InvalidValue, Code::ValueTooLarge),
            Self::Message => (Code::InvalidMessage, Code::MessageTooLarge),
        }
    }
}

/// Writes a body into a buffer of the thread and hands it on.
pub(crate) fn with_json<T: Serialize + ?Sized, R>(
    value: &T,
    purpose: Purpose,
    limits: &json::Limits,
    then: impl FnOnce(&[u8]) -> Result<R>,
) -> Result<R> {
    // Taken out, so that a serialiser that publishes itself finds a buffer of its own.
    let mut buffer = BUFFER.take();
    buffer.clear();
    let (invalid, too_large) = purpose.codes();
    let result = json::to_vec(value, &mut buffer, limits)
        .map_err(|error| error.into_error(invalid, too_large))
        .and_then(|()| then(&buffer));
    BUFFER.replace(buffer);
    result
}

/// Reads a body that the machine has validated into a type of the program.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8], purpose: Purpose) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| other_type(purpose, &error))
}

/// As [`read`] for a body that is known to be Unicode.
pub(crate) fn read_text<T: DeserializeOwned>(body: &str, purpose: Purpose) -> Result<T> {
    serde_json::from_str(body).map_err(|error| other_type(purpose, &error))
}

fn other_type(purpose: Purpose, error: &serde_json::Error) -> Error {
    Error::new(purpose.codes().0, format!("the JSON is not of the type asked for: {error}"))
}
