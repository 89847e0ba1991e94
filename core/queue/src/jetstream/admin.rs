//! Figures, purge, pause.
use super::{
    api::{Stored, api, next, number},
    delivery::Arrived,
    dropped,
    names::{Names, TIME, WORKERS},
    note::{self, Note},
    pull::{A_MOMENT, pull},
    queue::Inner,
    refusal::{NO_SUCH_STREAM, Refusal},
};
use crate::{Stats, Stop, StoreError, Trouble};
use bytes::Bytes;
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Since this version a consumer can be paused.
const PAUSES: (u32, u32) = (2, 11);
/// As far away as a server's times go, nearly.
const FOR_EVER: &str = "2200-01-01T00:00:00Z";
/// How many messages are purged at one go.
const AT_ONCE: usize = 500;

/// The state of the shared consumer.
pub(super) struct Workers {
    /// Delivered and not settled: held, or waiting for a retry.
    pub(super) delivered: u64,
    /// The last place in the stream that was ever delivered.
    pub(super) last: u64,
    pub(super) paused: bool,
}

impl Inner {
    pub(super) async fn workers(&self) -> Result<Workers, Refusal> {
        let verb = format!("CONSUMER.INFO.{}.{WORKERS}", self.names.stream);
        let info = api(&self.link, &verb, &Value::Null).await?;
        Ok(Workers {
            delivered: info["num_ack_pending"].as_u64().unwrap_or(0),
            last: info["delivered"]["stream_seq"].as_u64().unwrap_or(0),
            paused: info["paused"] == true,
        })
    }

    pub(super) async fn figures(&self) -> Result<Stats, StoreError> {
        let what = |told: Refusal| told.error("asking for the queue's figures");
        let workers = self.workers().await.map_err(what)?;
        // Counted in the stream: the consumer learns of new messages a moment later.
        let (_, on_ready) = self.count(&self.names, &self.names.ready).await.map_err(what)?;
        let ready = on_ready.saturating_sub(workers.delivered);
        let messages = self.messages(&self.names).await.map_err(what)?;
        let oldest = next(&self.link, &self.names.stream, &self.names.ready, workers.last + 1);
        let oldest = if ready > 0 { oldest.await.map_err(what)? } else { None };
        let age = |stored: &Stored| {
            let sent = number(Some(&stored.headers), TIME).unwrap_or(stored.time_ms);
            u64::try_from(self.link.clock.now_ms() - sent).unwrap_or(0)
        };
        let dead = match &self.dead {
            Some(dead) => Some(self.messages(dead).await.map_err(what)?),
            None => None,
        };
        Ok(Stats {
            ready,
            delayed: messages.saturating_sub(on_ready),
            in_flight: workers.delivered,
            oldest_ms: oldest.as_ref().map(age),
            dead,
            dropped: dropped::read(&self.link, &self.names).await.map_err(what)?,
            // The server does not say what it let go.
            expired: 0,
            paused: workers.paused,
        })
    }

    /// How many messages lie in a queue's stream, without our own notes.
    async fn messages(&self, names: &Names) -> Result<u64, Refusal> {
        let (all, own) = self.count(names, &names.all_own()).await?;
        Ok(all.saturating_sub(own))
    }

    /// How many messages lie in a queue's stream, and how many of them on these subjects.
    async fn count(&self, names: &Names, subjects: &str) -> Result<(u64, u64), Refusal> {
        let body = json!({"subjects_filter": subjects});
        let info = match api(&self.link, &format!("STREAM.INFO.{}", names.stream), &body).await {
            Ok(info) => info,
            Err(told) if told.is(NO_SUCH_STREAM) => return Ok((0, 0)),
            Err(told) => return Err(told),
        };
        let state = &info["state"];
        let on_these = state["subjects"].as_object();
        let on_these =
            on_these.into_iter().flat_map(|them| them.values()).filter_map(Value::as_u64);
        Ok((state["messages"].as_u64().unwrap_or(0), on_these.sum()))
    }

    /// Removes what is not due yet, what is due, and what waits for a retry; what somebody holds stays.
    pub(super) async fn remove_all(&self) -> Result<u64, StoreError> {
        let what = |told: Refusal| told.error("purging the queue");
        let (link, names) = (&self.link, &self.names);
        let purge = format!("STREAM.PURGE.{}", names.stream);
        let later = api(link, &purge, &json!({"filter": names.all_later()})).await.map_err(what)?;
        let mut removed = later["purged"].as_u64().unwrap_or(0);
        let workers = self.workers().await.map_err(what)?;
        if workers.delivered == 0 {
            // Nobody holds anything: all of it, and the notes, which then have no messages any more.
            let ready = api(link, &purge, &json!({"filter": names.ready})).await.map_err(what)?;
            return Ok(removed + ready["purged"].as_u64().unwrap_or(0));
        }
        if workers.paused {
            let words = "a paused queue of which messages are held cannot be purged on JetStream; resume it, \
                         or wait until they are settled";
            return Err(StoreError::new(Trouble::Other, words));
        }
        removed += self.remove_waiting().await.map_err(what)?;
        Ok(removed + self.remove_retries().await.map_err(what)?)
    }

    /// Takes what is due, so that nobody holds it, and acknowledges it.
    async fn remove_waiting(&self) -> Result<u64, Refusal> {
        let (mut removed, never) = (0, Stop::never());
        loop {
            let stream = &self.names.stream;
            let pulled = pull(&self.link, stream, WORKERS, AT_ONCE, A_MOMENT, &never).await?;
            if pulled.messages.is_empty() {
                return Ok(removed);
            }
            let done = join_all(pulled.messages.iter().map(|arrived| self.done(arrived))).await;
            for answer in done {
                answer?;
                removed += 1;
            }
        }
    }

    async fn done(&self, arrived: &Arrived) -> Result<(), Refusal> {
        let words = Bytes::from_static(b"+ACK");
        self.link.ask(&arrived.address, None, words, super::link::ONE_ANSWER).await.map(drop)
    }

    /// Removes what waits for a retry, which its note tells.
    async fn remove_retries(&self) -> Result<u64, Refusal> {
        let (link, names, mut removed, mut from) = (&self.link, &self.names, 0, 1);
        while let Some(stored) = next(link, &names.stream, &names.all_own(), from).await? {
            from = stored.sequence + 1;
            let Some(sequence) = names.noted(&stored.subject) else { continue };
            let due = Note::parse(&stored.body).map_or(0, |note| note.due_ms);
            if due <= link.clock.now_ms() {
                continue;
            }
            let verb = format!("STREAM.MSG.DELETE.{}", names.stream);
            match api(link, &verb, &json!({"seq": sequence})).await {
                Ok(_) => removed += 1,
                // It is gone already.
                Err(Refusal::Told { .. }) => {}
                Err(told) => return Err(told),
            }
            note::remove(link, names, sequence).await;
        }
        Ok(removed)
    }

    pub(super) async fn set_paused(&self, paused: bool) -> Result<(), StoreError> {
        let version = self.link.version();
        if version < PAUSES {
            let words = format!(
                "pausing a queue needs nats-server 2.11 or newer; this one is {}.{}: stop its consumers instead",
                version.0, version.1
            );
            return Err(StoreError::new(Trouble::Other, words));
        }
        let verb = format!("CONSUMER.PAUSE.{}.{WORKERS}", self.names.stream);
        let body = if paused { json!({"pause_until": FOR_EVER}) } else { json!({}) };
        let what = if paused { "pausing the queue" } else { "resuming the queue" };
        api(&self.link, &verb, &body).await.map(drop).map_err(|told| told.error(what))
    }
}
