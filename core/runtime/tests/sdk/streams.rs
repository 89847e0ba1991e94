//! Subscriptions as streams: taking, dropping, draining, queue groups, budgets.
use crate::{builder, open, pair, soon};
use futures_util::StreamExt as _;
use posthouse::{Code, Subscription, SubscriptionPhase, json};
use posthouse_testkit::{NatsServer, until_async};
use std::time::Duration;

async fn next(stream: &mut Subscription) -> posthouse::Value {
    soon(stream.next()).await.expect("a message").data()
}

#[tokio::test]
async fn a_message_counts_until_it_is_dropped() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let mut stream = b.var("x").unwrap().subscribe().await.unwrap();
    for n in 0..3 {
        a.var("x").unwrap().publish(&json!(n)).unwrap();
    }
    let pending = |stream: &Subscription| stream.status().unwrap().pending_messages;
    until_async("all have come", || pending(&stream) == 3).await;
    let first = soon(stream.next()).await.unwrap();
    let copy = first.clone();
    drop(first);
    assert_eq!(pending(&stream), 3);
    drop(copy);
    assert_eq!(pending(&stream), 2);
    assert_eq!(next(&mut stream).await, json!(1));
    assert_eq!(next(&mut stream).await, json!(2));
    assert_eq!(pending(&stream), 0);
    assert_eq!(stream.status().unwrap().in_flight_handlers, 0);
}

#[tokio::test]
async fn dropped_it_is_taken_back_and_gives_everything_back() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let mut stream = b.var("x").unwrap().subscribe().await.unwrap();
    for n in 0..100 {
        a.var("x").unwrap().publish(&json!(n)).unwrap();
    }
    let kept = soon(stream.next()).await.unwrap();
    until_async("all have come", || stream.status().unwrap().pending_messages == 100).await;
    drop(stream);
    let pending = || b.status().unwrap().messaging.unwrap().pending_messages;
    until_async("all were given back", || pending() == 0).await;
    // A message that outlives its subscription is only data.
    assert_eq!(kept.data(), json!(0));
    drop(kept);
    assert_eq!(pending(), 0);
    until_async("it is taken back", || {
        !server.subscriptions().iter().any(|s| s.starts_with("_msg."))
    })
    .await;
}

#[tokio::test]
async fn drain_gives_what_was_accepted_and_ends() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let mut stream = b.var("x").unwrap().subscribe().await.unwrap();
    for n in 0..100 {
        a.var("x").unwrap().publish(&json!(n)).unwrap();
    }
    a.flush(None).await.unwrap();
    until_async("all have come", || stream.status().unwrap().pending_messages == 100).await;
    let drain = tokio::spawn(stream.drain(None));
    until_async("it drains", || stream.status().unwrap().phase == SubscriptionPhase::Draining)
        .await;
    // Other operations stay allowed, and what comes now is not for it.
    b.flush(None).await.unwrap();
    a.var("x").unwrap().publish(&json!("later")).unwrap();
    let mut got = Vec::new();
    while let Some(message) = soon(stream.next()).await {
        got.push(message.data());
    }
    assert_eq!(got, (0..100).map(|n| json!(n)).collect::<Vec<_>>());
    soon(drain).await.unwrap().unwrap();
    assert_eq!(stream.status().unwrap().phase, SubscriptionPhase::Ended);
    // Past its time what waits is dropped.
    let mut stream = b.var("x").unwrap().subscribe().await.unwrap();
    a.var("x").unwrap().publish(&json!(1)).unwrap();
    until_async("it has come", || stream.status().unwrap().pending_messages == 1).await;
    let error = stream.drain(Some(Duration::from_millis(100))).await.unwrap_err();
    assert_eq!(error.code(), Code::DrainTimeout);
    assert!(soon(stream.next()).await.is_none());
}

#[tokio::test]
async fn a_closed_hub_ends_every_stream() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    let mut stream = hub.var("x").unwrap().subscribe().await.unwrap();
    let closing = hub.clone();
    let (end, closed) = soon(async { tokio::join!(stream.next(), closing.close()) }).await;
    assert!(end.is_none());
    closed.unwrap();
    assert!(stream.error().is_none());
}

#[tokio::test]
async fn a_group_shares_and_others_have_their_own() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    // Names with spaces and dots are whole names.
    let work = b.var("job.*").unwrap();
    let mut members = Vec::new();
    for _ in 0..3 {
        members.push(work.subscribe().queue("job worker").await.unwrap());
    }
    let mut other = work.subscribe().queue("job.other").await.unwrap();
    let mut plain = work.subscribe().await.unwrap();
    for n in 0..60 {
        a.var("job.a").unwrap().publish(&json!(n)).unwrap();
    }
    for n in 0..60 {
        assert_eq!(next(&mut other).await, json!(n));
        assert_eq!(next(&mut plain).await, json!(n));
    }
    a.flush(None).await.unwrap();
    b.flush(None).await.unwrap();
    let mut shared = Vec::new();
    for member in &mut members {
        while let Some(Some(message)) = futures_util::FutureExt::now_or_never(member.next()) {
            shared.push(message.data().as_u64().unwrap());
        }
    }
    shared.sort_unstable();
    assert_eq!(shared, (0..60).collect::<Vec<_>>());
    let error = work.subscribe().queue("a.*").await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidTopic);
}

#[tokio::test]
async fn budgets() {
    let server = NatsServer::start();
    let a = open(&server).await;
    let b =
        builder(&server).with_numbers(|n| n.messaging.subscriptions = 2).connect().await.unwrap();
    let x = b.var("x").unwrap();
    let mut few = x.subscribe().pending_messages(2).await.unwrap();
    let mut small = x.subscribe().pending_bytes(10).await.unwrap();
    let error = x.subscribe().await.unwrap_err();
    assert_eq!(error.code(), Code::BufferOverflow);
    assert_eq!((error.limit(), error.actual()), (Some(2), Some(3)));
    for text in ["aaaa", "bbbbbbbb", "cc", "dd"] {
        a.var("x").unwrap().publish(&json!(text)).unwrap();
    }
    a.flush(None).await.unwrap();
    b.flush(None).await.unwrap();
    assert_eq!(few.status().unwrap().dropped_messages, 2);
    assert_eq!(next(&mut few).await, json!("aaaa"));
    assert_eq!(next(&mut few).await, json!("bbbbbbbb"));
    // 6 bytes, then one too large for what is left, then 4, then none is left.
    assert_eq!(next(&mut small).await, json!("aaaa"));
    assert_eq!(next(&mut small).await, json!("cc"));
    assert_eq!(small.status().unwrap().dropped_messages, 2);
    for option in [0, usize::MAX] {
        let error = x.subscribe().pending_messages(option).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidOptions);
    }
}

#[tokio::test]
async fn a_stream_that_is_given_up_while_it_registers_leaves_nothing() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    for _ in 0..20 {
        let mut subscribing =
            Box::pin(std::future::IntoFuture::into_future(hub.var("x").unwrap().subscribe()));
        // Mostly it is not done yet.
        let _ = futures_util::FutureExt::now_or_never(&mut subscribing);
        drop(subscribing);
    }
    hub.flush(None).await.unwrap();
    assert_eq!(hub.status().unwrap().messaging.unwrap().subscriptions, Some(0));
    assert!(!server.subscriptions().iter().any(|s| s.starts_with("_msg.")));
}
