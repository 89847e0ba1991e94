//! Bodies on their way out: written into a buffer of the thread, under the limits of their purpose.
use crate::error::raise;
use crate::json::dump;
use posthouse_kit::json::Limits;
use posthouse_kit::{Code, Error};
use pyo3::prelude::*;
use std::cell::RefCell;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A buffer that has once held a large body is not kept.
const KEEP: usize = 128 * 1024;

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

/// Writes a body and hands it on.
pub(crate) fn with_json<R>(
    value: &Bound<'_, PyAny>,
    purpose: Purpose,
    limits: &Limits,
    then: impl FnOnce(&[u8]) -> Result<R, Error>,
) -> PyResult<R> {
    // Taken out, so that Python code which runs during the walk and publishes itself finds a
    // buffer of its own.
    let mut buffer = BUFFER.take();
    buffer.clear();
    let (invalid, too_large) = purpose.codes();
    let result = dump(value, limits, &mut buffer)
        .map_err(|error| error.into_error(invalid, too_large))
        .and_then(|()| then(&buffer));
    if buffer.capacity() <= KEEP {
        BUFFER.replace(buffer);
    }
    result.map_err(|error| raise(value.py(), &error))
}
