//! What an administrator looks at and does, outside the contract of programs.
use super::Queues;
use crate::{Peeked, Queue, Stats, StoreError, consumer::store_error};
use posthouse_core::queue::Refusal;
use std::sync::Arc;

/// Administration of the configured queues; names are those of bindings (or of queues), granted or not.
#[derive(Clone, Debug)]
pub struct Admin(pub(super) Queues);

impl Admin {
    /// Figures of a queue.
    ///
    /// # Errors
    /// A fault for a name that is not configured; `QUEUE_STORE`. So of all operations here.
    pub async fn stats(&self, name: &str) -> Result<Stats, Refusal> {
        self.queue(name).await?.stats().await.map_err(|error| failed("give its figures", &error))
    }

    /// Up to `max` messages in the order they fall due, without taking them.
    pub async fn peek(&self, name: &str, max: usize) -> Result<Vec<Peeked>, Refusal> {
        self.queue(name).await?.peek(max).await.map_err(|error| failed("show messages", &error))
    }

    /// Removes every message that nobody holds; says how many.
    pub async fn purge(&self, name: &str) -> Result<u64, Refusal> {
        self.queue(name).await?.purge().await.map_err(|error| failed("purge", &error))
    }

    /// Brings dead letters back, at most `max`; says how many.
    pub async fn redrive(&self, name: &str, max: Option<u64>) -> Result<u64, Refusal> {
        self.queue(name).await?.redrive(max).await.map_err(|error| failed("redrive", &error))
    }

    /// Stops giving messages to anybody until [`Admin::resume`].
    pub async fn pause(&self, name: &str) -> Result<(), Refusal> {
        self.queue(name).await?.pause().await.map_err(|error| failed("pause", &error))
    }

    /// Ends a pause.
    pub async fn resume(&self, name: &str) -> Result<(), Refusal> {
        self.queue(name).await?.resume().await.map_err(|error| failed("resume", &error))
    }

    async fn queue(&self, name: &str) -> Result<Arc<dyn Queue>, Refusal> {
        let binding = self.0.0.deployment.find(name)?;
        let queue = self.0.0.stores.queue(binding).await;
        queue.map_err(|error| failed("be opened", &error))
    }
}

fn failed(what: &str, error: &StoreError) -> Refusal {
    store_error(what, error).into()
}
