//! A server that is killed and comes back, under load and with work in flight.
use posthouse::{Code, Error, Value, json};
use posthouse_faults::{
    Broker, LONG, Seen, builder, lost, on_each_broker, open, reconnected, soon, status,
};
use posthouse_testkit::{Direction, Proxy, until_async};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

on_each_broker!(
    nothing_is_replayed_after_a_kill_under_load,
    flush_ends_although_the_server_is_gone,
    a_request_in_flight_fails_with_the_connection,
    each_restart_resumes_everything_once,
    panicking_callbacks_do_not_stop_the_search_for_a_connection,
    replicas_converge_after_a_crash,
);

/// R03: what was accepted for a dead connection is never sent on the next one, whose first byte is
/// the first byte of a frame.
async fn nothing_is_replayed_after_a_kill_under_load(mut server: Broker) {
    let proxy = Proxy::to_port(server.port());
    proxy.record();
    let publisher = open(proxy.url("nats")).await;
    let observer = open(server.url()).await;
    let before = Seen::default();
    before.subscribe(&observer, "tick").await;

    // Publishes without a pause from a thread of its own; notes where it was refused and where it
    // went on.
    let stop = Arc::new(AtomicBool::new(false));
    let resumed = Arc::new(AtomicU64::new(0));
    let load = std::thread::spawn({
        let (stop, resumed) = (Arc::clone(&stop), Arc::clone(&resumed));
        let tick = publisher.var("tick").unwrap();
        move || {
            let (mut refused, mut n) = (0_u64, 0_u64);
            while !stop.load(Ordering::Relaxed) {
                n += 1;
                match tick.publish(&json!({"n": n, "pad": "x".repeat(200)})) {
                    Ok(()) if refused > 0 => {
                        let _ = resumed.compare_exchange(0, n, Ordering::SeqCst, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    Ok(()) => {}
                    Err(error) if error.code() == Code::BufferOverflow => {}
                    Err(error) => {
                        assert_eq!(error.code(), Code::Disconnected, "{error}");
                        refused += 1;
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            }
            refused
        }
    });
    before.wait_for(1_000).await;
    server.kill();
    lost(&publisher).await;
    proxy.refuse();
    let old_bytes = proxy.seen(Direction::ToServer).len();
    server.restart();
    // The observer is there before the publisher comes back: a replay could not pass it by.
    reconnected(&observer, 1).await;
    let after = Seen::default();
    after.subscribe(&observer, "tick").await;
    proxy.allow();
    reconnected(&publisher, 1).await;
    after.wait_for(50).await;
    stop.store(true, Ordering::Relaxed);
    let refused = load.join().expect("the load");
    assert!(refused > 0);

    let resumed = resumed.load(Ordering::SeqCst);
    let numbers = |seen: &Seen| -> Vec<u64> {
        seen.all().iter().map(|v| v["n"].as_u64().expect("a number")).collect()
    };
    let late = numbers(&after);
    assert!(late.iter().all(|&n| n >= resumed), "replayed: {:?} < {resumed}", late.first());
    assert!(late.is_sorted_by(|a, b| a < b), "twice or out of order");
    assert!(numbers(&before).is_sorted_by(|a, b| a < b), "twice or out of order");
    let new_bytes = &proxy.seen(Direction::ToServer)[old_bytes..];
    assert!(new_bytes.starts_with(b"CONNECT "), "{:?}", new_bytes[..60].escape_ascii().to_string());
    let log = server.log().to_lowercase();
    assert!(!log.contains("parse"), "the server did not understand: {log}");
}

/// R03: flush keeps its own deadline, whatever the server does.
async fn flush_ends_although_the_server_is_gone(mut server: Broker) {
    let hub = open(server.url()).await;
    server.kill();
    lost(&hub).await;
    let refused = hub.var("n").unwrap().publish(&json!(1)).unwrap_err();
    assert_eq!(refused.code(), Code::Disconnected);
    let error = soon("flush", hub.flush(Duration::from_millis(300))).await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    // One that waits is served by the next connection.
    let flush = tokio::spawn({
        let hub = hub.clone();
        async move { hub.flush(LONG).await }
    });
    server.restart();
    soon("the flush", flush).await.unwrap().unwrap();
}

/// R14: a request in flight fails when the connection goes, not at its time-out; it is not sent
/// again, and a late answer changes nothing.
async fn a_request_in_flight_fails_with_the_connection(mut server: Broker) {
    let (caller, responder) = (open(server.url()).await, open(server.url()).await);
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let handle = responder.var("slow").unwrap();
    let _handle = handle
        .handle(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            async {
                tokio::time::sleep(Duration::from_secs(2)).await;
                Ok::<Value, Error>(json!("late"))
            }
        })
        .await
        .unwrap();
    let slow = caller.var("slow").unwrap();
    let request = async { slow.request(&json!(1)).timeout(LONG).await };
    let kill = async {
        until_async("the handler runs", || runs.load(Ordering::SeqCst) == 1).await;
        server.kill();
    };
    let (result, ()) = soon("the request", async { tokio::join!(request, kill) }).await;
    assert_eq!(result.unwrap_err().code(), Code::Disconnected);
    server.restart();
    reconnected(&caller, 1).await;
    reconnected(&responder, 1).await;
    assert_eq!(slow.request(&json!(2)).timeout(LONG).await.unwrap(), json!("late"));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    let report = status(&responder).last_error.expect("the answer that went nowhere");
    assert_eq!(report.code, "DISCONNECTED");
}

/// R09: everything resumes exactly once on each new connection.
async fn each_restart_resumes_everything_once(mut server: Broker) {
    let (a, b) = (open(server.url()).await, open(server.url()).await);
    soon("connected", b.connected(None)).await.unwrap();
    soon("connected again", b.connected(None)).await.unwrap();
    let (events, requests, states) = (Seen::default(), Seen::default(), Seen::default());
    events.subscribe(&b, "event").await;
    let (noted, watched) = (requests.clone(), states.clone());
    let _handle = b
        .var("ask")
        .unwrap()
        .handle(move |request| {
            noted.note(request.data());
            async move { Ok::<Value, Error>(request.data()) }
        })
        .await
        .unwrap();
    let _watch = b.var("state").unwrap().watch().unwrap().each(move |change| {
        if let Some(value) = change.value() {
            watched.note(value);
        }
    });
    for round in 1..=2 {
        server.kill();
        lost(&a).await;
        lost(&b).await;
        server.restart();
        reconnected(&a, round).await;
        reconnected(&b, round).await;
        a.var("event").unwrap().publish(&json!(round)).unwrap();
        let answer = a.var("ask").unwrap().request(&json!(round)).await.unwrap();
        assert_eq!(answer, json!(round));
        a.var("state").unwrap().set(&json!(round)).unwrap();
        until_async("the state is watched", || states.all().last() == Some(&json!(round))).await;
        events.wait_for(round as usize).await;
    }
    a.flush(None).await.unwrap();
    b.flush(None).await.unwrap();
    assert_eq!(events.all(), [json!(1), json!(2)]);
    assert_eq!(requests.all(), [json!(1), json!(2)]);
    // connz knows each subscription once.
    if let Broker::Nats(server) = server {
        let subjects = server.subscriptions();
        let mine = subjects.iter().filter(|s| s.starts_with("_msg.v1.")).count();
        assert_eq!(mine, 2, "{subjects:?}");
    }
}

/// R05: callbacks that panic, the one for errors included, stop nothing.
async fn panicking_callbacks_do_not_stop_the_search_for_a_connection(mut server: Broker) {
    let told = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&told);
    let hub = builder(server.url())
        .on_callback_error(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            panic!("the error callback itself");
        })
        .connect()
        .await
        .unwrap();
    let _watch = hub.var("x").unwrap().watch().unwrap().each(|_| panic!("a watch"));
    let seen = Seen::default();
    let noted = seen.clone();
    let _listener = hub
        .var("e")
        .unwrap()
        .subscribe()
        .handler(move |message| {
            noted.note(message.data());
            async { panic!("a handler") }
        })
        .await
        .unwrap();
    hub.var("e").unwrap().publish(&json!(1)).unwrap();
    seen.wait_for(1).await;
    server.kill();
    lost(&hub).await;
    server.restart();
    reconnected(&hub, 1).await;
    hub.var("e").unwrap().publish(&json!(2)).unwrap();
    seen.wait_for(2).await;
    until_async("each panic is told", || told.load(Ordering::SeqCst) >= 3).await;
    let error = status(&hub).last_error.expect("a report");
    assert_eq!(error.code, "HANDLER_ERROR");
}

/// Variables written while the server is away come together when it is back.
async fn replicas_converge_after_a_crash(mut server: Broker) {
    let (a, b) = (open(server.url()).await, open(server.url()).await);
    server.kill();
    lost(&a).await;
    lost(&b).await;
    for i in 0..200 {
        a.var(&format!("a.{i}")).unwrap().set(&json!(i)).unwrap();
        b.var(&format!("b.{i}")).unwrap().set(&json!(i)).unwrap();
    }
    a.var("both").unwrap().set(&json!("from a")).unwrap();
    b.var("both").unwrap().set(&json!("from b")).unwrap();
    server.restart();
    reconnected(&a, 1).await;
    reconnected(&b, 1).await;
    until_async("all came over", || {
        let has = |hub: &posthouse::Hub, name: String| hub.var(&name).unwrap().value().unwrap();
        (0..200).all(|i| {
            has(&a, format!("b.{i}")) == Some(json!(i))
                && has(&b, format!("a.{i}")) == Some(json!(i))
        }) && has(&a, "both".into()) == has(&b, "both".into())
            && status(&a).pending_variables == 0
            && status(&b).pending_variables == 0
    })
    .await;
}
