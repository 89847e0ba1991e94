//! A fault inside ends the hub that it happened to, tells everybody who waits, and no other hub.
mod common;

use common::*;
use posthouse_kit::{
    Code, Connection, Event, Fault, Hub, Next, Operation, SubscribeOptions, Wake, guard,
};
use posthouse_testkit::{NatsServer, PATIENCE};

fn silent_request(hub: &Hub) -> Operation<'static> {
    let var = hub.var("silent").unwrap();
    Operation::Request { var, body: b"1", headers: None, timeout_ms: 60_000, collect: None }
}

fn check_sound(hub: &Hub) {
    let var = hub.var("x").unwrap();
    hub.set(var, b"1").unwrap();
    flush(hub).unwrap();
}

#[test]
fn a_panic_between_operations_harms_nothing() {
    let server = NatsServer::start();
    let hub = open(&server, Wake::None);
    let error = guard(|| hub.fail(Fault::Here)).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(error.message().contains("told to fail here"), "{error}");
    check_sound(&hub);
}

#[test]
fn a_panic_in_an_operation_ends_the_hub() {
    let server = NatsServer::start();
    for fault in [Fault::UnderLock, Fault::OnIoThread] {
        let (hub, sound) = (open(&server, Wake::None), open(&server, Wake::None));
        let _listens = reader(&sound, "silent", &SubscribeOptions::default()).unwrap();
        let silent = reader(&hub, "quiet", &SubscribeOptions::default()).unwrap();
        let watch = hub.watch_reading(hub.var("x").unwrap()).unwrap();
        let waiting = hub.begin_waiting(silent_request(&hub)).unwrap();
        let op = hub.begin(silent_request(&hub)).unwrap();
        let var = hub.var("queued").unwrap();
        let (queued, _registered) = hub.subscribe(var, &SubscribeOptions::default()).unwrap();
        match guard(|| hub.fail(fault)) {
            Ok(()) => assert_eq!(fault, Fault::OnIoThread),
            Err(error) => assert_eq!((fault, error.code()), (Fault::UnderLock, Code::Internal)),
        }
        // Whoever waits is told.
        assert_eq!(finish(&waiting).unwrap_err().error.code(), Code::Closed);
        let events = poll_until(&hub, |e| *e == Event::Gone);
        let done =
            |e: &&Event| matches!(e, Event::Done { op: done, result: Err(_) } if *done == op);
        assert_eq!(events.iter().filter(done).count(), 1, "{events:?}");
        let ended = |e: &&Event| matches!(e, Event::Ended { sub: ended, .. } if *ended == queued);
        assert_eq!(events.iter().filter(ended).count(), 1, "{events:?}");
        assert_eq!(events.iter().filter(|e| **e == Event::Closed).count(), 1);
        assert!(matches!(silent.next(PATIENCE), Ok(Next::Ended(_)) | Err(_)));
        loop {
            match watch.next(PATIENCE) {
                Ok(Next::Item(_)) => {}
                Ok(Next::Ended(None)) | Err(_) => break,
                other => panic!("{other:?}"),
            }
        }
        // Whoever comes later is refused; the end is an end.
        let error = hub.publish(var, b"1", None).unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert_eq!(hub.status().unwrap_err().code(), Code::Internal);
        assert_eq!(hub.connection(), Ok(Connection::Closed));
        hub.close().unwrap();
        wait_gone(&hub);
        assert!(hub.is_closed() && hub.is_gone());
        drop(hub);
        check_sound(&sound);
    }
}
