//! Looking at messages without taking them.
use super::{
    api::{Stored, next, number},
    delivery::id,
    names::{DUE, TIME},
    note,
    queue::Inner,
    refusal::Refusal,
};
use crate::{Peeked, StoreError};
use tokio::time::Instant;

impl Inner {
    pub(super) async fn look(&self, max: usize) -> Result<Vec<Peeked>, StoreError> {
        let what = |told: Refusal| told.error("looking into the queue");
        let last = self.workers().await.map_err(what)?.last;
        let mut seen = Vec::new();
        for stored in self.first(&self.names.ready, max).await.map_err(what)? {
            seen.push(self.ready(stored, last).await.map_err(what)?);
        }
        for stored in self.first(&self.names.all_later(), max).await.map_err(what)? {
            let due_ms = number(Some(&stored.headers), DUE).unwrap_or(stored.time_ms);
            seen.push(peeked(stored, due_ms));
        }
        seen.sort_by_key(|peeked| peeked.due_ms);
        seen.truncate(max);
        Ok(seen)
    }

    async fn first(&self, subject: &str, max: usize) -> Result<Vec<Stored>, Refusal> {
        let (mut found, mut from) = (Vec::new(), 1);
        while found.len() < max {
            let Some(stored) = next(&self.link, &self.names.stream, subject, from).await? else {
                break;
            };
            from = stored.sequence + 1;
            found.push(stored);
        }
        Ok(found)
    }

    /// A message that is due, held or waiting for a retry. The server tells nobody how often it has delivered
    /// one that others hold, so `attempts` says 1 where it was delivered at all.
    async fn ready(&self, stored: Stored, last: u64) -> Result<Peeked, Refusal> {
        let (now, now_ms) = (Instant::now(), self.link.clock.now_ms());
        if stored.sequence > last {
            let due_ms = stored.time_ms;
            return Ok(peeked(stored, due_ms));
        }
        let note = note::read(&self.link, &self.names, stored.sequence).await?.unwrap_or_default();
        if note.due_ms > now_ms {
            return Ok(Peeked { attempts: 1, ..peeked(stored, note.due_ms) });
        }
        let rest = self
            .leases
            .until(stored.sequence, now)
            .map_or(self.terms.visibility, |until| until - now);
        let ends = now_ms.saturating_add(i64::try_from(rest.as_millis()).unwrap_or(i64::MAX));
        Ok(Peeked { attempts: 1, in_flight: true, ..peeked(stored, ends) })
    }
}

fn peeked(stored: Stored, due_ms: i64) -> Peeked {
    let headers = Some(&stored.headers);
    Peeked {
        id: id(headers, stored.sequence, stored.time_ms),
        attempts: 0,
        timestamp_ms: number(headers, TIME).unwrap_or(stored.time_ms),
        due_ms,
        in_flight: false,
        body: stored.body,
    }
}
