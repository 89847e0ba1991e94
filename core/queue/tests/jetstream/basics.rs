//! Sending, taking, settling.
use crate::bed::{
    api, client, later, message, now_ms, numbered, open, queue, server, settle, settle_all, take,
    take_one, terms, text, there,
};
use posthouse_queue::{Settled, Settlement, Stop, Stopper, Store as _, Trouble};
use serde_json::json;
use std::{collections::HashSet, sync::Arc, time::Duration};

#[tokio::test]
async fn a_message_comes_once_and_is_gone_when_acknowledged() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "pages", terms()).await;
    let before = now_ms();
    queue.send(vec![message(r#"{"url":"/release/x"}"#)]).await.unwrap();
    let delivery = take_one(&queue).await;
    assert_eq!(text(&delivery), r#"{"url":"/release/x"}"#);
    assert_eq!(delivery.attempts, 1);
    assert_eq!(delivery.id.len(), 32);
    assert!(delivery.id.bytes().all(|b| b.is_ascii_hexdigit()));
    assert!((before - 1000..=now_ms() + 1000).contains(&delivery.timestamp_ms));
    assert_eq!(there(&queue).await, 0);
    assert_eq!(settle(&queue, &delivery, Settlement::Ack).await, Settled::Done);
    // Asked again, because the answer was lost on the way to whoever asked.
    assert_eq!(settle(&queue, &delivery, Settlement::Ack).await, Settled::Done);
    let stats = queue.stats().await.unwrap();
    assert_eq!((stats.ready, stats.in_flight, stats.delayed), (0, 0, 0));
}

#[tokio::test]
async fn retries_count_and_keep_id_and_timestamp() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "retries", terms()).await;
    queue.send(vec![message("1")]).await.unwrap();
    let first = take_one(&queue).await;
    let mut delivery = first.clone();
    for attempts in 2..6 {
        assert_eq!(
            settle(&queue, &delivery, Settlement::Retry { delay_s: 0 }).await,
            Settled::Done
        );
        delivery = take_one(&queue).await;
        assert_eq!(delivery.attempts, attempts);
        assert_eq!((&delivery.id, delivery.timestamp_ms), (&first.id, first.timestamp_ms));
    }
}

#[tokio::test]
async fn what_was_not_begun_does_not_count() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "releases", terms()).await;
    queue.send(vec![message("1")]).await.unwrap();
    for _ in 0..3 {
        let delivery = take_one(&queue).await;
        assert_eq!(delivery.attempts, 1);
        settle(&queue, &delivery, Settlement::Release).await;
    }
    let delivery = take_one(&queue).await;
    settle(&queue, &delivery, Settlement::Retry { delay_s: 0 }).await;
    let delivery = take_one(&queue).await;
    assert_eq!(delivery.attempts, 2);
    settle(&queue, &delivery, Settlement::Release).await;
    let delivery = take_one(&queue).await;
    assert_eq!(delivery.attempts, 2);
    settle(&queue, &delivery, Settlement::Ack).await;
    // The note has gone with its message.
    let client = client(&server).await;
    let info = api(&client, "STREAM.INFO.posthouse-queue-releases", json!(null)).await;
    assert_eq!(info["state"]["messages"], 0, "{info}");
}

#[tokio::test]
async fn batches_are_kept_whole_or_not_at_all() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "batches", terms()).await;
    assert!(queue.atomic());
    let mut batch = numbered(99);
    batch.push(later("99", 1));
    queue.send(batch).await.unwrap();
    let deliveries = take(&queue, 100).await;
    let bodies: HashSet<String> = deliveries.iter().map(text).collect();
    let ids: HashSet<&str> = deliveries.iter().map(|d| d.id.as_str()).collect();
    assert_eq!((bodies.len(), ids.len()), (100, 100));
    settle_all(&queue, &deliveries, Settlement::Ack).await;

    let client = client(&server).await;
    let name = "posthouse-queue-batches";
    let mut config =
        api(&client, &format!("STREAM.INFO.{name}"), json!(null)).await["config"].take();
    config["max_msgs"] = json!(50);
    api(&client, &format!("STREAM.UPDATE.{name}"), config).await;
    let error = queue.send(numbered(100)).await.unwrap_err();
    assert_eq!(error.trouble(), Trouble::Full, "{error}");
    assert_eq!(there(&queue).await, 0);
    queue.send(numbered(50)).await.unwrap();
    assert_eq!(there(&queue).await, 50);
}

#[tokio::test]
async fn large_bodies_pass() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "large", terms()).await;
    let body = format!("\"{}\"", "x".repeat(127_998));
    queue.send(vec![message(&body), message(&body)]).await.unwrap();
    for delivery in take(&queue, 2).await {
        assert_eq!(text(&delivery), body);
    }
}

