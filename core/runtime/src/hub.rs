//! The hub of the Rust SDK.
use crate::{
    Connection, Error, Instance, Result, Status, Variable,
    builder::Builder,
    engine::Engine,
    handler, refusal,
    sink::{Changes, OpResult, SdkSink},
};
use futures_core::Stream;
use posthouse_core::{
    Code, Now,
    hub::{Failure, Hub as Machine, Op, Outcome},
    json,
    options::HubOptions,
};
use std::{
    fmt,
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::sync::{Mutex, oneshot, watch};

/// Called with every error of a handler or watch callback of a hub.
pub type OnCallbackError = Arc<dyn Fn(&Error) + Send + Sync>;

/// One member of a namespace: a stable reference to shared state, events and requests.
///
/// Clones are the same hub. It closes when the last clone, variable, subscription and watch of it
/// is dropped; [`Hub::drain`] and [`Hub::close`] end it sooner.
#[derive(Clone)]
pub struct Hub {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub engine: Engine<SdkSink>,
    changes: Arc<Changes>,
    namespace: String,
    instance_id: String,
    /// The default time-out of an operation.
    pub timeout: Duration,
    pub message_limits: json::Limits,
    pub on_callback_error: Option<OnCallbackError>,
    /// Watch callbacks of a hub run one after the other.
    pub watch_turn: Mutex<()>,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub")
            .field("namespace", &self.inner.namespace)
            .field("instance_id", &self.inner.instance_id)
            .finish_non_exhaustive()
    }
}

