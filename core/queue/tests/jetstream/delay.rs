//! Delays: of the first delivery, of retries, and over the ends of servers.
use crate::bed::{
    later, message, now_ms, old_server, queue, server, settle, take, take_one, terms, text, there,
};
use posthouse_queue::{Settlement, Stop};
use posthouse_testkit::NatsServer;
use std::time::{Duration, Instant};

#[tokio::test]
async fn the_first_delivery_waits_and_is_the_first() {
    for server in [server(), old_server()].into_iter().flatten() {
        let queue = queue(&server, "delayed", terms()).await;
        let sent = (Instant::now(), now_ms());
        queue.send(vec![later("2", 2), later("1", 1), message("0")]).await.unwrap();
        for expected in 0..3 {
            let delivery = take_one(&queue).await;
            assert_eq!(text(&delivery), expected.to_string());
            assert_eq!(delivery.attempts, 1);
            assert!(sent.0.elapsed() >= Duration::from_secs(expected), "{:?}", sent.0.elapsed());
            assert!((delivery.timestamp_ms - sent.1).abs() < 900, "it is when it was sent");
            settle(&queue, &delivery, Settlement::Ack).await;
        }
        assert_eq!(queue.stats().await.unwrap().delayed, 0);
    }
}

#[tokio::test]
async fn a_retry_waits_and_keeps_its_own_delay() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "retry-later", terms()).await;
    queue.send(vec![message("1"), message("2")]).await.unwrap();
    let taken = take(&queue, 2).await;
    let asked = Instant::now();
    for delivery in &taken {
        let delay_s = text(delivery).parse().unwrap();
        settle(&queue, delivery, Settlement::Retry { delay_s }).await;
    }
    assert_eq!(there(&queue).await, 0);
    for expected in 1..3 {
        let delivery = take_one(&queue).await;
        assert_eq!((text(&delivery), delivery.attempts), (expected.to_string(), 2));
        assert!(asked.elapsed() >= Duration::from_secs(expected));
        settle(&queue, &delivery, Settlement::Ack).await;
    }
}

/// Due times lie in the store: nobody who has gone takes them along, and a server that was away neither
/// loses nor hastens them.
async fn due_times_outlive(mut server: NatsServer) {
    let producer = queue(&server, "outlive", terms()).await;
    producer.send(vec![message("retried")]).await.unwrap();
    let retried = take_one(&producer).await;
    let asked = Instant::now();
    settle(&producer, &retried, Settlement::Retry { delay_s: 4 }).await;
    producer.send(vec![later("delayed", 4)]).await.unwrap();
    drop(producer);
    server.kill();
    server.restart();
    let consumer = queue(&server, "outlive", terms()).await;
    let stop = Stop::never();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        for delivery in consumer.lease(10, Duration::from_secs(20), &stop).await.unwrap() {
            assert!(asked.elapsed() >= Duration::from_secs(4), "{:?} too early", asked.elapsed());
            seen.push((text(&delivery), delivery.attempts));
            settle(&consumer, &delivery, Settlement::Ack).await;
        }
    }
    seen.sort();
    assert_eq!(seen, [("delayed".to_owned(), 1), ("retried".to_owned(), 2)]);
}

#[tokio::test]
async fn due_times_outlive_their_holders_and_the_server() {
    let Some(server) = server() else { return };
    due_times_outlive(server).await;
}

#[tokio::test]
async fn due_times_outlive_their_holders_and_an_old_server() {
    let Some(server) = old_server() else { return };
    due_times_outlive(server).await;
}

#[tokio::test]
async fn a_delayed_message_wakes_whoever_waits() {
    let Some(server) = server() else { return };
    let (consumer, producer) =
        (queue(&server, "alone", terms()).await, queue(&server, "alone", terms()).await);
    let waiting = tokio::spawn(async move {
        let first = take_one(&consumer).await;
        settle(&consumer, &first, Settlement::Retry { delay_s: 1 }).await;
        take_one(&consumer).await
    });
    producer.send(vec![later("1", 1)]).await.unwrap();
    assert_eq!(waiting.await.unwrap().attempts, 2);
}

#[tokio::test]
async fn thousands_may_wait_for_their_retry_and_block_nobody() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "waiting", terms()).await;
    // More than the server's usual limit of unacknowledged messages.
    for _ in 0..12 {
        queue.send((0..100).map(|n| message(&n.to_string())).collect()).await.unwrap();
        let taken = take(&queue, 100).await;
        let asked: Vec<_> =
            taken.iter().map(|d| (d.ticket.clone(), Settlement::Retry { delay_s: 600 })).collect();
        queue.settle(&asked).await.unwrap();
    }
    queue.send(vec![message("\"now\"")]).await.unwrap();
    assert_eq!(text(&take_one(&queue).await), "\"now\"");
}
