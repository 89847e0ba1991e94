//! The SQLite store: what is kept, given, and comes back, in virtual time.
mod common;

use common::{Bench, START, bodies, message, settle, take, terms};
use posthouse_queue::{Renewed, Settled, Settlement, Stop, Stopper, Store as _, Terms, Trouble};
use std::time::Duration;

const RETRY: Settlement = Settlement::Retry { delay_s: 0 };

#[tokio::test]
async fn messages_come_in_order_with_what_belongs_to_them() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1", r#"{"a":"é"}"#]).await;
    bench.seconds(5);
    bench.send(&["3"]).await;
    let taken = bench.take(10).await;
    assert_eq!(bodies(&taken), ["1", r#"{"a":"é"}"#, "3"]);
    assert!(taken.iter().all(|d| d.attempts == 1 && d.id.len() == 32));
    assert_eq!(taken.iter().map(|d| d.timestamp_ms - START).collect::<Vec<_>>(), [0, 0, 5_000]);
    assert!(bench.take(10).await.is_empty());
    for delivery in &taken {
        assert_eq!(bench.settle(delivery, Settlement::Ack).await, Settled::Done);
        assert_eq!(bench.settle(delivery, Settlement::Ack).await, Settled::Lost);
    }
    bench.seconds(86_400);
    assert!(bench.take(10).await.is_empty());
}

#[tokio::test]
async fn no_more_are_given_than_asked_for() {
    let bench = Bench::new(terms()).await;
    let many = (0..100).map(|n| message(&n.to_string(), 0)).collect();
    bench.queue.send(many).await.unwrap();
    assert_eq!(bench.take(3).await.len(), 3);
    let rest = bench.take(1_000).await;
    assert_eq!((rest.len(), bodies(&rest)[0]), (97, "3"));
}

#[tokio::test]
async fn a_delay_outlives_a_restart_to_the_second() {
    let bench = Bench::new(terms()).await;
    bench.queue.send(vec![message("1", 20), message("2", 43_200)]).await.unwrap();
    bench.seconds(10);
    let bench = bench.restart().await;
    bench.clock.advance(9_999);
    assert!(bench.take(10).await.is_empty());
    bench.clock.advance(1);
    let first = bench.take(10).await;
    assert_eq!((bodies(&first), first[0].attempts), (vec!["1"], 1));
    bench.settle(&first[0], Settlement::Ack).await;
    bench.seconds(43_180);
    assert_eq!(bodies(&bench.take(10).await), ["2"]);
}

#[tokio::test]
async fn a_retry_outlives_a_restart_and_counts() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1"]).await;
    let first = bench.take(1).await.remove(0);
    let done = bench.settle(&first, Settlement::Retry { delay_s: 20 }).await;
    assert_eq!(done, Settled::Done);
    bench.seconds(10);
    let bench = bench.restart().await;
    bench.clock.advance(9_999);
    assert!(bench.take(1).await.is_empty());
    bench.clock.advance(1);
    let again = bench.take(1).await.remove(0);
    assert_eq!((again.attempts, &again.id, again.timestamp_ms), (2, &first.id, START));
}

#[tokio::test]
async fn a_dead_holders_messages_come_back_and_its_late_word_counts_for_nothing() {
    let terms = Terms { retry_delay: Duration::from_secs(7), ..terms() };
    let bench = Bench::new(terms).await;
    bench.send(&["0", "1", "2"]).await;
    let held = bench.take(3).await;
    bench.settle(&held[0], Settlement::Ack).await;
    bench.clock.advance(36_999);
    assert!(bench.take(3).await.is_empty(), "the lease and the retry delay after it");
    bench.clock.advance(1);
    let again = bench.take(3).await;
    assert_eq!(bodies(&again), ["1", "2"]);
    assert!(again.iter().all(|d| d.attempts == 2));
    assert_eq!(bench.settle(&held[1], Settlement::Ack).await, Settled::Lost);
    assert_eq!(bench.settle(&held[2], RETRY).await, Settled::Lost);
    let renewed = bench.queue.renew(&[held[1].ticket.clone()]).await.unwrap();
    assert_eq!(renewed, [Renewed::Lost]);
    for delivery in &again {
        assert_eq!(bench.settle(delivery, Settlement::Ack).await, Settled::Done);
    }
    assert_eq!(bench.queue.stats().await.unwrap().in_flight, 0);
}

