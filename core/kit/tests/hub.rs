//! A host's use of a hub on a real server: queue and threads, state, messages, ends.
mod common;

use common::*;
use posthouse_kit::{
    Code, Collect, Connection, EndReason, Event, Given, Next, Operation, Outcome, SLICE,
    SubscribeOptions, SubscriptionPhase, Wake,
};
use posthouse_testkit::{NatsServer, PATIENCE};
use std::time::Duration;

fn handler() -> SubscribeOptions {
    SubscribeOptions { requests_only: true, ..SubscribeOptions::default() }
}

#[test]
fn the_queue_carries_a_request_and_its_answer() {
    let server = NatsServer::start();
    let (a, b) = (open(&server, Wake::None), open(&server, Wake::None));
    let (sub, op) = b.subscribe(b.var("lamp").unwrap(), &handler()).unwrap();
    poll_until(&b, |e| *e == Event::Done { op, result: Ok(Outcome::Unit) });

    let var = a.var("lamp").unwrap();
    let ask =
        Operation::Request { var, body: b"[1]", headers: None, timeout_ms: 9_000, collect: None };
    let op = a.begin(ask).unwrap();
    poll_until(&b, |e| *e == Event::Ready { sub });
    let mut taken = Vec::new();
    for _ in 0..2 {
        b.next_batch(sub, 9, &mut taken).unwrap();
        assert_eq!(taken.len(), 1);
    }
    let message = taken.pop().unwrap();
    assert_eq!((&*message.payload, message.token.has_reply()), (&b"[1]"[..], true));
    b.answer(&message.token, b"{\"ok\":true}", None).unwrap();
    b.finished(sub, 1).unwrap();
    assert_eq!(b.reply(&message.token, b"1", None).unwrap_err().code(), Code::Closed);
    let events = poll_until(&a, |e| matches!(e, Event::Done { op: done, .. } if *done == op));
    match events.last() {
        Some(Event::Done { result: Ok(Outcome::Reply(reply)), .. }) => {
            assert_eq!(&*reply.payload, b"{\"ok\":true}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(b.subscription_status(sub).unwrap().phase, SubscriptionPhase::Active);
    b.unsubscribe(sub).unwrap();
    poll_until(&b, |e| *e == Event::Ended { sub, error: None });
    b.release(sub).unwrap();
    assert_eq!(b.subscription_status(sub).unwrap_err().code(), Code::Closed);
}

#[test]
fn threads_wait_for_answers_and_messages() {
    let server = NatsServer::start();
    let (a, b) = (open(&server, Wake::None), open(&server, Wake::None));
    let reader = reader(&b, "lamp", &SubscribeOptions::default()).unwrap();
    let var = a.var("lamp").unwrap();
    let collect = Some(Collect { max_replies: 2, max_bytes: 100 });
    let ask = Operation::Request { var, body: b"1", headers: None, timeout_ms: 20_000, collect };
    let pending = a.begin_waiting(ask).unwrap();
    let Next::Item(message) = reader.next(PATIENCE).unwrap() else { panic!("no message") };
    b.reply(&message.token, b"1", None).unwrap();
    b.reply(&message.token, b"2", None).unwrap();
    b.finished_one(&message.token).unwrap();
    match finish(&pending) {
        Ok(Outcome::Replies(replies, EndReason::MaxReplies)) => assert_eq!(replies.len(), 2),
        other => panic!("{other:?}"),
    }
    assert_eq!(pending.wait(SLICE), Ok(None), "a result comes out once");
    assert_eq!(reader.next(SLICE / 10), Ok(Next::Nothing));
    b.unsubscribe(reader.sub()).unwrap();
    assert_eq!(reader.next(PATIENCE), Ok(Next::Ended(None)));

    let nobody = a.var("nobody").unwrap();
    let ask = Operation::Request {
        var: nobody,
        body: b"1",
        headers: None,
        timeout_ms: 20_000,
        collect: None,
    };
    let failure = finish(&a.begin_waiting(ask).unwrap()).unwrap_err();
    assert_eq!(failure.error.code(), Code::NoResponders);
}

#[test]
fn state_and_watches() {
    let server = NatsServer::start();
    let (a, b) = (open(&server, Wake::None), open(&server, Wake::None));
    let (mine, theirs) = (a.var("lamp").unwrap(), b.var("lamp").unwrap());
    let watch = b.watch(theirs).unwrap();
    let reading = b.watch_reading(theirs).unwrap();
    a.set(mine, b"{ \"on\" : true }").unwrap();
    assert_eq!(a.get(mine).unwrap().as_deref(), Some(&b"{\"on\":true}"[..]));
    flush(&a).unwrap();
    loop {
        match reading.next(PATIENCE).unwrap() {
            Next::Item(view) if view.value.as_deref() == Some(b"{\"on\":true}") => break,
            Next::Item(_) => {}
            other => panic!("{other:?}"),
        }
    }
    poll_until(&b, |e| *e == Event::Watch { watch });
    assert!(b.take_watch(watch).unwrap().unwrap().value.is_some());
    let mut buffer = b"old".to_vec();
    assert_eq!(b.get_into(theirs, &mut buffer), Ok(true));
    assert_eq!(buffer, b"{\"on\":true}");
    b.delete(theirs).unwrap();
    assert_eq!(b.get_into(theirs, &mut buffer), Ok(false));
    assert_eq!((buffer.len(), b.meta(theirs).unwrap().exists), (0, Some(false)));
    b.unwatch(watch).unwrap();
    assert_eq!(b.take_watch(watch), Ok(None));
    // The end of the hub ends what reads.
    b.close().unwrap();
    loop {
        match reading.next(PATIENCE).unwrap() {
            Next::Item(_) => {}
            Next::Ended(error) => break assert_eq!(error, None),
            Next::Nothing => panic!("not told of the end"),
        }
    }
}

#[test]
fn a_cancelled_operation_ends_once() {
    let server = NatsServer::start();
    let (a, b) = (open(&server, Wake::None), open(&server, Wake::None));
    let _silent = reader(&b, "lamp", &SubscribeOptions::default()).unwrap();
    let ask = Operation::Request {
        var: a.var("lamp").unwrap(),
        body: b"1",
        headers: None,
        timeout_ms: 60_000,
        collect: None,
    };
    let op = a.begin(ask).unwrap();
    a.cancel(op).unwrap();
    a.cancel(op).unwrap();
    let waiting = a.begin_waiting(ask).unwrap();
    a.cancel(waiting.op()).unwrap();
    assert_eq!(finish(&waiting).unwrap_err().error.code(), Code::Cancelled);
    drop(a.begin_waiting(ask).unwrap());
    assert_eq!(a.status().unwrap().messaging.unwrap().pending_requests, 0);
    a.close().unwrap();
    let events = poll_until(&a, |e| *e == Event::Gone);
    let ends: Vec<_> = events.iter().filter(|e| matches!(e, Event::Done { .. })).collect();
    assert!(
        matches!(ends[..], [Event::Done { op: done, result: Err(failure) }]
        if *done == op && failure.error.code() == Code::Cancelled),
        "{ends:?}"
    );
}

#[test]
fn a_drain_ends_when_everything_is_gone() {
    let server = NatsServer::start();
    let hub = open(&server, Wake::None);
    // What is being handled keeps the first drain from ending before the second begins.
    let reader = reader(&hub, "lamp", &SubscribeOptions::default()).unwrap();
    hub.publish(hub.var("lamp").unwrap(), b"1", None).unwrap();
    let Next::Item(message) = reader.next(PATIENCE).unwrap() else { panic!("no message") };
    let op = hub.begin(Operation::Drain { timeout_ms: 20_000 }).unwrap();
    let also = hub.begin_waiting(Operation::Drain { timeout_ms: 20_000 }).unwrap();
    hub.finished_one(&message.token).unwrap();
    finish(&also).unwrap();
    assert!(hub.is_gone());
    let events = poll_until(&hub, |e| *e == Event::Gone);
    let place = |wanted: &dyn Fn(&Event) -> bool| events.iter().position(wanted).unwrap();
    let closed = place(&|e| *e == Event::Closed);
    let done = place(&|e| *e == Event::Done { op, result: Ok(Outcome::Unit) });
    assert!(closed < done && done == events.len() - 2, "{events:?}");
    assert_eq!(hub.connection(), Ok(Connection::Closed));
    wait_gone(&hub);
}

#[test]
fn credentials_are_asked_for_through_the_queue() {
    let server = NatsServer::builder().token("s3cret").start();
    let mut settings = settings(&server);
    settings.set("token", Given::Callback).unwrap();
    let hub = posthouse_kit::Hub::open(settings, Wake::None).unwrap();
    let op = hub.begin(Operation::Connected { timeout_ms: Some(20_000) }).unwrap();
    let mut asked = 0;
    let mut answer = |hub: &posthouse_kit::Hub, event: &Event| {
        if let Event::Ask { ask, what } = event {
            asked += 1;
            assert_eq!(*what, "token");
            let told = if asked == 1 { "wrong" } else { "s3cret" };
            hub.tell(*ask, Ok(told.to_owned())).unwrap();
        }
    };
    // A refused token ends this wait, and the hub asks again at its next attempt.
    let events = poll_until(&hub, |e| {
        answer(&hub, e);
        matches!(e, Event::Done { op: done, .. } if *done == op)
    });
    assert!(!format!("{events:?}").contains("s3cret"));
    poll_until(&hub, |e| {
        answer(&hub, e);
        hub.connection() == Ok(Connection::Connected)
    });
    assert!(asked >= 2);
}

#[test]
fn a_wait_may_become_an_event_before_and_after_the_end() {
    let server = NatsServer::start();
    let (a, b) = (open(&server, Wake::None), open(&server, Wake::None));
    let reader = reader(&b, "lamp", &handler()).unwrap();
    let var = a.var("lamp").unwrap();
    let ask =
        |body| Operation::Request { var, body, headers: None, timeout_ms: 20_000, collect: None };
    let early = a.begin_waiting(ask(b"1")).unwrap().into_event().unwrap();
    let late = a.begin_waiting(ask(b"2")).unwrap();
    let mut before = 0;
    for _ in 0..2 {
        let Next::Item(message) = reader.after(before, PATIENCE).unwrap() else { panic!("none") };
        b.answer(&message.token, &message.payload, None).unwrap();
        before = 1;
    }
    assert_eq!(reader.after(before, Duration::ZERO), Ok(Next::Nothing));
    assert_eq!(b.subscription_status(reader.sub()).unwrap().in_flight_handlers, 0);
    flush(&b).unwrap();
    flush(&a).unwrap();
    // Its answer is here: the event comes from the turn itself.
    let late = late.into_event().unwrap();
    let done = |op| move |e: &Event| matches!(e, Event::Done { op: done, .. } if *done == op);
    let events = poll_until(&a, done(late));
    assert_eq!(events.iter().filter(|e| done(early)(e) || done(late)(e)).count(), 2);
}
