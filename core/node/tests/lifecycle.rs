//! Binding, taking over, and the end.

mod support;

use std::time::Duration;

use posthouse_core::Code;
use posthouse_node::{BindError, Node, NodeOptions};
use support::{Raw, node, options, patiently, until};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_port_in_use_is_told_apart() {
    let first = node().await;
    let again = NodeOptions { port: first.addr().port(), ..options() };
    match Node::bind(again).await {
        Err(BindError::AddrInUse(addr)) => assert_eq!(addr, first.addr()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("two nodes on one port"),
    }
    let nowhere = NodeOptions { host: [192, 0, 2, 1].into(), ..options() };
    assert!(matches!(Node::bind(nowhere).await, Err(BindError::Io { .. })));
    let odd = NodeOptions { max_pending: 1, ..options() };
    match Node::bind(odd).await {
        Err(BindError::Options(error)) => assert_eq!(error.code(), Code::InvalidOptions),
        _ => panic!("options were not looked at"),
    }
}

#[tokio::test]
async fn without_the_websocket_port_the_node_still_runs() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = taken.local_addr().expect("bound").port();
    let node = Node::bind(NodeOptions { ws_port: Some(port), ..options() }).await;
    let node = node.expect("TCP is free");
    assert!(matches!(node.ws_error(), Some(BindError::AddrInUse(addr)) if addr.port() == port));
    assert_eq!(node.ws_addr(), None);
    Raw::connect(node.addr()).await.sync().await;
    let none = Node::bind(NodeOptions { ws_port: None, ..options() }).await.expect("a free port");
    assert!(none.ws_addr().is_none() && none.ws_error().is_none());
}

#[tokio::test]
async fn another_node_takes_over_at_once() {
    let first = node().await;
    let addr = first.addr();
    let mut client = Raw::connect(addr).await;
    client.sync().await;
    first.shutdown(Duration::ZERO).await;
    let (_, ended) = client.hear_all(0).await;
    assert!(ended);
    let second = Node::bind(NodeOptions { port: addr.port(), ..options() }).await;
    let second = second.expect("the port is free although its connections were closed just now");
    Raw::connect(second.addr()).await.sync().await;
}

#[tokio::test]
async fn shutdown_warns_who_understands_and_waits_for_them() {
    let node = node().await;
    let addr = node.addr();
    let (mut old, mut new) = (Raw::connect(addr).await, Raw::connect(addr).await);
    old.say(b"CONNECT {\"verbose\":false,\"protocol\":0}\r\nSUB a 1\r\n").await;
    old.sync().await;
    new.say(b"CONNECT {\"verbose\":false,\"protocol\":1}\r\n").await;
    new.sync().await;
    let end = tokio::spawn(node.shutdown(Duration::from_secs(600)));
    let line = patiently("the notice", new.line()).await;
    assert!(line.starts_with("INFO {") && line.contains("\"ldm\":true"), "{line}");
    // Until it leaves, the client is served.
    new.say(b"PUB a 2\r\nhi\r\n").await;
    old.hear(b"MSG a 1 2\r\nhi\r\n").await;
    assert!(!end.is_finished());
    assert!(tokio::net::TcpStream::connect(addr).await.is_err(), "no longer listening");
    drop((old, new));
    patiently("the end", end).await.expect("no panic");
}

#[tokio::test]
async fn dropping_the_node_ends_everything_at_once() {
    let node = node().await;
    let (addr, web) = (node.addr(), node.ws_addr().expect("served"));
    let mut client = Raw::connect(addr).await;
    client.sync().await;
    drop(node);
    client.hear_end().await;
    for addr in [addr, web] {
        patiently("the port to be free", async {
            while TcpListener::bind(addr).await.is_err() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn clients_that_vanish_are_forgotten() {
    let node = node().await;
    for _ in 0..50 {
        let mut client = Raw::connect(node.addr()).await;
        client
            .say(b"CONNECT {\"verbose\":false}\r\nSUB a.* 1\r\nSUB a q 2\r\nPUB a.b 100\r\nhalf")
            .await;
        drop(client);
    }
    until("all to be forgotten", || {
        let stats = node.stats();
        stats.total_connections == 50 && stats.connections == 0
    })
    .await;
    assert_eq!(node.stats().subscriptions, 0);
}
