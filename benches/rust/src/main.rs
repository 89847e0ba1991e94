//! Posthouse for Rust as a program of the benches: `posthouse-bench MODE URL SUBJECT NUMBERS…`.
//! `benches/README.md` says what each mode does and prints.
//!
//! `BENCH_ROOM=1`: queues as large as those of the plain NATS clients, so that a flood fits.
mod contract;
mod growth;
mod messages;
mod state;

use contract::{Arguments, Failure};
use posthouse::Hub;
use std::time::Duration;

/// The namespace of the benches.
const NAMESPACE: &str = "bench";
/// Messages and bytes that may wait with `BENCH_ROOM`.
const ROOM: (usize, usize) = (524_288, 128 << 20);

/// Hundreds of hubs that come at once may have to wait for the server.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);

fn roomy() -> bool {
    std::env::var_os("BENCH_ROOM").is_some()
}

/// A connected hub. Limits that a measure has to pass are raised, the rest is as it comes.
async fn hub(url: &str, subscriptions: usize) -> posthouse::Result<Hub> {
    let raise = |numbers: &mut posthouse::HubOptions| {
        let messaging = &mut numbers.messaging;
        messaging.subscriptions = messaging.subscriptions.max(subscriptions);
        if roomy() {
            (messaging.pending_messages, messaging.pending_bytes) = ROOM;
        }
    };
    let hub = Hub::builder(NAMESPACE).servers([url]).with_numbers(raise).open()?;
    hub.connected(CONNECT_LIMIT).await?;
    Ok(hub)
}

/// The subject on the wire of a concrete name, for the raw publisher.
fn wire(name: &str) -> String {
    let hex = |text: &str| text.bytes().map(|b| format!("{b:02x}")).collect::<Vec<_>>().concat();
    let segments: Vec<String> = name.split('.').map(hex).collect();
    format!("_msg.v1.{}.{}", hex(NAMESPACE), segments.join("."))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::read()?;
    match arguments.mode.as_str() {
        "pub" => messages::publish(&arguments).await,
        "sub" => messages::subscribe(&arguments).await,
        "resp" => messages::respond(&arguments).await,
        "req" => messages::request(&arguments).await,
        "state-watch" => state::watch(&arguments).await,
        "state-set" => state::set(&arguments).await,
        "state-hold" => state::hold(&arguments).await,
        "state-join" => state::join(&arguments).await,
        "grow-subs" => growth::subscriptions(&arguments).await,
        "grow-hubs" => growth::hubs(&arguments).await,
        other => Err(format!("there is no mode {other:?}").into()),
    }
}
