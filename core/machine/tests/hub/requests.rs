//! Requests for one answer and collections of several.
use crate::common::{Rig, config, refused, rig::reply_of, subject};
use posthouse_core::{
    LinkId,
    hub::{Collect, EndReason, Op, Outcome},
};

fn reply(rig: &mut Rig, op: Op) -> String {
    match rig.result(op) {
        Ok(Outcome::Reply(reply)) => String::from_utf8(reply.payload.to_vec()).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// An answer to the request in `sent`, with a header block.
fn answer(rig: &mut Rig, link: LinkId, sent: &str, topic: &str, block: &str, body: &str) {
    let to = reply_of(sent, topic);
    let inbox = format!("{}.*", to.rsplit_once('.').unwrap().0);
    rig.deliver_headers(link, &inbox, &to, block, body);
}

fn collect(rig: &mut Rig, max_replies: usize, max_bytes: usize) -> Op {
    let var = rig.var("work");
    let collect = Some(Collect { max_replies, max_bytes });
    rig.hub.request(rig.now(), var, b"null", None, 3_000, collect).unwrap()
}

#[test]
fn the_first_valid_answer_wins_and_late_ones_revive_nothing() {
    let (mut rig, link) = Rig::connected();
    let op = rig.request("work", "{\"on\":true}");
    let sent = rig.serve(link);
    answer(&mut rig, link, &sent, "work", "NATS/1.0\r\nX-A: 1\r\n\r\n", "1");
    answer(&mut rig, link, &sent, "work", "NATS/1.0\r\n\r\n", "2");
    assert_eq!(reply(&mut rig, op), "1");
    let Ok(Outcome::Reply(detail)) = rig.result(op) else { unreachable!() };
    assert_eq!(detail.headers.get("x-a"), Some("1"));
    let late = rig.request("work", "1");
    let sent = rig.serve(link);
    rig.wait(2_999);
    assert_eq!(rig.code(late), "-");
    rig.wait(1);
    assert_eq!(rig.code(late), "TIMEOUT");
    assert!(rig.error(late).message().contains("may be carried out"));
    answer(&mut rig, link, &sent, "work", "NATS/1.0\r\n\r\n", "3");
    let events = rig.news();
    assert!(!events.iter().any(|e| matches!(e, posthouse_core::hub::Event::Ready(_))));
    assert_eq!(rig.hub.status(rig.now()).messaging.unwrap().pending_requests, 0);
}

#[test]
fn a_malformed_first_answer_fails_it() {
    let (mut rig, link) = Rig::connected();
    for (block, body) in [
        ("NATS/1.0\r\n\r\n", "{bad"),
        ("NATS/1.0\r\n\r\n", ""),
        ("NATS/1.0\r\nBad Header: 1\r\n\r\n", "1"),
        ("NATS/1.0\r\n\r\n", "9007199254740993"),
        ("NATS/1.0 408\r\n\r\n", ""),
    ] {
        let op = rig.request("work", "1");
        let sent = rig.serve(link);
        answer(&mut rig, link, &sent, "work", block, body);
        let code = rig.code(op);
        assert!(code == "INVALID_MESSAGE" || code == "INVALID_HEADERS", "{code} {block}{body}");
    }
}

#[test]
fn no_responders_by_the_status_line_alone() {
    let (mut rig, link) = Rig::connected();
    for block in [
        "NATS/1.0 503\r\n\r\n",
        "NATS/1.0 503 No Responders\r\nNats-Subject: x\r\n\r\n",
        "NATS/1.0 503\r\nnot a header\r\n\r\n",
    ] {
        let op = rig.request("work", "1");
        let sent = rig.serve(link);
        answer(&mut rig, link, &sent, "work", block, "");
        assert_eq!(rig.code(op), "NO_RESPONDERS");
    }
    // With a body it is an answer like any other.
    let op = rig.request("work", "1");
    let sent = rig.serve(link);
    answer(&mut rig, link, &sent, "work", "NATS/1.0 503\r\n\r\n", "5");
    assert_eq!(reply(&mut rig, op), "5");
}

#[test]
fn a_cancelled_one_ends_and_its_answer_changes_nothing() {
    let (mut rig, link) = Rig::connected();
    let op = rig.request("work", "1");
    let sent = rig.serve(link);
    rig.hub.cancel(rig.now(), op);
    rig.hub.cancel(rig.now(), op);
    assert_eq!(rig.code(op), "CANCELLED");
    rig.answer(link, &sent, "work", "1");
    assert_eq!(rig.hub.status(rig.now()).messaging.unwrap().pending_requests, 0);
}

#[test]
fn patterns_and_wrong_options_are_refused_here() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let now = rig.now();
    for name in ["a.*", ">", "a..b", "a."] {
        let var = rig.var(name);
        assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 9, None)), "INVALID_TOPIC");
        assert_eq!(refused(&rig.hub.publish(var, b"1", None)), "INVALID_TOPIC");
    }
    let var = rig.var("a");
    assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 0, None)), "INVALID_OPTIONS");
    for (max_replies, max_bytes) in [(0, 1), (17, 1), (1, 0), (1, (1 << 20) + 1)] {
        let collect = Some(Collect { max_replies, max_bytes });
        assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 9, collect)), "INVALID_OPTIONS");
    }
    assert_eq!(rig.sent(link), "", "nothing was sent");
}

