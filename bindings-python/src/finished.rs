//! An awaitable that is over before anybody awaits it.
//!
//! Publishing and setting are done when they return; in asyncio they still want an `await`. This
//! object satisfies it without a coroutine, a future or a turn of the loop.
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// An awaitable with a value. It can be awaited any number of times; it also has the methods of a
/// coroutine, so that `asyncio.create_task` takes it.
#[pyclass(frozen, generic, module = "posthouse._core")]
pub(crate) struct Finished {
    value: Py<PyAny>,
}

#[pymethods]
#[allow(clippy::unused_self, reason = "the protocol of awaitables wants methods")]
impl Finished {
    #[new]
    fn new(value: Py<PyAny>) -> Self {
        Self { value }
    }

    fn __await__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        // Ending without a value is quick: the interpreter needs no exception object for it.
        if self.value.is_none(py) { Ok(None) } else { Err(self.stop(py)) }
    }

    #[pyo3(signature = (value, /))]
    fn send(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let _ = value;
        Err(self.stop(py))
    }

    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let _ = traceback;
        let raised = match (kind.cast::<PyType>(), value) {
            (Ok(_), Some(value)) if !value.is_none() => value.clone(),
            (Ok(class), _) => class.call0()?,
            (Err(_), _) => kind.clone(),
        };
        Err(PyErr::from_value(raised))
    }

    fn close(&self) {
        // Nothing is open.
    }

    fn __repr__(&self) -> &'static str {
        "<finished operation>"
    }
}

impl Finished {
    fn stop(&self, py: Python<'_>) -> PyErr {
        PyStopIteration::new_err((self.value.clone_ref(py),))
    }
}

/// The one for operations that give nothing.
pub(crate) fn nothing(py: Python<'_>) -> PyResult<Bound<'_, Finished>> {
    Bound::new(py, Finished { value: py.None() })
}