#[tokio::test]
async fn many_workers_share_and_nobody_handles_twice() {
    let Some(server) = server() else { return };
    let producer = queue(&server, "shared", terms()).await;
    let handled = Arc::new(std::sync::Mutex::new(Vec::new()));
    let stopper = Stopper::new();
    let mut workers = Vec::new();
    for _ in 0..4 {
        let (queue, handled) = (queue(&server, "shared", terms()).await, Arc::clone(&handled));
        let stop = stopper.signal();
        workers.push(tokio::spawn(async move {
            loop {
                let deliveries = queue.lease(7, Duration::from_secs(20), &stop).await.unwrap();
                if deliveries.is_empty() {
                    return;
                }
                settle_all(&queue, &deliveries, Settlement::Ack).await;
                let mut handled = handled.lock().unwrap();
                handled.extend(deliveries.iter().map(|d| (text(d), d.attempts)));
            }
        }));
    }
    for start in 0..10 {
        let batch = (0..100).map(|n| message(&(start * 100 + n).to_string())).collect();
        producer.send(batch).await.unwrap();
    }
    posthouse_testkit::until_async("all was handled", || handled.lock().unwrap().len() >= 1000)
        .await;
    stopper.stop();
    for worker in workers {
        worker.await.unwrap();
    }
    let handled = std::mem::take(&mut *handled.lock().unwrap());
    let different: HashSet<&str> = handled.iter().map(|(body, _)| body.as_str()).collect();
    assert_eq!((handled.len(), different.len()), (1000, 1000));
    assert!(handled.iter().all(|(_, attempts)| *attempts == 1));
    let stats = producer.stats().await.unwrap();
    assert_eq!((stats.ready, stats.in_flight), (0, 0));
}

#[tokio::test]
async fn arrival_wakes_and_stop_ends_waiting_without_loss() {
    let Some(server) = server() else { return };
    let (consumer, producer) =
        (queue(&server, "wake", terms()).await, queue(&server, "wake", terms()).await);
    let waiting = tokio::spawn({
        let consumer = Arc::clone(&consumer);
        async move { take_one(&consumer).await }
    });
    producer.send(vec![message("1")]).await.unwrap();
    let delivery = waiting.await.unwrap();
    settle(&consumer, &delivery, Settlement::Ack).await;

    // Whether the message comes just before the stop, just after it or at the same time: it is there and
    // has not been tried.
    for round in 0..50 {
        let stopper = Stopper::new();
        let stop = stopper.signal();
        let waiting = tokio::spawn({
            let consumer = Arc::clone(&consumer);
            async move { consumer.lease(10, Duration::from_secs(60), &stop).await.unwrap() }
        });
        let sending = producer.send(vec![message("2")]);
        if round % 2 == 0 {
            tokio::join!(async { sending.await.unwrap() }, async { stopper.stop() });
        } else {
            sending.await.unwrap();
            stopper.stop();
        }
        let mut taken = waiting.await.unwrap();
        if taken.is_empty() {
            taken.push(take_one(&consumer).await);
        }
        assert_eq!((taken.len(), taken[0].attempts), (1, 1), "round {round}");
        settle(&consumer, &taken[0], Settlement::Ack).await;
    }
}

#[tokio::test]
async fn foreign_messages_come_as_they_are() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "foreign", terms()).await;
    let client = client(&server).await;
    client.request("posthouse.queue.foreign.ready", "no JSON".into()).await.unwrap();
    let first = take_one(&queue).await;
    assert_eq!((text(&first).as_str(), first.id.len(), first.attempts), ("no JSON", 32, 1));
    settle(&queue, &first, Settlement::Retry { delay_s: 0 }).await;
    assert_eq!(take_one(&queue).await.id, first.id);
}

#[tokio::test]
async fn a_closed_store_refuses_and_ends_waiting() {
    let Some(server) = server() else { return };
    let store = Arc::new(open(&server).await);
    assert_eq!(store.describe(), format!("jetstream:{}", server.url()));
    let queue = store.queue("closing", terms()).await.unwrap();
    let again = store.queue("closing", terms()).await.unwrap();
    assert!(Arc::ptr_eq(&queue, &again));
    let other = posthouse_queue::Terms { retention: Duration::from_secs(60), ..terms() };
    assert_eq!(store.queue("closing", other).await.err().unwrap().trouble(), Trouble::Mismatch);
    let waiting = tokio::spawn({
        let queue = Arc::clone(&queue);
        async move { queue.lease(1, Duration::from_secs(60), &Stop::never()).await }
    });
    let sent = queue.send(vec![message("1")]);
    sent.await.unwrap();
    let taken = waiting.await.unwrap().unwrap();
    settle(&queue, &taken[0], Settlement::Release).await;
    let waiting = tokio::spawn({
        let queue = Arc::clone(&queue);
        async move {
            let taken = take_one(&queue).await;
            settle(&queue, &taken, Settlement::Ack).await;
            queue.lease(1, Duration::from_secs(60), &Stop::never()).await
        }
    });
    posthouse_testkit::until_async("it waits again", || {
        let page = server.monitor("/jsz?consumers=1");
        let stream = &page["account_details"][0]["stream_detail"][0];
        stream["state"]["messages"] == 0 && stream["consumer_detail"][0]["num_waiting"] == 1
    })
    .await;
    store.close().await.unwrap();
    match waiting.await.unwrap() {
        Ok(taken) => assert!(taken.is_empty()),
        Err(error) => assert_eq!(error.trouble(), Trouble::Closed),
    }
    assert_eq!(queue.send(vec![message("1")]).await.unwrap_err().trouble(), Trouble::Closed);
    assert_eq!(queue.stats().await.unwrap_err().trouble(), Trouble::Closed);
}
