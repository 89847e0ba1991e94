//! Collecting a batch: the first message, then more until it is full or has waited long enough.
use super::{Consumer, batch::settlement};
use crate::{Delivery, Renewed, Settlement, StoreError, Ticket};
use posthouse_core::queue::{Event, Message, Outcome};
use std::time::Duration;

/// How long one question for messages waits; then it is asked again.
const IDLE: Duration = Duration::from_secs(30);
/// The pause after an error of the store, doubled each time.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

pub(super) fn message(delivery: &Delivery) -> Message {
    let Delivery { id, attempts, timestamp_ms, body, .. } = delivery;
    Message { id: id.clone(), attempts: *attempts, timestamp_ms: *timestamp_ms, body: body.clone() }
}

impl Consumer {
    /// A batch that is not empty; `None` once the consumer was stopped.
    pub(super) async fn fill(&self) -> Result<Option<Vec<Delivery>>, StoreError> {
        let mut pause = PAUSE;
        loop {
            if self.stop.is_stopped() {
                return Ok(None);
            }
            let error = match self.take(self.settings.max_batch_size, IDLE).await {
                Ok(batch) if batch.is_empty() => continue,
                Ok(batch) => match self.more(batch).await {
                    // Others have them by now.
                    Some(filled) if filled.is_empty() => continue,
                    filled => return Ok(filled),
                },
                Err(error) => error,
            };
            if !error.passes() {
                return Err(error);
            }
            log::warn!(
                "queue {}: no messages from the store ({error}); trying again",
                self.queue.name()
            );
            tokio::select! {
                () = self.stop.stopped() => (),
                () = self.clock.sleep(pause) => (),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Adds to a batch until it is full, its time is over, or the consumer is stopped: then it is given back.
    async fn more(&self, mut batch: Vec<Delivery>) -> Option<Vec<Delivery>> {
        let renewal = self.renewal();
        let mut renewed = self.clock.ticks_ms();
        let end = renewed + self.settings.max_batch_wait_ms.cast_signed();
        loop {
            if self.stop.is_stopped() {
                self.give_back(&batch).await;
                return None;
            }
            let now = self.clock.ticks_ms();
            let room = self.settings.max_batch_size.saturating_sub(batch.len());
            let left = u64::try_from(end - now).unwrap_or(0);
            if room == 0 || left == 0 || batch.is_empty() {
                return Some(batch);
            }
            if now - renewed >= renewal {
                renewed = now;
                self.renew_filling(&mut batch).await;
                continue;
            }
            let wait = left.min(u64::try_from(renewal - (now - renewed)).unwrap_or(1).max(1));
            match self.take(room, Duration::from_millis(wait)).await {
                Ok(taken) => batch.extend(taken),
                Err(error) => {
                    // What is there already is handed over; the next look meets the error.
                    log::warn!("queue {}: a batch is not filled: {error}", self.queue.name());
                    return Some(batch);
                }
            }
        }
    }

    async fn take(&self, max: usize, wait: Duration) -> Result<Vec<Delivery>, StoreError> {
        let taken = self.queue.lease(max, wait, &self.stop).await?;
        self.without_exhausted(taken).await
    }

    async fn renew_filling(&self, batch: &mut Vec<Delivery>) {
        let tickets: Vec<_> = batch.iter().map(|delivery| delivery.ticket.clone()).collect();
        let mut renewed = match self.queue.renew(&tickets).await {
            Ok(renewed) => renewed.into_iter(),
            Err(error) => {
                return log::warn!("queue {}: leases not renewed: {error}", self.queue.name());
            }
        };
        batch.retain_mut(|delivery| match renewed.next() {
            Some(Renewed::Until(ticket)) => {
                delivery.ticket = ticket;
                true
            }
            _ => false,
        });
    }

    fn renewal(&self) -> i64 {
        i64::try_from(self.settings.renew_interval_ms()).unwrap_or(i64::MAX)
    }

    async fn give_back(&self, batch: &[Delivery]) {
        let all: Vec<_> =
            batch.iter().map(|delivery| (delivery.ticket.clone(), Settlement::Release)).collect();
        if let Err(error) = self.queue.settle(&all).await {
            log::warn!(
                "queue {}: messages could not be given back ({error}); they come again when their lease has ended",
                self.queue.name()
            );
        }
    }

    /// Takes out what was delivered as often as it may be while each holder died: nobody was there to
    /// tell the store what becomes of it.
    async fn without_exhausted(
        &self,
        mut taken: Vec<Delivery>,
    ) -> Result<Vec<Delivery>, StoreError> {
        let over: Vec<(Ticket, Settlement)> = taken
            .extract_if(.., |delivery| {
                delivery.attempts > 1 && self.settings.is_last(delivery.attempts - 1)
            })
            .filter_map(|delivery| {
                let last = Message { attempts: delivery.attempts - 1, ..message(&delivery) };
                let mut event =
                    Event::new(self.queue.name(), vec![last], self.settings, self.dead_letters);
                let end = event.finish(Outcome::Failure).messages.pop()?;
                Some((delivery.ticket, settlement(end.disposition)?))
            })
            .collect();
        if !over.is_empty() {
            self.queue.settle(&over).await?;
        }
        Ok(taken)
    }
}
