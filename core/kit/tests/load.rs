//! Many threads, many messages: nothing is lost that must not be, and what is dropped is counted.
mod common;

use common::*;
use posthouse_kit::{
    Code, Delivery, Dialect, Event, Given, Hub, HubSettings, Next, OpResult, Operation, Outcome,
    SLICE, SubId, SubscribeOptions, VarId, Wake,
};
use posthouse_testkit::{NatsServer, PATIENCE};
use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

const EACH: usize = 10_000;

/// Answers every request with its own body until the hub is closed.
fn echo(hub: &Hub) {
    let (mut events, mut batch) = (Vec::new(), Vec::new());
    let mut ended = false;
    while !ended {
        hub.wait_events(SLICE).unwrap();
        hub.poll(256, &mut events).unwrap();
        for event in events.drain(..) {
            ended |= event == Event::Gone;
            let Event::Ready { sub } = event else { continue };
            while fetched(hub, sub, &mut batch) {
                for message in batch.drain(..) {
                    hub.answer(&message.token, &message.payload, None).unwrap();
                    hub.finished_one(&message.token).unwrap();
                }
            }
        }
    }
}

/// Whether there is a batch.
fn fetched(hub: &Hub, sub: SubId, batch: &mut Vec<Delivery>) -> bool {
    hub.next_batch(sub, 64, batch).unwrap();
    !batch.is_empty()
}

/// A hub that answers requests of `echo`, and one that asks.
fn pair(server: &NatsServer) -> (Hub, Hub, VarId) {
    let (asks, answers) = (open(server, Wake::None), open(server, Wake::None));
    let options = SubscribeOptions { requests_only: true, ..SubscribeOptions::default() };
    let (_, registered) =
        answers.subscribe_waiting(answers.var("echo").unwrap(), &options).unwrap();
    finish(&registered).unwrap();
    let var = asks.var("echo").unwrap();
    (asks, answers, var)
}

fn ask(var: VarId, body: &[u8]) -> Operation<'_> {
    Operation::Request { var, body, headers: None, timeout_ms: 60_000, collect: None }
}

fn answer(result: OpResult) -> Vec<u8> {
    match result {
        Ok(Outcome::Reply(reply)) => reply.payload.into_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn four_threads_lose_no_completion() {
    let server = NatsServer::start();
    let (hub, answers, var) = pair(&server);
    let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| echo(&answers));
        // Two threads wait for each end themselves.
        let waiters: Vec<_> = (0..2)
            .map(|me| {
                let hub = &hub;
                scope.spawn(move || {
                    for n in 0..EACH {
                        let body = format!("[{me},{n}]");
                        let waiting = hub.begin_waiting(ask(var, body.as_bytes())).unwrap();
                        assert_eq!(answer(finish(&waiting)), body.as_bytes());
                    }
                })
            })
            .collect();
        // Two begin for the queue, at most twenty at a time each, and one takes the ends.
        let beginners: Vec<_> = (0..2)
            .map(|_| {
                let (hub, begun, ended) = (&hub, &begun, &ended);
                scope.spawn(move || {
                    let mut ops = Vec::new();
                    while ops.len() < EACH {
                        let done = ended.load(Ordering::SeqCst);
                        if begun.load(Ordering::SeqCst) > done + 40 {
                            thread::yield_now();
                            continue;
                        }
                        begun.fetch_add(1, Ordering::SeqCst);
                        ops.push(hub.begin(ask(var, b"7")).unwrap());
                    }
                    ops
                })
            })
            .collect();
        let mut ends = HashSet::new();
        let mut events = Vec::new();
        while ends.len() < 2 * EACH {
            hub.wait_events(SLICE).unwrap();
            hub.poll(256, &mut events).unwrap();
            for event in events.drain(..) {
                let Event::Done { op, result } = event else { continue };
                assert_eq!(answer(result), b"7");
                assert!(ends.insert(op), "an operation ended twice");
                ended.fetch_add(1, Ordering::SeqCst);
            }
        }
        let all: HashSet<_> = beginners.into_iter().flat_map(|t| t.join().unwrap()).collect();
        assert_eq!(all, ends);
        for waiter in waiters {
            waiter.join().unwrap();
        }
        assert_eq!(hub.status().unwrap().messaging.unwrap().pending_requests, 0);
        answers.close().unwrap();
    });
}

