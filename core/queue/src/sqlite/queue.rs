//! One queue of a file.
use super::{
    Shared, admin, db,
    lease::Times,
    words::{closed, said},
};
use crate::{
    Delivery, NewMessage, Peeked, Queue, Renewed, Settled, Settlement, Stats, Stop, StoreError,
    Task, Terms, Ticket, Trouble,
};
use rusqlite::Connection;
use std::{sync::Arc, time::Duration};

/// So many rows an administrator's operation changes in one transaction.
const CHUNK: i64 = 2_000;
/// Somebody who writes the file without ringing is noticed after so long.
const LOOK_MS: i64 = 1_000;

/// A queue in a file.
pub(super) struct SqliteQueue {
    pub(super) shared: Arc<Shared>,
    pub(super) id: i64,
    /// The queue of its dead letters.
    pub(super) dead: Option<i64>,
    pub(super) name: String,
    pub(super) terms: Terms,
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

impl SqliteQueue {
    fn times(&self) -> Times {
        Times {
            visibility: ms(self.terms.visibility).max(1),
            retry_delay: ms(self.terms.retry_delay),
            retention: ms(self.terms.retention),
        }
    }

    /// Runs `read` on a connection of its own: a long look must not hold up the writer.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let path = self.shared.path.clone();
        let look = move || read(&db::connect(&path)?).map_err(|error| said(&error));
        tokio::task::spawn_blocking(look).await.unwrap_or_else(|_| Err(closed()))
    }

    async fn chunks(
        &self,
        max: Option<u64>,
        change: impl Fn(&mut db::Db, i64) -> rusqlite::Result<u64> + Clone + Send + 'static,
    ) -> Result<u64, StoreError> {
        let mut done = 0;
        loop {
            let left =
                max.map_or(CHUNK, |max| i64::try_from(max - done).unwrap_or(CHUNK).min(CHUNK));
            let change = change.clone();
            let now =
                self.shared.writer.change(true, CHUNK as usize, move |db| change(db, left)).await?;
            done += now;
            if now < left.unsigned_abs() || max.is_some_and(|max| done >= max) {
                return Ok(done);
            }
        }
    }
}

impl Queue for SqliteQueue {
    fn name(&self) -> &str {
        &self.name
    }

    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn send(&self, messages: Vec<NewMessage>) -> Task<'_, ()> {
        let queue = self.id;
        let weight = messages.len();
        Box::pin(self.shared.writer.change(true, weight, move |db| db.send(queue, &messages)))
    }

    fn atomic(&self) -> bool {
        true
    }

    fn lease<'a>(&'a self, max: usize, wait: Duration, stop: &'a Stop) -> Task<'a, Vec<Delivery>> {
        Box::pin(async move {
            let shared = &*self.shared;
            let mut arrivals = shared.arrivals.subscribe(self.id);
            let end = shared.clock.ticks_ms().saturating_add(ms(wait));
            loop {
                if stop.is_stopped() {
                    return Ok(Vec::new());
                }
                // Marked before looking: what comes in between wakes.
                arrivals.borrow_and_update();
                let leased = shared.writer.lease(self.id, max, self.times()).await?;
                let left = end.saturating_sub(shared.clock.ticks_ms());
                if !leased.deliveries.is_empty() || left <= 0 {
                    return Ok(leased.deliveries);
                }
                shared.listen();
                let _waiting = shared.arrivals.wait();
                let at_latest = shared.clock.now_ms().saturating_add(left.min(LOOK_MS));
                let look = leased.next.unwrap_or(i64::MAX).min(at_latest);
                tokio::select! {
                    () = stop.stopped() => return Ok(Vec::new()),
                    changed = arrivals.changed() => changed.map_err(|_| closed())?,
                    () = shared.clock.reach(look) => (),
                }
            }
        })
    }

    fn renew<'a>(&'a self, tickets: &'a [Ticket]) -> Task<'a, Vec<Renewed>> {
        let (queue, times, tickets) = (self.id, self.times(), tickets.to_vec());
        Box::pin(self.shared.writer.change(false, tickets.len(), move |db| {
            tickets.iter().map(|ticket| db.renew(queue, ticket, times)).collect()
        }))
    }

    fn settle<'a>(&'a self, messages: &'a [(Ticket, Settlement)]) -> Task<'a, Vec<Settled>> {
        let (queue, dead, messages) = (self.id, self.dead, messages.to_vec());
        let weight = messages.len();
        Box::pin(
            self.shared.writer.change(false, weight, move |db| db.settle(queue, dead, &messages)),
        )
    }

    fn stats(&self) -> Task<'_, Stats> {
        let (queue, dead, retention) = (self.id, self.dead, ms(self.terms.retention));
        let now = self.shared.clock.now_ms();
        Box::pin(self.read(move |conn| admin::stats(conn, queue, dead, retention, now)))
    }

    fn peek(&self, max: usize) -> Task<'_, Vec<Peeked>> {
        let (queue, salt, now) = (self.id, self.shared.salt, self.shared.clock.now_ms());
        Box::pin(self.read(move |conn| admin::peek(conn, queue, max, now, |id| db::name(salt, id))))
    }

    fn purge(&self) -> Task<'_, u64> {
        let queue = self.id;
        Box::pin(self.chunks(None, move |db, max| db.purge(queue, max)))
    }

    fn redrive(&self, max: Option<u64>) -> Task<'_, u64> {
        let queue = self.id;
        Box::pin(async move {
            let Some(dead) = self.dead else {
                let words = format!(
                    "the queue {} has no dead-letter queue; name one in its settings",
                    self.name
                );
                return Err(StoreError::new(Trouble::Mismatch, words));
            };
            self.chunks(max, move |db, max| db.redrive(queue, dead, max)).await
        })
    }

    fn pause(&self) -> Task<'_, ()> {
        let queue = self.id;
        Box::pin(self.shared.writer.change(true, 1, move |db| db.set_paused(queue, true)))
    }

    fn resume(&self) -> Task<'_, ()> {
        let queue = self.id;
        Box::pin(self.shared.writer.change(true, 1, move |db| db.set_paused(queue, false)))
    }
}
