//! Who waits for something to fall due, within the process.
use std::{
    collections::HashMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// A number for each queue that changes whenever something may have fallen due in it, and a count of those
/// who wait, so that nobody listens to other processes while nobody does.
#[derive(Default)]
pub(super) struct Arrivals {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queues: HashMap<i64, watch::Sender<u64>>,
    waiting: usize,
    closed: bool,
}

/// Counts one who waits while it lives.
pub(super) struct Waiting<'a>(&'a Arrivals);

impl Arrivals {
    pub(super) fn subscribe(&self, queue: i64) -> watch::Receiver<u64> {
        self.lock().queues.entry(queue).or_default().subscribe()
    }

    pub(super) fn tell(&self, queue: i64) {
        if let Some(sender) = self.lock().queues.get(&queue) {
            sender.send_modify(|count| *count = count.wrapping_add(1));
        }
    }

    pub(super) fn tell_all(&self) {
        for sender in self.lock().queues.values() {
            sender.send_modify(|count| *count = count.wrapping_add(1));
        }
    }

    pub(super) fn wait(&self) -> Waiting<'_> {
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == 1 {
            self.changed.notify_all();
        }
        drop(state);
        Waiting(self)
    }

    /// Blocks until somebody waits; `false` once closed.
    pub(super) fn until_somebody_waits(&self) -> bool {
        let state = self.lock();
        let state = self
            .changed
            .wait_while(state, |state| state.waiting == 0 && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().waiting -= 1;
    }
}
