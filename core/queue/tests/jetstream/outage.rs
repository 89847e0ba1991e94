//! Connections and servers that go away.
use crate::bed::{
    message, open_at, queue, server, settle, settle_all, take, take_one, terms, text,
};
use posthouse_queue::jetstream::{JetStream, JetStreamOptions};
use posthouse_queue::{Settlement, Store as _, Trouble};
use posthouse_testkit::{Direction, Proxy};
use std::{collections::HashSet, time::Duration};

#[tokio::test]
async fn a_send_whose_confirmation_is_lost_is_kept_once() {
    let Some(server) = server() else { return };
    let proxy = Proxy::to_port(server.port());
    let producer = open_at(&proxy.url("nats")).await.queue("resent", terms()).await.unwrap();
    let consumer = queue(&server, "resent", terms()).await;
    for batch in [1, 20] {
        // The server hears us, we do not hear it.
        proxy.swallow(Direction::ToClient);
        let sending = tokio::spawn({
            let producer = producer.clone();
            async move {
                let messages = (0..batch).map(|n| message(&n.to_string())).collect();
                producer.send(messages).await
            }
        });
        let taken = take(&consumer, batch).await;
        proxy.reset();
        proxy.flow(Direction::ToClient);
        sending.await.unwrap().expect("sent in the end");
        settle_all(&consumer, &taken, Settlement::Ack).await;
        let stats = consumer.stats().await.unwrap();
        assert_eq!((stats.ready, stats.in_flight), (0, 0), "batch of {batch}");
    }
}

#[tokio::test]
async fn work_goes_on_over_restarts_of_the_server() {
    let Some(mut server) = server() else { return };
    let (producer, consumer) =
        (queue(&server, "restarts", terms()).await, queue(&server, "restarts", terms()).await);
    let sending = tokio::spawn(async move {
        for n in 0..300 {
            producer.send(vec![message(&n.to_string())]).await.expect("sent, whatever happens");
        }
    });
    let handling = tokio::spawn(async move {
        let mut seen = HashSet::new();
        while seen.len() < 300 {
            let delivery = take_one(&consumer).await;
            seen.insert(text(&delivery));
            // A server that was killed may have forgotten the acknowledgement of the moment.
            let asked = [(delivery.ticket.clone(), Settlement::Ack)];
            let _ = consumer.settle(&asked).await;
        }
    });
    for _ in 0..3 {
        let so_far = server.monitor("/varz")["in_msgs"].as_u64().unwrap();
        posthouse_testkit::until_async("work has gone on", || {
            sending.is_finished()
                || server.monitor("/varz")["in_msgs"].as_u64().unwrap() > so_far + 200
        })
        .await;
        server.restart();
    }
    sending.await.unwrap();
    handling.await.unwrap();
}

#[tokio::test]
async fn a_server_that_stays_away_is_an_error_in_time() {
    let Some(mut server) = server() else { return };
    let options = JetStreamOptions {
        timeout: Duration::from_millis(500),
        ..JetStreamOptions::parse(&server.url()).unwrap()
    };
    let store = JetStream::open(options).await.unwrap();
    let queue = store.queue("away", terms()).await.unwrap();
    queue.send(vec![message("1")]).await.unwrap();
    server.kill();
    let error = queue.send(vec![message("2")]).await.unwrap_err();
    assert_eq!(error.trouble(), Trouble::Unreachable);
    assert!(error.passes());
    let waited = queue.lease(1, Duration::from_millis(300), &posthouse_queue::Stop::never()).await;
    assert_eq!(waited.unwrap_err().trouble(), Trouble::Unreachable);
    server.restart();
    let delivery = take_one(&queue).await;
    settle(&queue, &delivery, Settlement::Ack).await;
}

#[tokio::test]
async fn whoever_waits_goes_on_waiting_over_a_cut() {
    let Some(server) = server() else { return };
    let proxy = Proxy::to_port(server.port());
    let consumer = open_at(&proxy.url("nats")).await.queue("waiter", terms()).await.unwrap();
    let producer = queue(&server, "waiter", terms()).await;
    for cut in [Proxy::cut as fn(&Proxy), Proxy::reset] {
        let waiting = tokio::spawn({
            let consumer = consumer.clone();
            async move { take_one(&consumer).await }
        });
        posthouse_testkit::until_async("it waits", || {
            let page = server.monitor("/jsz?consumers=1");
            page["account_details"][0]["stream_detail"][0]["consumer_detail"][0]["num_waiting"] == 1
        })
        .await;
        cut(&proxy);
        producer.send(vec![message("1")]).await.unwrap();
        settle(&consumer, &waiting.await.unwrap(), Settlement::Ack).await;
    }
}