impl Hub {
    /// Begins to open a hub in a namespace. `None` makes a fresh namespace that nobody else is in.
    ///
    /// ```
    /// # let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    /// # #[tokio::main] async fn example(port: u16) -> posthouse::Result<()> {
    /// use posthouse::{Hub, json};
    ///
    /// let hub = Hub::builder("workshop")
    /// #   .local_port(port, None)
    ///     .connect().await?;
    /// hub.var("lamp")?.set(&json!({"on": true}))?;
    /// assert_eq!(hub.var("lamp")?.value()?, Some(json!({"on": true})));
    /// # hub.close().await }
    /// # example(port).unwrap();
    /// ```
    pub fn builder<'a>(namespace: impl Into<Option<&'a str>>) -> Builder {
        Builder::new(namespace.into())
    }

    pub(crate) fn open(
        engine: Engine<SdkSink>,
        changes: Arc<Changes>,
        options: &HubOptions,
        on_callback_error: Option<OnCallbackError>,
    ) -> Result<Self> {
        let (namespace, instance_id, message_limits) = engine.with(|hub, _| {
            (hub.namespace().to_owned(), hub.instance_id().to_owned(), hub.message_limits())
        })?;
        let inner = Inner {
            engine,
            changes,
            namespace,
            instance_id,
            timeout: Duration::from_millis(options.timeout_ms),
            message_limits,
            on_callback_error,
            watch_turn: Mutex::new(()),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.inner.namespace
    }

    /// This hub's identity, new for every hub.
    pub fn instance_id(&self) -> &str {
        &self.inner.instance_id
    }

    /// The stable reference of a name; the same name always gives the same variable.
    ///
    /// # Errors
    /// `INVALID_NAME`, `MEMORY_FULL`, `CLOSED`.
    pub fn var(&self, name: &str) -> Result<Variable> {
        let id = self.inner.engine.with(|hub, _| hub.var(name))??;
        Ok(Variable::new(self.clone(), id, name))
    }

    /// The state of the connection.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn state(&self) -> Result<Connection> {
        self.inner.engine.with(|hub, _| hub.connection())
    }

    /// All that the hub tells of itself.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn status(&self) -> Result<Status> {
        self.inner.engine.call(|hub, _, now| hub.status(now))
    }

    /// A stream that gives the status now and after every change that people care about. Changes
    /// may be passed over, never the last.
    pub fn watch(&self) -> StatusWatch {
        StatusWatch { hub: self.clone(), changes: changed(&self.inner.changes.status) }
    }

    /// The hubs of the namespace, as their reports show them; this one's own is among them.
    pub fn instances(&self) -> Instances {
        Instances { hub: self.clone() }
    }

    /// Waits for an active connection; returns at once if there is one. Default time-out: the hub's.
    ///
    /// # Errors
    /// `TIMEOUT`, or why there is no connection; `AUTH_FAILED` or `INVALID_SERVER` once every server
    /// has refused, while the hub goes on trying; `CLOSED`.
    pub async fn connected(&self, timeout: impl Into<Option<Duration>>) -> Result<()> {
        let timeout = millis(timeout.into().unwrap_or(self.inner.timeout));
        self.unit(|hub, now| hub.connected(now, Some(timeout))).await
    }

    /// Waits until the hub is initialised: other instances have had their time to answer.
    ///
    /// # Errors
    /// `CLOSED`.
    pub async fn ready(&self) -> Result<()> {
        self.unit(|hub, now| hub.ready(now, None, None)).await
    }

    /// Waits until the server has processed all that was written before; that says nothing of what
    /// others do with it. Offline it waits for a connection. Default time-out: the hub's.
    ///
    /// # Errors
    /// `TIMEOUT`, `DISCONNECTED`, `PERMISSION_DENIED`, `DRAINING`, `CLOSED`.
    pub async fn flush(&self, timeout: impl Into<Option<Duration>>) -> Result<()> {
        let timeout = millis(timeout.into().unwrap_or(self.inner.timeout));
        self.unit(|hub, now| hub.flush(now, timeout)).await
    }

    /// Stops new operations, finishes accepted work and requests, confirms the transport, closes.
    /// Default time-out: 5 seconds for all of it. A second call joins the first.
    ///
    /// # Errors
    /// `DRAIN_TIMEOUT`: the hub is closed all the same, and [`Hub::close`] waits for the rest of the
    /// clean-up; `DRAIN_IN_HANDLER` inside one of its own handlers; `CLOSED`.
    pub async fn drain(&self, timeout: impl Into<Option<Duration>>) -> Result<()> {
        if handler::inside(self) {
            return Err(refusal::drain_in_handler("the hub"));
        }
        let timeout = timeout
            .into()
            .map_or(posthouse_core::options::DrainOptions::default().timeout_ms, millis);
        self.unit(|hub, now| hub.drain(now, timeout)).await?;
        self.inner.engine.gone().await;
        Ok(())
    }

    /// Cleans up at once, without draining, and waits until connections and an owned node are gone.
    /// May be called any number of times.
    ///
    /// # Errors
    /// `FORKED`.
    pub async fn close(&self) -> Result<()> {
        self.inner.engine.call(|hub, _, now| hub.close(now))?;
        if !handler::inside(self) {
            self.inner.engine.gone().await;
        }
        Ok(())
    }

    /// Where the node that this hub owns listens, if it owns one now.
    pub async fn owned_node(&self) -> Option<SocketAddr> {
        self.inner.engine.owned_node().await
    }

    /// Begins an operation and gives what its end comes through.
    pub(crate) fn begin(
        &self,
        operation: impl FnOnce(&mut Machine, Now) -> Result<Op>,
    ) -> Result<Pending> {
        let (op, receiver) = self.inner.engine.call_through(|hub, sink, now| {
            let op = operation(hub, now)?;
            Ok::<_, Error>((op, sink.expect(op)))
        })??;
        Ok(Pending::new(self, op, receiver))
    }

    async fn unit(&self, operation: impl FnOnce(&mut Machine, Now) -> Result<Op>) -> Result<()> {
        self.begin(operation)?.await.map(drop).map_err(|failure| failure.error)
    }

    /// Reports an error of a handler or callback: to the hub and to the program.
    pub(crate) fn callback_failed(&self, what: &str, text: &str) {
        // After a fork nobody listens.
        let _ = self.inner.engine.call(|hub, _, now| hub.handler_failed(now, what, text));
        if let Some(tell) = &self.inner.on_callback_error {
            let error = Error::new(Code::HandlerError, format!("{what} failed: {text}"));
            // A panic here must not end whoever reports.
            if catch_unwind(AssertUnwindSafe(|| tell(&error))).is_err() {
                log::warn!(target: "posthouse", "on_callback_error itself panicked");
            }
        }
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    // Rounded up: a wait must not end before its time.
    duration.as_micros().div_ceil(1000).try_into().unwrap_or(u64::MAX)
}