#[tokio::test]
async fn a_lease_goes_on_as_long_as_it_is_renewed() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1"]).await;
    let mut held = bench.take(1).await.remove(0);
    for _ in 0..10 {
        bench.seconds(29);
        assert!(bench.take(1).await.is_empty());
        match bench.queue.renew(&[held.ticket.clone()]).await.unwrap().remove(0) {
            Renewed::Until(ticket) => held.ticket = ticket,
            Renewed::Lost => panic!("lost a lease that was renewed in time"),
        }
    }
    // Late, but nobody else has taken it: the word counts.
    bench.seconds(31);
    assert_eq!(bench.settle(&held, Settlement::Ack).await, Settled::Done);
    assert!(bench.take(1).await.is_empty());
}

#[tokio::test]
async fn what_was_not_started_comes_back_at_once_and_uncounted() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1"]).await;
    for _ in 0..5 {
        let held = bench.take(1).await.remove(0);
        assert_eq!(held.attempts, 1);
        assert_eq!(bench.settle(&held, Settlement::Release).await, Settled::Done);
    }
}

#[tokio::test]
async fn dead_letters_keep_their_name_start_again_and_can_come_back() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1", "2"]).await;
    let held = bench.take(2).await;
    bench.settle(&held[0], RETRY).await;
    bench.settle(&held[1], Settlement::Ack).await;
    bench.seconds(60);
    let second = bench.take(1).await.remove(0);
    assert_eq!(second.attempts, 2);
    assert_eq!(bench.settle(&second, Settlement::DeadLetter).await, Settled::Done);
    let bench = bench.restart().await;
    assert_eq!(bench.queue.stats().await.unwrap().dead, Some(1));
    let dead = bench.store.queue("dead", Terms { dead_letter: None, ..terms() }).await.unwrap();
    let letter = take(&dead, 10).await.remove(0);
    assert_eq!((letter.attempts, letter.timestamp_ms, &letter.id), (1, START, &held[0].id));
    assert_eq!(letter.body, b"1");
    settle(&dead, &letter, RETRY).await;
    assert_eq!(bench.queue.redrive(None).await.unwrap(), 1);
    let back = bench.take(10).await.remove(0);
    assert_eq!((back.attempts, back.timestamp_ms, &back.id), (1, START, &held[0].id));
    assert_eq!(dead.redrive(None).await.unwrap_err().trouble(), Trouble::Mismatch);
}

#[tokio::test]
async fn what_is_given_up_is_counted() {
    let bench = Bench::new(Terms { dead_letter: None, ..terms() }).await;
    bench.send(&["1", "2"]).await;
    let held = bench.take(2).await;
    bench.settle(&held[0], Settlement::Drop).await;
    bench.settle(&held[1], Settlement::DeadLetter).await;
    let stats = bench.queue.stats().await.unwrap();
    assert_eq!((stats.dropped, stats.in_flight, stats.dead), (2, 0, None));
}

#[tokio::test]
async fn nothing_is_given_past_its_retention() {
    let bench = Bench::new(Terms { retention: Duration::from_secs(100), ..terms() }).await;
    bench.send(&["1"]).await;
    bench.seconds(60);
    bench.send(&["2"]).await;
    bench.seconds(40);
    assert_eq!(bench.queue.stats().await.unwrap().ready, 1);
    let taken = bench.take(10).await;
    assert_eq!(bodies(&taken), ["2"]);
    bench.settle(&taken[0], RETRY).await;
    bench.seconds(100);
    assert_eq!(bench.store.sweep().await.unwrap(), 1);
    let stats = bench.queue.stats().await.unwrap();
    assert_eq!((stats.expired, stats.ready, stats.delayed), (2, 0, 0));
}

#[tokio::test]
async fn a_paused_queue_takes_and_gives_nothing_in_any_process() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1"]).await;
    let held = bench.take(1).await.remove(0);
    bench.queue.pause().await.unwrap();
    bench.send(&["2"]).await;
    assert_eq!(bench.settle(&held, RETRY).await, Settled::Done);
    let bench = bench.restart().await;
    assert!(bench.take(10).await.is_empty());
    assert!(bench.queue.stats().await.unwrap().paused);
    bench.queue.resume().await.unwrap();
    assert_eq!(bench.take(10).await.len(), 2);
}

