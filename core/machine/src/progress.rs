//! What a subscription and whoever handles its messages tell each other without the hub's lock.
use crate::body::Shared;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Goes along with the messages that were taken from a subscription: whoever handles them counts here
/// how many are handled, and sees when the rest is not to be handled any more. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Progress(Shared<Counts>);

#[derive(Debug, Default)]
struct Counts {
    handled: AtomicUsize,
    ended: AtomicBool,
}

impl Progress {
    /// The oldest of the taken messages is handled. The hub counts it when it needs the room, and
    /// at the latest when it is told by [`Hub::finished`](crate::hub::Hub::finished), with any
    /// number: it must be once all that were taken are handled.
    pub fn handled(&self) {
        #[cfg(target_has_atomic = "ptr")]
        self.0.handled.fetch_add(1, Ordering::AcqRel);
        // Where there is one thread only.
        #[cfg(not(target_has_atomic = "ptr"))]
        self.0.handled.store(self.waiting() + 1, Ordering::Release);
    }

    /// Whether the subscription has ended: what was taken of it is not to be handled any more.
    pub fn ended(&self) -> bool {
        self.0.ended.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self) {
        self.0.ended.store(true, Ordering::Release);
    }

    /// Messages that are handled and that the hub has not counted yet.
    pub(crate) fn waiting(&self) -> usize {
        self.0.handled.load(Ordering::Acquire)
    }

    /// The hub has counted so many.
    pub(crate) fn counted(&self, count: usize) {
        #[cfg(target_has_atomic = "ptr")]
        self.0.handled.fetch_sub(count, Ordering::AcqRel);
        #[cfg(not(target_has_atomic = "ptr"))]
        self.0.handled.store(self.waiting() - count, Ordering::Release);
    }
}
