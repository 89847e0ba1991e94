//! Headers between Python and the core.
//!
//! Out goes a mapping whose values are one string or several; in come pairs, from which the
//! Python half makes its `Headers`.
use crate::error::raise;
use posthouse_kit::{Code, Error, Headers};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

/// The headers of a message to send; none for `None`.
pub(crate) fn from_python(given: &Bound<'_, PyAny>) -> PyResult<Option<Headers>> {
    if given.is_none() {
        return Ok(None);
    }
    let mut headers = Headers::new();
    if let Ok(dict) = given.cast::<PyDict>() {
        for (name, value) in dict.iter() {
            add(&mut headers, &name, &value)?;
        }
    } else if let Ok(entries) = given.getattr("entries") {
        for entry in entries.call0()?.try_iter()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry?.extract()?;
            add(&mut headers, &name, &value)?;
        }
    } else if let Ok(mapping) = given.cast::<PyMapping>() {
        for entry in mapping.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
            add(&mut headers, &name, &value)?;
        }
    } else {
        return Err(refused(given, "headers are", "a mapping of names to strings"));
    }
    Ok((!headers.is_empty()).then_some(headers))
}

fn add(headers: &mut Headers, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(key) = name.cast::<PyString>() else {
        return Err(refused(name, "a header's name is", "a string"));
    };
    let key = text(key);
    if let Ok(value) = value.cast::<PyString>() {
        return append(headers, name.py(), &key, &text(value));
    }
    if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Err(refused(value, "a header's value is", "a string or a list of strings"));
    }
    for one in value.try_iter()? {
        let one = one?;
        let Ok(value) = one.cast::<PyString>() else {
            return Err(refused(&one, "one of a header's values is", "a string"));
        };
        append(headers, name.py(), &key, &text(value))?;
    }
    Ok(())
}

/// A string's text. What has none in UTF-8 is replaced by a character that no header may hold.
fn text(string: &Bound<'_, PyString>) -> String {
    string.to_cow().map_or_else(|_| "\u{fffd}".to_owned(), Into::into)
}

fn append(headers: &mut Headers, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
    headers.append(name, value).map_err(|error| raise(py, &error))
}

fn refused(given: &Bound<'_, PyAny>, what: &str, wanted: &str) -> PyErr {
    let kind = given.get_type().name().map_or_else(|_| "unknown".to_owned(), |n| n.to_string());
    let message = format!("{what} of type {kind}; give {wanted}");
    raise(given.py(), &Error::new(Code::InvalidHeaders, message))
}

/// Received headers as a list of pairs, the names as they came.
pub(crate) fn to_python<'py>(py: Python<'py>, headers: &Headers) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for pair in headers.iter() {
        list.append(pair)?;
    }
    Ok(list)
}
