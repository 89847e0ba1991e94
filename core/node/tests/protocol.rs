//! What the node answers, byte for byte.

mod scripts;
mod support;

use std::fmt::Write as _;

use posthouse_node::{NodeOptions, PROTOCOL_VERSION};
use scripts::SCRIPTS;
use support::{Raw, node, options};

#[tokio::test]
async fn every_script() {
    let node = node().await;
    for script in SCRIPTS {
        println!("{}", script.name);
        let mut raw = Raw::connect(node.addr()).await;
        raw.say(script.say).await;
        raw.hear(script.hear).await;
        if script.closes {
            raw.hear_end().await;
        } else {
            raw.sync().await;
        }
    }
}

#[tokio::test]
async fn every_script_byte_by_byte() {
    let node = node().await;
    for script in SCRIPTS {
        println!("{}", script.name);
        let mut raw = Raw::connect(node.addr()).await;
        for byte in script.say.chunks(1) {
            // The node may be done with a bad script before its end.
            if !raw.try_say(byte).await {
                break;
            }
            // Lets the node read this byte by itself.
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        }
        raw.hear(script.hear).await;
        if script.closes {
            raw.hear_end().await;
        } else {
            raw.sync().await;
        }
    }
}

#[tokio::test]
async fn control_lines_up_to_the_limit() {
    let node = node().await;
    let refusal = b"-ERR 'maximum control line exceeded'\r\n";
    let long = "a".repeat(4094);
    let mut raw = Raw::connect(node.addr()).await;
    raw.say(b"CONNECT {\"verbose\":false,\"pedantic\":false}\r\n").await;
    let blanks = " ".repeat(5000);
    raw.say(
        format!("SUB {long} 1\r\nUNSUB 1\r\nSUB {blanks}a 1\r\nPING{long}{long}\r\n").as_bytes(),
    )
    .await;
    raw.hear(b"PONG\r\n").await;
    raw.say(format!("PUB {long} 1\r\nx\r\nPUB a 1\r\ny\r\n").as_bytes()).await;
    raw.hear(b"MSG a 1 1\r\ny\r\n").await;
    for start in ["SUB", "PUB", "UNSUB", "CONNECT"] {
        // With and without the end of the line.
        for end in ["a 1\r\n", "a 1"] {
            let mut raw = Raw::connect(node.addr()).await;
            raw.say(format!("{start} {long}{end}").as_bytes()).await;
            raw.hear(refusal).await;
            raw.hear_end().await;
        }
    }
}

#[tokio::test]
async fn max_payload_is_announced_and_kept() {
    let small = NodeOptions { max_payload: 8, ..options() };
    let node = posthouse_node::Node::bind(small).await.expect("a free port");
    let mut raw = Raw::connect(node.addr()).await;
    assert!(raw.info.contains("\"max_payload\":8,"), "{}", raw.info);
    raw.say(b"CONNECT {\"verbose\":false,\"headers\":true}\r\nSUB a 1\r\nPUB a 8\r\n12345678\r\n")
        .await;
    raw.hear(b"MSG a 1 8\r\n12345678\r\n").await;
    // Headers count.
    raw.say(b"HPUB a 4 9\r\n").await;
    raw.hear(b"-ERR 'Maximum Payload Violation'\r\n").await;
    raw.hear_end().await;

    // The largest message of the default, which comes in many reads.
    let node = self::node().await;
    let mut raw = Raw::connect(node.addr()).await;
    let payload = vec![b'x'; 1024 * 1024];
    raw.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPUB a 1048576\r\n").await;
    raw.say(&payload).await;
    raw.say(b"\r\n").await;
    raw.hear(&[b"MSG a 1 1048576\r\n", &payload[..], b"\r\n"].concat()).await;
    raw.sync().await;
}

#[tokio::test]
async fn info() {
    let node = node().await;
    let first = Raw::connect(node.addr()).await.info;
    let second = Raw::connect(node.addr()).await.info;
    for part in [
        format!("\"version\":\"{PROTOCOL_VERSION}\""),
        format!("\"posthouse\":\"{}\"", env!("CARGO_PKG_VERSION")),
        format!("\"port\":{}", node.addr().port()),
        "\"proto\":1".into(),
        "\"headers\":true".into(),
        "\"max_payload\":1048576".into(),
        "\"client_id\":1".into(),
        "\"client_ip\":\"127.0.0.1\"".into(),
        "\"host\":\"127.0.0.1\"".into(),
    ] {
        assert!(first.contains(&part), "{part} in {first}");
    }
    assert!(second.contains("\"client_id\":2"), "{second}");
    for part in ["nonce", "auth_required", "tls", "jetstream", "ldm", "connect_urls"] {
        assert!(!first.contains(part), "{part} in {first}");
    }
}

#[tokio::test]
async fn headers_are_cut_off_for_clients_without() {
    let node = node().await;
    let (mut plain, mut full) = (Raw::connect(node.addr()).await, Raw::connect(node.addr()).await);
    plain.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\nSUB b q 2\r\n").await;
    plain.sync().await;
    full.say(b"CONNECT {\"verbose\":false,\"headers\":true}\r\nSUB a 9\r\n").await;
    full.say(b"HPUB a r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nHPUB b 12 12\r\nNATS/1.0\r\n\r\n\r\n").await;
    full.hear(b"HMSG a 9 r 12 14\r\nNATS/1.0\r\n\r\nhi\r\n").await;
    plain.hear(b"MSG a 1 r 2\r\nhi\r\nMSG b 2 0\r\n\r\n").await;
}

#[tokio::test]
async fn many_messages_in_one_read_and_one_in_many() {
    let node = node().await;
    let mut raw = Raw::connect(node.addr()).await;
    raw.say(b"CONNECT {\"verbose\":false}\r\nSUB > 1\r\n").await;
    let (mut said, mut heard) = (String::new(), String::new());
    for i in 0..5000 {
        let text = "x".repeat(i % 97);
        write!(said, "PUB s.{i} r{i} {}\r\n{text}\r\n", text.len()).expect("memory");
        write!(heard, "MSG s.{i} 1 r{i} {}\r\n{text}\r\n", text.len()).expect("memory");
    }
    // A stride that falls on every place of a frame.
    for part in said.as_bytes().chunks(4099) {
        raw.say(part).await;
    }
    raw.hear(heard.as_bytes()).await;
    let stats = node.stats();
    assert_eq!((stats.messages_in, stats.messages_out), (5000, 5000));
    assert_eq!((stats.connections, stats.subscriptions), (1, 1));
}
