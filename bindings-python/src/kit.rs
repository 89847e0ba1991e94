//! How this crate holds the kit: whatever may wait, and every drop, happens detached from the interpreter.
//!
//! A thread that waited for the core while it held the interpreter's lock could wait for a thread
//! that wants that lock. So nothing here waits attached.
use crate::error::raise;
use posthouse_kit as kit;
use posthouse_kit::Error;
use pyo3::prelude::*;
use std::mem::ManuallyDrop;

/// A hub of the kit. Clones are the same hub; the last one dropped closes it.
pub(crate) struct Handle(ManuallyDrop<kit::Hub>);

impl Handle {
    pub(crate) fn new(hub: kit::Hub) -> Self {
        Self(ManuallyDrop::new(hub))
    }

    pub(crate) fn hub(&self) -> &kit::Hub {
        &self.0
    }

    /// Calls the kit, detached; an error becomes an exception.
    pub(crate) fn call<T: Send>(
        &self,
        py: Python<'_>,
        body: impl FnOnce(&kit::Hub) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.try_call(py, body).map_err(|error| raise(py, &error))
    }

    /// Calls the kit, detached.
    pub(crate) fn try_call<T: Send>(
        &self,
        py: Python<'_>,
        body: impl FnOnce(&kit::Hub) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let hub: &kit::Hub = &self.0;
        py.detach(move || body(hub))
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self::new(kit::Hub::clone(&self.0))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: taken once, here; nobody can use the field afterwards.
        let hub = unsafe { ManuallyDrop::take(&mut self.0) };
        detached(move || drop(hub));
    }
}

/// Runs what a destructor has to do. While the interpreter is being taken down there is nothing
/// left to be detached from, and the runtime has been stopped before.
pub(crate) fn detached(body: impl FnOnce() + Send) {
    let mut body = Some(body);
    let attached = Python::try_attach(|py| {
        if let Some(body) = body.take() {
            py.detach(body);
        }
    });
    if attached.is_none()
        && let Some(body) = body
    {
        body();
    }
}
