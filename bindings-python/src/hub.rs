//! A hub as the Python half sees it: operations that are begun here, and one place from which
//! everything that happens is fetched.
use crate::error::{guard, raise};
use crate::json::load;
use crate::kit::Handle;
use crate::options::{self, PYTHON, given};
use crate::values;
use crate::variable::Variable;
use posthouse_kit::settings::duration_ms;
use posthouse_kit::{
    AskId, Code, Connection, DrainSettings, Error, Event, HubSettings, Level, Op, Operation, Wake,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// Kinds of events, the first item of what `Hub.poll` gives.
pub(crate) mod kind {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const READY: u8 = 1;
    pub(crate) const ENDED: u8 = 2;
    pub(crate) const WATCH: u8 = 3;
    pub(crate) const STATUS: u8 = 4;
    pub(crate) const INSTANCES: u8 = 5;
    pub(crate) const LOG: u8 = 6;
    pub(crate) const ASK: u8 = 7;
    pub(crate) const CLOSED: u8 = 8;
    pub(crate) const GONE: u8 = 9;
}

#[pyclass(frozen, module = "posthouse._core")]
pub(crate) struct Hub {
    handle: Handle,
}

#[pymethods]
impl Hub {
    #[new]
    fn new(
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        guard(py, || {
            let version = py.version_info();
            let runtime = format!("python/{}.{}.{}", version.major, version.minor, version.patch);
            let name = if namespace.is_none() {
                None
            } else {
                Some(text(namespace, Code::InvalidName, "the namespace")?)
            };
            let mut settings =
                HubSettings::new(PYTHON, "python", runtime).namespace(name.as_deref());
            options::hub(&mut settings, options)?;
            let opened = py.detach(|| posthouse_kit::Hub::open(settings, Wake::Fd));
            Ok(Self { handle: Handle::new(opened.map_err(|error| raise(py, &error))?) })
        })
    }

    #[getter]
    fn namespace(&self) -> &str {
        self.handle.hub().namespace()
    }

    #[getter]
    fn instance_id(&self) -> &str {
        self.handle.hub().instance_id()
    }

    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || {
            Ok(match self.handle.call(py, posthouse_kit::Hub::connection)? {
                Connection::Starting => "starting",
                Connection::Connecting => "connecting",
                Connection::Connected => "connected",
                Connection::Offline => "offline",
                Connection::Error => "error",
                Connection::Closed => "closed",
            })
        })
    }

    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || load(py, &self.handle.call(py, posthouse_kit::Hub::status_json)?))
    }

    fn instances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || load(py, &self.handle.call(py, posthouse_kit::Hub::instances_json)?))
    }

    #[pyo3(signature = (name, /))]
    fn variable(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Variable> {
        guard(py, || {
            let name = text(name, Code::InvalidName, "a variable's name")?;
            let id = self.handle.call(py, |hub| hub.var(&name))?;
            Ok(Variable::new(self.handle.clone(), id, name))
        })
    }

    /// The descriptor that is readable while there is something to poll. It stays this hub's.
    fn fileno(&self, py: Python<'_>) -> PyResult<i32> {
        self.handle.hub().wake_fd().ok_or_else(|| {
            raise(py, &Error::new(Code::Unsupported, "this system has no descriptor to wait on"))
        })
    }

    /// At most `limit` events, as `(kind, id, value)`. None left means that the descriptor becomes
    /// readable again with the next one.
    #[pyo3(signature = (limit, /))]
    fn poll<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        guard(py, || {
            let mut events = Vec::new();
            self.handle.call(py, |hub| hub.poll(limit, &mut events))?;
            let list = PyList::empty(py);
            for event in events {
                list.append(event_to_python(py, event)?)?;
            }
            Ok(list)
        })
    }

    #[pyo3(signature = (timeout, /))]
    fn connected(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        guard(timeout.py(), || {
            let timeout_ms = Some(self.millis(timeout)?);
            self.begin(timeout.py(), Operation::Connected { timeout_ms })
        })
    }

    #[pyo3(signature = (timeout, /))]
    fn ready(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        guard(timeout.py(), || {
            let timeout_ms = millis(timeout)?;
            self.begin(timeout.py(), Operation::Ready { var: None, timeout_ms })
        })
    }

    #[pyo3(signature = (timeout, /))]
    fn flush(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        guard(timeout.py(), || {
            let timeout_ms = self.millis(timeout)?;
            self.begin(timeout.py(), Operation::Flush { timeout_ms })
        })
    }

    #[pyo3(signature = (timeout, /))]
    fn drain(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        guard(timeout.py(), || {
            let timeout_ms = drain_timeout(timeout)?;
            self.begin(timeout.py(), Operation::Drain { timeout_ms })
        })
    }

    /// Ends the hub. When everything is gone, `GONE` tells.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || self.handle.call(py, posthouse_kit::Hub::close))
    }

    #[pyo3(signature = (operation, /))]
    fn cancel(&self, py: Python<'_>, operation: u64) -> PyResult<()> {
        guard(py, || self.handle.call(py, |hub| hub.cancel(Op(operation))))
    }

    /// Answers `ASK` with a credential, or with the sentence why there is none.
    #[pyo3(signature = (ask, answer, failure, /))]
    fn tell(
        &self,
        py: Python<'_>,
        ask: u64,
        answer: Option<String>,
        failure: &str,
    ) -> PyResult<()> {
        guard(py, || {
            let answer = answer.ok_or_else(|| Error::new(Code::HandlerError, failure));
            self.handle.call(py, |hub| hub.tell(AskId(ask), answer))
        })
    }

    /// Panics `here`, `under-lock` or `on-io-thread`.
    #[cfg(feature = "test-hooks")]
    fn fail(&self, py: Python<'_>, place: &str) -> PyResult<()> {
        use posthouse_kit::Fault;
        let fault = match place {
            "here" => Fault::Here,
            "under-lock" => Fault::UnderLock,
            _ => Fault::OnIoThread,
        };
        guard(py, || self.handle.call(py, |hub| hub.fail(fault)))
    }

    /// A callback that is no handler raised: reported as HANDLER_ERROR.
    #[pyo3(signature = (what, message, /))]
    fn callback_failed(&self, py: Python<'_>, what: &str, message: &str) -> PyResult<()> {
        guard(py, || self.handle.call(py, |hub| hub.handler_failed(what, message)))
    }
}