#[test]
fn a_cancel_that_races_the_answer_leaves_one_end() {
    let server = NatsServer::start();
    let (hub, answers, var) = pair(&server);
    thread::scope(|scope| {
        scope.spawn(|| echo(&answers));
        let (mut answered, mut cancelled) = (0, 0);
        for n in 0..500 {
            let waiting = hub.begin_waiting(ask(var, b"1")).unwrap();
            let racer = scope.spawn({
                let (hub, op) = (&hub, waiting.op());
                move || {
                    for _ in 0..n % 50 {
                        thread::yield_now();
                    }
                    hub.cancel(op).unwrap();
                }
            });
            match finish(&waiting) {
                Ok(Outcome::Reply(_)) => answered += 1,
                Err(failure) if failure.error.code() == Code::Cancelled => cancelled += 1,
                other => panic!("{other:?}"),
            }
            racer.join().unwrap();
            assert_eq!(waiting.wait(SLICE / 1000), Ok(None));
        }
        assert_eq!(answered + cancelled, 500);
        // The late ends must not have come by the queue.
        let mut events = Vec::new();
        while hub.poll(256, &mut events).unwrap() {}
        assert!(!events.iter().any(|e| matches!(e, Event::Done { .. })), "{events:?}");
        answers.close().unwrap();
    });
}

#[test]
fn a_flood_is_dropped_honestly() {
    const ALL: u64 = 100_000;
    let server = NatsServer::start();
    let (from, to) = (open(&server, Wake::None), open(&server, Wake::None));
    let (sub, registered) =
        to.subscribe_waiting(to.var("flood").unwrap(), &SubscribeOptions::default()).unwrap();
    finish(&registered).unwrap();
    let var = from.var("flood").unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..ALL {
                while let Err(error) = from.publish(var, n.to_string().as_bytes(), None) {
                    assert_eq!(error.code(), Code::BufferOverflow);
                    flush(&from).unwrap();
                }
            }
            flush(&from).unwrap();
            // What the server had for `to` before this answer has arrived with it.
            flush(&to).unwrap();
            over.store(true, Ordering::SeqCst);
        });
        let (mut events, mut batch) = (Vec::new(), Vec::new());
        let (mut received, mut last, mut lines, mut lost) = (0_u64, None, 0, 0);
        loop {
            let finished = over.load(Ordering::SeqCst);
            to.wait_events(SLICE).unwrap();
            while to.poll(256, &mut events).unwrap() {}
            let ready = events.iter().filter(|e| matches!(e, Event::Ready { .. })).count();
            assert!(ready <= 1, "told once until nothing was left");
            for event in events.drain(..) {
                match event {
                    Event::Log { code: Some(Code::SlowConsumer), .. } => lines += 1,
                    Event::LogsLost { count } => lost += count,
                    _ => {}
                }
            }
            while fetched(&to, sub, &mut batch) {
                for message in batch.drain(..) {
                    let n: u64 = std::str::from_utf8(&message.payload).unwrap().parse().unwrap();
                    assert!(last.is_none_or(|last| n > last), "{n} after {last:?}");
                    last = Some(n);
                    received += 1;
                    to.finished_one(&message.token).unwrap();
                }
            }
            if finished && !to.wait_events(SLICE / 100).unwrap() {
                break;
            }
        }
        let status = to.subscription_status(sub).unwrap();
        assert_eq!(received + status.dropped_messages, ALL);
        assert!(status.high_water_messages <= 256);
        assert_eq!(status.dropped_messages > 0, lines + lost > 0, "drops are reported");
        assert_eq!(status.pending_messages, 0);
    });
}

