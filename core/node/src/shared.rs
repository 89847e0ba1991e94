//! The router with what its connections share. Everything here is touched by tasks of one runtime,
//! so the lock is never waited for, except by [`crate::Node::stats`] from another thread.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::options::NodeOptions;
use crate::router::{ClientId, Router};

/// How much is read at a time, in bytes.
const READ: usize = 64 * 1024;

pub(crate) struct State {
    pub router: Router,
    /// Bytes of whichever connection is being read.
    pub buffer: Box<[u8]>,
    wakers: Vec<Option<Waker>>,
    woken: Vec<ClientId>,
    /// Called when the last connection has gone.
    empty: Option<Waker>,
}

impl State {
    /// Names the task that serves a client.
    pub fn register(&mut self, id: ClientId, waker: &Waker) {
        let slot = id.0 as usize;
        if self.wakers.len() <= slot {
            self.wakers.resize(slot + 1, None);
        }
        self.wakers[slot] = Some(waker.clone());
    }

    /// Wakes the tasks of all clients that something waits for, but not the one that asks.
    pub fn wake_others(&mut self, own: Option<ClientId>) {
        self.router.take_woken(&mut self.woken);
        for id in self.woken.drain(..) {
            if Some(id) != own
                && let Some(Some(waker)) = self.wakers.get(id.0 as usize)
            {
                waker.wake_by_ref();
            }
        }
    }

    /// Whether no connection is open; if not, `waker` is called once none is.
    pub fn is_empty(&mut self, waker: &Waker) -> bool {
        let empty = self.router.stats().connections == 0;
        self.empty = (!empty).then(|| waker.clone());
        empty
    }
}

pub(crate) struct Shared {
    state: Mutex<State>,
    pub options: NodeOptions,
    start: Instant,
    dead: AtomicBool,
}

impl Shared {
    pub fn new(options: NodeOptions, server_id: &str, seed: u64) -> Self {
        let state = State {
            router: Router::new(&options, server_id, seed),
            buffer: vec![0; READ].into(),
            wakers: Vec::new(),
            woken: Vec::new(),
            empty: None,
        };
        Self {
            state: Mutex::new(state),
            options,
            start: Instant::now(),
            dead: AtomicBool::new(false),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves at worst one client's state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes every connection end at once.
    pub fn kill(&self) {
        self.dead.store(true, Ordering::Relaxed);
        for waker in self.lock().wakers.iter().flatten() {
            waker.wake_by_ref();
        }
    }

    /// Whether the node was dropped. Connections ask before everything else.
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// The router's clock.
    pub fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The router's time as the runtime's.
    pub fn instant(&self, at: Duration) -> tokio::time::Instant {
        tokio::time::Instant::from_std(self.start + at)
    }
}

/// An open client; closed when dropped, however its task ends.
pub(crate) struct Open<'a> {
    pub shared: &'a Shared,
    pub id: ClientId,
}

impl<'a> Open<'a> {
    pub fn new(shared: &'a Shared, ip: IpAddr) -> Self {
        let id = shared.lock().router.open(shared.now(), Some(ip));
        Self { shared, id }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.router.close(self.id);
        state.wake_others(None);
        if let Some(waker) = state.wakers.get_mut(self.id.0 as usize) {
            *waker = None;
        }
        if state.router.stats().connections == 0
            && let Some(waker) = state.empty.take()
        {
            waker.wake();
        }
    }
}
