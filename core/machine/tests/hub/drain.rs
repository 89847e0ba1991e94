//! The drain of a hub and of a subscription.
use crate::common::{Rig, refused, subject};
use posthouse_core::hub::SubscribeOptions;

#[test]
fn the_accepted_is_finished_and_answered_then_the_hub_closes() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    let asked = rig.request("other", "1");
    let sent = rig.serve(link);
    rig.deliver(link, &subject("work"), "_INBOX.x.1", "1");
    let taken = rig.take(sub);
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    let var = rig.var("work");
    let now = rig.now();
    assert_eq!(refused(&rig.hub.publish(var, b"1", None)), "DRAINING");
    assert_eq!(refused(&rig.hub.set(now, var, b"1")), "DRAINING");
    assert_eq!(refused(&rig.hub.delete(now, var)), "DRAINING");
    assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 9, None)), "DRAINING");
    assert_eq!(refused(&rig.hub.subscribe(now, var, &SubscribeOptions::default())), "DRAINING");
    assert_eq!(refused(&rig.hub.flush(now, 9)), "DRAINING");
    assert_eq!(rig.phase(), "Draining");
    // On its way when the server processed the end of the subscription.
    rig.deliver(link, &subject("work"), "", "2");
    assert!(rig.serve(link).contains("UNSUB"));
    rig.hub.reply(&taken[0].token, b"\"done\"", None).unwrap();
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(rig.bodies(sub), ["2"]);
    assert!(rig.serve(link).contains("PUB _INBOX.x.1 6\r\n\"done\"\r\n"));
    assert_eq!(rig.code(op), "-", "a request waits");
    rig.answer(link, &sent, "other", "7");
    assert_eq!(rig.code(asked), "OK");
    rig.serve(link);
    assert_eq!(rig.code(op), "OK");
    assert!(rig.hub.is_closed());
    assert_eq!(rig.closed(), [link]);
    assert_eq!(rig.pending(), (0, 0, 0));
}

#[test]
fn a_second_call_joins_the_first_and_no_call_can_stop_it() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    rig.deliver(link, &subject("work"), "", "1");
    let first = rig.hub.drain(rig.now(), 1_000).unwrap();
    rig.wait(500);
    let second = rig.hub.drain(rig.now(), 60_000).unwrap();
    rig.hub.cancel(rig.now(), first);
    assert_eq!((rig.code(first), rig.code(second)), ("CANCELLED", "-"));
    let third = rig.hub.drain(rig.now(), 60_000).unwrap();
    rig.serve(link);
    rig.wait(499);
    assert_eq!(rig.code(third), "-");
    rig.wait(1);
    assert_eq!((rig.code(second), rig.code(third)), ("DRAIN_TIMEOUT", "DRAIN_TIMEOUT"));
    assert!(rig.hub.is_closed());
    rig.hub.finished(rig.now(), sub, 1);
    rig.hub.release(rig.now(), sub);
    assert_eq!(rig.pending(), (0, 0, 0));
    assert_eq!(refused(&rig.hub.drain(rig.now(), 1)), "CLOSED");
}

#[test]
fn offline_it_ends_at_the_deadline() {
    let (mut rig, link) = Rig::connected();
    rig.lose(link);
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.wait(4_999);
    assert_eq!(rig.code(op), "-");
    rig.wait(1);
    assert_eq!(rig.code(op), "DRAIN_TIMEOUT");
    assert!(rig.hub.is_closed());
}

#[test]
fn offline_it_goes_on_when_the_connection_comes_back() {
    let (mut rig, link) = Rig::connected();
    rig.lose(link);
    rig.set("battery", "1");
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.wait_dial();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    assert!(rig.serve(link).contains("\"battery\""), "pending variables are flushed");
    assert_eq!(rig.code(op), "OK");
    let status = rig.hub.status(rig.now());
    assert_eq!((status.pending_variables, status.pending_bytes), (0, 0));
}

#[test]
fn a_drain_while_the_connection_is_being_set_up_takes_the_subscriptions_back() {
    let (mut rig, link) = Rig::connected();
    rig.sub(link, "work", &SubscribeOptions::default());
    rig.lose(link);
    rig.wait_dial();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    rig.sent(link);
    rig.say(link, "PONG\r\n");
    assert!(rig.sent(link).contains(&format!("SUB {}", subject("work"))));
    let sid = rig.sid(link, &subject("work"));
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.say(link, "PONG\r\n");
    assert!(rig.serve(link).contains(&format!("UNSUB {sid}\r\n")));
    assert_eq!(rig.code(op), "OK");
}

#[test]
fn a_request_that_fails_lets_the_drain_go_on() {
    let (mut rig, link) = Rig::connected();
    let asked = rig.request("other", "1");
    rig.sent(link);
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.serve(link);
    rig.say(
        link,
        &format!("-ERR 'Permissions Violation for Publish to \"{}\"'\r\n", subject("other")),
    );
    rig.serve(link);
    // The drain's own PING was answered first, so the refusal is nobody's: the request waits on.
    assert_eq!((rig.code(asked), rig.code(op)), ("-", "-"));
    rig.wait(3_000);
    rig.serve(link);
    assert_eq!((rig.code(asked), rig.code(op)), ("TIMEOUT", "OK"));
}

