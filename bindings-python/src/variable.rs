//! A variable as the Python half sees it.
use crate::error::guard;
use crate::headers;
use crate::hub::{millis, text};
use crate::json::load;
use crate::kit::Handle;
use crate::options::{PYTHON, given};
use crate::payload::{Purpose, with_json};
use crate::subscription::Subscription;
use crate::values;
use crate::watch::Watch;
use posthouse_kit::{
    Code, Error, Headers, ManySettings, Operation, RequestSettings, SubscriptionSettings, VarId,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Variable {
    handle: Handle,
    id: VarId,
    name: String,
}

impl Variable {
    pub(crate) fn new(handle: Handle, id: VarId, name: String) -> Self {
        Self { handle, id, name }
    }

    /// Writes a message's body, reads its headers, and hands both on.
    fn message<R: Send>(
        &self,
        data: &Bound<'_, PyAny>,
        headers: &Bound<'_, PyAny>,
        send: impl FnOnce(&posthouse_kit::Hub, &[u8], Option<&Headers>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let py = data.py();
        let headers = headers::from_python(headers)?;
        let limits = self.handle.hub().message_limits();
        with_json(data, Purpose::Message, &limits, |body| {
            self.handle.try_call(py, |hub| send(hub, body, headers.as_ref()))
        })
    }
}

#[pymethods]
impl Variable {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[pyo3(signature = (data, headers, /))]
    fn publish(&self, data: &Bound<'_, PyAny>, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        guard(py, || {
            let headers = headers::from_python(headers)?;
            let headers = headers.as_ref();
            let hub = self.handle.hub();
            with_json(data, Purpose::Message, &hub.message_limits(), |body| {
                // Letting the interpreter go costs more than publishing, which mostly need not wait.
                match hub.try_publish(self.id, body, headers)? {
                    Some(()) => Ok(()),
                    None => self.handle.try_call(py, |hub| hub.publish(self.id, body, headers)),
                }
            })
        })
    }

    #[pyo3(signature = (value, /))]
    fn set(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        guard(py, || {
            let limits = self.handle.hub().value_limits();
            with_json(value, Purpose::Value, &limits, |body| {
                self.handle.try_call(py, |hub| hub.set(self.id, body))
            })
        })
    }

    fn delete(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || self.handle.call(py, |hub| hub.delete(self.id)))
    }

    #[pyo3(signature = (fallback, /))]
    fn get<'py>(&self, fallback: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = fallback.py();
        guard(py, || match self.handle.call(py, |hub| hub.get(self.id))? {
            Some(value) => load(py, &value),
            None => Ok(fallback),
        })
    }

    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(py, || values::meta(py, &self.handle.call(py, |hub| hub.meta(self.id))?))
    }

    #[pyo3(signature = (timeout, /))]
    fn ready(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = timeout.py();
        guard(py, || {
            let timeout_ms = millis(timeout)?;
            let operation = Operation::Ready { var: Some(self.id), timeout_ms };
            self.handle.call(py, |hub| hub.begin(operation)).map(|op| op.0)
        })
    }

    #[pyo3(signature = (data, headers, timeout, /))]
    fn request(
        &self,
        data: &Bound<'_, PyAny>,
        headers: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        guard(data.py(), || {
            let mut settings = RequestSettings::new(PYTHON, self.handle.hub());
            if !timeout.is_none() {
                given(timeout, |given| settings.set("timeout", given))?;
            }
            let (var, timeout_ms) = (self.id, settings.timeout_ms);
            self.message(data, headers, |hub, body, headers| {
                hub.begin(Operation::Request { var, body, headers, timeout_ms, collect: None })
            })
            .map(|op| op.0)
        })
    }

    #[pyo3(signature = (data, headers, timeout, max_replies, max_bytes, /))]
    fn request_many(
        &self,
        data: &Bound<'_, PyAny>,
        headers: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        max_replies: &Bound<'_, PyAny>,
        max_bytes: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        guard(data.py(), || {
            let mut settings = ManySettings::new(PYTHON);
            given(timeout, |given| settings.set("timeout", given))?;
            given(max_replies, |given| settings.set("max_replies", given))?;
            given(max_bytes, |given| settings.set("max_bytes", given))?;
            let (var, timeout_ms) = (self.id, settings.timeout_ms());
            let collect = Some(settings.collect());
            self.message(data, headers, |hub, body, headers| {
                hub.begin(Operation::Request { var, body, headers, timeout_ms, collect })
            })
            .map(|op| op.0)
        })
    }

    #[pyo3(signature = (answering, queue, pending_messages, pending_bytes, timeout, /))]
    fn subscribe(
        &self,
        py: Python<'_>,
        answering: bool,
        queue: &Bound<'_, PyAny>,
        pending_messages: &Bound<'_, PyAny>,
        pending_bytes: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<(Subscription, u64)> {
        guard(py, || {
            let mut settings = SubscriptionSettings::new(PYTHON);
            given(pending_messages, |given| settings.set("pending_messages", given))?;
            given(pending_bytes, |given| settings.set("pending_bytes", given))?;
            given(timeout, |given| settings.set("timeout", given))?;
            let mut options = settings.options(answering);
            if !queue.is_none() {
                options.queue = Some(text(queue, Code::InvalidTopic, "the queue")?);
            }
            let (id, op, progress) = self.handle.call(py, |hub| {
                let (id, op) = hub.subscribe(self.id, &options)?;
                Ok((id, op, hub.progress(id)?))
            })?;
            Ok((Subscription::new(self.handle.clone(), id, &self.name, progress), op.0))
        })
    }

    fn watch(&self, py: Python<'_>) -> PyResult<Watch> {
        guard(py, || {
            let id = self.handle.call(py, |hub| hub.watch(self.id))?;
            Ok(Watch::new(self.handle.clone(), id))
        })
    }
}
