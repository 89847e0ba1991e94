//! The compiled half of the Python package: module `posthouse._core`.
//!
//! Everything here runs on a thread that Python owns, attached to the interpreter. Threads of
//! Posthouse itself never see a Python object: ids and bytes cross, and Python comes to fetch
//! them in batches. The Python half (`python/posthouse`) puts asyncio on top.
mod error;
mod finished;
mod json;

use pyo3::prelude::*;

/// What the package is built on; use the `posthouse` package instead of this module.
#[pymodule(gil_used = true)]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    #[pymodule_export]
    use crate::finished::Finished;
    #[pymodule_export]
    use crate::json::{json_dump, json_load};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("FINISHED", crate::finished::nothing(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
