//! Who does not keep up: a handler, a network, and what the server does about it.
use posthouse::{Error, Value, json};
use posthouse_faults::{Broker, Seen, builder, on_each_broker, open, reconnected, soon, status};
use posthouse_testkit::{Direction, NatsServer, Proxy, until_async};
use std::sync::Arc;
use tokio::sync::Notify;

on_each_broker!(a_stuck_handler_holds_up_nobody, a_link_that_takes_nothing,);

/// R31: a stuck handler loses its own messages and holds up nobody.
async fn a_stuck_handler_holds_up_nobody(server: Broker) {
    let (hub, peer) = (open(server.url()).await, open(server.url()).await);
    let free = Arc::new(Notify::new());
    let stuck = Arc::clone(&free);
    let listener = hub
        .var("a")
        .unwrap()
        .subscribe()
        .handler(move |_| {
            let stuck = Arc::clone(&stuck);
            async move { stuck.notified().await }
        })
        .await
        .unwrap();
    let _handle = hub
        .var("b")
        .unwrap()
        .handle(|request| async move { Ok::<Value, Error>(request.data()) })
        .await
        .unwrap();
    let flood = tokio::task::spawn_blocking({
        let a = peer.var("a").unwrap();
        move || {
            let mut sent = 0;
            while sent < 100_000 {
                // Past the outbound budget it waits a little: this is a flood, not a loss.
                match a.publish(&json!(sent)) {
                    Ok(()) => sent += 1,
                    Err(_) => std::thread::yield_now(),
                }
            }
        }
    });
    for n in 0..100 {
        let answer = soon("an answer", async { peer.var("b").unwrap().request(&json!(n)).await });
        assert_eq!(answer.await.unwrap(), json!(n));
    }
    soon("the flood", flood).await.unwrap();
    peer.flush(posthouse_faults::LONG).await.unwrap();
    hub.flush(posthouse_faults::LONG).await.unwrap();
    let counts = listener.status().unwrap();
    assert!(counts.slow);
    assert_eq!(counts.pending_messages, 256);
    assert_eq!(counts.high_water_messages, 256);
    assert_eq!(counts.dropped_messages + 256, 100_000);
    let problem = status(&hub).current_error.expect("a warning");
    assert_eq!(problem.code, "SLOW_CONSUMER");
    hub.var("anything").unwrap().publish(&json!(1)).unwrap();
    assert_eq!(status(&hub).reconnects, 0);
    // Once the queue is empty the warning is gone; the counts stay.
    until_async("the queue empties", || {
        free.notify_waiters();
        listener.status().unwrap().pending_messages == 0
    })
    .await;
    assert!(!listener.status().unwrap().slow);
    assert_eq!(status(&hub).current_error, None);
    assert_eq!(status(&hub).messaging.unwrap().dropped_messages, 100_000 - 256);
}

/// A network that takes nothing from the server: the server cuts the client, which comes back.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cuts_a_slow_client() {
    let server =
        NatsServer::builder().config("write_deadline: \"200ms\"\nmax_pending: 2000000").start();
    let proxy = Proxy::to_port(server.port());
    let hub = builder(proxy.url("nats"))
        .with_numbers(|n| n.ping_interval_ms = 20_000)
        .connect()
        .await
        .unwrap();
    let peer = open(server.url()).await;
    let seen = Seen::default();
    seen.subscribe(&hub, "flood").await;
    proxy.pause(Direction::ToClient);
    let flood = peer.var("flood").unwrap();
    let body = json!("x".repeat(20_000));
    // The servers of both generations say it with these words.
    until_async("the server cuts it", || {
        let _ = flood.publish(&body);
        server.log().contains("Slow Consumer")
    })
    .await;
    proxy.flow(Direction::ToClient);
    reconnected(&hub, 1).await;
    let before = seen.count();
    flood.publish(&json!("after")).unwrap();
    until_async("it hears again", || seen.all().last() == Some(&json!("after"))).await;
    assert!(seen.count() > before);
    assert_eq!(status(&hub).current_error, None);
}

/// A network that takes nothing from us: the outbound budget holds, and the hub says so.
async fn a_link_that_takes_nothing(server: Broker) {
    let proxy = Proxy::to_port(server.port());
    let hub = builder(proxy.url("nats"))
        .with_numbers(|n| {
            n.ping_interval_ms = 20_000;
            n.messaging.outbound_bytes = 1 << 20;
        })
        .connect()
        .await
        .unwrap();
    let peer = open(server.url()).await;
    let seen = Seen::default();
    seen.subscribe(&peer, "flood").await;
    proxy.pause(Direction::ToServer);
    let flood = hub.var("flood").unwrap();
    let body = json!("x".repeat(30_000));
    let mut accepted = 0;
    let mut refused = None;
    until_async("the budget is used up", || {
        match flood.publish(&body) {
            Ok(()) => accepted += 1,
            Err(error) => refused = Some(error),
        }
        refused.is_some()
    })
    .await;
    let error = refused.unwrap();
    assert_eq!(error.code(), posthouse::Code::BufferOverflow);
    assert_eq!(error.limit(), Some(1 << 20));
    // Variables do not need the budget: they are merged until there is room.
    for n in 0..1_000 {
        hub.var("state").unwrap().set(&json!({"n": n, "pad": "x".repeat(5_000)})).unwrap();
    }
    let waiting = status(&hub).messaging.unwrap().outbound_bytes.unwrap();
    assert!(waiting <= (1 << 20) + 200_000, "{waiting}");
    proxy.flow(Direction::ToServer);
    seen.wait_for(accepted).await;
    until_async("the last state arrives", || {
        peer.var("state").unwrap().value().unwrap().is_some_and(|v| v["n"] == json!(999))
    })
    .await;
    assert_eq!(seen.count(), accepted);
    assert_eq!(status(&hub).reconnects, 0);
}