#[test]
fn capacity() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.messaging.requests = 2;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    rig.request("a", "1");
    let second = rig.request("b", "1");
    rig.serve(link);
    let var = rig.var("c");
    let now = rig.now();
    assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 9, None)), "BUFFER_OVERFLOW");
    assert_eq!(rig.sent(link), "");
    rig.hub.cancel(now, second);
    rig.request("c", "1");
}

#[test]
fn a_collection_ends_at_its_window_or_with_enough() {
    let (mut rig, link) = Rig::connected();
    let full = collect(&mut rig, 2, 100);
    let sent = rig.serve(link);
    rig.answer(link, &sent, "work", "1");
    assert_eq!(rig.pending(), (1, 1, 0));
    rig.answer(link, &sent, "work", "2");
    rig.answer(link, &sent, "work", "3");
    let Ok(Outcome::Replies(replies, EndReason::MaxReplies)) = rig.result(full) else { panic!() };
    assert_eq!(replies.len(), 2);
    assert_eq!(rig.pending(), (0, 0, 0));
    let window = collect(&mut rig, 16, 100);
    let sent = rig.serve(link);
    rig.wait(2_000);
    rig.serve(link);
    rig.answer(link, &sent, "work", "1");
    rig.wait(1_000);
    let Ok(Outcome::Replies(replies, EndReason::Deadline)) = rig.result(window) else { panic!() };
    assert_eq!(replies.len(), 1);
    let empty = collect(&mut rig, 16, 100);
    rig.serve(link);
    rig.wait(3_000);
    assert!(
        matches!(rig.result(empty), Ok(Outcome::Replies(r, EndReason::Deadline)) if r.is_empty())
    );
}

#[test]
fn a_collection_that_fails_gives_what_it_has() {
    type Fault = fn(&mut Rig, LinkId, &str);
    let faults: [(&str, Fault); 6] = [
        ("BUFFER_OVERFLOW", |rig, link, sent| rig.answer(link, sent, "work", "\"123456789\"")),
        ("INVALID_MESSAGE", |rig, link, sent| rig.answer(link, sent, "work", "{")),
        ("NO_RESPONDERS", |rig, link, sent| {
            answer(rig, link, sent, "work", "NATS/1.0 503\r\n\r\n", "");
        }),
        ("DISCONNECTED", |rig, link, _| rig.lose(link)),
        ("CLOSED", |rig, _, _| rig.hub.close(rig.now())),
        ("PERMISSION_DENIED", |rig, link, _| {
            let text =
                format!("-ERR 'Permissions Violation for Publish to \"{}\"'\r\n", subject("work"));
            rig.say(link, &text);
        }),
    ];
    for (code, fault) in faults {
        let (mut rig, link) = Rig::connected();
        let op = collect(&mut rig, 16, 10);
        let sent = rig.sent(link);
        rig.answer(link, &sent, "work", "1");
        fault(&mut rig, link, &sent);
        assert_eq!(rig.code(op), code);
        assert_eq!(rig.result(op).as_ref().unwrap_err().partial.len(), 1, "{code}");
        assert_eq!(rig.pending(), (0, 0, 0), "{code}");
    }
}

#[test]
fn an_answer_past_every_size_fails_the_request() {
    let (mut rig, link) = Rig::connected();
    let op = rig.request("work", "1");
    let sent = rig.serve(link);
    let body = format!("\"{}\"", "x".repeat(200_000));
    rig.answer(link, &sent, "work", &body);
    assert_eq!(rig.code(op), "MESSAGE_TOO_LARGE");
    let op = rig.request("work", "1");
    let sent = rig.serve(link);
    rig.answer(link, &sent, "work", &format!("\"{}\"", "x".repeat(65_536)));
    assert_eq!(rig.code(op), "MESSAGE_TOO_LARGE");
}

#[test]
fn each_connection_has_an_inbox_of_its_own() {
    let (mut rig, link) = Rig::connected();
    rig.request("work", "1");
    let before = rig.serve(link);
    rig.lose(link);
    rig.wait_dial();
    let link = rig.connect();
    let op = rig.request("work", "1");
    let after = rig.serve(link);
    assert_ne!(reply_of(&before, "work"), reply_of(&after, "work"));
    assert_eq!(after.matches("SUB _INBOX.").count(), 1);
    rig.request("work", "2");
    assert!(!rig.serve(link).contains("SUB _INBOX."), "one for all");
    rig.answer(link, &after, "work", "1");
    assert_eq!(rig.code(op), "OK");
}
