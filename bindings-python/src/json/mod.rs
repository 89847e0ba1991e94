//! Python objects to JSON and back, without anything in between.
//!
//! `dump` walks Python objects straight into the core's writer, which enforces the rules for
//! values while it writes; `load` builds Python objects straight from bytes that the core has
//! already checked. Both run attached to the interpreter, on the thread of the caller.
mod dump;
mod keys;
mod load;
mod number;

pub(crate) use dump::dump;
pub(crate) use load::load;

use crate::error::{guard, raise};
use posthouse_kit::Code;
use posthouse_kit::json::{Limits, validate};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What a value becomes on the wire; refuses what cannot be sent, as `pub` does.
#[pyfunction]
pub(crate) fn json_dump<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    guard(py, || {
        let mut text = Vec::with_capacity(256);
        dump(value, &Limits::VALUE, &mut text).map_err(|error| {
            raise(py, &error.into_error(Code::InvalidMessage, Code::MessageTooLarge))
        })?;
        Ok(PyBytes::new(py, &text))
    })
}

/// The value of a JSON text as a handler would get it; refuses what would not reach one.
#[pyfunction]
pub(crate) fn json_load<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    guard(py, || {
        validate(text, &Limits::VALUE).map_err(|error| {
            raise(py, &error.into_error(Code::InvalidMessage, Code::MessageTooLarge))
        })?;
        load(py, text)
    })
}
