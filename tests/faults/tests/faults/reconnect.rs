//! The law of reconnecting: for ever, with growing pauses, on every transport alike.
use posthouse::{Connection, json};
use posthouse_faults::{
    Broker, Seen, builder, lost, on_each_broker, open, reconnected, soon, status,
};
use posthouse_testkit::{FakeServer, until_async};
use std::time::{Duration, Instant};

on_each_broker!(a_websocket_comes_back_with_everything);

/// R61: what hangs up at once is tried again and again, each pause longer than the last. Pauses can
/// only be longer than they must be, so a loaded machine changes nothing here.
#[tokio::test]
async fn pauses_grow_on_every_transport() {
    let schemes = ["nats", "tls", "ws", "wss"];
    let all = schemes.map(|scheme| {
        tokio::spawn(async move {
            let fake = FakeServer::start().await;
            let hub = builder(format!("{scheme}://127.0.0.1:{}", fake.port())).open().unwrap();
            let mut times = Vec::new();
            for _ in 0..5 {
                drop(fake.accept().await);
                times.push(Instant::now());
            }
            let state = hub.state().unwrap();
            assert!(matches!(state, Connection::Connecting | Connection::Starting), "{state:?}");
            let total = times[4] - times[0];
            // 100 + 200 + 400 + 800 ms, less the 20 % of jitter.
            assert!(total >= Duration::from_millis(1_200), "{scheme}: {total:?}");
            hub.close().await.unwrap();
        })
    });
    for scheme in all {
        soon("five attempts", scheme).await.unwrap();
    }
}

/// R61: over a WebSocket as over TCP.
async fn a_websocket_comes_back_with_everything(mut server: Broker) {
    let hub = open(server.ws_url()).await;
    let seen = Seen::default();
    seen.subscribe(&hub, "tick").await;
    for round in 1..=2 {
        server.kill();
        lost(&hub).await;
        let waiting = tokio::spawn({
            let hub = hub.clone();
            async move { hub.connected(None).await }
        });
        // Several attempts meet a closed port before it is back.
        let mut watch = hub.watch();
        for _ in 0..3 {
            soon("a change", futures_util::StreamExt::next(&mut watch)).await.unwrap();
        }
        server.restart();
        soon("connected", waiting).await.unwrap().unwrap();
        reconnected(&hub, round).await;
        hub.var("tick").unwrap().publish(&json!(round)).unwrap();
        seen.wait_for(round as usize).await;
    }
    assert_eq!(seen.all(), [json!(1), json!(2)]);
}

/// What gossip tells of is added, and takes nothing configured away.
#[tokio::test]
async fn gossip_evicts_nothing() {
    let mut cluster = posthouse_testkit::Cluster::start(2, |_, settings| settings);
    let urls = [cluster[0].url(), cluster[1].url()];
    let hub = builder("unused").servers(urls.clone()).connect().await.unwrap();
    assert_eq!(status(&hub).server, Some(urls[0].clone()));
    cluster[1].kill();
    // The first server tells that it is alone now.
    until_async("the route is gone", || {
        cluster[0].monitor("/routez")["num_routes"].as_u64() == Some(0)
    })
    .await;
    hub.flush(None).await.unwrap();
    cluster[0].kill();
    lost(&hub).await;
    cluster[1].restart();
    reconnected(&hub, 1).await;
    assert_eq!(status(&hub).server, Some(urls[1].clone()));
}

/// Only one server is configured; the other is known from the cluster.
#[tokio::test]
async fn the_cluster_tells_where_to_go() {
    let mut cluster = posthouse_testkit::Cluster::start(2, |_, settings| settings);
    let hub = open(cluster[0].url()).await;
    cluster[0].kill();
    reconnected(&hub, 1).await;
    let server = status(&hub).server.unwrap();
    assert!(server.ends_with(&format!(":{}", cluster[1].port())), "{server}");
}
