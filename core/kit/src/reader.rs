//! Reading a subscription or a watch on threads, one item at a time.
use crate::{Hub, process::check_fork};
use posthouse_core::{
    Error, Result, WatchId,
    hub::{Delivery, SubId, View},
};
use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What a reader got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// One more.
    Item(T),
    /// The time is over.
    Nothing,
    /// Nothing more comes; the error is there where it was not the program that wanted it.
    Ended(Option<Error>),
}

/// Tells readers that there may be something to take. Counts its rings, so that none is missed
/// between looking and waiting.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    state: Mutex<Rings>,
    rung: Condvar,
}

#[derive(Debug, Default)]
struct Rings {
    count: u64,
    ended: bool,
    error: Option<Error>,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, Rings> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ring(&self) {
        self.lock().count += 1;
    }

    pub fn end(&self, error: Option<Error>) {
        let mut state = self.lock();
        if !state.ended {
            state.ended = true;
            state.error = error;
        }
    }

    /// With no lock held.
    pub fn wake(&self) {
        self.rung.notify_all();
    }

    pub fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// Waits for the end, at most `slice`; says whether it has come.
    pub fn wait_end(&self, slice: Duration) -> bool {
        let waited = self.rung.wait_timeout_while(self.lock(), slice, |state| !state.ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.ended
    }

    /// Takes one item as soon as `take` gives one.
    fn next<T>(
        &self,
        slice: Duration,
        mut take: impl FnMut() -> Result<Option<T>>,
    ) -> Result<Next<T>> {
        check_fork()?;
        let until = Instant::now().checked_add(slice);
        let mut state = self.lock();
        loop {
            let (seen, ended) = (state.count, state.ended);
            drop(state);
            match take() {
                Ok(Some(item)) => return Ok(Next::Item(item)),
                // What has ended is also refused; the end says more.
                Err(error) if !ended => return Err(error),
                _ => {}
            }
            state = self.lock();
            if ended {
                return Ok(Next::Ended(state.error.clone()));
            }
            let quiet = |state: &mut Rings| state.count == seen && !state.ended;
            let left =
                until.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
            let waited = self.rung.wait_timeout_while(state, left, quiet);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if quiet(&mut state) {
                return Ok(Next::Nothing);
            }
        }
    }
}

/// A subscription that threads read; it has no events. Dropped, it is released.
pub struct Reader {
    hub: Hub,
    sub: SubId,
    bell: Arc<Bell>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("sub", &self.sub).finish_non_exhaustive()
    }
}

impl Reader {
    pub(crate) fn new(hub: Hub, sub: SubId, bell: Arc<Bell>) -> Self {
        Self { hub, sub, bell }
    }

    /// The subscription, for its status, its drain and its end.
    pub fn sub(&self) -> SubId {
        self.sub
    }

    /// Takes the next message, waiting at most `slice` for it. The message counts as being handled
    /// until it is given back with [`Hub::finished_one`].
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn next(&self, slice: Duration) -> Result<Next<Delivery>> {
        self.bell.next(slice, || self.hub.take_one(self.sub))
    }

    /// Gives back the oldest `count` messages and takes the next one, waiting at most `slice` for it:
    /// what a thread does between two calls of a handler.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn after(&self, count: usize, slice: Duration) -> Result<Next<Delivery>> {
        let mut count = count;
        self.bell.next(slice, || match std::mem::take(&mut count) {
            0 => self.hub.take_one(self.sub),
            count => self.hub.next(self.sub, count),
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // In a child there is nothing to release.
        let _ = self.hub.release(self.sub);
    }
}

/// A watch that threads read; it has no events. Dropped, it stops.
pub struct WatchReader {
    hub: Hub,
    watch: WatchId,
    bell: Arc<Bell>,
}

impl fmt::Debug for WatchReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchReader").field("watch", &self.watch).finish_non_exhaustive()
    }
}

impl WatchReader {
    pub(crate) fn new(hub: Hub, watch: WatchId, bell: Arc<Bell>) -> Self {
        Self { hub, watch, bell }
    }

    /// The watch.
    pub fn watch(&self) -> WatchId {
        self.watch
    }

    /// Takes the next state, waiting at most `slice` for it. States may be passed over, never the
    /// last.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn next(&self, slice: Duration) -> Result<Next<View>> {
        self.bell.next(slice, || self.hub.take_news(self.watch))
    }
}

impl Drop for WatchReader {
    fn drop(&mut self) {
        // In a child there is nothing to stop.
        let _ = self.hub.unwatch(self.watch);
    }
}
