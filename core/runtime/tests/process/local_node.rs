//! The node that a hub owns: who becomes it, who follows, and what else may be on its port.
use crate::{
    free_port, local, open, reconnected,
    role::{Process, say, wait_for_the_end},
};
use posthouse::{Code, Credential, Hub, NodeMode, json};
use posthouse_testkit::{FakeServer, NatsServer, until_async};
use std::{
    net::TcpListener,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Counts the messages of a name.
async fn count(hub: &Hub, name: &str) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let subscribe = hub.var(name).unwrap().subscribe();
    let listener = subscribe.handler(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        async {}
    });
    listener.await.unwrap().detach();
    count
}

async fn owners(hubs: &[&Hub]) -> usize {
    let mut owners = 0;
    for hub in hubs {
        owners += usize::from(hub.owned_node().await.is_some());
    }
    owners
}

/// The role of a process whose hub shares the state `kept` and stays.
pub async fn member() {
    let hub = Hub::builder("local").connect().await.unwrap();
    hub.var("kept").unwrap().set(&json!("by the other process")).unwrap();
    hub.flush(None).await.unwrap();
    let owner = hub.owned_node().await.is_some();
    say(if owner { "owner" } else { "client" });
    tokio::task::spawn_blocking(wait_for_the_end).await.unwrap();
    hub.close().await.unwrap();
}

#[tokio::test]
async fn the_first_becomes_it_and_others_connect() {
    let port = free_port();
    let (a, b) = (open(port).await, open(port).await);
    assert_eq!(a.owned_node().await, Some(([127, 0, 0, 1], port).into()));
    assert_eq!(b.owned_node().await, None);
    let heard = count(&b, "x").await;
    a.var("x").unwrap().publish(&json!(1)).unwrap();
    until_async("it is heard", || heard.load(Ordering::SeqCst) == 1).await;
    a.var("state").unwrap().set(&json!(1)).unwrap();
    until_async("it is known", || b.var("state").unwrap().value().unwrap() == Some(json!(1))).await;
}

#[tokio::test]
async fn when_its_owner_closes_another_takes_over() {
    let port = free_port();
    let (a, b, c) = (open(port).await, open(port).await, open(port).await);
    let heard = count(&c, "x").await;
    a.var("kept").unwrap().set(&json!("by a")).unwrap();
    until_async("all know it", || {
        [&b, &c].iter().all(|hub| hub.var("kept").unwrap().value().unwrap().is_some())
    })
    .await;
    a.close().await.unwrap();
    until_async("the others were told", || {
        [&b, &c].iter().all(|hub| hub.status().unwrap().reconnects == 1)
    })
    .await;
    reconnected(&[&b, &c]).await;
    assert_eq!(owners(&[&b, &c]).await, 1);
    b.var("x").unwrap().publish(&json!(1)).unwrap();
    until_async("it is heard", || heard.load(Ordering::SeqCst) == 1).await;
    // A newcomer gets the state from the replicas; the node itself keeps nothing.
    let d = open(port).await;
    d.var("kept").unwrap().ready().await.unwrap();
    assert_eq!(d.var("kept").unwrap().value().unwrap(), Some(json!("by a")));
}

#[tokio::test]
async fn when_its_owner_is_killed_another_takes_over() {
    let port = free_port();
    let mut owner = Process::start("member", &[("POSTHOUSE_LOCAL_PORT", &port.to_string())]);
    assert_eq!(owner.hears(), "owner");
    let (b, c) = (open(port).await, open(port).await);
    let heard = count(&c, "x").await;
    for hub in [&b, &c] {
        let kept = hub.var("kept").unwrap();
        until_async("it came over", || kept.value().unwrap().is_some()).await;
    }
    owner.kill();
    until_async("one of them is the node", || {
        [&b, &c].iter().all(|hub| hub.status().unwrap().reconnects == 1)
    })
    .await;
    assert_eq!(owners(&[&b, &c]).await, 1);
    b.var("x").unwrap().publish(&json!(1)).unwrap();
    until_async("it is heard", || heard.load(Ordering::SeqCst) == 1).await;
    let kept = json!("by the other process");
    assert_eq!(c.var("kept").unwrap().value().unwrap(), Some(kept));
}

#[tokio::test]
async fn of_many_at_once_one_becomes_it_and_none_fails() {
    let port = free_port();
    let environment = [("POSTHOUSE_LOCAL_PORT", &*port.to_string())];
    let mut processes: Vec<_> = (0..3).map(|_| Process::start("member", &environment)).collect();
    let opening: Vec<_> = (0..12).map(|_| tokio::spawn(open(port))).collect();
    let mut hubs = Vec::new();
    for hub in opening {
        hubs.push(hub.await.unwrap());
    }
    let elsewhere = tokio::task::spawn_blocking(move || {
        let said: Vec<String> = processes.iter_mut().map(Process::hears).collect();
        (said.iter().filter(|said| *said == "owner").count(), processes)
    });
    let (elsewhere, _processes) = elsewhere.await.unwrap();
    assert_eq!(owners(&hubs.iter().collect::<Vec<_>>()).await + elsewhere, 1);
}

