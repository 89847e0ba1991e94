//! The dead-letter queue, there and back, and what is dropped.
use crate::bed::{
    message, numbered, open, queue, server, settle, settle_all, take, take_one, terms, text, there,
    with_dead,
};
use posthouse_queue::{Settlement, Store as _, Terms, Trouble};
use std::time::Duration;

#[tokio::test]
async fn dead_letters_keep_id_and_timestamp_and_start_anew() {
    let Some(server) = server() else { return };
    let store = open(&server).await;
    let work = store.queue("work", with_dead(terms(), "graves")).await.unwrap();
    work.send(vec![message("1")]).await.unwrap();
    let first = take_one(&work).await;
    settle(&work, &first, Settlement::Retry { delay_s: 0 }).await;
    let second = take_one(&work).await;
    settle(&work, &second, Settlement::DeadLetter).await;
    assert_eq!(work.stats().await.unwrap().dead, Some(1));
    // Its own terms come with its opening, though it was made without.
    let kept = Terms { retention: Duration::from_secs(7200), ..terms() };
    let graves = store.queue("graves", kept).await.unwrap();
    let dead = take_one(&graves).await;
    assert_eq!((&dead.id, dead.timestamp_ms, dead.attempts), (&first.id, first.timestamp_ms, 1));
    assert_eq!(text(&dead), "1");
    settle(&graves, &dead, Settlement::Ack).await;
    assert_eq!(work.stats().await.unwrap().dead, Some(0));
}

#[tokio::test]
async fn a_dead_letter_that_is_buried_twice_is_there_once() {
    let Some(server) = server() else { return };
    let terms = with_dead(crate::bed::short(), "graves");
    let proxy = posthouse_testkit::Proxy::to_port(server.port());
    let store = crate::bed::open_at(&proxy.url("nats")).await;
    let a = store.queue("twice", terms.clone()).await.unwrap();
    let b = queue(&server, "twice", terms).await;
    a.send(vec![message("1")]).await.unwrap();
    let taken = take_one(&a).await;
    // The copy is made; then the holder is gone before it has acknowledged.
    proxy.record();
    let asked = [(taken.ticket.clone(), Settlement::DeadLetter)];
    let burying = a.settle(&asked);
    let cut = posthouse_testkit::until_async("the copy is confirmed", || {
        let seen = proxy.seen(posthouse_testkit::Direction::ToClient);
        if String::from_utf8_lossy(&seen).contains("posthouse-queue-graves") {
            proxy.refuse();
            proxy.reset();
            return true;
        }
        false
    });
    let (_, ()) = tokio::join!(burying, cut);
    // Whether the acknowledgement came through or not, there is one dead letter.
    if b.stats().await.unwrap().in_flight > 0 {
        let again = take_one(&b).await;
        settle(&b, &again, Settlement::DeadLetter).await;
    }
    assert_eq!(b.stats().await.unwrap().dead, Some(1));
}

#[tokio::test]
async fn redrive_brings_back_what_is_ours() {
    let Some(server) = server() else { return };
    let store = open(&server).await;
    let one = store.queue("one", with_dead(terms(), "common")).await.unwrap();
    let two = store.queue("two", with_dead(terms(), "common")).await.unwrap();
    for opened in [false, true] {
        let common =
            if opened { Some(store.queue("common", terms()).await.unwrap()) } else { None };
        for work in [&one, &two] {
            work.send(numbered(5)).await.unwrap();
            let taken = take(work, 5).await;
            settle_all(work, &taken, Settlement::DeadLetter).await;
        }
        assert_eq!(one.stats().await.unwrap().dead, Some(10));
        assert_eq!(one.redrive(Some(2)).await.unwrap(), 2);
        assert_eq!(one.redrive(None).await.unwrap(), 3);
        assert_eq!(one.redrive(None).await.unwrap(), 0);
        let back = take(&one, 5).await;
        assert!(back.iter().all(|delivery| delivery.attempts == 1));
        // Dead once more: no copy of the last time stands in the way.
        settle_all(&one, &back, Settlement::DeadLetter).await;
        assert_eq!(one.redrive(None).await.unwrap(), 5);
        settle_all(&one, &take(&one, 5).await, Settlement::Ack).await;
        assert_eq!(two.stats().await.unwrap().dead, Some(5));
        assert_eq!(there(&two).await, 0);
        if let Some(common) = common {
            // Held for a moment by the other's redrive, and yet not tried.
            let left = take(&common, 5).await;
            assert!(left.iter().all(|delivery| delivery.attempts == 1));
            settle_all(&common, &left, Settlement::Ack).await;
        } else {
            assert_eq!(two.redrive(None).await.unwrap(), 5);
            settle_all(&two, &take(&two, 5).await, Settlement::Ack).await;
        }
    }
    let without = store.queue("without", terms()).await.unwrap();
    assert_eq!(without.redrive(None).await.unwrap_err().trouble(), Trouble::Other);
}

#[tokio::test]
async fn what_is_dropped_is_counted_by_all_together() {
    let Some(server) = server() else { return };
    let (a, b) = (queue(&server, "drops", terms()).await, queue(&server, "drops", terms()).await);
    a.send(numbered(40)).await.unwrap();
    let (of_a, of_b) = (take(&a, 20).await, take(&b, 20).await);
    tokio::join!(
        async {
            for delivery in &of_a {
                settle(&a, delivery, Settlement::Drop).await;
            }
        },
        settle_all(&b, &of_b, Settlement::Drop)
    );
    let stats = a.stats().await.unwrap();
    assert_eq!((stats.dropped, stats.ready, stats.in_flight, stats.delayed), (40, 0, 0, 0));
}