#[test]
fn a_refused_inbox_lets_the_drain_go_on() {
    let (mut rig, link) = Rig::connected();
    let asked = rig.request("other", "1");
    let sent = rig.sent(link);
    let inbox = sent.split(' ').find(|word| word.starts_with("_INBOX.")).unwrap().to_owned();
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.say(link, &format!("-ERR 'Permissions Violation for Subscription to \"{inbox}\"'\r\n"));
    rig.serve(link);
    assert_eq!((rig.code(asked), rig.code(op)), ("PERMISSION_DENIED", "OK"));
}

#[test]
fn a_refused_variable_does_not_hold_the_drain_up() {
    let (mut rig, link) = Rig::connected();
    rig.set("battery", "1");
    let op = rig.hub.drain(rig.now(), 5_000).unwrap();
    rig.sent(link);
    let refusal = crate::common::state("battery");
    rig.say(link, &format!("-ERR 'Permissions Violation for Publish to \"{refusal}\"'\r\n"));
    rig.say(link, "PONG\r\nPONG\r\n");
    rig.serve(link);
    assert_eq!(rig.code(op), "OK");
}

#[test]
fn calls_that_wait_end_with_the_drain() {
    let mut rig = Rig::new();
    let connected = rig.hub.connected(rig.now(), None).unwrap();
    let flush = rig.hub.flush(rig.now(), 60_000).unwrap();
    let op = rig.hub.drain(rig.now(), 10).unwrap();
    rig.wait(10);
    assert_eq!(rig.code(op), "DRAIN_TIMEOUT");
    assert_eq!((rig.code(connected), rig.code(flush)), ("CLOSED", "CLOSED"));
    let now = rig.now();
    assert_eq!(refused(&Rig::new().hub.drain(now, 0)), "INVALID_OPTIONS");
}

#[test]
fn a_subscription_finishes_what_it_accepted_and_others_go_on() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    rig.deliver(link, &subject("work"), "_INBOX.x.1", "1");
    let op = rig.hub.drain_subscription(rig.now(), sub, 5_000).unwrap();
    let again = rig.hub.drain_subscription(rig.now(), sub, 5_000).unwrap();
    // On its way until the server has processed UNSUB.
    rig.deliver(link, &subject("work"), "", "2");
    let sent = rig.serve(link);
    assert!(sent.contains("UNSUB") && sent.ends_with("PING\r\n"), "{sent}");
    let var = rig.var("other");
    rig.hub.publish(var, b"1", None).unwrap();
    let taken = rig.take(sub);
    assert_eq!(taken.len(), 2);
    rig.hub.reply(&taken[0].token, b"1", None).unwrap();
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(rig.code(op), "-");
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!((rig.code(op), rig.code(again)), ("OK", "OK"));
    assert_eq!(rig.pending(), (0, 0, 0));
    let ended = rig.hub.drain_subscription(rig.now(), sub, 5_000).unwrap();
    assert_eq!(rig.code(ended), "OK");
}

#[test]
fn a_subscription_past_its_deadline_is_cleaned_up() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    rig.deliver(link, &subject("work"), "", "1");
    rig.deliver(link, &subject("work"), "", "2");
    let mut out = Vec::new();
    rig.hub.take(sub, 1, &mut out);
    let op = rig.hub.drain_subscription(rig.now(), sub, 100).unwrap();
    let gone = rig.hub.drain_subscription(rig.now(), sub, 100).unwrap();
    rig.hub.cancel(rig.now(), op);
    rig.serve(link);
    rig.wait(100);
    assert_eq!((rig.code(op), rig.code(gone)), ("CANCELLED", "DRAIN_TIMEOUT"));
    assert_eq!(rig.pending().0, 1, "the running handler may finish");
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(rig.pending(), (0, 0, 0));
    assert_eq!(refused(&rig.hub.drain_subscription(rig.now(), sub, 0)), "INVALID_OPTIONS");
}

#[test]
fn a_drain_that_is_cut_short_says_so() {
    for close in [false, true] {
        let (mut rig, link) = Rig::connected();
        let sub = rig.sub(link, "work", &SubscribeOptions::default());
        rig.deliver(link, &subject("work"), "", "1");
        let op = rig.hub.drain_subscription(rig.now(), sub, 100).unwrap();
        rig.serve(link);
        if close {
            rig.hub.close(rig.now());
        } else {
            rig.hub.unsubscribe(rig.now(), sub);
        }
        assert_eq!(rig.code(op), "CLOSED");
        assert_eq!(rig.pending(), (0, 0, 0));
    }
}

#[test]
fn a_subscription_whose_connection_goes_still_finishes() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    rig.deliver(link, &subject("work"), "", "1");
    let op = rig.hub.drain_subscription(rig.now(), sub, 5_000).unwrap();
    rig.lose(link);
    assert_eq!(rig.code(op), "-");
    assert_eq!(rig.bodies(sub), ["1"]);
    assert_eq!(rig.code(op), "OK");
}
