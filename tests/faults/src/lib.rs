//! What the fault tests share: hubs that notice a dead link soon, and waits for what will be true.
//!
//! The tests are in `tests/faults`, one module a kind of fault, against real servers. None measures
//! time: a wait has one generous limit, and a rate or an order is shown by counting.

use posthouse::{Builder, Connection, Hub, Status, Value};
use posthouse_testkit::{NatsServer, NodeProcess, PATIENCE, until_async};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// A broker that may be either kind: what tests need of both.
#[derive(Debug)]
pub enum Broker {
    /// A nats-server.
    Nats(Box<NatsServer>),
    /// The owned node, in a process of its own.
    Node(NodeProcess),
}

/// Makes two tests of each function that takes a [`Broker`]: `NAME::nats_server` and
/// `NAME::owned_node`.
#[macro_export]
macro_rules! on_each_broker {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            #[tokio::test(flavor = "multi_thread")]
            async fn nats_server() {
                super::$name($crate::Broker::nats_server()).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn owned_node() {
                super::$name($crate::Broker::owned_node()).await;
            }
        }
    )+};
}

impl Broker {
    /// A nats-server that listens for WebSockets, too.
    pub fn nats_server() -> Self {
        Self::Nats(Box::new(NatsServer::builder().websocket().start()))
    }

    /// The owned node.
    pub fn owned_node() -> Self {
        Self::Node(NodeProcess::start(&[]))
    }

    /// The port for clients.
    pub fn port(&self) -> u16 {
        match self {
            Self::Nats(server) => server.port(),
            Self::Node(node) => node.port(),
        }
    }

    /// `nats://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port())
    }

    /// The port for WebSocket clients.
    pub fn websocket_port(&self) -> u16 {
        match self {
            Self::Nats(server) => server.websocket_port(),
            Self::Node(node) => node.websocket_port(),
        }
    }

    /// `ws://127.0.0.1:PORT`.
    pub fn ws_url(&self) -> String {
        match self {
            Self::Nats(server) => server.ws_url(),
            Self::Node(node) => node.ws_url(),
        }
    }

    /// Ends the process as a crash would.
    pub fn kill(&mut self) {
        match self {
            Self::Nats(server) => server.kill(),
            Self::Node(node) => node.kill(),
        }
    }

    /// Starts it again on the same ports.
    pub fn restart(&mut self) {
        match self {
            Self::Nats(server) => server.restart(),
            Self::Node(node) => node.restart(),
        }
    }

    /// Stops the process in its tracks; its sockets stay open.
    pub fn freeze(&self) {
        match self {
            Self::Nats(server) => server.freeze(),
            Self::Node(node) => node.freeze(),
        }
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        match self {
            Self::Nats(server) => server.thaw(),
            Self::Node(node) => node.thaw(),
        }
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        match self {
            Self::Nats(server) => server.log(),
            Self::Node(node) => node.log(),
        }
    }
}

/// A hub of the namespace `faults` in the making, with times short enough for tests.
pub fn builder(url: impl Into<String>) -> Builder {
    Hub::builder("faults").servers([url.into()]).timeout(PATIENCE).with_numbers(|numbers| {
        numbers.peer_timeout_ms = Some(500);
        numbers.health_interval_ms = 1_000;
    })
}

/// A hub that notices a silent link soon, for tests of just that: on a busy machine a healthy one
/// may be silent for a while, too.
pub fn watchful(url: impl Into<String>) -> Builder {
    builder(url).with_numbers(|numbers| numbers.ping_interval_ms = 700)
}

/// A connected hub.
pub async fn open(url: impl Into<String>) -> Hub {
    builder(url).connect().await.expect("the server is there")
}

/// The hub's status.
pub fn status(hub: &Hub) -> Status {
    hub.status().expect("this process opened the hub")
}

/// Waits until the hub has noticed that its connection is gone.
pub async fn lost(hub: &Hub) {
    until_async("the loss is noticed", || status(hub).connection != Connection::Connected).await;
}

/// Waits until the hub has been connected again for the `times`th time.
pub async fn reconnected(hub: &Hub, times: u64) {
    until_async("it is connected again", || {
        let status = status(hub);
        status.connection == Connection::Connected && status.reconnects >= times
    })
    .await;
}

/// A future that must not take for ever.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let Ok(value) = tokio::time::timeout(PATIENCE, future).await else {
        panic!("waited {PATIENCE:?} in vain for {what}");
    };
    value
}

/// Gathers what a handler sees.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<Mutex<Vec<Value>>>);

impl Seen {
    /// Notes one thing.
    pub fn note(&self, value: Value) {
        self.0.lock().expect("nobody panics with it").push(value);
    }

    /// All so far.
    pub fn all(&self) -> Vec<Value> {
        self.0.lock().expect("nobody panics with it").clone()
    }

    /// How many so far.
    pub fn count(&self) -> usize {
        self.0.lock().expect("nobody panics with it").len()
    }

    /// Waits until there are so many.
    pub async fn wait_for(&self, count: usize) {
        until_async(&format!("{count} messages were seen"), || self.count() >= count).await;
    }

    /// Subscribes and notes every message until the end of the hub.
    pub async fn subscribe(&self, hub: &Hub, name: &str) {
        let seen = self.clone();
        let var = hub.var(name).expect("a name");
        let subscribe = var.subscribe().pending_messages(100_000).pending_bytes(1 << 27);
        let listener = subscribe
            .handler(move |message| {
                seen.note(message.data());
                async {}
            })
            .await;
        listener.expect("a subscription").detach();
    }
}

/// Far longer than anything takes, for operations that must end by something else.
pub const LONG: Duration = Duration::from_secs(60);
