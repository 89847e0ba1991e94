//! Figures, peek, purge, pause.
use crate::bed::{
    later, message, numbered, queue, server, settle, settle_all, take, take_one, terms, there,
};
use posthouse_queue::{Settled, Settlement, Stop};
use std::time::Duration;

#[tokio::test]
async fn figures_say_what_is_there() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "figures", terms()).await;
    let stats = queue.stats().await.unwrap();
    assert_eq!(stats, posthouse_queue::Stats::default());
    queue.send(numbered(5)).await.unwrap();
    queue.send(vec![later("1", 600), later("2", 700)]).await.unwrap();
    take(&queue, 2).await;
    let stats = queue.stats().await.unwrap();
    assert_eq!((stats.ready, stats.delayed, stats.in_flight, stats.dead), (3, 2, 2, None));
    assert!(stats.oldest_ms.is_some_and(|age| age < 60_000));
}

#[tokio::test]
async fn peek_takes_nothing() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "peeked", terms()).await;
    queue.send(vec![message("0"), message("1"), later("2", 600)]).await.unwrap();
    let held = take_one(&queue).await;
    let retried = take_one(&queue).await;
    settle(&queue, &retried, Settlement::Retry { delay_s: 300 }).await;
    queue.send(vec![message("3")]).await.unwrap();
    let seen = queue.peek(10).await.unwrap();
    let shown: Vec<(&[u8], u32, bool)> =
        seen.iter().map(|p| (p.body.as_slice(), p.attempts, p.in_flight)).collect();
    let expected: [(&[u8], u32, bool); 4] =
        [(b"3", 0, false), (&held.body, 1, true), (&retried.body, 1, false), (b"2", 0, false)];
    assert_eq!(shown, expected);
    assert_eq!(seen[1].id, held.id);
    assert_eq!(seen[3].due_ms - seen[3].timestamp_ms, 600_001);
    assert_eq!(queue.peek(1).await.unwrap().len(), 1);
    assert_eq!(take_one(&queue).await.attempts, 1);
}

#[tokio::test]
async fn purge_leaves_what_is_held() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "purged", terms()).await;
    queue.send(numbered(20)).await.unwrap();
    let held = take(&queue, 3).await;
    let retried = take(&queue, 2).await;
    settle_all(&queue, &retried, Settlement::Retry { delay_s: 600 }).await;
    queue.send(vec![later("1", 600), later("2", 600)]).await.unwrap();
    assert_eq!(queue.purge().await.unwrap(), 15 + 2 + 2);
    assert_eq!(there(&queue).await, 0);
    assert_eq!(queue.stats().await.unwrap().in_flight, 3);
    settle(&queue, &held[0], Settlement::Retry { delay_s: 0 }).await;
    assert_eq!(take_one(&queue).await.attempts, 2);
    settle_all(&queue, &held[1..], Settlement::Ack).await;

    queue.send(numbered(100)).await.unwrap();
    let last = take(&queue, 100).await;
    settle_all(&queue, &last, Settlement::Ack).await;
}

#[tokio::test]
async fn purge_of_a_queue_that_nobody_holds_anything_of() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "purged-whole", terms()).await;
    queue.send(numbered(100)).await.unwrap();
    queue.send(vec![later("1", 600)]).await.unwrap();
    assert_eq!(queue.purge().await.unwrap(), 101);
    assert_eq!(queue.purge().await.unwrap(), 0);
    queue.send(vec![message("1")]).await.unwrap();
    assert_eq!(take_one(&queue).await.attempts, 1);
}

#[tokio::test]
async fn a_pause_stops_everybody_and_outlives_the_server() {
    let Some(mut server) = server() else { return };
    let (a, b) = (queue(&server, "paused", terms()).await, queue(&server, "paused", terms()).await);
    a.send(numbered(2)).await.unwrap();
    let held = take_one(&a).await;
    a.pause().await.unwrap();
    assert!(b.stats().await.unwrap().paused);
    assert_eq!(there(&b).await, 0);
    a.send(vec![message("3")]).await.unwrap();
    assert_eq!(settle(&a, &held, Settlement::Ack).await, Settled::Done);
    server.restart();
    let c = queue(&server, "paused", terms()).await;
    let waited = c.lease(5, Duration::from_millis(500), &Stop::never()).await.unwrap();
    assert!(waited.is_empty() && c.stats().await.unwrap().paused);
    let waiting = tokio::spawn(async move { take(&c, 2).await });
    b.resume().await.unwrap();
    assert!(waiting.await.unwrap().iter().all(|delivery| delivery.attempts == 1));
    assert!(!b.stats().await.unwrap().paused);
}
