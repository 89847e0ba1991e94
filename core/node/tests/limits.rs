//! Clients that are too slow, too silent, too many or unknown.

mod support;

use std::time::Duration;

use posthouse_node::{Node, NodeOptions};
use support::{Raw, options, patiently, until};

async fn bind(options: NodeOptions) -> Node {
    Node::bind(options).await.expect("a free port")
}

/// Publishes until a client has been cut, and checks that another subscriber missed nothing.
async fn flood(node: &Node, mut slow: Raw, payload: usize) {
    let mut good = Raw::connect(node.addr()).await;
    good.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\n").await;
    good.sync().await;
    slow.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\n").await;
    slow.sync().await;
    let mut publisher = Raw::connect(node.addr()).await;
    publisher.say(b"CONNECT {\"verbose\":false}\r\n").await;
    let payload = "x".repeat(payload);
    let mut count = 0;
    patiently("the slow client to be cut", async {
        while node.stats().slow_consumers == 0 {
            let text = format!("{count:08}{payload}");
            publisher.say(format!("PUB a {}\r\n{text}\r\n", text.len()).as_bytes()).await;
            publisher.sync().await;
            good.hear(format!("MSG a 1 {}\r\n{text}\r\n", text.len()).as_bytes()).await;
            count += 1;
        }
    })
    .await;
    // The others go on.
    publisher.say(b"PUB a 2\r\nok\r\n").await;
    good.hear(b"MSG a 1 2\r\nok\r\n").await;
    until("the slow client to be gone", || node.stats().connections == 2).await;
    let (heard, ended) = slow.hear_all(0).await;
    assert!(ended && heard.starts_with(b"MSG a 1 "));
    assert_eq!(node.stats().slow_consumers, 1);
}

#[tokio::test]
async fn a_slow_client_is_cut_when_too_much_waits() {
    let node =
        bind(NodeOptions { max_pending: 128 * 1024, max_payload: 64 * 1024, ..options() }).await;
    let slow = Raw::narrow(node.addr(), 65536).await;
    flood(&node, slow, 60_000).await;
}

#[tokio::test]
async fn a_slow_client_is_cut_at_the_write_deadline() {
    let node = bind(NodeOptions { write_deadline: Duration::from_millis(50), ..options() }).await;
    let slow = Raw::narrow(node.addr(), 65536).await;
    flood(&node, slow, 60_000).await;
}

#[tokio::test]
async fn a_client_that_reads_after_its_cut_learns_the_reason() {
    let node = bind(NodeOptions { max_pending: 4096, max_payload: 4096, ..options() }).await;
    let mut client = Raw::connect(node.addr()).await;
    client.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\n").await;
    client.sync().await;
    // Ten messages in one read: what they make wait at once is more than may.
    let message = format!("PUB a 1000\r\n{}\r\n", "x".repeat(1000));
    client.say(message.repeat(10).as_bytes()).await;
    let (heard, ended) = client.hear_all(0).await;
    assert!(ended && heard.ends_with(b"-ERR 'Slow Consumer'\r\n"), "{}", heard.escape_ascii());
}

#[tokio::test]
async fn a_publisher_is_slowed_down_to_what_its_receiver_takes() {
    // Without holding the publisher back, the receiver would be cut: it reads a little at a time
    // and far more is published than may wait.
    let node = bind(NodeOptions { max_pending: 1024 * 1024, max_payload: 4096, ..options() }).await;
    let mut reads = Raw::narrow(node.addr(), 65536).await;
    reads.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\n").await;
    reads.sync().await;
    let mut publisher = Raw::connect(node.addr()).await;
    publisher.say(b"CONNECT {\"verbose\":false}\r\n").await;
    let (head, text) = ("a", "x".repeat(1000));
    let (said, heard) =
        (format!("PUB {head} 1000\r\n{text}\r\n"), format!("MSG {head} 1 1000\r\n{text}\r\n"));
    let rounds = 600;
    let publish = async {
        let said = said.repeat(16);
        for _ in 0..rounds {
            publisher.say(said.as_bytes()).await;
        }
    };
    let read = async {
        let heard = heard.repeat(16);
        for _ in 0..rounds {
            tokio::task::yield_now().await;
            reads.hear(heard.as_bytes()).await;
        }
    };
    tokio::join!(publish, read);
    assert_eq!(node.stats().slow_consumers, 0);
}

#[tokio::test]
async fn silent_clients_are_pinged_and_cut() {
    let node =
        bind(NodeOptions { ping_interval: Duration::from_millis(20), ping_max: 2, ..options() })
            .await;
    let mut silent = Raw::connect(node.addr()).await;
    silent.hear(b"PING\r\nPING\r\n-ERR 'Stale Connection'\r\n").await;
    silent.hear_end().await;
    let mut answers = Raw::connect(node.addr()).await;
    for _ in 0..6 {
        answers.hear(b"PING\r\n").await;
        answers.say(b"PONG\r\n").await;
    }
    until("the silent client to be gone", || node.stats().connections == 1).await;
}

#[tokio::test]
async fn credentials_must_come_in_time() {
    let node = bind(NodeOptions {
        token: Some("t0k".into()),
        auth_timeout: Duration::from_millis(20),
        ..options()
    })
    .await;
    let mut late = Raw::connect(node.addr()).await;
    late.hear(b"-ERR 'Authentication Timeout'\r\n").await;
    late.hear_end().await;
}

#[tokio::test]
async fn one_connection_too_many() {
    let node = bind(NodeOptions { max_connections: 2, ..options() }).await;
    let mut first = Raw::connect(node.addr()).await;
    let second = Raw::connect(node.addr()).await;
    let mut third = Raw::connect(node.addr()).await;
    third.hear(b"-ERR 'maximum connections exceeded'\r\n").await;
    third.hear_end().await;
    drop((second, third));
    until("the others to be gone", || node.stats().connections == 1).await;
    Raw::connect(node.addr()).await.say(b"PING\r\n").await;
    first.sync_verbose().await;
}
