//! The store: one connection and the queues opened over it.
use super::{
    connect::connect,
    link::Link,
    options::JetStreamOptions,
    queue::{Inner, JetStreamQueue},
};
use crate::{Queue, Store, StoreError, Task, Terms, Trouble};
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::sync::Mutex;

/// Queues on the JetStream of NATS servers; see the module. Its futures need a tokio runtime with time and
/// input and output enabled, and the one on which it was opened has to go on running.
pub struct JetStream {
    link: Arc<Link>,
    replicas: Option<u8>,
    queues: Mutex<HashMap<String, Arc<JetStreamQueue>>>,
}

impl JetStream {
    /// Connects. A connection that is lost later comes back by itself.
    ///
    /// # Errors
    /// [`Trouble::Unreachable`] where no server can be reached, [`Trouble::Forbidden`] where it does not accept
    /// the credentials, [`Trouble::Other`] for options that contradict each other.
    pub async fn open(options: JetStreamOptions) -> Result<Self, StoreError> {
        if let Some(wrong) = options.replicas.filter(|replicas| !(1..=5).contains(replicas)) {
            let words = format!("replicas is {wrong}; allowed is 1 to 5");
            return Err(StoreError::new(Trouble::Other, words));
        }
        let link = Arc::new(connect(&options).await?);
        Ok(Self { link, replicas: options.replicas, queues: Mutex::default() })
    }
}

impl Store for JetStream {
    fn describe(&self) -> String {
        format!("jetstream:{}", self.link.shown)
    }

    fn queue<'a>(&'a self, name: &'a str, terms: Terms) -> Task<'a, Arc<dyn Queue>> {
        Box::pin(async move {
            let _under_way = self.link.enter().await?;
            let mut queues = self.queues.lock().await;
            if let Some(queue) = queues.get(name) {
                let ours = Terms { in_flight: terms.in_flight, ..queue.0.terms.clone() };
                if ours != terms {
                    let words = format!(
                        "the queue {name:?} is open with other settings; give both the same"
                    );
                    return Err(StoreError::new(Trouble::Mismatch, words));
                }
                return Ok(Arc::clone(queue) as Arc<dyn Queue>);
            }
            let inner = Inner::open(&self.link, name, terms, self.replicas).await?;
            let queue = Arc::new(JetStreamQueue(Arc::new(inner)));
            queues.insert(name.to_owned(), Arc::clone(&queue));
            Ok(queue as Arc<dyn Queue>)
        })
    }

    fn close(&self) -> Task<'_, ()> {
        Box::pin(async move {
            self.link.close().await;
            Ok(())
        })
    }
}

impl fmt::Debug for JetStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JetStream").field(&self.link.shown).finish()
    }
}
