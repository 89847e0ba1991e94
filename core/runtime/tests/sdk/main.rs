//! The SDK's behaviour on a real server: what its types promise, one module a part of it.
mod handlers;
mod life;
mod names;
mod requests;
mod state;
mod streams;

use posthouse::{Builder, Hub, Value};
use posthouse_testkit::{NatsServer, PATIENCE, until_async};
use std::sync::{Arc, Mutex};

fn builder(server: &NatsServer) -> Builder {
    Hub::builder("workshop").servers([server.url()]).timeout(PATIENCE).with_numbers(|numbers| {
        numbers.peer_timeout_ms = Some(300);
    })
}

async fn open(server: &NatsServer) -> Hub {
    builder(server).connect().await.expect("the server is there")
}

async fn pair(server: &NatsServer) -> (Hub, Hub) {
    (open(server).await, open(server).await)
}

/// A future that must not take for ever.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it does not take for ever")
}

/// What a handler saw.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Value>>>);

impl Seen {
    fn note(&self, value: Value) {
        self.0.lock().unwrap().push(value);
    }

    fn all(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }

    async fn wait_for(&self, count: usize) {
        until_async(&format!("{count} were seen"), || self.all().len() >= count).await;
    }
}
