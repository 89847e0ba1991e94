//! Servers, stores and what tests do with them again and again.
use posthouse_queue::jetstream::{JetStream, JetStreamOptions};
use posthouse_queue::{
    Delivery, NewMessage, Queue, Settled, Settlement, Stop, Store as _, Terms, Ticket,
};
use posthouse_testkit::{Binary, NatsServer, PATIENCE};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

pub type AnyQueue = Arc<dyn Queue>;

/// Terms whose leases nothing outlasts.
pub fn terms() -> Terms {
    Terms {
        visibility: Duration::from_secs(30),
        retry_delay: Duration::ZERO,
        retention: Duration::from_secs(3600),
        dead_letter: None,
        in_flight: 100,
    }
}

/// Terms whose leases end while a test can wait for it.
pub fn short() -> Terms {
    Terms { visibility: Duration::from_secs(1), ..terms() }
}

pub fn with_dead(mut terms: Terms, dead: &str) -> Terms {
    terms.dead_letter = Some(dead.into());
    terms
}

/// A current server with JetStream; `None` where there is none to be had.
pub fn server() -> Option<NatsServer> {
    let there = Binary::Current.available();
    there.then(|| NatsServer::builder().binary(Binary::Current).jetstream().start())
}

/// The oldest supported server, with JetStream.
pub fn old_server() -> Option<NatsServer> {
    let there = Binary::System.available();
    there.then(|| NatsServer::builder().jetstream().start())
}

pub async fn open(server: &NatsServer) -> JetStream {
    open_at(&server.url()).await
}

pub async fn open_at(url: &str) -> JetStream {
    JetStream::open(JetStreamOptions::parse(url).unwrap()).await.expect("connecting")
}

/// A queue over a connection of its own, as another process would have it.
pub async fn queue(server: &NatsServer, name: &str, terms: Terms) -> AnyQueue {
    open(server).await.queue(name, terms).await.expect("opening the queue")
}

pub fn message(body: &str) -> NewMessage {
    NewMessage { body: body.into(), delay_s: 0 }
}

pub fn later(body: &str, delay_s: u32) -> NewMessage {
    NewMessage { body: body.into(), delay_s }
}

pub fn numbered(number: usize) -> Vec<NewMessage> {
    (0..number).map(|n| message(&n.to_string())).collect()
}

/// Leases until `number` deliveries have come.
pub async fn take(queue: &AnyQueue, number: usize) -> Vec<Delivery> {
    let (end, stop, mut taken) = (Instant::now() + PATIENCE, Stop::never(), Vec::new());
    while taken.len() < number {
        let rest = end.saturating_duration_since(Instant::now());
        assert!(!rest.is_zero(), "only {} of {number} messages came", taken.len());
        let more = queue.lease(number - taken.len(), rest, &stop).await.expect("leasing");
        taken.extend(more);
    }
    taken
}

pub async fn take_one(queue: &AnyQueue) -> Delivery {
    take(queue, 1).await.remove(0)
}

/// What is there now.
pub async fn there(queue: &AnyQueue) -> usize {
    queue.lease(100, Duration::ZERO, &Stop::never()).await.expect("leasing").len()
}

pub async fn settle(queue: &AnyQueue, delivery: &Delivery, settlement: Settlement) -> Settled {
    let asked = [(delivery.ticket.clone(), settlement)];
    queue.settle(&asked).await.expect("settling").remove(0)
}

pub async fn settle_all(queue: &AnyQueue, deliveries: &[Delivery], settlement: Settlement) {
    let asked: Vec<(Ticket, Settlement)> =
        deliveries.iter().map(|delivery| (delivery.ticket.clone(), settlement)).collect();
    let answers = queue.settle(&asked).await.expect("settling");
    assert!(answers.iter().all(|answer| *answer == Settled::Done), "{answers:?}");
}

pub fn text(delivery: &Delivery) -> String {
    String::from_utf8(delivery.body.clone()).expect("text")
}

pub fn now_ms() -> i64 {
    let since =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    i64::try_from(since.as_millis()).expect("a date")
}

/// A plain client, for what other programs and administrators do.
pub async fn client(server: &NatsServer) -> async_nats::Client {
    async_nats::connect(server.url()).await.expect("connecting")
}

/// Asks the server's JetStream interface.
pub async fn api(
    client: &async_nats::Client,
    verb: &str,
    body: serde_json::Value,
) -> serde_json::Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = client.request(format!("$JS.API.{verb}"), body.into()).await.expect("an answer");
    let answer: serde_json::Value = serde_json::from_slice(&answer.payload).expect("JSON");
    assert!(answer["error"].is_null(), "{verb}: {answer}");
    answer
}
