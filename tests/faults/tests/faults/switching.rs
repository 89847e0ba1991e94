//! Moving to another server on purpose: because ours leaves, or because another is nearer.
use posthouse::{Code, Connection, Error, Hub, MessagingPhase, Value, json};
use posthouse_faults::{LONG, Seen, builder, open, soon, status};
use posthouse_testkit::{Cluster, Direction, NatsServer, Proxy, until_async};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

fn cluster() -> Cluster {
    // Long enough that only the announcement moves anybody.
    Cluster::start(2, |_, settings| {
        settings.config("lame_duck_duration: \"60s\"\nlame_duck_grace_period: \"30s\"")
    })
}

/// R02: one move to the other server, told by gossip only; delivery goes on; nothing is tried that
/// refuses; what was in flight fails as by a lost connection.
async fn lame_duck(configured: usize) {
    let cluster = cluster();
    let urls: Vec<String> = cluster.servers().iter().map(NatsServer::url).collect();
    let hub = builder("unused").servers(urls[..configured].to_vec()).connect().await.unwrap();
    let peer = open(urls[1].clone()).await;
    let (seen, switches) = (Seen::default(), Seen::default());
    seen.subscribe(&hub, "tick").await;
    let _handle = peer
        .var("never")
        .unwrap()
        .handle(|_| async {
            std::future::pending::<()>().await;
            Ok::<Value, Error>(json!(null))
        })
        .await
        .unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let ticking = tokio::spawn({
        let (stop, tick) = (Arc::clone(&stop), peer.var("tick").unwrap());
        async move {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                n += 1;
                tick.publish(&json!(n)).unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let mut watch = hub.watch();
    let noted = switches.clone();
    let watching = tokio::spawn(async move {
        let mut before = None;
        while let Some(status) = futures_util::StreamExt::next(&mut watch).await {
            if status.connection == Connection::Connected && status.server != before {
                before.clone_from(&status.server);
                noted.note(json!(status.server));
            }
        }
    });
    seen.wait_for(5).await;
    let never = hub.var("never").unwrap();
    let request = async { never.request(&json!(1)).timeout(LONG).await };
    let leave = async {
        peer.flush(None).await.unwrap();
        cluster[0].lame_duck();
    };
    let (failed, ()) = soon("the request", async { tokio::join!(request, leave) }).await;
    assert_eq!(failed.unwrap_err().code(), Code::Disconnected);
    until_async("it has moved", || {
        let status = status(&hub);
        status.connection == Connection::Connected && status.reconnects == 1
    })
    .await;
    let moved = status(&hub);
    assert!(moved.server.unwrap().ends_with(&format!(":{}", cluster[1].port())));
    assert_eq!(moved.last_switch_reason.as_deref(), Some("lame-duck"));
    assert_eq!(moved.last_error, None, "nothing went wrong");
    let count = seen.count();
    seen.wait_for(count + 5).await;
    stop.store(true, Ordering::Relaxed);
    ticking.await.unwrap();
    let numbers: Vec<u64> = seen.all().iter().filter_map(Value::as_u64).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "replayed: {numbers:?}");
    hub.close().await.unwrap();
    watching.await.unwrap();
    assert_eq!(switches.count(), 2, "{:?}", switches.all());
}

#[tokio::test]
async fn a_lame_duck_in_a_cluster_of_which_one_server_is_configured() {
    lame_duck(1).await;
}

#[tokio::test]
async fn a_lame_duck_in_a_cluster_of_which_both_servers_are_configured() {
    lame_duck(2).await;
}

/// Accepted messages are handled before the move, and the handler's answer still goes out.
#[tokio::test]
async fn handlers_finish_before_the_move() {
    let cluster = cluster();
    let hub = open(cluster[0].url()).await;
    let peer = open(cluster[1].url()).await;
    let (begun, free) = (Arc::new(AtomicBool::new(false)), Arc::new(tokio::sync::Notify::new()));
    let _handle = hub
        .var("work")
        .unwrap()
        .handle({
            let (begun, free) = (Arc::clone(&begun), Arc::clone(&free));
            move |_| {
                let (begun, free) = (Arc::clone(&begun), Arc::clone(&free));
                async move {
                    begun.store(true, Ordering::SeqCst);
                    free.notified().await;
                    Ok::<Value, Error>(json!("done"))
                }
            }
        })
        .await
        .unwrap();
    // The route between the servers has to know of it.
    let work = peer.var("work").unwrap();
    let answer = tokio::spawn(async move {
        loop {
            match work.request(&json!(1)).timeout(LONG).await {
                Err(error) if error.code() == Code::NoResponders => {}
                result => return result,
            }
        }
    });
    until_async("the handler runs", || begun.load(Ordering::SeqCst)).await;
    cluster[0].lame_duck();
    until_async("the move has begun", || {
        status(&hub).messaging.unwrap().phase == MessagingPhase::Handoff
    })
    .await;
    let refused = hub.var("x").unwrap().publish(&json!(1)).unwrap_err();
    assert_eq!(refused.code(), Code::Disconnected);
    hub.var("state").unwrap().set(&json!("works meanwhile")).unwrap();
    free.notify_one();
    assert_eq!(soon("the answer", answer).await.unwrap().unwrap(), json!("done"));
    until_async("it has moved", || status(&hub).reconnects == 1).await;
    until_async("the state came over", || {
        peer.var("state").unwrap().value().unwrap() == Some(json!("works meanwhile"))
    })
    .await;
}

/// Two servers, each behind a proxy that can make it seem far; a hub on the first that measures all
/// the time and moves for so much gain.
async fn two_servers(gain_ms: u64) -> ([NatsServer; 2], [Proxy; 2], Hub) {
    let servers = [NatsServer::start(), NatsServer::start()];
    let proxies = servers.each_ref().map(|server| Proxy::to_port(server.port()));
    let urls = proxies.each_ref().map(|proxy| proxy.url("nats"));
    let hub = builder("unused").servers(urls).with_numbers(|n| {
        n.probe_interval_ms = 150;
        n.selection.improvement_ms = gain_ms;
        n.selection.cooldown_ms = 200;
    });
    (servers, proxies, hub.connect().await.unwrap())
}

#[tokio::test]
async fn a_nearer_server_is_found_by_measuring() {
    let (_servers, [far, near], hub) = two_servers(200).await;
    let seen = Seen::default();
    seen.subscribe(&hub, "tick").await;
    far.delay(Direction::ToClient, Duration::from_millis(500));
    until_async("it has moved", || {
        let status = status(&hub);
        status.server == Some(near.url("nats")) && status.connection == Connection::Connected
    })
    .await;
    assert_eq!(status(&hub).last_switch_reason.as_deref(), Some("better-server"));
    hub.var("tick").unwrap().publish(&json!(1)).unwrap();
    seen.wait_for(1).await;
}

/// The gain that is asked for is far more than any measurement shows, however busy the machine.
#[tokio::test]
async fn a_small_gain_is_no_reason_to_move() {
    let (_servers, [current, other], hub) = two_servers(30_000).await;
    current.delay(Direction::ToClient, Duration::from_millis(50));
    let measured = other.accepted();
    until_async("it was measured", || other.accepted() >= measured + 8).await;
    assert_eq!(status(&hub).server, Some(current.url("nats")));
    assert_eq!(status(&hub).reconnects, 0);
}