/// What cancels an operation.
pub(crate) type Cancel<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The end of an operation. Dropped before that, it cancels the operation.
pub(crate) struct Pending {
    hub: Hub,
    op: Op,
    receiver: oneshot::Receiver<OpResult>,
    done: bool,
}

impl Pending {
    pub fn new(hub: &Hub, op: Op, receiver: oneshot::Receiver<OpResult>) -> Self {
        Self { hub: hub.clone(), op, receiver, done: false }
    }
}

impl Pending {
    /// Waits for the end, which is a cancellation once `cancel` is ready.
    pub async fn or_cancelled_by(mut self, cancel: Option<Cancel<'_>>) -> Result<Outcome, Failure> {
        let Some(mut cancel) = cancel else { return self.await };
        let mut asked = false;
        std::future::poll_fn(|context| {
            if !asked && cancel.as_mut().poll(context).is_ready() {
                asked = true;
                // It ends through its own event, as by any other cause.
                let _ = self.hub.inner.engine.call(|hub, _, now| hub.cancel(now, self.op));
            }
            Pin::new(&mut self).poll(context)
        })
        .await
    }
}

impl Future for Pending {
    type Output = Result<Outcome, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = std::task::ready!(Pin::new(&mut self.receiver).poll(context));
        self.done = true;
        Poll::Ready(result.unwrap_or_else(|_| {
            Err(Error::new(Code::Closed, "the hub ended before the operation did").into())
        }))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            let _ = self.hub.inner.engine.call(|hub, _, now| hub.cancel(now, self.op));
        }
    }
}

type Changed = Pin<Box<dyn Stream<Item = ()> + Send>>;

/// A stream that fires at once and after every change of a counter.
fn changed(counter: &watch::Sender<u64>) -> Changed {
    let mut receiver = counter.subscribe();
    receiver.mark_changed();
    Box::pin(futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.changed().await.ok()?;
        Some(((), receiver))
    }))
}

/// A stream of a hub's status; see [`Hub::watch`]. Ends after the hub is closed.
pub struct StatusWatch {
    hub: Hub,
    changes: Changed,
}

impl fmt::Debug for StatusWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusWatch").field("hub", &self.hub).finish_non_exhaustive()
    }
}

impl Stream for StatusWatch {
    type Item = Status;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Status>> {
        match self.changes.as_mut().poll_next(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some(())) => {
                let status = self.hub.status().ok();
                if status.as_ref().is_none_or(|s| s.connection == Connection::Closed) {
                    // The last one; a closed hub changes no more.
                    self.changes = Box::pin(futures_util::stream::empty());
                }
                Poll::Ready(status)
            }
        }
    }
}

/// The hubs of a namespace; see [`Hub::instances`].
#[derive(Clone, Debug)]
pub struct Instances {
    hub: Hub,
}

impl Instances {
    /// The instances known now, ordered by identity.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn list(&self) -> Result<Vec<Instance>> {
        self.hub.inner.engine.call(|hub, _, now| hub.instances(now))
    }

    /// A stream that gives the list now and after every report or loss.
    pub fn watch(&self) -> impl Stream<Item = Vec<Instance>> + Send + Unpin + use<> {
        let this = self.clone();
        let changes = changed(&self.hub.inner.changes.instances);
        futures_util::StreamExt::map(changes, move |()| this.list().unwrap_or_default())
    }
}
