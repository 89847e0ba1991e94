//! Waiting for an operation on a thread.
use crate::{Hub, process::check_fork};
use posthouse_core::{
    Result,
    hub::{Failure, Op, Outcome},
};
use std::{
    fmt,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// How an operation ended.
pub type OpResult = Result<Outcome, Failure>;

/// The longest that a host should wait at a time before it looks at its own signals.
pub const SLICE: Duration = Duration::from_millis(100);

/// Where an operation's end is put for the thread that waits for it.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    result: Mutex<Option<OpResult>>,
    filled: Condvar,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<OpResult>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn put(&self, result: OpResult) {
        *self.lock() = Some(result);
    }

    pub fn wake(&self) {
        self.filled.notify_all();
    }
}

/// An operation that a thread waits for; it has no event. Dropped before its end, it is cancelled:
/// what was sent is not undone.
pub struct Waiting {
    hub: Hub,
    op: Op,
    slot: std::sync::Arc<Slot>,
    taken: AtomicBool,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("op", &self.op).finish_non_exhaustive()
    }
}

impl Waiting {
    pub(crate) fn new(hub: Hub, op: Op, slot: std::sync::Arc<Slot>) -> Self {
        Self { hub, op, slot, taken: AtomicBool::new(false) }
    }

    /// The operation, e.g. to cancel it from another thread.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Waits for the end, at most `slice`. The result comes out once; before and after it is `None`.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn wait(&self, slice: Duration) -> Result<Option<OpResult>> {
        check_fork()?;
        if self.taken.load(Ordering::Acquire) {
            return Ok(None);
        }
        let slot = self.slot.lock();
        let waited = self.slot.filled.wait_timeout_while(slot, slice, |result| result.is_none());
        let (mut slot, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let result = slot.take();
        if result.is_some() {
            self.taken.store(true, Ordering::Release);
        }
        Ok(result)
    }

    /// Has the end told as [`crate::Event::Done`] from here on, at once where it has come already. For
    /// hosts whose programs decide late between waiting and a callback.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn into_event(self) -> Result<Op> {
        check_fork()?;
        let renounced = self.hub.engine().with(|_, sink| sink.renounce(self.op));
        if !renounced.unwrap_or(false)
            && !self.taken.load(Ordering::Acquire)
            && let Some(result) = self.wait(SLICE)?
        {
            self.hub.outbox().push(crate::Event::Done { op: self.op, result });
        }
        self.taken.store(true, Ordering::Release);
        Ok(self.op)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.taken.load(Ordering::Acquire) {
            // In a child, and after the hub's own end, there is nothing to cancel.
            let _ = self.hub.cancel(self.op);
        }
    }
}
