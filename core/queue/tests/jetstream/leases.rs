//! Leases: their end, their renewal, and who may still say something.
use crate::bed::{message, queue, server, settle, short, take, take_one, terms, there};
use posthouse_queue::{Renewed, Settled, Settlement, Terms};
use posthouse_testkit::{Direction, Proxy};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_lease_that_ended_is_lost_and_the_new_delivery_stands() {
    let Some(server) = server() else { return };
    let (a, b) = (queue(&server, "lost", short()).await, queue(&server, "lost", short()).await);
    a.send(vec![message("1")]).await.unwrap();
    let old = take_one(&a).await;
    let new = take_one(&b).await;
    assert_eq!((new.attempts, &new.id), (2, &old.id));
    for settlement in [Settlement::Ack, Settlement::Retry { delay_s: 0 }, Settlement::Release] {
        assert_eq!(settle(&a, &old, settlement).await, Settled::Lost);
    }
    assert_eq!(a.renew(std::slice::from_ref(&old.ticket)).await.unwrap(), [Renewed::Lost]);
    let stats = a.stats().await.unwrap();
    assert_eq!((stats.ready, stats.in_flight), (0, 1));
    assert_eq!(settle(&b, &new, Settlement::Ack).await, Settled::Done);
    assert_eq!(b.stats().await.unwrap().in_flight, 0);
}

#[tokio::test]
async fn the_same_holder_may_get_it_again_and_its_old_ticket_is_worth_nothing() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "again", short()).await;
    queue.send(vec![message("1")]).await.unwrap();
    let old = take_one(&queue).await;
    let new = take_one(&queue).await;
    assert_eq!(settle(&queue, &old, Settlement::Ack).await, Settled::Lost);
    assert_eq!(settle(&queue, &new, Settlement::Ack).await, Settled::Done);
}

#[tokio::test]
async fn a_renewed_lease_goes_on_under_its_new_ticket() {
    let Some(server) = server() else { return };
    let (holder, other) =
        (queue(&server, "renewed", short()).await, queue(&server, "renewed", short()).await);
    holder.send(vec![message("1")]).await.unwrap();
    let mut delivery = take_one(&holder).await;
    let first = delivery.ticket.clone();
    let (begun, mut ticks) = (Instant::now(), tokio::time::interval(Duration::from_millis(250)));
    while begun.elapsed() < Duration::from_millis(2500) {
        ticks.tick().await;
        match holder.renew(std::slice::from_ref(&delivery.ticket)).await.unwrap().remove(0) {
            Renewed::Until(ticket) => delivery.ticket = ticket,
            Renewed::Lost => panic!("lost after {:?}", begun.elapsed()),
        }
        assert_eq!(there(&other).await, 0);
    }
    assert_eq!(holder.renew(&[first]).await.unwrap(), [Renewed::Lost]);
    assert_eq!(settle(&holder, &delivery, Settlement::Ack).await, Settled::Done);
}

#[tokio::test]
async fn a_dead_holders_message_waits_for_the_retry_delay() {
    let Some(server) = server() else { return };
    let terms = Terms { retry_delay: Duration::from_secs(2), ..short() };
    let queue = queue(&server, "dead-holder", terms).await;
    queue.send(vec![message("1")]).await.unwrap();
    let begun = Instant::now();
    take_one(&queue).await;
    assert_eq!(take_one(&queue).await.attempts, 2);
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_connection_that_breaks_does_not_end_leases() {
    let Some(server) = server() else { return };
    let proxy = Proxy::to_port(server.port());
    let store = crate::bed::open_at(&proxy.url("nats")).await;
    let queue = posthouse_queue::Store::queue(&store, "cut", terms()).await.unwrap();
    queue.send(vec![message("1"), message("2")]).await.unwrap();
    let taken = take(&queue, 2).await;
    proxy.reset();
    for delivery in &taken {
        assert_eq!(settle(&queue, delivery, Settlement::Ack).await, Settled::Done);
    }
    let stats = queue.stats().await.unwrap();
    assert_eq!((stats.ready, stats.in_flight), (0, 0));
}

#[tokio::test]
async fn an_acknowledgement_that_cannot_be_confirmed_is_no_success() {
    let Some(server) = server() else { return };
    let proxy = Proxy::to_port(server.port());
    let store = crate::bed::open_at(&proxy.url("nats")).await;
    let a = posthouse_queue::Store::queue(&store, "unsure", short()).await.unwrap();
    a.send(vec![message("1")]).await.unwrap();
    let delivery = take_one(&a).await;
    proxy.swallow(Direction::Both);
    let asked = [(delivery.ticket.clone(), Settlement::Ack)];
    let error = a.settle(&asked).await.unwrap_err();
    assert_eq!(error.trouble(), posthouse_queue::Trouble::Unreachable);
    assert_eq!(a.settle(&asked).await.unwrap(), [Settled::Lost]);
    let b = queue(&server, "unsure", short()).await;
    assert_eq!(take_one(&b).await.attempts, 2);
}
