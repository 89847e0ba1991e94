//! The router by itself, at times of the test's choice.

use std::time::Duration;

use posthouse_node::{ClientId, NodeOptions, Router};

const KIB: usize = 1024;

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn hear(router: &mut Router, id: ClientId) -> String {
    let (mut all, mut part) = (Vec::new(), Vec::new());
    while router.take_output(id, &mut part) {
        router.written(id, part.len());
        all.append(&mut part);
    }
    String::from_utf8(all).expect("text")
}

fn woken(router: &mut Router) -> Vec<ClientId> {
    let mut woken = Vec::new();
    router.take_woken(&mut woken);
    woken
}

fn connect(router: &mut Router) -> ClientId {
    let id = router.open(Duration::ZERO, None);
    router.receive(id, b"CONNECT {\"verbose\":false,\"pedantic\":false}\r\n");
    hear(router, id);
    id
}

#[test]
fn pings_follow_silence_only() {
    let options = NodeOptions { ping_interval: seconds(10), ping_max: 2, ..NodeOptions::default() };
    let mut router = Router::new(&options, "TESTNODE", 1);
    let id = connect(&mut router);
    assert_eq!(router.deadline(id), seconds(10));
    router.deadline_passed(seconds(9), id);
    assert_eq!(router.deadline(id), seconds(10), "too early");
    // CONNECT was heard in the first interval.
    router.deadline_passed(seconds(10), id);
    assert_eq!((hear(&mut router, id), router.deadline(id)), (String::new(), seconds(20)));
    for now in [20, 30] {
        router.deadline_passed(seconds(now), id);
        assert_eq!(hear(&mut router, id), "PING\r\n");
    }
    // Anything heard counts, part of a line too.
    router.receive(id, b"PO");
    router.deadline_passed(seconds(40), id);
    assert_eq!(hear(&mut router, id), "");
    for now in [50, 60] {
        router.deadline_passed(seconds(now), id);
        assert_eq!(hear(&mut router, id), "PING\r\n");
    }
    assert!(!router.is_ending(id));
    router.deadline_passed(seconds(70), id);
    assert_eq!(hear(&mut router, id), "-ERR 'Stale Connection'\r\n");
    assert!(router.is_ending(id));
    // Nothing changes any more.
    router.receive(id, b"NG\r\nPING\r\n");
    router.deadline_passed(seconds(90), id);
    assert_eq!(hear(&mut router, id), "");
}

#[test]
fn credentials_have_a_deadline_of_their_own() {
    let options = NodeOptions {
        token: Some("t0k".into()),
        auth_timeout: seconds(2),
        ping_interval: seconds(10),
        ..NodeOptions::default()
    };
    let mut router = Router::new(&options, "TESTNODE", 1);
    let (late, known) = (router.open(seconds(5), None), router.open(seconds(5), None));
    hear(&mut router, late);
    hear(&mut router, known);
    assert_eq!(router.deadline(late), seconds(7));
    router.receive(late, b"CONN");
    router.receive(known, b"CONNECT {\"verbose\":false,\"auth_token\":\"t0k\"}\r\n");
    router.deadline_passed(seconds(7), late);
    router.deadline_passed(seconds(7), known);
    assert_eq!(hear(&mut router, late), "-ERR 'Authentication Timeout'\r\n");
    assert_eq!((hear(&mut router, known), router.deadline(known)), (String::new(), seconds(17)));
}

