//! Which store an address means, and the stores and queues that are open.
use super::config::{Config, invalid};
use crate::{
    Clock, Queue, Sqlite, Store, StoreError, Terms,
    jetstream::{JetStream, JetStreamOptions},
};
use posthouse_core::{
    Error,
    queue::{Binding, Settings},
};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// An address that is understood.
pub(super) enum Address {
    Sqlite(PathBuf),
    JetStream(Box<JetStreamOptions>),
}

impl Address {
    /// Reads `sqlite:PATH`, and the servers of a JetStream store: `nats://HOST:PORT`, `tls://HOST:PORT`.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            Some(("nats" | "tls", rest)) if rest.starts_with("//") => {
                let options = JetStreamOptions::parse(text).map_err(|e| invalid(e.words()))?;
                Ok(Self::JetStream(Box::new(options)))
            }
            // Whatever stands behind the scheme may be a secret.
            Some((scheme, _)) => Err(invalid(&format!(
                "a store of the kind {scheme:?} is not known; give sqlite:PATH or nats://HOST:PORT"
            ))),
            None => {
                Err(invalid("a store's address has no kind; give sqlite:PATH or nats://HOST:PORT"))
            }
        }
    }
}

/// Open stores by address, and open queues by store and name.
pub(super) struct Stores {
    folder: PathBuf,
    clock: Clock,
    given: HashMap<String, Arc<dyn Store>>,
    open: tokio::sync::Mutex<HashMap<String, Arc<dyn Store>>>,
    queues: Mutex<HashMap<(String, String), Arc<dyn Queue>>>,
}

pub(super) fn terms(binding: &Binding) -> Terms {
    let Settings {
        visibility_timeout_ms,
        retry_delay_ms,
        retention_ms,
        max_batch_size,
        max_concurrency,
        ..
    } = binding.settings;
    Terms {
        visibility: Duration::from_millis(visibility_timeout_ms),
        retry_delay: Duration::from_millis(retry_delay_ms),
        retention: Duration::from_millis(retention_ms),
        dead_letter: binding.dead_letter_queue.clone(),
        in_flight: max_batch_size * max_concurrency,
    }
}

impl Stores {
    /// Refuses addresses that mean nothing; opens none.
    pub(super) fn new(config: &Config) -> Result<Self, Error> {
        for (name, binding) in config.deployment.bindings() {
            if !config.stores.contains_key(&binding.store) {
                Address::parse(&binding.store).map_err(|error| {
                    invalid(&format!("the queue {name:?}: {}", error.message()))
                })?;
            }
        }
        Ok(Self {
            folder: config.folder.clone(),
            clock: config.clock.clone(),
            given: config.stores.clone(),
            open: tokio::sync::Mutex::default(),
            queues: Mutex::default(),
        })
    }

    /// The queue of a binding, opened the first time.
    pub(super) async fn queue(&self, binding: &Binding) -> Result<Arc<dyn Queue>, StoreError> {
        let key = (binding.store.clone(), binding.queue.clone());
        if let Some(queue) = self.queues().get(&key) {
            return Ok(queue.clone());
        }
        let store = self.store(&binding.store).await?;
        let queue = store.queue(&binding.queue, terms(binding)).await?;
        Ok(self.queues().entry(key).or_insert(queue).clone())
    }

    fn queues(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Arc<dyn Queue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn store(&self, address: &str) -> Result<Arc<dyn Store>, StoreError> {
        if let Some(store) = self.given.get(address) {
            return Ok(store.clone());
        }
        let mut open = self.open.lock().await;
        if let Some(store) = open.get(address) {
            return Ok(store.clone());
        }
        let parsed = Address::parse(address)
            .map_err(|error| StoreError::new(crate::Trouble::Mismatch, error.message()))?;
        let store: Arc<dyn Store> = match parsed {
            Address::JetStream(options) => Arc::new(JetStream::open(*options).await?),
            Address::Sqlite(path) => {
                Arc::new(Sqlite::with_clock(self.folder.join(path), self.clock.clone()).await?)
            }
        };
        open.insert(address.to_owned(), store.clone());
        Ok(store)
    }

    /// Closes what was opened here.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.queues().clear();
        let open = std::mem::take(&mut *self.open.lock().await);
        let mut end = Ok(());
        for store in open.into_values() {
            end = end.and(store.close().await);
        }
        end
    }
}
