//! A subscription as the Python half sees it: one message at a time.
//!
//! Python calls the handler itself, so no frame of ours is on the stack while a program's code
//! runs. Taking the next message says that the one before is done with.
use crate::error::guard;
use crate::headers;
use crate::hub::drain_timeout;
use crate::json::load;
use crate::kit::{Handle, detached};
use crate::payload::{Purpose, with_json};
use crate::values;
use posthouse_kit::{Delivery, Operation, SubId, Token};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Arc, Mutex, PoisonError};

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Subscription {
    handle: Handle,
    id: SubId,
    /// What it listens to: the topic of its messages, unless they say another one.
    name: Arc<str>,
    /// The message whose handler runs.
    current: Mutex<Option<Token>>,
}

impl Subscription {
    pub(crate) fn new(handle: Handle, id: SubId, name: &str) -> Self {
        Self { handle, id, name: name.into(), current: Mutex::new(None) }
    }

    fn swap(&self, token: Option<Token>) -> Option<Token> {
        std::mem::replace(&mut *self.current.lock().unwrap_or_else(PoisonError::into_inner), token)
    }

    fn current(&self) -> Option<Token> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the message before and takes the next.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Delivery>> {
        let before = self.swap(None).is_some();
        self.handle.call(py, |hub| hub.next(self.id, usize::from(before)))
    }
}

#[pymethods]
impl Subscription {
    #[getter]
    fn id(&self) -> u64 {
        self.id.0
    }

    /// The next message's data, or `UNSET`.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let Some(delivery) = self.next(py)? else { return values::unset(py) };
            self.swap(Some(delivery.token));
            load(py, &delivery.payload)
        })
    }

    /// The next message's data and what else belongs to it, or `UNSET`.
    fn take_message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let Some(delivery) = self.next(py)? else { return values::unset(py) };
            self.swap(Some(delivery.token.clone()));
            let data = load(py, &delivery.payload)?;
            let headers = headers::to_python(py, &delivery.headers)?.unbind();
            let topic = delivery.topic.map_or_else(|| Arc::clone(&self.name), Arc::from);
            let message =
                Message { handle: self.handle.clone(), token: delivery.token, topic, headers };
            (data, message).into_bound_py_any(py)
        })
    }

    /// Answers the current message. What cannot be JSON is an error here; what cannot be sent is
    /// reported, for nobody waits for it.
    #[pyo3(signature = (value, headers, /))]
    fn answer(&self, value: &Bound<'_, PyAny>, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        guard(py, || {
            let Some(token) = self.current() else { return Ok(()) };
            let headers = headers::from_python(headers)?;
            let limits = self.handle.hub().message_limits();
            with_json(value, Purpose::Message, &limits, |body| {
                self.handle.try_call(py, |hub| hub.answer(&token, body, headers.as_ref()))
            })
        })
    }

    /// The current message is done with. Never fails: it is called when all sorts of things end.
    fn finish(&self, py: Python<'_>) {
        if self.swap(None).is_some() {
            let _ = self.handle.try_call(py, |hub| hub.finished(self.id, 1));
        }
    }

    /// The handler of the current message raised: reported as HANDLER_ERROR. Never fails, like
    /// `finish`.
    #[pyo3(signature = (message, /))]
    fn fail(&self, py: Python<'_>, message: &str) {
        let what = format!("the handler of {:?}", self.name);
        let _ = self.handle.try_call(py, |hub| hub.handler_failed(&what, message));
    }

    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || load(py, &self.handle.call(py, |hub| hub.subscription_status_json(self.id))?))
    }

    fn unsubscribe(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || self.handle.call(py, |hub| hub.unsubscribe(self.id)))
    }

    /// Unsubscribes for want of anybody who listens. Never fails, like `finish`.
    fn abandon(&self, py: Python<'_>) {
        let _ = self.handle.try_call(py, |hub| hub.unsubscribe(self.id));
    }

    #[pyo3(signature = (timeout, /))]
    fn drain(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = timeout.py();
        guard(py, || {
            let timeout_ms = drain_timeout(timeout)?;
            let operation = Operation::DrainSubscription { sub: self.id, timeout_ms };
            self.handle.call(py, |hub| hub.begin(operation)).map(|op| op.0)
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let (hub, id) = (self.handle.hub(), self.id);
        // In a forked child there is nothing to let go of.
        detached(move || drop(hub.release(id)));
    }
}

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Message {
    handle: Handle,
    token: Token,
    topic: Arc<str>,
    headers: Py<PyList>,
}

#[pymethods]
impl Message {
    #[getter]
    fn topic(&self) -> &str {
        &self.topic
    }

    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> &Bound<'py, PyList> {
        self.headers.bind(py)
    }

    #[pyo3(signature = (data, headers, /))]
    fn reply(&self, data: &Bound<'_, PyAny>, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        guard(py, || {
            let headers = headers::from_python(headers)?;
            let limits = self.handle.hub().message_limits();
            with_json(data, Purpose::Message, &limits, |body| {
                self.handle.try_call(py, |hub| hub.reply(&self.token, body, headers.as_ref()))
            })
        })
    }
}
