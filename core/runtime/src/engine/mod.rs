//! The engine: one machine behind a lock, and the tasks that drive it.
//!
//! A user's thread locks the machine, does its operation, hands the events on to the sink and
//! unlocks; only where there is something to do is a task of the I/O thread woken. The engine gives
//! no meaning to anything: it moves bytes, time and events.
mod clock;
mod driver;
mod fork;
mod io_thread;
mod link;
mod local_node;
mod nap;
mod pace;
mod wire;

pub use io_thread::{SHUTDOWN_LIMIT, forked, forks_are_told, in_child, shutdown};

use crate::net::{AuthOptions, Endpoint, TlsConfigCache};
use crate::options::NodeMode;
use clock::now;
use link::{LinkHandle, Signal};
use local_node::LocalNode;
use posthouse_core::{
    Code, Error, Now, Result,
    hub::{Config, Event, Hub},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Notify, watch};

/// Where a host language, or the Rust SDK, takes the machine's events.
///
/// `event` runs under the machine's lock and must only note what happened. What it wants done
/// (waking somebody) comes out of `after` and runs once the lock is released.
pub trait Sink: Send + 'static {
    /// What to run once the lock is released.
    type After: FnOnce();
    /// Notes an event.
    fn event(&mut self, hub: &mut Hub, event: Event);
    /// What the events noted since the last call want done.
    fn after(&mut self) -> Option<Self::After>;
    /// The closed hub has let go of everything, or its thread was stopped: no event comes any more.
    fn gone(&mut self) {}
}

/// How to reach the servers of a hub.
#[derive(Debug)]
pub struct Servers {
    /// Where to connect, best first. Exactly the local node where `local` is there.
    pub endpoints: Vec<Endpoint>,
    /// Encryption.
    pub tls: TlsConfigCache,
    /// Credentials.
    pub auth: AuthOptions,
    /// Whether this hub may become the local node, and how.
    pub local: Option<LocalOptions>,
}

/// How a hub becomes the local node.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// Whether it becomes one.
    pub mode: NodeMode,
    /// What the node is bound with.
    pub node: posthouse_node::NodeOptions,
}

/// A running hub for the languages and the SDK. Clones share it; the last one dropped closes it.
#[derive(Debug)]
pub struct Engine<S: Sink> {
    shared: Arc<Shared<S>>,
    /// Counts the users: the tasks hold `shared`, too, and must not keep the hub alive.
    alive: Arc<Alive<S>>,
}

impl<S: Sink> Clone for Engine<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), alive: Arc::clone(&self.alive) }
    }
}

#[derive(Debug)]
struct Alive<S: Sink>(Arc<Shared<S>>);

impl<S: Sink> Drop for Alive<S> {
    fn drop(&mut self) {
        if !forked() && !self.0.state.is_poisoned() {
            self.0.call(|hub, _, now| hub.close(now));
        }
    }
}

#[derive(Debug)]
struct Shared<S: Sink> {
    state: Mutex<State<S>>,
    /// Wakes the hub's main task: an action, an earlier deadline, the end.
    wake: Notify,
    servers: Servers,
    node: tokio::sync::Mutex<LocalNode>,
    /// True once the hub is closed and all that belonged to it is gone.
    gone: watch::Sender<bool>,
}

struct State<S: Sink> {
    hub: Hub,
    sink: S,
    links: Vec<LinkHandle>,
    /// Kept for writes through.
    through: Vec<u8>,
    /// The deadline that the main task sleeps until.
    sleeps_until: Option<u64>,
}

impl<S: Sink> std::fmt::Debug for State<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("namespace", &self.hub.namespace()).finish_non_exhaustive()
    }
}

impl<S: Sink> Engine<S> {
    /// Opens a hub and begins to connect. Starts the I/O thread of the process if it does not run.
    ///
    /// # Errors
    /// `INVALID_NAME`, `INVALID_OPTIONS`, `FORKED`; `INTERNAL` if the system gives no thread.
    pub fn open(config: Config, servers: Servers, sink: S) -> Result<Self> {
        let io = io_thread::handle()?;
        let mut hub = Hub::new(config, now())?;
        hub.start();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                hub,
                sink,
                links: Vec::new(),
                through: Vec::new(),
                sleeps_until: None,
            }),
            wake: Notify::new(),
            servers,
            node: tokio::sync::Mutex::new(LocalNode::default()),
            gone: watch::Sender::new(false),
        });
        io.spawn(driver::drive(Arc::clone(&shared)));
        Ok(Self { alive: Arc::new(Alive(Arc::clone(&shared))), shared })
    }

    /// Runs an operation on the machine. Keep it short: the I/O thread waits meanwhile.
    ///
    /// The sink is handed along so that whoever waits for the operation's end is noted before the
    /// end can come.
    ///
    /// # Errors
    /// `FORKED` in a child of the process that opened the hub; `INTERNAL` once an operation has
    /// panicked, for nobody knows what it left behind.
    pub fn call<R>(&self, operation: impl FnOnce(&mut Hub, &mut S, Now) -> R) -> Result<R> {
        self.check()?;
        Ok(self.shared.call(operation))
    }

    /// As [`Engine::call`] for operations that need no time: it spares reading the clocks.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn with<R>(&self, operation: impl FnOnce(&mut Hub, &mut S) -> R) -> Result<R> {
        self.check()?;
        Ok(self.shared.with(operation))
    }

    /// As [`Engine::call`], for an operation that somebody waits for: where little is under way, the
    /// caller's thread writes it to the connection itself instead of waking the I/O thread.
    ///
    /// # Errors
    /// As [`Engine::call`].
    pub fn call_through<R>(&self, operation: impl FnOnce(&mut Hub, &mut S, Now) -> R) -> Result<R> {
        self.check()?;
        Ok(self.shared.call_through(operation))
    }

    /// As [`Engine::with`], but none, with nothing done, if somebody else is at the machine just now:
    /// for a caller that holds what it should not hold while it waits.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn try_with<R>(&self, operation: impl FnOnce(&mut Hub, &mut S) -> R) -> Result<Option<R>> {
        self.check()?;
        Ok(self.shared.state.try_lock().ok().map(|state| self.shared.run(state, false, operation)))
    }

    fn check(&self) -> Result<()> {
        io_thread::check_fork()?;
        if self.shared.state.is_poisoned() {
            return Err(Error::new(
                Code::Internal,
                "the hub failed inside and was closed, which is a fault of Posthouse: please report it, and open a new hub",
            ));
        }
        Ok(())
    }

    /// Waits until a closed hub has let go of everything: connections, its node.
    pub async fn gone(&self) {
        let mut gone = self.shared.gone.subscribe();
        // The sender lives as long as `self`.
        let _ = gone.wait_for(|gone| *gone).await;
    }

    /// Whether a closed hub has let go of everything.
    pub fn is_gone(&self) -> bool {
        *self.shared.gone.borrow()
    }

    /// The address of the node that this hub owns, if it owns one now.
    pub async fn owned_node(&self) -> Option<std::net::SocketAddr> {
        self.shared.node.lock().await.addr()
    }

    /// The same without waiting; none while the hub becomes the node or ceases to be it.
    pub fn owned_node_now(&self) -> Option<std::net::SocketAddr> {
        self.shared.node.try_lock().ok()?.addr()
    }
}

