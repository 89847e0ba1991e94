//! A hub for a host language: opening, the queue, operations, the end.
use crate::{
    AskId, Event, HubSettings, Operation, Waiting, Wake,
    outbox::Outbox,
    process::{check_fork, watch_forks},
    sink::KitSink,
    wake::Waker,
};
use posthouse::engine::Engine;
use posthouse_core::{
    Code, Error, Result,
    hub::{Connection, Instance, Op, Status},
    json,
};
use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

/// A handle of a hub. Clones are the same hub; the last one dropped closes it, at once and without
/// waiting for that, and ends its wake signal as [`Hub::stop_waking`] does. Every method may be called on every thread, and none but those named `wait` blocks.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine<KitSink>,
    outbox: Arc<Outbox>,
    namespace: Box<str>,
    instance_id: Box<str>,
    timeout_ms: u64,
    message_limits: json::Limits,
    value_limits: json::Limits,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if check_fork().is_ok() {
            // Nobody can poll any more; what the callback refers to may go with the hub.
            self.outbox.waker().stop();
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("namespace", &self.inner.namespace).finish_non_exhaustive()
    }
}

impl Hub {
    /// Opens a hub and returns at once: variables work, the connection is being sought.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`, `INVALID_NAME`, `INVALID_SERVER`, `FORKED`; `INTERNAL` if the system gives
    /// no thread or descriptor.
    pub fn open(settings: HubSettings, wake: Wake) -> Result<Self> {
        check_fork()?;
        watch_forks();
        let outbox = Arc::new(Outbox::new(Waker::new(wake)?));
        let options = settings.into_options(&outbox);
        let timeout_ms = options.numbers.timeout_ms;
        let (config, servers) = options.resolve()?;
        let engine = Engine::open(config, servers, KitSink::new(Arc::clone(&outbox)))?;
        let inner = engine.with(|hub, _| {
            let (namespace, instance_id) = (hub.namespace().into(), hub.instance_id().into());
            (namespace, instance_id, hub.message_limits(), hub.value_limits())
        })?;
        let (namespace, instance_id, message_limits, value_limits) = inner;
        let inner = Inner {
            engine,
            outbox,
            namespace,
            instance_id,
            timeout_ms,
            message_limits,
            value_limits,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub(crate) fn engine(&self) -> &Engine<KitSink> {
        &self.inner.engine
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.inner.outbox
    }

    /// The namespace; a fresh one where none was given.
    pub fn namespace(&self) -> &str {
        &self.inner.namespace
    }

    /// This hub's identity, new for every hub.
    pub fn instance_id(&self) -> &str {
        &self.inner.instance_id
    }

    /// The option `timeout`: how long requests and flushes may take that give no time of their own.
    pub fn timeout_ms(&self) -> u64 {
        self.inner.timeout_ms
    }

    /// The rules for message bodies of this hub, for writing them.
    pub fn message_limits(&self) -> json::Limits {
        self.inner.message_limits
    }

    /// The rules for values of variables, for writing them.
    pub fn value_limits(&self) -> json::Limits {
        self.inner.value_limits
    }
}

/// The queue.
impl Hub {
    /// The descriptor that is readable while events wait, for a hub opened with [`Wake::Fd`]. Only to
    /// be waited on: [`Hub::poll`] reads it. It lives as long as the hub has a handle.
    #[cfg(unix)]
    pub fn wake_fd(&self) -> Option<std::os::fd::RawFd> {
        match self.inner.outbox.waker() {
            Waker::Fd(signal) => Some(signal.fd()),
            _ => None,
        }
    }

    /// Takes up to `max` events, oldest first, and says whether there are more: then the descriptor
    /// stays readable, and a wake callback is called again.
    ///
    /// A signal may have been answered already by a poll that came between: none is then no fault.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn poll(&self, max: usize, out: &mut Vec<Event>) -> Result<bool> {
        check_fork()?;
        Ok(self.inner.outbox.poll(max, out))
    }

    /// Waits until [`Hub::poll`] has something, at most `slice`, and says whether it has.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn wait_events(&self, slice: Duration) -> Result<bool> {
        check_fork()?;
        Ok(self.inner.outbox.wait(slice))
    }

    /// Ends the wake signal: once this has returned, the callback does not run on another thread nor
    /// will again, and the descriptor stays unreadable. It waits for a call that runs on another
    /// thread. Events are still queued; [`Hub::wait_events`] goes on working.
    pub fn stop_waking(&self) {
        if check_fork().is_ok() {
            self.inner.outbox.waker().stop();
        }
    }

