//! Errors and panics on their way into Python.
//!
//! The exception classes are Python's (`posthouse/_errors.py`); this module builds them from the
//! core's error. Every function that Python can call runs inside `guard`, so that a panic becomes
//! a `PosthouseError` with the code `INTERNAL`, which `except Exception` catches.
use posthouse_kit::{Code, Error};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::panic::{AssertUnwindSafe, catch_unwind};

static PLAIN: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The `PosthouseError` for `error`.
#[cold]
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let class = match PLAIN.import(py, "posthouse._errors", "PosthouseError") {
        Ok(class) => class,
        Err(error) => return error,
    };
    let arguments = (error.code().as_str(), error.message(), error.limit(), error.actual());
    match class.call1(arguments) {
        Ok(instance) => PyErr::from_value(instance),
        Err(error) => error,
    }
}

/// Runs the body of a function that Python called; a panic in it becomes an exception.
pub(crate) fn guard<T>(py: Python<'_>, body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let cause = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let message = format!("a fault inside Posthouse: {cause}; please report it");
        Err(raise(py, &Error::new(Code::Internal, message)))
    })
}