#[test]
fn threads_share_a_reader() {
    const ALL: usize = 2_000;
    let server = NatsServer::start();
    let (from, to) = (open(&server, Wake::None), open(&server, Wake::None));
    let mut options = SubscribeOptions::default();
    options.numbers.pending_messages = ALL;
    let reader = reader(&to, "work", &options).unwrap();
    let var = from.var("work").unwrap();
    let got: Vec<usize> = thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut got = Vec::new();
                    loop {
                        match reader.next(PATIENCE).unwrap() {
                            Next::Item(message) => {
                                let text = std::str::from_utf8(&message.payload).unwrap();
                                got.push(text.parse().unwrap());
                                to.finished_one(&message.token).unwrap();
                            }
                            Next::Ended(error) => {
                                assert_eq!(error, None);
                                return got;
                            }
                            Next::Nothing => panic!("waited too long"),
                        }
                    }
                })
            })
            .collect();
        for n in 0..ALL {
            from.publish(var, n.to_string().as_bytes(), None).unwrap();
        }
        flush(&from).unwrap();
        flush(&to).unwrap();
        let op = Operation::DrainSubscription { sub: reader.sub(), timeout_ms: 20_000 };
        finish(&to.begin_waiting(op).unwrap()).unwrap();
        readers.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    let distinct: HashSet<_> = got.iter().collect();
    assert_eq!((got.len(), distinct.len()), (ALL, ALL));
}

#[test]
fn closing_while_others_poll_wait_and_read() {
    let server = NatsServer::start();
    for _ in 0..20 {
        let (hub, answers, var) = pair(&server);
        let reader = reader(&hub, "quiet", &SubscribeOptions::default()).unwrap();
        let watch = hub.watch_reading(var).unwrap();
        thread::scope(|scope| {
            let polls = scope.spawn(|| poll_until(&hub, |e| *e == Event::Gone));
            let waits = scope.spawn(|| {
                loop {
                    // Nobody answers: the echo is not running.
                    let waiting = match hub.begin_waiting(ask(var, b"1")) {
                        Ok(waiting) => waiting,
                        Err(error) => return error.code(),
                    };
                    if let Err(failure) = finish(&waiting) {
                        return failure.error.code();
                    }
                }
            });
            let reads = scope.spawn(|| reader.next(PATIENCE).unwrap());
            let watches = scope.spawn(|| {
                loop {
                    match watch.next(PATIENCE).unwrap() {
                        Next::Item(_) => {}
                        other => return other,
                    }
                }
            });
            thread::yield_now();
            hub.close().unwrap();
            wait_gone(&hub);
            assert!(matches!(waits.join().unwrap(), Code::Closed | Code::Disconnected));
            assert!(matches!(reads.join().unwrap(), Next::Ended(_)));
            assert_eq!(watches.join().unwrap(), Next::Ended(None));
            let events = polls.join().unwrap();
            let count = |wanted: &Event| events.iter().filter(|e| *e == wanted).count();
            assert_eq!((count(&Event::Closed), count(&Event::Gone)), (1, 1));
            assert_eq!(events.last(), Some(&Event::Gone));
        });
        answers.close().unwrap();
    }
}

#[test]
fn two_hubs_do_not_mix() {
    let server = NatsServer::start();
    let other = {
        let mut settings = HubSettings::new(Dialect::C, "c", "c").namespace(Some("another"));
        settings.set("servers", Given::Text(&server.url())).unwrap();
        Hub::open(settings, Wake::None).unwrap()
    };
    connect(&other);
    let one = open(&server, Wake::None);
    let ours = reader(&one, ">", &SubscribeOptions::default()).unwrap();
    let theirs = reader(&other, ">", &SubscribeOptions::default()).unwrap();
    one.publish(one.var("x").unwrap(), b"1", None).unwrap();
    other.publish(other.var("y").unwrap(), b"2", None).unwrap();
    for (reader, topic) in [(&ours, "x"), (&theirs, "y")] {
        let Next::Item(message) = reader.next(PATIENCE).unwrap() else { panic!("no message") };
        assert_eq!(message.topic.as_deref(), Some(topic));
    }
    one.close().unwrap();
    wait_gone(&one);
    other.publish(other.var("y").unwrap(), b"3", None).unwrap();
    assert!(matches!(theirs.next(PATIENCE), Ok(Next::Item(_))));
}