impl Hub {
    fn begin(&self, py: Python<'_>, operation: Operation<'_>) -> PyResult<u64> {
        self.handle.call(py, |hub| hub.begin(operation)).map(|op| op.0)
    }

    /// A time-out in seconds as milliseconds; none stands for the hub's own.
    fn millis(&self, timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(millis(timeout)?.unwrap_or_else(|| self.handle.hub().timeout_ms()))
    }
}

/// A time-out in seconds as milliseconds.
pub(crate) fn millis(timeout: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    given(timeout, |given| duration_ms(PYTHON, "timeout", given))
}

/// The time-out of a drain, in milliseconds.
pub(crate) fn drain_timeout(timeout: &Bound<'_, PyAny>) -> PyResult<u64> {
    let mut settings = DrainSettings::new(PYTHON);
    given(timeout, |given| settings.set("timeout", given))?;
    Ok(settings.timeout_ms())
}

/// A name given by the program.
pub(crate) fn text(given: &Bound<'_, PyAny>, code: Code, what: &str) -> PyResult<String> {
    let refused = |why: &str| raise(given.py(), &Error::new(code, format!("{what} {why}")));
    let Ok(string) = given.cast::<PyString>() else {
        let kind = given.get_type();
        let kind = kind.name().map_or_else(|_| "unknown".to_owned(), |name| name.to_string());
        return Err(refused(&format!("is of type {kind}; give a string")));
    };
    match string.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(refused("is not valid Unicode: it holds a lone surrogate")),
    }
}

fn event_to_python(py: Python<'_>, event: Event) -> PyResult<Bound<'_, PyAny>> {
    let none = py.None().into_bound(py);
    let line =
        |level: &str, code: &str, message: String| (level, code, message).into_bound_py_any(py);
    let (kind, id, value) = match event {
        Event::Done { op, result } => (kind::DONE, op.0, values::ending(py, result)?),
        Event::Ready { sub } => (kind::READY, sub.0, none),
        Event::Ended { sub, error: None } => (kind::ENDED, sub.0, none),
        Event::Ended { sub, error: Some(error) } => {
            (kind::ENDED, sub.0, raise(py, &error).into_value(py).into_bound(py).into_any())
        }
        Event::Watch { watch } => (kind::WATCH, watch.0, none),
        Event::Status => (kind::STATUS, 0, none),
        Event::Instances => (kind::INSTANCES, 0, none),
        Event::Log { level, code, message } => {
            (kind::LOG, 0, line(level_name(level), code.map_or("", Code::as_str), message)?)
        }
        Event::LogsLost { count } => (
            kind::LOG,
            0,
            line("warn", "", format!("{count} lines were lost: nobody fetched them"))?,
        ),
        Event::Ask { ask, what } => (kind::ASK, ask.0, what.into_bound_py_any(py)?),
        Event::Closed => (kind::CLOSED, 0, none),
        Event::Gone => (kind::GONE, 0, none),
    };
    (kind, id, value).into_bound_py_any(py)
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warning => "warn",
    }
}
