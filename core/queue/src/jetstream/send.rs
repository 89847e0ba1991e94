//! Sending: each message under an id of its own, confirmed by the server.
use super::{
    api::{kept, publish, read, with_id},
    clock::Rfc3339,
    link::ONE_ANSWER,
    names::{DUE, ID, TIME},
    queue::Inner,
    refusal::{BATCH_HOLDS_DUPLICATE, Refusal},
};
use crate::{NewMessage, StoreError, Trouble};
use async_nats::HeaderMap;
use bytes::Bytes;
use futures_util::future::join_all;
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A message on its way.
struct Outgoing {
    subject: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Inner {
    pub(super) async fn send_all(&self, messages: Vec<NewMessage>) -> Result<(), StoreError> {
        let mut outgoing: Vec<Outgoing> =
            messages.into_iter().map(|message| self.outgoing(message)).collect();
        let number = outgoing.len();
        let what = format!("sending to the queue {:?}", self.names.queue);
        match outgoing.pop() {
            None => Ok(()),
            Some(only) if number == 1 => {
                let sent = publish(&self.link, &only.subject, &only.headers, only.body).await;
                sent.map(drop).map_err(|told| told.error(&what))
            }
            Some(last) if self.made.atomic => {
                self.send_whole(outgoing, last).await.map_err(|told| told.error(&what))
            }
            Some(last) => {
                outgoing.push(last);
                self.send_each(outgoing, &what).await
            }
        }
    }

    fn outgoing(&self, message: NewMessage) -> Outgoing {
        let id = fresh_id();
        let mut headers = with_id(&id);
        let body = Bytes::from(message.body);
        if message.delay_s == 0 {
            return Outgoing { subject: self.names.ready.clone(), headers, body };
        }
        let now = self.link.clock.now_ms();
        // One more, because what we know of the server's clock is rounded.
        let due = now.saturating_add(i64::from(message.delay_s) * 1000 + 1);
        headers.insert(ID, id.as_str());
        headers.insert(TIME, now.to_string());
        headers.insert(DUE, due.to_string());
        if self.made.schedules {
            headers.insert("Nats-Schedule", format!("@at {}", Rfc3339(due)));
            headers.insert("Nats-Schedule-Target", self.names.ready.as_str());
            if self.made.lifetimes {
                // Kept for as long as one that was due at once.
                let rest = self
                    .terms
                    .retention
                    .saturating_sub(Duration::from_secs(message.delay_s.into()));
                headers.insert("Nats-Schedule-TTL", format!("{}s", rest.as_secs().max(1)));
            }
        }
        Outgoing { subject: self.names.later(&id), headers, body }
    }

    /// All or none, in one exchange with the server.
    async fn send_whole(&self, firsts: Vec<Outgoing>, last: Outgoing) -> Result<(), Refusal> {
        let (mut attempts, mut again) = (self.link.attempts(), false);
        loop {
            attempts.ready().await?;
            let answer = match self.send_batch(&firsts, &last).await {
                // The ids are fresh, so it was our own batch that has come through.
                Err(told) if again && told.is(BATCH_HOLDS_DUPLICATE) => return Ok(()),
                answer => answer,
            };
            again = true;
            if let Some(answer) = attempts.last(answer).await {
                return answer;
            }
        }
    }

    async fn send_batch(&self, firsts: &[Outgoing], last: &Outgoing) -> Result<(), Refusal> {
        // Each attempt is another batch for the server, though of the same messages.
        let batch = fresh_id();
        let marked = |message: &Outgoing, place: usize| {
            let mut headers = message.headers.clone();
            headers.insert("Nats-Batch-Id", batch.as_str());
            headers.insert("Nats-Batch-Sequence", place.to_string());
            headers
        };
        for (place, message) in firsts.iter().enumerate() {
            let (subject, headers) = (message.subject.clone(), marked(message, place + 1));
            let sent =
                self.link.client.publish_with_headers(subject, headers, message.body.clone());
            sent.await.map_err(|_| Refusal::Silence)?;
        }
        let mut headers = marked(last, firsts.len() + 1);
        headers.insert("Nats-Batch-Commit", "1");
        let answer =
            self.link.ask(&last.subject, Some(&headers), last.body.clone(), ONE_ANSWER).await?;
        kept(&read(&answer.payload)?).map(drop)
    }

    /// One by one, all under way at once.
    async fn send_each(&self, messages: Vec<Outgoing>, what: &str) -> Result<(), StoreError> {
        let number = messages.len();
        let sent = messages.into_iter().map(|message| async move {
            publish(&self.link, &message.subject, &message.headers, message.body).await
        });
        let refused: Vec<Refusal> =
            join_all(sent).await.into_iter().filter_map(Result::err).collect();
        let Some(first) = refused.first() else { return Ok(()) };
        let error = first.error(what);
        let kept = number - refused.len();
        Err(StoreError::new(
            error.trouble(),
            format!(
                "{} ({kept} of {number} messages were kept: this queue's stream takes no batch as a whole)",
                error.words()
            ),
        ))
    }

    /// A message of another queue or time of this one, due at once and under the id it always had. `unique` names this
    /// transfer, so that the server knows it again when it is tried twice.
    pub(super) async fn transfer(
        &self,
        subject: &str,
        unique: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Result<(), StoreError> {
        let mut all = with_id(unique);
        for (name, value) in headers {
            if value.contains(['\r', '\n']) {
                return Err(StoreError::new(Trouble::Other, format!("{name} holds a line break")));
            }
            all.insert(*name, *value);
        }
        let sent = publish(&self.link, subject, &all, body).await;
        sent.map(drop).map_err(|told| told.error("moving a message to another queue"))
    }
}

/// 32 hexadecimal digits that nobody else has.
pub(super) fn fresh_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // The standard library seeds its hashers from the system, too, and falls back by itself.
        use std::hash::BuildHasher as _;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        for half in bytes.chunks_exact_mut(8) {
            let state = std::collections::hash_map::RandomState::new();
            half.copy_from_slice(
                &state.hash_one((count, std::time::SystemTime::now())).to_le_bytes(),
            );
        }
    }
    data_encoding::HEXLOWER.encode(&bytes)
}
