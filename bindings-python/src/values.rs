//! What the core gives, as Python objects.
use crate::error::raise;
use crate::headers;
use crate::json::load;
use posthouse_kit::{Failure, Meta, Outcome, Reply};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::{IntoPyObjectExt, intern};

static UNSET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// `posthouse.UNSET`: where there is nothing, and no value could say so.
pub(crate) fn unset(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    UNSET.import(py, "posthouse._types", "UNSET").cloned()
}

/// What is known of a variable, as a `Meta`.
pub(crate) fn meta<'py>(py: Python<'py>, meta: &Meta) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(intern!(py, "initialized"), meta.initialized)?;
    dict.set_item(intern!(py, "exists"), meta.exists)?;
    let version = match &meta.version {
        Some(version) => {
            let dict = PyDict::new(py);
            dict.set_item(intern!(py, "counter"), version.counter.as_str())?;
            dict.set_item(intern!(py, "writer"), &*version.writer)?;
            Some(dict)
        }
        None => None,
    };
    dict.set_item(intern!(py, "version"), version)?;
    dict.set_item(intern!(py, "pending"), meta.pending)?;
    dict.set_item(intern!(py, "connected"), meta.connected)?;
    Ok(dict)
}

/// How an operation ended: its result, or the exception it is to raise.
pub(crate) fn ending(
    py: Python<'_>,
    result: Result<Outcome, Failure>,
) -> PyResult<Bound<'_, PyAny>> {
    match result {
        Ok(Outcome::Unit) => Ok(py.None().into_bound(py)),
        Ok(Outcome::Reply(one)) => reply(py, &one)?.into_bound_py_any(py),
        Ok(Outcome::Replies(all, reason)) => {
            (replies(py, &all)?, reason.as_str()).into_bound_py_any(py)
        }
        Err(failure) => {
            let error = raise(py, &failure.error).into_value(py).into_bound(py);
            if !failure.partial.is_empty() {
                error.setattr(intern!(py, "partial_replies"), replies(py, &failure.partial)?)?;
            }
            error.into_bound_py_any(py)
        }
    }
}

/// Data and headers of an answer.
fn reply<'py>(py: Python<'py>, reply: &Reply) -> PyResult<Bound<'py, PyTuple>> {
    (load(py, &reply.payload)?, headers::to_python(py, &reply.headers)?).into_pyobject(py)
}

fn replies<'py>(py: Python<'py>, all: &[Reply]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for one in all {
        list.append(reply(py, one)?)?;
    }
    Ok(list)
}
