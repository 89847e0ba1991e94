//! Renewing leases and saying what became of messages.
use super::{
    dropped,
    leases::Lease,
    link::ONE_ANSWER,
    names::{FROM, ID, TIME},
    note::{self, Note},
    queue::Inner,
    refusal::Refusal,
};
use crate::{Renewed, Settled, Settlement, StoreError, Ticket, Trouble};
use bytes::Bytes;
use futures_util::future::join_all;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

impl Inner {
    pub(super) async fn renew_all(&self, tickets: &[Ticket]) -> Vec<Renewed> {
        join_all(tickets.iter().map(|ticket| async move {
            let asked = Instant::now();
            let Some((address, until)) = self.leases.address(ticket, asked) else {
                return Renewed::Lost;
            };
            let patience = ONE_ANSWER.min(until.saturating_duration_since(asked));
            let answer = self.link.ask(&address, None, Bytes::from_static(b"+WPI"), patience).await;
            // Without an answer the lease is what it was.
            let until = if answer.is_ok() { asked + self.terms.visibility } else { until };
            if until <= Instant::now() { Renewed::Lost } else { self.leases.renew(ticket, until) }
        }))
        .await
    }

    pub(super) async fn settle_all(
        &self,
        messages: &[(Ticket, Settlement)],
    ) -> Result<Vec<Settled>, StoreError> {
        let now = Instant::now();
        let answers = join_all(messages.iter().map(|(ticket, settlement)| async move {
            let lease = match self.leases.settle(ticket, now) {
                Ok(lease) => lease,
                Err(answer) => return Ok((answer, false)),
            };
            let answer = self.settle_one(&lease, *settlement).await;
            self.leases.settled(ticket, answer.is_ok());
            answer.map(|()| (Settled::Done, *settlement == Settlement::Drop))
        }))
        .await;
        let dropped = answers.iter().filter(|answer| matches!(answer, Ok((_, true)))).count();
        if dropped > 0 {
            // The messages are gone; a number that could not be written is no reason to say otherwise.
            let _ =
                dropped::add(&self.link, &self.names, dropped as u64, self.made.lifetimes).await;
        }
        answers.into_iter().map(|answer| answer.map(|(settled, _)| settled)).collect()
    }

    async fn settle_one(&self, lease: &Lease, settlement: Settlement) -> Result<(), StoreError> {
        match settlement {
            Settlement::Ack | Settlement::Drop => self.ack(lease).await,
            Settlement::DeadLetter => {
                self.bury(lease).await?;
                self.ack(lease).await
            }
            Settlement::Retry { delay_s: 0 } => {
                self.nak(&lease.address, Duration::ZERO).await;
                Ok(())
            }
            Settlement::Retry { delay_s } => {
                let due_ms = self.link.clock.now_ms().saturating_add(i64::from(delay_s) * 1000);
                self.write_note(lease, Note { uncounted: lease.uncounted, due_ms }).await?;
                self.nak(&lease.address, Duration::from_secs(delay_s.into())).await;
                Ok(())
            }
            Settlement::Release => {
                let uncounted = lease.uncounted + 1;
                self.write_note(lease, Note { uncounted, due_ms: 0 }).await?;
                self.nak(&lease.address, Duration::ZERO).await;
                Ok(())
            }
        }
    }

    /// Tells the server that the message is done, again and again until it confirms or the lease ends.
    async fn ack(&self, lease: &Lease) -> Result<(), StoreError> {
        loop {
            let rest = lease.until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                let words = "the server did not confirm that a message is done before its lease ended; it \
                             may come again";
                return Err(StoreError::new(Trouble::Unreachable, words));
            }
            let words = Bytes::from_static(b"+ACK");
            let patience = ONE_ANSWER.min(rest);
            match self.link.ask(&lease.address, None, words, patience).await {
                Ok(_) => break,
                Err(refusal @ Refusal::Told { .. }) => return Err(refusal.error("acknowledging")),
                // No leader at the moment, or no connection.
                Err(_) => tokio::select! {
                    () = sleep_until(lease.until) => {}
                    () = async { self.link.up().await; sleep(Duration::from_millis(50)).await; } => {}
                },
            }
        }
        if lease.noted {
            note::remove(&self.link, &self.names, lease.sequence).await;
        }
        Ok(())
    }

    /// Puts a copy into the dead-letter queue. Its place in this queue names the transfer, so that a second
    /// one, after a crash before the acknowledgement, is known to the server.
    async fn bury(&self, lease: &Lease) -> Result<(), StoreError> {
        let Some(dead) = &self.dead else {
            let words = "the queue was opened without a dead-letter queue";
            return Err(StoreError::new(Trouble::Other, words));
        };
        let unique = format!("{}.dead.{}", lease.id, lease.sequence);
        let (time, from) = (lease.timestamp_ms.to_string(), &self.names.stream);
        let headers = [(ID, lease.id.as_str()), (TIME, time.as_str()), (FROM, from.as_str())];
        self.transfer(&dead.ready, &unique, &headers, lease.body.clone()).await
    }

    async fn write_note(&self, lease: &Lease, note: Note) -> Result<(), StoreError> {
        let written = note::write(&self.link, &self.names, lease.sequence, note).await;
        written.map_err(|told| told.error("giving a message back"))
    }
}
