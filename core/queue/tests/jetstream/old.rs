//! What the oldest supported server gives: everything but batches as a whole and pauses.
use crate::bed::{
    later, message, numbered, old_server, queue, settle, take, take_one, terms, text, with_dead,
};
use posthouse_queue::{Settled, Settlement, Trouble};
use posthouse_testkit::Binary;

#[tokio::test]
async fn queues_work_on_an_old_server() {
    let Some(server) = old_server() else { return };
    let queue = queue(&server, "old", with_dead(terms(), "old-dead")).await;
    queue.send(numbered(30)).await.unwrap();
    let taken = take(&queue, 30).await;
    assert!(taken.iter().all(|delivery| delivery.attempts == 1));
    for delivery in &taken[1..] {
        settle(&queue, delivery, Settlement::Ack).await;
    }
    settle(&queue, &taken[0], Settlement::Release).await;
    let again = take_one(&queue).await;
    assert_eq!(again.attempts, 1);
    settle(&queue, &again, Settlement::Retry { delay_s: 1 }).await;
    let again = take_one(&queue).await;
    assert_eq!(again.attempts, 2);
    assert_eq!(settle(&queue, &again, Settlement::DeadLetter).await, Settled::Done);
    assert_eq!(queue.redrive(None).await.unwrap(), 1);
    let back = take_one(&queue).await;
    assert_eq!((back.attempts, &back.id), (1, &taken[0].id));
    settle(&queue, &back, Settlement::Drop).await;
    let stats = queue.stats().await.unwrap();
    assert_eq!((stats.ready, stats.in_flight, stats.dropped, stats.dead), (0, 0, 1, Some(0)));
}

#[tokio::test]
async fn several_workers_move_what_falls_due_once() {
    let Some(server) = old_server() else { return };
    let (a, b) = (queue(&server, "moved", terms()).await, queue(&server, "moved", terms()).await);
    a.send((0..100).map(|n| later(&n.to_string(), 1 + n % 2)).collect()).await.unwrap();
    assert_eq!(a.stats().await.unwrap().delayed, 100);
    let (of_a, of_b) = tokio::join!(take(&a, 50), take(&b, 50));
    let mut bodies: Vec<String> = of_a.iter().chain(&of_b).map(text).collect();
    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 100);
    assert!(of_a.iter().chain(&of_b).all(|delivery| delivery.attempts == 1));
    assert_eq!(crate::bed::there(&a).await, 0);
}

#[tokio::test]
async fn what_an_old_server_cannot_is_said() {
    let Some(server) = old_server() else { return };
    let queue = queue(&server, "limits", terms()).await;
    if Binary::System.available() && server.monitor("/varz")["version"].as_str() < Some("2.10") {
        assert!(!queue.atomic());
        let error = queue.pause().await.unwrap_err();
        assert_eq!(error.trouble(), Trouble::Other);
        assert!(error.words().contains("2.11"), "{error}");
        assert!(!queue.stats().await.unwrap().paused);
    }
    queue.send(vec![message("1")]).await.unwrap();
    take_one(&queue).await;
}
