//! The end of the process's I/O thread, with work under way. One test: it is the whole process's.
mod common;

use common::*;
use posthouse_kit::{Code, Connection, Event, Next, Operation, SubscribeOptions, Wake, shutdown};
use posthouse_testkit::{NatsServer, PATIENCE};
use std::thread;

#[test]
fn shutdown_tells_everybody_and_a_new_hub_starts_anew() {
    let server = NatsServer::start();
    // Without any hub there is nothing to end.
    shutdown();
    for _ in 0..3 {
        let (hub, other) = (open(&server, Wake::None), open(&server, Wake::None));
        let reader = reader(&hub, "quiet", &SubscribeOptions::default()).unwrap();
        let _listens = self::reader(&other, "silent", &SubscribeOptions::default()).unwrap();
        let var = hub.var("silent").unwrap();
        let ask = Operation::Request {
            var,
            body: b"1",
            headers: None,
            timeout_ms: 60_000,
            collect: None,
        };
        let op = hub.begin(ask).unwrap();
        let waiting = hub.begin_waiting(ask).unwrap();
        thread::scope(|scope| {
            let polls = scope.spawn(|| poll_until(&hub, |e| *e == Event::Gone));
            let waits = scope.spawn(|| finish(&waiting));
            let reads = scope.spawn(|| reader.next(PATIENCE));
            shutdown();
            assert_eq!(waits.join().unwrap().unwrap_err().error.code(), Code::Closed);
            assert!(matches!(reads.join().unwrap(), Ok(Next::Ended(_))));
            let events = polls.join().unwrap();
            let done = |e: &&Event| matches!(e, Event::Done { op: done, .. } if *done == op);
            assert_eq!(events.iter().filter(done).count(), 1);
        });
        wait_gone(&other);
        assert_eq!(hub.connection(), Ok(Connection::Closed));
        assert_eq!(hub.publish(var, b"1", None).unwrap_err().code(), Code::Closed);
        assert_eq!(other.close(), Ok(()));
    }
    shutdown();
    shutdown();
}