#[tokio::test]
async fn closing_waits_until_the_port_is_free() {
    let port = free_port();
    for _ in 0..3 {
        let hub = open(port).await;
        assert!(hub.owned_node().await.is_some());
        hub.close().await.unwrap();
        assert_eq!(hub.owned_node().await, None);
        drop(TcpListener::bind(("127.0.0.1", port)).expect("the port is free"));
        let hub = open(port).await;
        hub.drain(None).await.unwrap();
        drop(TcpListener::bind(("127.0.0.1", port)).expect("the port is free"));
        // Dropped without a word it ends, too, a little later.
        drop(open(port).await);
        until_async("the port is free", || TcpListener::bind(("127.0.0.1", port)).is_ok()).await;
    }
}

#[tokio::test]
async fn what_is_no_nats_is_refused() {
    let fake = FakeServer::start().await;
    let hub = local(fake.port()).open().unwrap();
    let talking = tokio::spawn(async move {
        let mut client = fake.accept().await;
        client.send("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        client.expect_end().await;
    });
    let error = hub.connected(None).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidServer, "{error}");
    assert_eq!(hub.owned_node().await, None);
    talking.await.unwrap();
}

#[tokio::test]
async fn silence_is_told_as_it_is() {
    let fake = FakeServer::start().await;
    let timeout = Duration::from_millis(500);
    let error = local(fake.port()).timeout(timeout).connect().await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("is it one?"), "{error}");
}

#[tokio::test]
async fn a_real_server_is_used() {
    let server = NatsServer::start();
    let hub = open(server.port()).await;
    assert_eq!(hub.owned_node().await, None);
    assert_eq!(server.connections().len(), 1);
}

#[tokio::test]
async fn the_node_asks_for_the_token_of_its_owner() {
    let port = free_port();
    let ask = || Credential::blocking(|| Ok("T0K3N".to_owned()));
    let owner = local(port).token(ask()).connect().await.unwrap();
    assert!(owner.owned_node().await.is_some());
    let stranger = local(port).open().unwrap();
    let error = stranger.connected(None).await.unwrap_err();
    assert_eq!(error.code(), Code::AuthFailed);
    assert_eq!(stranger.owned_node().await, None);
    local(port).token("T0K3N").connect().await.unwrap();
    owner.close().await.unwrap();
    // Whoever waited at the door takes over, without a token: it never asked for one.
    until_async("it takes over", || {
        stranger.status().unwrap().reconnects == 0 && crate::connected(&stranger)
    })
    .await;
    let port = free_port();
    let owner = local(port).user("ann", "pw").connect().await.unwrap();
    assert!(owner.owned_node().await.is_some());
    let error = local(port).open().unwrap().connected(None).await.unwrap_err();
    assert_eq!(error.code(), Code::AuthFailed);
    local(port).user("ann", "pw").connect().await.unwrap();
}

/// A node cannot check a key; letting everybody in instead would be worse than no node.
#[tokio::test]
async fn who_has_a_key_does_not_become_it() {
    let port = free_port();
    let key = posthouse_testkit::NkeyUser::generate();
    let hub = local(port).nkey(key.seed).open().unwrap();
    let error = hub.connected(None).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidOptions);
    assert!(TcpListener::bind(("127.0.0.1", port)).is_ok());
}

#[tokio::test]
async fn the_option_node() {
    let port = free_port();
    let never = local(port).node(NodeMode::Never).timeout(Duration::from_millis(300));
    let error = never.connect().await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("nothing listens"), "{error}");
    let owner = local(port).node(NodeMode::Own).connect().await.unwrap();
    assert!(owner.owned_node().await.is_some());
    let second = local(port).node(NodeMode::Own).open().unwrap();
    let error = second.connected(None).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidServer);
    local(port).node(NodeMode::Never).connect().await.unwrap();
    // It gets its turn when the port is free.
    owner.close().await.unwrap();
    until_async("the second is the node", || crate::connected(&second)).await;
    assert!(second.owned_node().await.is_some());
    let both = Hub::builder("x").servers(["nats://127.0.0.1:1"]).node(NodeMode::Own);
    assert_eq!(both.open().unwrap_err().code(), Code::InvalidOptions);
}

/// Gathers what is logged in this process.
struct Lines(Mutex<Vec<String>>);

static LINES: Lines = Lines(Mutex::new(Vec::new()));

impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        self.0.lock().unwrap().push(format!("{} {}", record.level(), record.args()));
    }
    fn flush(&self) {}
}

#[tokio::test]
async fn a_taken_websocket_port_is_only_a_warning() {
    let _ = log::set_logger(&LINES);
    log::set_max_level(log::LevelFilter::Debug);
    let (port, taken) = (free_port(), TcpListener::bind("127.0.0.1:0").unwrap());
    let websocket = taken.local_addr().unwrap().port();
    let hub = Hub::builder("local").local_port(port, websocket).connect().await.unwrap();
    assert!(hub.owned_node().await.is_some());
    let lines = LINES.0.lock().unwrap().clone();
    let told = |line: &&String| line.starts_with("WARN") && line.contains(&websocket.to_string());
    assert!(lines.iter().any(|line| told(&line)), "{lines:?}");
}

#[tokio::test]
async fn websockets_reach_the_same_node() {
    let (port, websocket) = (free_port(), free_port());
    let owner = Hub::builder("local").local_port(port, websocket).connect().await.unwrap();
    let url = format!("ws://127.0.0.1:{websocket}");
    let web = Hub::builder("local").servers([url]).connect().await.unwrap();
    let heard = count(&owner, "x").await;
    web.var("x").unwrap().publish(&json!(1)).unwrap();
    until_async("it is heard", || heard.load(Ordering::SeqCst) == 1).await;
}
