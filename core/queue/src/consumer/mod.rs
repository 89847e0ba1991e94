//! The consumer: batches out of a queue, one handler a batch, and what becomes of them.
//!
//! A [`Consumer`] is asked for a batch ([`Consumer::next`]) and hands it over with its leases kept alive
//! and its time limit running; whoever handles it says [`Batch::finish`]. That is all a language needs.
//! [`Running`] is the loop of the Rust face on top.
mod batch;
mod context;
mod fill;
mod running;

pub(crate) use batch::store_error;
pub use batch::{Batch, BatchValue, MessageValue, Number};
pub(crate) use context::fault;
pub use context::{ack, event_kind, read_batch, read_batch_text, retry};
pub use running::Running;

use crate::{Clock, Queue, Stop, Stopper, StoreError};
use posthouse_core::queue::{Event, Outcome, Settings};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// Takes batches out of one queue, up to `max_concurrency` at a time.
pub struct Consumer {
    queue: Arc<dyn Queue>,
    settings: Settings,
    dead_letters: bool,
    clock: Clock,
    slots: Arc<Semaphore>,
    stopper: Stopper,
    stop: Stop,
    count: AtomicU64,
    running: Mutex<Vec<Batch>>,
}

impl Consumer {
    /// A consumer of `queue`, which was opened under the same settings. `dead_letters`: the queue has
    /// one for what is out of retries.
    pub fn new(
        queue: Arc<dyn Queue>,
        settings: Settings,
        dead_letters: bool,
        clock: Clock,
    ) -> Self {
        let slots = Arc::new(Semaphore::new(settings.max_concurrency));
        let stopper = Stopper::new();
        let stop = stopper.signal();
        let (count, running) = (AtomicU64::new(0), Mutex::default());
        Self { queue, settings, dead_letters, clock, slots, stopper, stop, count, running }
    }

    /// The queue's name.
    pub fn queue(&self) -> &str {
        self.queue.name()
    }

    /// The next batch, once a handler is free and there are messages; `None` once stopped. The caller runs the
    /// handler and says [`Batch::finish`]; until then leases are renewed, and at the time limit the
    /// batch is cancelled and has failed. Needs a tokio runtime. A dropped future may leave messages leased until
    /// their lease ends: use [`Consumer::stop`].
    ///
    /// # Errors
    /// What only a person can repair: the file cannot be read, the store was closed.
    pub async fn next(&self) -> Result<Option<Batch>, StoreError> {
        let slot = tokio::select! {
            () = self.stop.stopped() => return Ok(None),
            // The semaphore is never closed.
            slot = self.slots.clone().acquire_owned() => match slot {
                Ok(slot) => slot,
                Err(_) => return Ok(None),
            },
        };
        let Some(filled) = self.fill().await? else { return Ok(None) };
        let messages = filled.iter().map(fill::message).collect();
        let tickets = filled.into_iter().map(|delivery| delivery.ticket).collect();
        let event = Event::new(self.queue.name(), messages, self.settings, self.dead_letters);
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let batch =
            Batch::new(number, self.queue.clone(), self.clock.clone(), event, tickets, slot);
        let mut running = self.running();
        running.retain(|batch| !batch.has_ended());
        running.push(batch.clone());
        drop(running);
        let start = self.clock.ticks_ms();
        tokio::spawn(watch(batch.clone(), self.settings, self.clock.clone(), start));
        Ok(Some(batch))
    }

    /// Stops taking: [`Consumer::next`] gives `None` from now on, and what was collected but not handed
    /// over goes back. Running handlers go on.
    pub fn stop(&self) {
        self.stopper.stop();
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopper.is_stopped()
    }

    /// Tells the running handlers to leave off.
    pub fn cancel(&self) {
        for batch in self.running().iter().filter(|batch| !batch.has_ended()) {
            batch.cancel();
        }
    }

    /// Waits until no batch runs and the store knows of each.
    pub async fn idle(&self) {
        let all = u32::try_from(self.settings.max_concurrency).unwrap_or(u32::MAX);
        drop(self.slots.acquire_many(all).await);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Batch>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("queue", &self.queue()).finish_non_exhaustive()
    }
}

/// Renews the leases of a batch until it has ended, and ends it when its time is over.
async fn watch(batch: Batch, settings: Settings, clock: Clock, start: i64) {
    let limit = start.saturating_add(settings.handler_timeout_ms.cast_signed());
    let mut renewal = start;
    loop {
        renewal = renewal.saturating_add(settings.renew_interval_ms().cast_signed());
        while clock.ticks_ms() < renewal.min(limit) {
            let left = renewal.min(limit) - clock.ticks_ms();
            tokio::select! {
                () = batch.ended() => return,
                () = clock.sleep(Duration::from_millis(left.max(0).unsigned_abs())) => (),
            }
        }
        if clock.ticks_ms() >= limit {
            log::warn!(
                "queue {}: a handler took longer than {} ms; its batch has failed",
                batch.queue(),
                settings.handler_timeout_ms
            );
            batch.cancel();
            batch.finish(Outcome::Failure).await;
            return;
        }
        batch.renew().await;
        // After a standstill one renewal is enough.
        renewal = renewal.max(clock.ticks_ms() - settings.renew_interval_ms().cast_signed());
    }
}