    /// Wakes the host as an event would, although none may wait: for work of its own that another
    /// thread has given to the one that polls.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn rouse(&self) -> Result<()> {
        check_fork()?;
        self.inner.outbox.rouse();
        Ok(())
    }

    /// Answers [`Event::Ask`] with the credential, or with why there is none. One that nobody waits
    /// for any more is ignored.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn tell(&self, ask: AskId, answer: Result<String>) -> Result<()> {
        check_fork()?;
        let asked = self.inner.outbox.asks().remove(&ask);
        if let Some(asked) = asked {
            // The attempt may have been given up in this very moment.
            let _ = asked.send(answer);
        }
        Ok(())
    }
}

/// Operations with an end.
impl Hub {
    /// Begins an operation whose end comes as [`Event::Done`].
    ///
    /// # Errors
    /// Those that the operation has at once; they have no event.
    pub fn begin(&self, operation: Operation<'_>) -> Result<Op> {
        self.engine().call(|hub, sink, now| {
            let ends_the_hub = operation.ends_the_hub();
            let op = operation.begin(hub, now)?;
            if ends_the_hub {
                sink.drains(op);
            }
            sink.begins(op);
            Ok(op)
        })?
    }

    /// Begins an operation whose end a thread waits for.
    ///
    /// # Errors
    /// As [`Hub::begin`].
    pub fn begin_waiting(&self, operation: Operation<'_>) -> Result<Waiting> {
        // Somebody waits: the caller's own thread may write it to the connection.
        let (op, slot) = self.engine().call_through(|hub, sink, now| {
            let ends_the_hub = operation.ends_the_hub();
            let op = operation.begin(hub, now)?;
            if ends_the_hub {
                sink.drains(op);
            }
            Ok::<_, Error>((op, sink.expect(op)))
        })??;
        Ok(Waiting::new(self.clone(), op, slot))
    }

    /// Gives up an operation. Its end comes all the same, with `CANCELLED` unless it has ended
    /// already; what was sent is not undone.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn cancel(&self, op: Op) -> Result<()> {
        self.engine().call(|hub, _, now| hub.cancel(now, op))
    }
}

/// What the hub tells of itself, and its end.
impl Hub {
    /// The state of the connection.
    /// A hub that failed inside is closed.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn connection(&self) -> Result<Connection> {
        match self.engine().with(|hub, _| hub.connection()) {
            Err(error) if error.code() == Code::Internal => Ok(Connection::Closed),
            connection => connection,
        }
    }

    /// All that the hub tells of itself.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn status(&self) -> Result<Status> {
        self.engine().call(|hub, _, now| {
            hub.count_handled(now);
            hub.status(now)
        })
    }

    /// [`Hub::status`] as JSON, keys in camelCase.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn status_json(&self) -> Result<Vec<u8>> {
        to_json(&self.status()?)
    }

    /// The hubs of the namespace, ordered by identity; this one's own reports are among them.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn instances(&self) -> Result<Vec<Instance>> {
        self.engine().call(|hub, _, now| hub.instances(now))
    }

    /// [`Hub::instances`] as JSON, keys in camelCase.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn instances_json(&self) -> Result<Vec<u8>> {
        to_json(&self.instances()?)
    }

    /// Where the node that this hub owns listens, if it owns one now.
    pub fn owned_node(&self) -> Option<SocketAddr> {
        check_fork().ok()?;
        self.engine().owned_node_now()
    }

    /// Ends the hub at once, without draining, and without waiting: what is under way ends with
    /// `CLOSED`, then come [`Event::Closed`] and [`Event::Gone`]. May be called any number of times.
    ///
    /// # Errors
    /// `FORKED`. A hub that failed inside is closed already.
    pub fn close(&self) -> Result<()> {
        check_fork()?;
        let _ = self.engine().call(|hub, _, now| hub.close(now));
        Ok(())
    }

    /// Whether the hub is closed. In a child it is.
    pub fn is_closed(&self) -> bool {
        self.engine().with(|hub, _| hub.is_closed()).unwrap_or(true)
    }

    /// Whether a closed hub has let go of everything. In a child it has.
    pub fn is_gone(&self) -> bool {
        check_fork().is_err() || self.inner.outbox.gone().has_ended()
    }

    /// Waits until a closed hub has let go of everything, at most `slice`, and says whether it has.
    pub fn wait_gone(&self, slice: Duration) -> bool {
        check_fork().is_err() || self.inner.outbox.gone().wait_end(slice)
    }
}

pub(crate) fn to_json<T: serde::Serialize>(data: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(data).map_err(|error| {
        Error::new(Code::Internal, format!("it cannot be written as JSON: {error}"))
    })
}
