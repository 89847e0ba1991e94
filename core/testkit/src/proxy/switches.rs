//! The proxy's switches and counters, shared between the test and the proxy's thread.

use super::Direction;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What happens to bytes of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    #[default]
    Open,
    Paused,
    Held,
    Swallowed,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) flow: Flow,
    pub(super) piece: usize,
    pub(super) delay: Duration,
    pub(super) bytes: u64,
    pub(super) seen: Option<Vec<u8>>,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct State {
    pub(super) target: String,
    pub(super) to_server: Lane,
    pub(super) to_client: Lane,
    /// Wanted and actual.
    pub(super) listen: bool,
    pub(super) listening: bool,
    /// Connections are numbered from 1 in the order of acceptance.
    pub(super) accepted: u64,
    pub(super) open: HashSet<u64>,
    /// Connections below this number have to end, and how.
    pub(super) ended_below: u64,
    pub(super) reset: bool,
    pub(super) stop: bool,
}

/// The state behind its lock, and a signal that fires on every change made by the test.
#[derive(Debug)]
pub(super) struct Switches {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

impl Switches {
    pub(super) fn new(target: String) -> Self {
        let state = State {
            target,
            to_server: Lane::default(),
            to_client: Lane::default(),
            listen: true,
            listening: false,
            accepted: 0,
            open: HashSet::new(),
            ended_below: 0,
            reset: false,
            stop: false,
        };
        Self { state: Mutex::new(state), changed: watch::Sender::new(()) }
    }

    pub(super) fn look<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(&mut self.lock())
    }

    pub(super) fn change<T>(&self, write: impl FnOnce(&mut State) -> T) -> T {
        let result = write(&mut self.lock());
        self.changed.send_replace(());
        result
    }

    /// Visits the lanes of a direction, and signals a change.
    pub(super) fn lanes(&self, direction: Direction, mut visit: impl FnMut(&mut Lane)) {
        self.change(|s| {
            if direction != Direction::ToClient {
                visit(&mut s.to_server);
            }
            if direction != Direction::ToServer {
                visit(&mut s.to_client);
            }
        });
    }

    pub(super) fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves plain values behind, all of them usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(super) fn lane(&mut self, direction: Direction) -> &mut Lane {
        match direction {
            Direction::ToServer | Direction::Both => &mut self.to_server,
            Direction::ToClient => &mut self.to_client,
        }
    }
}
