//! The Rust SDK as a program of the benches: `MODE URL SUBJECT ARGS…`, JSON lines on the standard
//! output. Each message is built, serialised and parsed afresh, with types of serde.
mod load;
mod messages;
mod state;

use posthouse::{Hub, MessagingLimits};
use std::{io::Write as _, time::Duration};

const NAMESPACE: &str = "bench";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, mode, url, subject, numbers @ ..] = args.as_slice() else {
        eprintln!("usage: bench-rust MODE URL SUBJECT ARGS...");
        std::process::exit(2);
    };
    let numbers: Vec<u64> =
        numbers.iter().map(|n| n.parse().expect("arguments after SUBJECT are numbers")).collect();
    let number = |at: usize| numbers.get(at).copied().expect("an argument more");
    match mode.as_str() {
        "pub" => messages::publish(&open(url).await, subject, number(0)).await,
        "sub" => messages::subscribe(&open(url).await, subject, number(0)).await,
        "resp" => messages::respond(&open(url).await, subject).await,
        "req" => messages::request(&open(url).await, subject, number(0), number(1)).await,
        "state-watch" => state::watch(&open(url).await, subject, number(0)).await,
        "state-set" => state::set(&open(url).await, subject, number(0), number(1)).await,
        "state-hold" => state::hold(&open(url).await, subject, number(0)).await,
        "state-join" => state::join(url, subject, number(0)).await,
        other => panic!("no mode {other}"),
    }
}

/// A connected hub that holds as much as a flood brings.
async fn open(url: &str) -> Hub {
    let limits = MessagingLimits {
        pending_messages: 2_000_000,
        pending_bytes: 512 << 20,
        ..MessagingLimits::default()
    };
    let builder = Hub::builder(NAMESPACE).servers([url]).messaging(limits);
    builder.timeout(Duration::from_secs(10)).connect().await.expect("a server")
}

fn out(line: &serde_json::Value) {
    println!("{line}");
    std::io::stdout().flush().expect("whoever reads");
}
