//! A watch of a variable: the latest state, taken when there is news.
use crate::error::guard;
use crate::json::load;
use crate::kit::Handle;
use crate::values;
use posthouse_kit::WatchId;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Watch {
    handle: Handle,
    id: WatchId,
}

impl Watch {
    pub(crate) fn new(handle: Handle, id: WatchId) -> Self {
        Self { handle, id }
    }
}

#[pymethods]
impl Watch {
    #[getter]
    fn id(&self) -> u64 {
        self.id.0
    }

    /// The value, or `absent`, and what is known besides; `UNSET` once the watch is over.
    #[pyo3(signature = (absent, /))]
    fn take<'py>(&self, absent: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = absent.py();
        guard(py, || {
            let Some(view) = self.handle.call(py, |hub| hub.take_watch(self.id))? else {
                return values::unset(py);
            };
            let value = match &view.value {
                Some(value) => load(py, value)?,
                None => absent,
            };
            (value, values::meta(py, &view.meta)?).into_bound_py_any(py)
        })
    }

    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || self.handle.call(py, |hub| hub.unwatch(self.id)))
    }
}
