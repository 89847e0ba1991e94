//! The queues of a deployment: what a Rust program uses.
mod admin;
mod config;
mod stores;

pub use admin::Admin;
pub use config::Config;

use crate::{
    Batch, Consumer, Delay, NewMessage, Queue, Running, StoreError,
    consumer::{self, store_error},
};
use posthouse_core::{
    Error, json,
    queue::{
        self, Binding, Deployment, Outgoing, Refusal, batch_refused, not_json, outgoing,
        outgoing_batch, send_refused,
    },
};
use serde::Serialize;
use std::{fmt, sync::Arc};
use stores::Stores;

/// What a value may measure on its way to the contract, which is stricter and says so in its own words.
const VALUE: json::Limits = json::Limits { depth: 128, nodes: usize::MAX, bytes: 1 << 20 };

/// The queues of a deployment, under the names of its bindings. Clones share the open stores. Its
/// futures need a tokio runtime.
///
/// Two kinds of refusal: an [`Error`] with a code, which a program may handle; and a [`Fault`](queue::Fault) for a name
/// that is not granted or not configured, which ends the current event as failed even where a handler
/// swallows it.
#[derive(Clone)]
pub struct Queues(pub(self) Arc<Inner>);

struct Inner {
    deployment: Deployment,
    stores: Stores,
    clock: crate::Clock,
}

impl Queues {
    /// Queues after a configuration. Stores are opened when they are first used.
    ///
    /// # Errors
    /// `INVALID_OPTIONS` for a store's address that means nothing.
    pub fn open(config: impl Into<Config>) -> Result<Self, Error> {
        let config = config.into();
        let stores = Stores::new(&config)?;
        let Config { deployment, clock, .. } = config;
        Ok(Self(Arc::new(Inner { deployment, stores, clock })))
    }

    /// Sends a value. When this returns, the message is durable.
    ///
    /// # Errors
    /// The contract's, before the store is called, `QUEUE_BODY_JSON` for a value that is no JSON (an infinite
    /// number, an integer past 2^53−1); `QUEUE_STORE` where the store refuses. A fault for a binding that is
    /// not granted or not configured.
    pub async fn send<T: Serialize + ?Sized>(
        &self,
        binding: &str,
        body: &T,
        delay: impl Into<Delay>,
    ) -> Result<(), Refusal> {
        let binding = self.granted(binding)?;
        self.put(binding, outgoing(&text_of(body)?, delay.into().seconds())?).await
    }

    /// Sends a body given as JSON text.
    ///
    /// # Errors
    /// As [`Queues::send`].
    pub async fn send_text(
        &self,
        binding: &str,
        body: &str,
        delay: impl Into<Delay>,
    ) -> Result<(), Refusal> {
        let binding = self.granted(binding)?;
        self.put(binding, outgoing(body.as_bytes(), delay.into().seconds())?).await
    }

    /// Sends 1 to 100 values, each with its delay. If one breaks a rule, none is sent.
    ///
    /// # Errors
    /// As [`Queues::send`]; those about one item carry its index.
    pub async fn send_batch<T: Serialize>(
        &self,
        binding: &str,
        items: impl IntoIterator<Item = (T, Delay)>,
    ) -> Result<(), Refusal> {
        let binding = self.granted(binding)?;
        let items: Vec<_> = items.into_iter().collect();
        let mut batch = queue::Batch::new(items.len())?;
        for (index, (body, delay)) in items.iter().enumerate() {
            let text = text_of(body).map_err(|error| error.at_index(index))?;
            batch.push(&text, delay.seconds())?;
        }
        self.put_batch(binding, batch.finish()?).await
    }

    /// Sends a batch given as JSON text: an array of `{"body":…,"delaySeconds":…}`, the delay optional.
    ///
    /// # Errors
    /// As [`Queues::send_batch`].
    pub async fn send_batch_text(&self, binding: &str, batch: &str) -> Result<(), Refusal> {
        let binding = self.granted(binding)?;
        self.put_batch(binding, outgoing_batch(batch.as_bytes())?).await
    }

    /// Runs `handler` for each batch of a queue, on the current tokio runtime, until what is returned is closed or
    /// dropped. `name` is a binding or the name of its queue. The handler returning well means that every message is
    /// done which it did not retry; failing, panicking, or running out of time that every message comes
    /// again which it did not acknowledge. At the time limit it is dropped where it stands.
    ///
    /// # Errors
    /// `QUEUE_STORE` where the store cannot be opened; a fault for a name that is not configured.
    pub async fn consume<F, R, E>(&self, name: &str, handler: F) -> Result<Running, Refusal>
    where
        F: Fn(Batch) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display + Send + 'static,
    {
        Ok(Running::start(self.consumer(name).await?, handler))
    }

    /// A consumer without a loop, for bindings and for who wants to take batches one by one.
    ///
    /// # Errors
    /// As [`Queues::consume`].
    pub async fn consumer(&self, name: &str) -> Result<Consumer, Refusal> {
        let binding = self.0.deployment.find(name)?;
        let queue = self.0.stores.queue(binding).await;
        let queue = queue.map_err(|error| store_error("open the queue", &error))?;
        let dead_letters = binding.dead_letter_queue.is_some();
        Ok(Consumer::new(queue, binding.settings, dead_letters, self.0.clock.clone()))
    }

    /// Administration.
    pub fn admin(&self) -> Admin {
        Admin(self.clone())
    }

    /// The deployment.
    pub fn deployment(&self) -> &Deployment {
        &self.0.deployment
    }

    /// Closes the stores that were opened here. Close consumers first.
    ///
    /// # Errors
    /// The stores'.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.stores.close().await
    }

    fn granted(&self, name: &str) -> Result<&Binding, Refusal> {
        self.0.deployment.binding(name).inspect_err(|refusal| {
            if let Refusal::Fault(fault) = refusal {
                consumer::fault(fault);
            }
        })
    }

    async fn put(&self, binding: &Binding, message: Outgoing) -> Result<(), Refusal> {
        let end = async {
            let queue = self.0.stores.queue(binding).await?;
            queue.send(vec![new_message(message)]).await
        };
        end.await.map_err(|error| send_refused(error.words()).into())
    }

    async fn put_batch(&self, binding: &Binding, batch: Vec<Outgoing>) -> Result<(), Refusal> {
        let end = async {
            let queue: Arc<dyn Queue> = self.0.stores.queue(binding).await?;
            queue.send(batch.into_iter().map(new_message).collect()).await
        };
        end.await.map_err(|error| batch_refused(error.words()).into())
    }
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.deployment.bindings().map(|(name, _)| name).collect();
        f.debug_struct("Queues").field("queues", &names).finish_non_exhaustive()
    }
}

fn text_of<T: Serialize + ?Sized>(body: &T) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    json::to_vec(body, &mut text, &VALUE).map_err(|_| not_json())?;
    Ok(text)
}

fn new_message(message: Outgoing) -> NewMessage {
    NewMessage { body: message.body, delay_s: message.delay_seconds }
}