#[test]
fn a_client_is_woken_once_for_many_messages() {
    let mut router = Router::new(&NodeOptions::default(), "TESTNODE", 1);
    let (publisher, receiver) = (connect(&mut router), connect(&mut router));
    router.receive(receiver, b"SUB a 1\r\n");
    woken(&mut router);
    router.receive(publisher, b"PUB a 1\r\n1\r\nPUB a 1\r\n2\r\n");
    router.receive(publisher, b"PUB a 1\r\n3\r\n");
    assert_eq!(woken(&mut router), [receiver]);
    let mut part = Vec::new();
    assert!(router.take_output(receiver, &mut part));
    assert_eq!(part, b"MSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nMSG a 1 1\r\n3\r\n");
    part.clear();
    // Still at it: it asks again by itself.
    router.receive(publisher, b"PUB a 1\r\n4\r\n");
    assert!(woken(&mut router).is_empty());
    assert!(router.take_output(receiver, &mut part));
    part.clear();
    assert!(!router.take_output(receiver, &mut part));
    router.receive(publisher, b"PUB a 1\r\n5\r\n");
    assert_eq!(woken(&mut router), [receiver]);
}

#[test]
fn publishers_are_held_back_until_the_receiver_has_caught_up() {
    let options =
        NodeOptions { max_pending: 64 * KIB, max_payload: 8 * KIB, ..NodeOptions::default() };
    let mut router = Router::new(&options, "TESTNODE", 1);
    let (publisher, slow) = (connect(&mut router), connect(&mut router));
    router.receive(slow, b"SUB a 1\r\n");
    let message = format!("PUB a 8000\r\n{}\r\n", "x".repeat(8000));
    for _ in 0..4 {
        router.receive(publisher, message.as_bytes());
    }
    assert_eq!(router.hold(publisher), None, "half is not passed yet");
    router.receive(publisher, message.as_bytes());
    let first = router.hold(publisher).expect("half is passed");
    router.receive(publisher, message.as_bytes());
    let second = router.hold(publisher).expect("more is passed");
    assert!(first < second, "the fuller, the longer");
    // What is on its way counts until it is written.
    let mut part = Vec::new();
    assert!(router.take_output(slow, &mut part));
    assert_eq!(router.hold(publisher), Some(second));
    woken(&mut router);
    router.written(slow, part.len() - 20 * KIB);
    assert!(router.hold(publisher).is_some() && woken(&mut router).is_empty());
    router.written(slow, 10 * KIB);
    assert_eq!((router.hold(publisher), woken(&mut router)), (None, vec![publisher]));
    // The time of a hold may also pass, or the receiver go away.
    for _ in 0..4 {
        router.receive(publisher, message.as_bytes());
    }
    assert!(router.hold(publisher).is_some());
    router.release(publisher);
    assert_eq!(router.hold(publisher), None);
    router.receive(publisher, message.as_bytes());
    assert!(router.hold(publisher).is_some());
    router.close(slow);
    assert_eq!(router.hold(publisher), None);
}

#[test]
fn a_client_with_too_much_waiting_is_cut_and_told() {
    let options =
        NodeOptions { max_pending: 16 * KIB, max_payload: 8 * KIB, ..NodeOptions::default() };
    let mut router = Router::new(&options, "TESTNODE", 1);
    let (publisher, slow, good) =
        (connect(&mut router), connect(&mut router), connect(&mut router));
    router.receive(slow, b"SUB a 1\r\n");
    router.receive(good, b"SUB a 1\r\n");
    let message = format!("PUB a 8000\r\n{}\r\n", "x".repeat(8000));
    router.receive(publisher, message.as_bytes());
    let mut begun = Vec::new();
    assert!(router.take_output(slow, &mut begun), "this much is on its way");
    hear(&mut router, good);
    woken(&mut router);
    for _ in 0..2 {
        router.receive(publisher, message.as_bytes());
        assert_eq!(hear(&mut router, good).len(), message.len() + 2);
    }
    assert!(router.is_ending(slow) && !router.is_ending(good));
    assert!(woken(&mut router).contains(&slow), "although it was writing");
    assert_eq!(router.stats().slow_consumers, 1);
    assert_eq!(router.stats().subscriptions, 1);
    // After what had begun comes the reason, and no message in between is torn.
    router.written(slow, begun.len());
    assert_eq!(hear(&mut router, slow), "-ERR 'Slow Consumer'\r\n");
    router.write_stalled(slow);
    assert_eq!(router.stats().slow_consumers, 1, "counted once");
}