#[tokio::test]
async fn figures_peek_and_purge() {
    let bench = Bench::new(terms()).await;
    bench.queue.send(vec![message("1", 0), message("2", 0), message("3", 60)]).await.unwrap();
    bench.seconds(2);
    let held = bench.take(1).await.remove(0);
    let stats = bench.queue.stats().await.unwrap();
    assert_eq!((stats.ready, stats.delayed, stats.in_flight), (1, 1, 1));
    assert_eq!((stats.oldest_ms, stats.dead), (Some(2_000), Some(0)));
    let seen = bench.queue.peek(10).await.unwrap();
    let shown: Vec<_> =
        seen.iter().map(|p| (p.body.as_slice(), p.in_flight, p.due_ms - START)).collect();
    assert_eq!(shown, [(&b"2"[..], false, 0), (b"1", true, 32_000), (b"3", false, 60_000)]);
    assert_eq!((&seen[1].id, seen[1].attempts), (&held.id, 1));
    assert_eq!(bench.queue.purge().await.unwrap(), 2);
    assert_eq!(bench.settle(&held, Settlement::Ack).await, Settled::Done);
    assert_eq!(bench.queue.peek(10).await.unwrap(), []);
}

#[tokio::test]
async fn waiting_ends_with_an_arrival_a_due_time_a_lease_or_the_signal() {
    let bench = Bench::new(terms()).await;
    let (queue, hour) = (bench.queue.clone(), Duration::from_secs(3_600));
    let wait = || {
        let queue = queue.clone();
        tokio::spawn(async move { queue.lease(10, hour, &Stop::never()).await.unwrap() })
    };
    let waiting = wait();
    bench.send(&["now"]).await;
    let held = waiting.await.unwrap();
    assert_eq!(bodies(&held), ["now"]);

    bench.queue.send(vec![message("later", 20)]).await.unwrap();
    let waiting = wait();
    bench.clock.advance(20_000);
    assert_eq!(bodies(&waiting.await.unwrap()), ["later"]);

    let waiting = wait();
    bench.clock.advance(10_000);
    let again = waiting.await.unwrap();
    assert_eq!((bodies(&again), again[0].attempts), (vec!["now"], 2));

    let waiting = wait();
    bench.settle(&again[0], RETRY).await;
    assert_eq!(waiting.await.unwrap()[0].attempts, 3);

    let stopper = Stopper::new();
    let (queue, stop) = (bench.queue.clone(), stopper.signal());
    let waiting = tokio::spawn(async move { queue.lease(10, hour, &stop).await.unwrap() });
    stopper.stop();
    assert_eq!(waiting.await.unwrap(), []);
}

#[tokio::test]
async fn a_clock_set_back_makes_late_and_loses_nothing() {
    let bench = Bench::new(terms()).await;
    bench.queue.send(vec![message("1", 60), message("2", 0)]).await.unwrap();
    let held = bench.take(10).await.remove(0);
    bench.seconds(-3_600);
    assert!(bench.take(10).await.is_empty());
    assert_eq!(bench.settle(&held, RETRY).await, Settled::Done);
    assert_eq!(bodies(&bench.take(10).await), ["2"]);
    bench.seconds(3_600);
    // The lease that was given while the clock was wrong ends by the clock as it is.
    assert_eq!(bodies(&bench.take(10).await), ["2"]);
    bench.seconds(60);
    assert_eq!(bodies(&bench.take(10).await), ["2", "1"]);
}

#[tokio::test]
async fn a_hundred_thousand_delayed_messages_do_not_stand_in_the_way() {
    let bench = Bench::new(terms()).await;
    for _ in 0..1_000 {
        let many = (0..100).map(|n| message("0", 3_600 + n)).collect();
        bench.queue.send(many).await.unwrap();
    }
    bench.send(&["1"]).await;
    assert_eq!(bodies(&bench.take(100).await), ["1"]);
    assert!(bench.take(100).await.is_empty());
    assert_eq!(bench.queue.stats().await.unwrap().delayed, 100_000);
    bench.seconds(3_600);
    assert_eq!(bench.take(100).await.len(), 100);
}

#[tokio::test]
async fn a_closed_file_says_so() {
    let bench = Bench::new(terms()).await;
    bench.store.close().await.unwrap();
    let error = bench.queue.send(vec![message("1", 0)]).await.unwrap_err();
    assert_eq!(error.trouble(), Trouble::Closed);
}