impl<S: Sink> Shared<S> {
    fn lock(&self) -> MutexGuard<'_, State<S>> {
        // After a panic under the lock users are refused; what ends the hub goes on all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A panic has left the machine in a state that nobody knows, or its thread is stopped: closing
    /// it tells everybody who waits.
    fn bury(&self) {
        // The broken machine may panic again; whoever waits is told by `let_go` then.
        let close = AssertUnwindSafe(|| self.call(|hub, _, now| hub.close(now)));
        let _ = catch_unwind(close);
        for link in self.lock().links.drain(..) {
            link.signal.close();
        }
    }

    /// The hub has let go of everything; or its thread was stopped, which closes it first.
    fn let_go(&self) {
        if !self.lock().hub.is_closed() {
            self.bury();
        }
        let after = {
            let mut state = self.lock();
            state.sink.gone();
            state.sink.after()
        };
        self.gone.send_replace(true);
        if let Some(after) = after {
            after();
        }
    }

    fn call<R>(&self, operation: impl FnOnce(&mut Hub, &mut S, Now) -> R) -> R {
        let now = now();
        self.with(|hub, sink| operation(hub, sink, now))
    }

    fn call_through<R>(&self, operation: impl FnOnce(&mut Hub, &mut S, Now) -> R) -> R {
        let now = now();
        self.run(self.lock(), true, |hub, sink| operation(hub, sink, now))
    }

    fn with<R>(&self, operation: impl FnOnce(&mut Hub, &mut S) -> R) -> R {
        self.run(self.lock(), false, operation)
    }

    fn run<R>(
        &self,
        state: MutexGuard<'_, State<S>>,
        urgent: bool,
        operation: impl FnOnce(&mut Hub, &mut S) -> R,
    ) -> R {
        // After a panic the lock is let go first, which is when others see that the machine broke.
        let _alarm = Alarm(&self.wake);
        let mut state = state;
        let state_ref = &mut *state;
        let result = operation(&mut state_ref.hub, &mut state_ref.sink);
        let settled = state_ref.settle(urgent);
        drop(state);
        self.wake_up(settled);
        result
    }

    fn wake_up(&self, settled: Settled<S>) {
        if settled.main {
            self.wake.notify_one();
        }
        for link in settled.links.into_iter().flatten() {
            link.wake.notify_one();
        }
        if let Some(after) = settled.after {
            after();
        }
    }
}

/// Wakes the main task when an operation panics: it ends the hub.
struct Alarm<'a>(&'a Notify);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.notify_one();
        }
    }
}

/// Whom to wake once the lock is released.
struct Settled<S: Sink> {
    main: bool,
    /// At most two: the current connection and, during a planned switch, the next.
    links: [Option<Arc<Signal>>; 2],
    after: Option<S::After>,
}

impl<S: Sink> State<S> {
    /// Hands events on, sees to the output, and finds out who has something to do. `urgent`: somebody
    /// waits for what the operation sends.
    fn settle(&mut self, urgent: bool) -> Settled<S> {
        self.hand_on();
        let Self { hub, links, through, .. } = self;
        // While much is under way a task writes it together.
        let urgent = urgent && hub.is_quiet();
        // During a planned switch there are two, each with its task.
        let alone = links.len() == 1;
        let mut woken = [None, None];
        for (slot, link) in woken.iter_mut().zip(links) {
            let come = link.settle(hub, alone, urgent, through);
            *slot = come.then(|| Arc::clone(&link.signal));
        }
        // What was written may have ended something.
        self.hand_on();
        let earlier = match (self.hub.deadline(), self.sleeps_until) {
            (Some(due), Some(planned)) => due < planned,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let main = earlier || self.hub.has_actions();
        Settled { main, links: woken, after: self.sink.after() }
    }

    fn hand_on(&mut self) {
        while let Some(event) = self.hub.poll_event() {
            self.sink.event(&mut self.hub, event);
        }
    }
}
