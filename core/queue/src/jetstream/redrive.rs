//! Bringing messages back from the dead-letter queue.
//!
//! Where that queue has consumers they are taken with leases as a consumer would, so that nothing is brought
//! back that somebody handles there; those of other queues are given back untouched at the end. Where it was
//! never opened nobody can hold anything, and they are read and deleted.
use super::{
    api::{api, next, number, text},
    delivery::{Arrived, id},
    link::ONE_ANSWER,
    names::{FROM, ID, Names, TIME, WORKERS},
    pull::{A_MOMENT, pull},
    queue::Inner,
    refusal::{NO_SUCH_CONSUMER, NO_SUCH_STREAM, Refusal},
};
use crate::{Stop, StoreError, Trouble};
use async_nats::HeaderMap;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::HashSet;

const AT_ONCE: usize = 100;
const WHAT: &str = "bringing messages back";

impl Inner {
    pub(super) async fn bring_back(&self, max: u64) -> Result<u64, StoreError> {
        let Some(dead) = &self.dead else {
            let words = "the queue has no dead-letter queue; there is nothing to bring back";
            return Err(StoreError::new(Trouble::Other, words));
        };
        let verb = format!("CONSUMER.INFO.{}.{WORKERS}", dead.stream);
        match api(&self.link, &verb, &Value::Null).await {
            Ok(_) => self.take_back(dead, max).await,
            Err(told) if told.is(NO_SUCH_CONSUMER) => self.read_back(dead, max).await,
            Err(told) if told.is(NO_SUCH_STREAM) => Ok(0),
            Err(told) => Err(told.error(WHAT)),
        }
    }

    async fn take_back(&self, dead: &Names, max: u64) -> Result<u64, StoreError> {
        let (mut brought, mut seen, mut others, never) =
            (0, HashSet::new(), Vec::new(), Stop::never());
        let result = loop {
            if brought >= max {
                break Ok(brought);
            }
            let pulled = pull(&self.link, &dead.stream, WORKERS, AT_ONCE, A_MOMENT, &never).await;
            let messages = match pulled {
                Ok(pulled) => pulled.messages,
                Err(told) => break Err(told.error(WHAT)),
            };
            // Nothing more, or the first ones again because this took so long.
            if messages.is_empty() || messages.iter().any(|arrived| !seen.insert(arrived.sequence))
            {
                others.extend(messages);
                break Ok(brought);
            }
            let mut failed = None;
            for arrived in messages {
                if brought < max && failed.is_none() && self.is_ours(arrived.headers.as_ref()) {
                    match self.bring_one(&arrived).await {
                        Ok(()) => brought += 1,
                        Err(error) => failed = Some(error),
                    }
                } else {
                    others.push(arrived);
                }
            }
            if let Some(error) = failed {
                break Err(error);
            }
        };
        self.give_back(dead, others).await;
        result
    }

    async fn bring_one(&self, arrived: &Arrived) -> Result<(), StoreError> {
        let time = arrived.timestamp_ms();
        self.enter_again(&arrived.id(), time, arrived.sequence, arrived.body.clone()).await?;
        let words = Bytes::from_static(b"+ACK");
        let told = self.link.ask(&arrived.address, None, words, ONE_ANSWER).await;
        told.map(drop).map_err(|told| told.error(WHAT))
    }

    async fn read_back(&self, dead: &Names, max: u64) -> Result<u64, StoreError> {
        let what = |told: Refusal| told.error(WHAT);
        let (mut brought, mut from) = (0, 1);
        while brought < max {
            let stored = next(&self.link, &dead.stream, &dead.ready, from).await.map_err(what)?;
            let Some(stored) = stored else { break };
            from = stored.sequence + 1;
            let headers = Some(&stored.headers);
            if !self.is_ours(headers) {
                continue;
            }
            let (id, sequence) = (id(headers, stored.sequence, stored.time_ms), stored.sequence);
            let time = number(headers, TIME).unwrap_or(stored.time_ms);
            self.enter_again(&id, time, sequence, stored.body.into()).await?;
            let verb = format!("STREAM.MSG.DELETE.{}", dead.stream);
            api(&self.link, &verb, &json!({"seq": sequence, "no_erase": true}))
                .await
                .map_err(what)?;
            brought += 1;
        }
        Ok(brought)
    }

    fn is_ours(&self, headers: Option<&HeaderMap>) -> bool {
        text(headers, FROM) == Some(&self.names.stream)
    }

    /// `place` is where it lay in the dead-letter queue; it names the transfer.
    async fn enter_again(
        &self,
        id: &str,
        time: i64,
        place: u64,
        body: Bytes,
    ) -> Result<(), StoreError> {
        let (unique, time) = (format!("{id}.back.{place}"), time.to_string());
        self.transfer(&self.names.ready, &unique, &[(ID, id), (TIME, &time)], body).await
    }
}
