//! The compiled half of the Python package: module `posthouse._core`.
//!
//! Everything here runs on a thread that Python owns, attached to the interpreter. Threads of
//! Posthouse itself never see a Python object: ids and bytes cross, and Python comes to fetch
//! them in batches. The Python half (`python/posthouse`) puts asyncio on top.
mod error;
mod finished;
mod headers;
mod hub;
mod json;
mod kit;
mod options;
mod payload;
mod subscription;
mod values;
mod variable;
mod watch;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Stops the runtime in bounded time, for a program that ends. Hubs are dead afterwards.
#[pyfunction]
fn shutdown(py: Python<'_>) {
    py.detach(posthouse_kit::shutdown);
}

/// One interpreter for a process: the runtime and the tables of this module are the process's.
fn refuse_subinterpreters() -> PyResult<()> {
    // SAFETY: the caller is attached to an interpreter, which these calls ask for its number.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if id == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "posthouse works in the main interpreter only, not in subinterpreters; use a process",
    ))
}

/// What the package is built on; use the `posthouse` package instead of this module.
#[pymodule(gil_used = true)]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    use crate::hub::kind;

    #[pymodule_export]
    use super::shutdown;
    #[pymodule_export]
    use crate::finished::Finished;
    #[pymodule_export]
    use crate::hub::Hub;
    #[pymodule_export]
    use crate::json::{json_dump, json_load};
    #[pymodule_export]
    use crate::subscription::{Message, Subscription, Turn};
    #[pymodule_export]
    use crate::variable::Variable;
    #[pymodule_export]
    use crate::watch::Watch;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::refuse_subinterpreters()?;
        for (name, kind) in [
            ("DONE", kind::DONE),
            ("READY", kind::READY),
            ("ENDED", kind::ENDED),
            ("WATCH", kind::WATCH),
            ("STATUS", kind::STATUS),
            ("INSTANCES", kind::INSTANCES),
            ("LOG", kind::LOG),
            ("ASK", kind::ASK),
            ("CLOSED", kind::CLOSED),
            ("GONE", kind::GONE),
        ] {
            module.add(name, kind)?;
        }
        module.add("FINISHED", crate::finished::nothing(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
