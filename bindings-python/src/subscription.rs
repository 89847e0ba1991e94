//! A subscription as the Python half sees it: one message at a time.
//!
//! Python calls the handler itself, so no frame of ours is on the stack while a program's code
//! runs. Taking the next message says that the one before is done with. Messages are fetched in
//! batches, for which alone the interpreter is let go.
use crate::error::guard;
use crate::headers;
use crate::hub::drain_timeout;
use crate::json::load;
use crate::kit::{Handle, detached};
use crate::payload::{Purpose, with_json};
use crate::values;
use posthouse_kit::{Delivery, Operation, Progress, SubId, Token};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Subscription {
    handle: Handle,
    id: SubId,
    /// What it listens to: the topic of its messages, unless they say another one.
    name: Arc<str>,
    progress: Progress,
    state: Mutex<State>,
}

/// Never locked while the interpreter is let go or asked for anything: threads that have it may
/// wait for this lock.
#[derive(Default)]
struct State {
    /// The message whose handler runs.
    current: Option<Token>,
    /// What was fetched and not yet handed out.
    batch: VecDeque<Delivery>,
}

/// Messages fetched at a time.
const BATCH: usize = 256;

impl Subscription {
    pub(crate) fn new(handle: Handle, id: SubId, name: &str, progress: Progress) -> Self {
        Self { handle, id, name: name.into(), progress, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Option<Token> {
        self.state().current.clone()
    }

    /// Ends the message before and takes the next.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Delivery>> {
        if let Some(delivery) = self.next_of_batch() {
            return Ok(Some(delivery));
        }
        let discarded = std::mem::take(&mut self.state().batch).len();
        let mut batch = Vec::new();
        self.handle.call(py, |hub| {
            if discarded > 0 {
                hub.finished(self.id, discarded)?;
            }
            hub.next_batch(self.id, BATCH, &mut batch)
        })?;
        // Another thread may have done the same.
        self.state().batch.extend(batch);
        Ok(self.next_of_batch())
    }

    fn next_of_batch(&self) -> Option<Delivery> {
        let mut state = self.state();
        if state.current.take().is_some() {
            self.progress.handled();
        }
        let delivery = if self.progress.ended() { None } else { state.batch.pop_front() }?;
        state.current = Some(delivery.token.clone());
        Some(delivery)
    }

    fn data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py)?.map(|delivery| load(py, &delivery.payload)).transpose()
    }

    fn message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(delivery) = self.next(py)? else { return Ok(None) };
        let data = load(py, &delivery.payload)?;
        let headers = headers::to_python(py, &delivery.headers)?.unbind();
        let topic = delivery.topic.map_or_else(|| Arc::clone(&self.name), Arc::from);
        let message =
            Message { handle: self.handle.clone(), token: delivery.token, topic, headers };
        (data, message).into_bound_py_any(py).map(Some)
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
        guard(py, || self.data(py)?.map_or_else(|| values::unset(py), Ok))
    }

    /// The next message's data and what else belongs to it, or `UNSET`.
    fn take_message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || self.message(py)?.map_or_else(|| values::unset(py), Ok))
    }

    /// Iterates over what waits, at most `most` messages, each as `take` or `take_message` gives it.
    #[pyo3(signature = (most, with_context, /))]
    fn turn(this: Py<Self>, most: u32, with_context: bool) -> Turn {
        Turn { subscription: this, left: AtomicU32::new(most), with_context }
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
        if self.state().current.take().is_some() {
            self.progress.handled();
            let _ = self.handle.try_call(py, |hub| hub.finished(self.id, 0));
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

/// Messages for one turn of a pump.
#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Turn {
    subscription: Py<Subscription>,
    left: AtomicU32,
    with_context: bool,
}

#[pymethods]
impl Turn {
    /// Whether it ended because it was used up: more may wait.
    #[getter]
    fn over(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guard(py, || {
            let left = self.left.load(Ordering::Relaxed);
            if left == 0 {
                return Ok(None);
            }
            let subscription = self.subscription.get();
            let next =
                if self.with_context { subscription.message(py) } else { subscription.data(py) }?;
            if next.is_some() {
                self.left.store(left - 1, Ordering::Relaxed);
            }
            Ok(next)
        })
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
