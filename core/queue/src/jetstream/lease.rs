//! Taking messages that are due.
use super::{
    delivery::Arrived,
    leases::Lease,
    link::ONE_ANSWER,
    mover,
    names::{Names, WORKERS},
    note::{self, Note},
    pull::{A_MOMENT, Pulled, pull},
    queue::Inner,
    refusal::Refusal,
    setup::nanoseconds,
};
use crate::{Delivery, Stop, StoreError};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until};

/// The longest single request. Requests end and are made anew because a lease counts from when it was asked
/// for; a third of the lease at most may pass so.
const SLICE: Duration = Duration::from_secs(10);
/// Between a failure and the next request.
const PAUSE: Duration = Duration::from_millis(200);
/// A delivery so little too early is none; clocks are not that exact.
const EARLY_MS: i64 = 20;

impl Inner {
    pub(super) async fn lease_some(
        self: &Arc<Self>,
        max: usize,
        wait: Duration,
        stop: &Stop,
    ) -> Result<Vec<Delivery>, StoreError> {
        let what = format!("reading the queue {:?}", self.names.queue);
        if !self.made.schedules {
            mover::start(self);
        }
        let closing = self.link.closing.signal();
        let end = Instant::now() + wait;
        let slice = (self.terms.visibility / 3).clamp(A_MOMENT, SLICE);
        let mut trouble: Option<Refusal>;
        loop {
            if stop.is_stopped() || closing.is_stopped() {
                return Ok(Vec::new());
            }
            let rest = end.saturating_duration_since(Instant::now());
            let pulled = pull(
                &self.link,
                &self.names.stream,
                WORKERS,
                max,
                rest.clamp(A_MOMENT, slice),
                stop,
            )
            .await;
            match pulled {
                Ok(pulled) if pulled.stopped => {
                    self.give_back(&self.names, pulled.messages).await;
                    return Ok(Vec::new());
                }
                Ok(pulled) => {
                    let deliveries = self.admit(pulled).await;
                    if !deliveries.is_empty() {
                        return Ok(deliveries);
                    }
                    trouble = None;
                }
                Err(refusal) if !refusal.passes() => return Err(refusal.error(&what)),
                Err(refusal) => trouble = Some(refusal),
            }
            if Instant::now() >= end {
                return match trouble {
                    Some(refusal) => Err(refusal.error(&what)),
                    None => Ok(Vec::new()),
                };
            }
            if let Some(refusal) = &trouble {
                if *refusal == Refusal::Nobody && self.link.is_up() {
                    // The consumer is gone, or has no leader at the moment.
                    self.ensure().await?;
                }
                tokio::select! {
                    () = stop.stopped() => {}
                    () = closing.stopped() => {}
                    () = sleep_until(end) => {}
                    () = async { self.link.up().await; sleep(PAUSE).await; } => {}
                }
            }
        }
    }

    /// Takes deliveries on: how often each was tried, and whether it comes too early.
    async fn admit(&self, pulled: Pulled) -> Vec<Delivery> {
        let until = pulled.since + self.terms.visibility;
        let taken = pulled.messages.into_iter().map(|arrived| async move {
            let noted = if arrived.delivered > 1 {
                match self.noted(arrived.sequence, until).await {
                    Ok(noted) => noted,
                    // Nothing is said rather than something wrong: it comes again.
                    Err(_) => return None,
                }
            } else {
                None
            };
            let note = noted.unwrap_or_default();
            let early = note.due_ms - self.link.clock.now_ms();
            if early > EARLY_MS {
                let note = Note { uncounted: note.uncounted + 1, ..note };
                if note::write(&self.link, &self.names, arrived.sequence, note).await.is_ok() {
                    let early = Duration::from_millis(u64::try_from(early).unwrap_or(0));
                    self.nak(&arrived.address, early).await;
                }
                return None;
            }
            Some(self.begin(arrived, note.uncounted, noted.is_some(), until))
        });
        join_all(taken).await.into_iter().flatten().collect()
    }

    fn begin(&self, arrived: Arrived, uncounted: u64, noted: bool, until: Instant) -> Delivery {
        let (id, timestamp_ms) = (arrived.id(), arrived.timestamp_ms());
        let attempts = arrived.delivered.saturating_sub(uncounted).max(1);
        let ticket = self.leases.begin(
            Lease {
                sequence: arrived.sequence,
                until,
                address: arrived.address,
                uncounted,
                noted,
                id: id.clone(),
                timestamp_ms,
                body: arrived.body.clone(),
            },
            Instant::now(),
        );
        Delivery {
            id,
            attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
            timestamp_ms,
            body: arrived.body.to_vec(),
            ticket,
        }
    }

    /// The note of a message, asked for while the lease lasts.
    async fn noted(&self, sequence: u64, until: Instant) -> Result<Option<Note>, Refusal> {
        let reading = note::read(&self.link, &self.names, sequence);
        tokio::time::timeout_at(until, reading).await.unwrap_or(Err(Refusal::Silence))
    }

    /// Gives back what came although nobody waited any more; that does not count.
    pub(super) async fn give_back(&self, names: &Names, messages: Vec<Arrived>) {
        join_all(messages.into_iter().map(|arrived| async move {
            let before = if arrived.delivered > 1 {
                match note::read(&self.link, names, arrived.sequence).await {
                    Ok(note) => note.unwrap_or_default(),
                    Err(_) => return,
                }
            } else {
                Note::default()
            };
            let note = Note { uncounted: before.uncounted + 1, ..before };
            if note::write(&self.link, names, arrived.sequence, note).await.is_ok() {
                self.say(&arrived.address, "-NAK".to_owned()).await;
            }
        }))
        .await;
    }

    /// Asks the server to deliver again after `delay`. Said once only: the same words later would mean the
    /// next delivery. If they are lost the end of the lease does the same.
    pub(super) async fn nak(&self, address: &str, delay: Duration) {
        // Never quite at once: only a delay is kept by the server, and by the next leader of a cluster.
        let delay = nanoseconds(delay.max(Duration::from_millis(1)));
        self.say(address, format!("-NAK {{\"delay\":{delay}}}")).await;
    }

    async fn say(&self, address: &str, words: String) {
        let _ = self.link.ask(address, None, words.into(), ONE_ANSWER).await;
    }
}
