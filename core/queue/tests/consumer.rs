//! Queues, consumers and handlers on a real file, in virtual time.
mod common;

use common::{Folder, START};
use posthouse_queue::{
    Batch, Clock, Code, Config, Delay, Outcome, Queues, Refusal, ack, event_kind, read_batch,
    read_batch_text, retry,
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::sync::{Notify, mpsc};

struct Place {
    folder: Folder,
    clock: Clock,
    queues: Queues,
}

fn place(settings: &serde_json::Value) -> Place {
    let folder = Folder::new();
    let clock = Clock::manual(START);
    let config = json!({
        "queues": {
            "WORK": {"store": "sqlite:queue.db", "queue": "work", "settings": settings},
            "DEAD": {"store": "sqlite:queue.db", "queue": "dead", "settings": {"max_batch_wait": 0}},
        },
        "grants": {"QUEUE": ["WORK"]},
    });
    let config = Config::json(&config.to_string()).unwrap();
    let config = config.folder(folder.path()).clock(clock.clone());
    Place { folder, clock, queues: Queues::open(config).unwrap() }
}

fn code(refusal: Refusal) -> Code {
    match refusal {
        Refusal::Error(error) => error.code(),
        Refusal::Fault(fault) => fault.code(),
    }
}

async fn send(place: &Place, numbers: std::ops::Range<u32>) {
    let items = numbers.map(|n| (n, Delay::NONE));
    place.queues.send_batch("WORK", items).await.unwrap();
}

/// The numbers in a batch and their attempts.
fn numbers(batch: &Batch) -> Vec<(u64, u32)> {
    let value = batch.read_batch_as::<u64>().unwrap();
    value.messages.iter().map(|message| (message.body, message.attempts)).collect()
}

#[tokio::test]
async fn what_is_sent_is_read() {
    let place = place(&json!({"max_batch_wait": 0}));
    let queues = &place.queues;
    let body = json!({"kind": "page", "url": "/release/x", "version": "v8", "refresh": true});
    queues.send("WORK", &body, 0).await.unwrap();
    queues.send_text("WORK", " [1.0, -0] ", 30).await.unwrap();
    let consumer = queues.consumer("WORK").await.unwrap();
    let batch = consumer.next().await.unwrap().unwrap();
    let value = batch.read_batch().unwrap();
    assert_eq!((value.queue.as_str(), value.messages.len()), ("work", 1));
    assert_eq!(value.messages[0].body, body);
    assert_eq!((value.messages[0].attempts, value.messages[0].timestamp), (1, START));
    assert!(!batch.finish(Outcome::Success).await.failed);
    assert_eq!(batch.read_batch_text().map_err(code), Err(Code::QueueNoEvent));
    place.clock.advance(30_000);
    let batch = consumer.next().await.unwrap().unwrap();
    assert!(batch.read_batch_text().unwrap().ends_with(r#""body":[1,0]}]}"#));
    batch.finish(Outcome::Success).await;
    assert_eq!(queues.admin().stats("WORK").await.unwrap().in_flight, 0);
}

#[tokio::test]
async fn what_breaks_a_rule_never_reaches_the_store() {
    let place = place(&json!({}));
    let queues = &place.queues;
    for (body, delay, wanted) in [
        ("{", 0.0, Code::QueueBodyJson),
        ("1", -1.0, Code::QueueDelay),
        ("1", 1.5, Code::QueueDelay),
        (r#"{"\u0024句柄":1}"#, 0.0, Code::QueueBodyReserved),
    ] {
        assert_eq!(queues.send_text("WORK", body, delay).await.map_err(code), Err(wanted));
    }
    assert_eq!(queues.send("WORK", &f64::NAN, 0).await.map_err(code), Err(Code::QueueBodyJson));
    let bad = r#"[{"body":1},{"body":2,"contentType":"json"}]"#;
    let error = queues.send_batch_text("WORK", bad).await.unwrap_err();
    assert!(matches!(error, Refusal::Error(error) if error.index() == Some(1)));
    assert_eq!(queues.send_text("", "1", 0).await.map_err(code), Err(Code::QueueBinding));
    for name in ["DEAD", "NONE"] {
        let error = queues.send_text(name, "1", 0).await.unwrap_err();
        assert!(matches!(error, Refusal::Fault(_)), "{name}: {error}");
    }
    assert!(!place.folder.file().exists());
}

#[tokio::test]
async fn the_store_refuses_in_its_own_words() {
    let folder = Folder::new();
    let config = r#"
        [queues.WORK]
        store = "sqlite:no/such/folder/queue.db"
        queue = "work"
        [grants]
        QUEUE = ["WORK"]
    "#;
    let config = Config::toml(config).unwrap().folder(folder.path());
    let queues = Queues::open(config).unwrap();
    let Refusal::Error(one) = queues.send("WORK", "x", 0).await.unwrap_err() else { panic!() };
    let Refusal::Error(two) = queues.send_batch_text("WORK", r#"[{"body":1}]"#).await.unwrap_err()
    else {
        panic!()
    };
    assert_eq!((one.code(), two.code()), (Code::QueueStore, Code::QueueStore));
    assert!(one.message().starts_with("队列发送失败："), "{one}");
    assert!(one.message().contains("unable to open database file"), "{one}");
    assert!(two.message().starts_with("队列批量发送失败："), "{two}");
}

#[tokio::test]
async fn a_store_that_is_not_known_is_refused_at_once_without_its_secrets() {
    let config = r#"{"queues":{"A":{"store":"redis:hunter2","queue":"a"}}}"#;
    let error = Queues::open(Config::json(config).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidOptions);
    assert!(error.message().contains("redis") && !error.message().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn the_first_word_counts_and_acks_outlive_a_failure() {
    let place = place(&json!({"max_batch_wait": 0}));
    send(&place, 0..4).await;
    let consumer = place.queues.consumer("WORK").await.unwrap();
    let batch = consumer.next().await.unwrap().unwrap();
    batch.ack(0).await.unwrap();
    batch.retry(0, 30).await.unwrap();
    batch.retry(1, 0).await.unwrap();
    batch.ack(1).await.unwrap();
    batch.ack(2).await.unwrap();
    batch.ack(2).await.unwrap();
    for wrong in [4.0, -1.0, 0.5, f64::NAN] {
        assert_eq!(batch.ack(wrong).await.unwrap_err().code(), Code::QueueIndex);
    }
    assert_eq!(batch.retry(3, 43_201).await.unwrap_err().code(), Code::QueueDelay);
    assert!(batch.finish(Outcome::Failure).await.failed);
    let batch = consumer.next().await.unwrap().unwrap();
    assert_eq!(numbers(&batch), [(1, 2), (3, 2)]);
}

#[tokio::test]
async fn retries_run_out_into_the_dead_letter_queue() {
    let settings = json!({"max_batch_wait": 0, "max_retries": 2, "retry_delay": 5, "dead_letter_queue": "dead"});
    let place = place(&settings);
    send(&place, 7..8).await;
    let consumer = place.queues.consumer("WORK").await.unwrap();
    for attempts in 1..=3 {
        let batch = consumer.next().await.unwrap().unwrap();
        assert_eq!(numbers(&batch), [(7, attempts)]);
        batch.finish(Outcome::Failure).await;
        place.clock.advance(5_000);
    }
    let dead = place.queues.consumer("DEAD").await.unwrap();
    let batch = dead.next().await.unwrap().unwrap();
    assert_eq!(numbers(&batch), [(7, 1)]);
    batch.finish(Outcome::Success).await;
    assert_eq!(place.queues.admin().stats("WORK").await.unwrap().dead, Some(0));
}

#[tokio::test]
async fn a_message_whose_holders_all_died_is_not_delivered_for_ever() {
    let place = place(
        &json!({"max_batch_wait": 0, "max_retries": 1, "max_concurrency": 2, "dead_letter_queue": "dead"}),
    );
    send(&place, 1..2).await;
    let store = place.queues.consumer("WORK").await.unwrap();
    for attempts in 1..=2 {
        // Taken, and never heard of again.
        let queue = common_queue(&place).await;
        let taken = common::take(&queue, 1).await;
        assert_eq!(taken[0].attempts, attempts);
        place.clock.advance(30_000);
    }
    send(&place, 2..3).await;
    let batch = store.next().await.unwrap().unwrap();
    assert_eq!(numbers(&batch), [(2, 1)]);
    assert_eq!(place.queues.admin().stats("WORK").await.unwrap().dead, Some(1));
}

async fn common_queue(place: &Place) -> Arc<dyn posthouse_queue::Queue> {
    use posthouse_queue::{Sqlite, Store as _};
    let store = Sqlite::with_clock(place.folder.file(), place.clock.clone()).await.unwrap();
    store.queue("work", common::terms()).await.unwrap()
}

#[tokio::test]
async fn leases_live_as_long_as_the_handler_and_end_with_its_time() {
    let settings = json!({"max_batch_wait": 0, "visibility_timeout": 30, "handler_timeout": 100, "max_concurrency": 2});
    let place = place(&settings);
    send(&place, 1..2).await;
    let consumer = place.queues.consumer("WORK").await.unwrap();
    let batch = consumer.next().await.unwrap().unwrap();
    let admin = place.queues.admin();
    for _ in 0..90 {
        place.clock.advance(1_000);
        // Renewals are seen in the file: there is one every ten seconds.
        loop {
            let left = admin.peek("WORK", 1).await.unwrap()[0].due_ms - place.clock.now_ms();
            if left >= 19_000 {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    assert!(!batch.is_cancelled());
    place.clock.advance(10_000);
    batch.cancelled().await;
    batch.ended().await;
    assert_eq!(batch.ack(0).await.unwrap_err().code(), Code::QueueNoEvent);
    assert!(batch.finish(Outcome::Success).await.messages.is_empty());
    let batch = consumer.next().await.unwrap().unwrap();
    assert_eq!(numbers(&batch), [(1, 2)]);
}

#[tokio::test]
async fn a_holder_whose_lease_has_ended_is_told_and_the_new_delivery_stands() {
    let settings = json!({"max_batch_wait": 0, "max_concurrency": 2});
    let place = place(&settings);
    send(&place, 0..2).await;
    let consumer = place.queues.consumer("WORK").await.unwrap();
    let late = consumer.next().await.unwrap().unwrap();
    // As if this process had stood still: another one takes both when the lease is over.
    let other = common_queue(&place).await;
    place.clock.advance(30_000);
    let taken = loop {
        let taken = common::take(&other, 10).await;
        // The renewal may have been faster; then the clock goes on.
        if taken.len() == 2 {
            break taken;
        }
        place.clock.advance(30_000);
    };
    assert_eq!(late.ack(0).await.unwrap_err().code(), Code::QueueLeaseLost);
    late.finish(Outcome::Success).await;
    assert!(taken.iter().all(|delivery| delivery.attempts == 2));
    for delivery in &taken {
        let end = common::settle(&other, delivery, posthouse_queue::Settlement::Ack).await;
        assert_eq!(end, posthouse_queue::Settled::Done);
    }
}

#[tokio::test]
async fn a_batch_waits_to_be_filled_and_no_longer_than_said() {
    let place = place(&json!({"max_batch_size": 3, "max_batch_wait": 60, "max_concurrency": 2}));
    send(&place, 0..1).await;
    let consumer = Arc::new(place.queues.consumer("WORK").await.unwrap());
    let next = || {
        let consumer = consumer.clone();
        tokio::spawn(async move { consumer.next().await.unwrap().unwrap() })
    };
    let waiting = next();
    send(&place, 1..3).await;
    let full = waiting.await.unwrap();
    assert_eq!(numbers(&full).len(), 3);
    full.finish(Outcome::Success).await;
    send(&place, 3..4).await;
    let waiting = next();
    // Longer than a lease: what waits to be handed over is renewed, too.
    while place.queues.admin().stats("WORK").await.unwrap().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    while !waiting.is_finished() {
        place.clock.advance(1_000);
        tokio::task::yield_now().await;
    }
    assert_eq!(numbers(&waiting.await.unwrap()), [(3, 1)]);
}

#[tokio::test]
async fn closing_finishes_what_runs_and_gives_back_what_does_not() {
    let place = place(&json!({"max_batch_size": 2, "max_batch_wait": 60}));
    send(&place, 0..2).await;
    let (begun, mut runs) = mpsc::unbounded_channel();
    let handler_go = Arc::new(Notify::new());
    let wait = handler_go.clone();
    let running = place
        .queues
        .consume("WORK", move |batch: Batch| {
            let (begun, wait) = (begun.clone(), wait.clone());
            async move {
                begun.send(numbers(&batch)).unwrap();
                wait.notified().await;
                Ok::<_, String>(())
            }
        })
        .await
        .unwrap();
    assert_eq!(runs.recv().await.unwrap(), [(0, 1), (1, 1)]);
    send(&place, 2..3).await;
    handler_go.notify_one();
    // The next batch is not full: it waits, and goes back.
    let admin = place.queues.admin();
    loop {
        let stats = admin.stats("WORK").await.unwrap();
        if (stats.ready, stats.in_flight) == (0, 1) {
            break;
        }
        tokio::task::yield_now().await;
    }
    running.close().await.unwrap();
    let peeked = admin.peek("WORK", 10).await.unwrap();
    assert_eq!(peeked.len(), 1);
    assert_eq!((peeked[0].attempts, peeked[0].in_flight), (0, false));
}

#[tokio::test]
async fn handlers_run_side_by_side_up_to_the_limit_and_may_send_to_their_own_queue() {
    let place = place(&json!({"max_batch_size": 1, "max_batch_wait": 0, "max_concurrency": 3}));
    send(&place, 0..30).await;
    let (now, most, done) =
        (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (all, enough) = (Arc::new(Notify::new()), 60);
    let (queues, counts, told) =
        (place.queues.clone(), (now.clone(), most.clone(), done.clone()), all.clone());
    let running = place
        .queues
        .consume("WORK", move |batch| {
            let (queues, (now, most, done), told) = (queues.clone(), counts.clone(), told.clone());
            async move {
                most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                let number = numbers(&batch)[0].0;
                if number < 30 {
                    queues.send("WORK", &(number + 30), 0).await.map_err(|e| e.to_string())?;
                }
                now.fetch_sub(1, SeqCst);
                if done.fetch_add(1, SeqCst) + 1 == enough {
                    told.notify_one();
                }
                Ok::<_, String>(())
            }
        })
        .await
        .unwrap();
    all.notified().await;
    running.close().await.unwrap();
    assert!((1..=3).contains(&most.load(SeqCst)));
    let stats = place.queues.admin().stats("WORK").await.unwrap();
    assert_eq!((stats.ready, stats.in_flight, done.load(SeqCst)), (0, 0, 60));
}

#[tokio::test]
async fn functions_of_the_module_know_the_event_and_nothing_outside_it() {
    let place = place(&json!({"max_batch_wait": 0}));
    assert_eq!(event_kind(), None);
    assert_eq!(read_batch_text().map_err(code), Err(Code::QueueNoEvent));
    assert_eq!(ack(0).await.unwrap_err().message(), "当前事件不是队列事件");
    assert_eq!(retry(0, 1).await.unwrap_err().code(), Code::QueueNoEvent);
    send(&place, 0..2).await;
    let (told, mut seen) = mpsc::unbounded_channel();
    let running = place
        .queues
        .consume("WORK", move |_| {
            let told = told.clone();
            async move {
                assert_eq!(event_kind(), Some("queue"));
                tokio::task::yield_now().await;
                let batch = read_batch().map_err(|e| e.to_string())?;
                retry(1, 60).await.map_err(|e| e.to_string())?;
                let elsewhere = tokio::spawn(async { event_kind() }).await.unwrap();
                told.send((batch.messages.len(), elsewhere)).unwrap();
                Ok::<_, String>(())
            }
        })
        .await
        .unwrap();
    assert_eq!(seen.recv().await.unwrap(), (2, None));
    running.close().await.unwrap();
    assert_eq!(place.queues.admin().stats("WORK").await.unwrap().delayed, 1);
}

#[tokio::test]
async fn failures_panics_and_swallowed_faults_fail_the_event() {
    let place = place(&json!({"max_batch_wait": 0, "max_batch_size": 1, "max_retries": 9}));
    send(&place, 0..1).await;
    let (told, mut seen) = mpsc::unbounded_channel();
    let queues = place.queues.clone();
    let running = place
        .queues
        .consume("WORK", move |batch| {
            let (told, queues) = (told.clone(), queues.clone());
            async move {
                let attempts = numbers(&batch)[0].1;
                told.send(attempts).unwrap();
                match attempts {
                    1 => Err("not yet".to_owned()),
                    2 => panic!("on purpose"),
                    3 => {
                        // Not granted: the event has failed, whatever is made of the error.
                        let _ = queues.send("DEAD", "x", 0).await;
                        Ok(())
                    }
                    _ => Ok(()),
                }
            }
        })
        .await
        .unwrap();
    for attempts in 1..=4 {
        assert_eq!(seen.recv().await.unwrap(), attempts);
    }
    running.close().await.unwrap();
    let stats = place.queues.admin().stats("WORK").await.unwrap();
    assert_eq!((stats.ready, stats.in_flight, stats.delayed, stats.dropped), (0, 0, 0, 0));
}

#[tokio::test]
async fn a_handler_that_hangs_is_left_when_closing_takes_too_long() {
    let place = place(&json!({"max_batch_wait": 0}));
    send(&place, 0..1).await;
    let (told, mut seen) = mpsc::unbounded_channel();
    let running = place
        .queues
        .consume("WORK", move |_| {
            let told = told.clone();
            async move {
                told.send(()).unwrap();
                std::future::pending::<Result<(), String>>().await
            }
        })
        .await
        .unwrap();
    seen.recv().await.unwrap();
    running.close_within(Duration::from_millis(1)).await.unwrap();
    let peeked = place.queues.admin().peek("WORK", 1).await.unwrap();
    assert_eq!((peeked[0].attempts, peeked[0].in_flight), (1, false));
}
