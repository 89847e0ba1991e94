//! What the server's permissions refuse.
use crate::common::{Rig, state, subject};
use posthouse_core::{
    LinkId,
    hub::{Event, SubId, SubscribeOptions},
};

fn refuse_publish(rig: &mut Rig, link: LinkId, subject: &str) {
    rig.say(link, &format!("-ERR 'Permissions Violation for Publish to \"{subject}\"'\r\n"));
}

fn refuse_sub(rig: &mut Rig, link: LinkId, rest: &str) {
    rig.say(link, &format!("-ERR 'Permissions Violation for Subscription to {rest}'\r\n"));
}

fn ended(rig: &mut Rig) -> Vec<(SubId, Option<&'static str>)> {
    let ended = rig.news().into_iter().filter_map(|event| match event {
        Event::Ended(sub, error) => Some((sub, error.map(|e| e.code().as_str()))),
        _ => None,
    });
    ended.collect()
}

#[test]
fn a_publish_is_reported_and_fails_the_next_flush_only() {
    let (mut rig, link) = Rig::connected();
    let var = rig.var("work");
    rig.hub.publish(var, b"1", None).unwrap();
    let first = rig.hub.flush(rig.now(), 3_000).unwrap();
    rig.sent(link);
    refuse_publish(&mut rig, link, &subject("work"));
    assert_eq!(rig.current_error().as_deref(), Some("PERMISSION_DENIED"));
    rig.say(link, "PONG\r\nPONG\r\n");
    assert_eq!(rig.code(first), "PERMISSION_DENIED");
    let error = rig.error(first);
    assert!(error.message().contains("\"work\""), "by name: {error}");
    assert_eq!(rig.current_error(), None);
    assert_eq!(rig.last_error().as_deref(), Some("PERMISSION_DENIED"));
    let second = rig.hub.flush(rig.now(), 3_000).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(second), "OK");
    assert_eq!(rig.phase(), "Active");
}

#[test]
fn a_variable_stays_pending_until_it_is_granted() {
    let (mut rig, link) = Rig::connected();
    rig.set("battery", "1");
    let flush = rig.hub.flush(rig.now(), 3_000).unwrap();
    rig.sent(link);
    refuse_publish(&mut rig, link, &state("battery"));
    rig.say(link, &"PONG\r\n".repeat(3));
    rig.serve(link);
    assert_eq!(rig.code(flush), "PERMISSION_DENIED");
    let var = rig.var("battery");
    assert!(rig.hub.meta(var).pending);
    assert_eq!(rig.get("battery").as_deref(), Some("1"));
    rig.lose(link);
    rig.wait_dial();
    rig.connect();
    assert!(!rig.hub.meta(var).pending, "the next connection grants it");
}

#[test]
fn a_request_fails_itself_and_no_other() {
    let (mut rig, link) = Rig::connected();
    let other = rig.request("other", "1");
    let before = rig.request("work", "1");
    rig.serve(link);
    // The server has taken that one; then the rights change, and a PING was answered in between.
    let flush = rig.hub.flush(rig.now(), 9_000).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(flush), "OK");
    let var = rig.var("work");
    rig.hub.publish(var, b"1", None).unwrap();
    rig.sent(link);
    refuse_publish(&mut rig, link, &subject("work"));
    assert_eq!(rig.code(before), "-", "it was accepted and may be answered");
    let refused = [rig.request("work", "2"), rig.request("work", "3")];
    rig.sent(link);
    refuse_publish(&mut rig, link, &subject("work"));
    refuse_publish(&mut rig, link, &subject("work"));
    assert_eq!(refused.map(|op| rig.code(op)), ["PERMISSION_DENIED"; 2]);
    assert_eq!((rig.code(other), rig.code(before)), ("-", "-"));
    let flush = rig.hub.flush(rig.now(), 9_000).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(flush), "PERMISSION_DENIED", "for the event, once");
    let flush = rig.hub.flush(rig.now(), 9_000).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(flush), "OK", "the requests told their callers");
}

#[test]
fn the_sdk_s_own_traffic_fails_no_flush() {
    let (mut rig, link) = Rig::connected();
    let health = format!("_sys.v4.{}.health.{}", crate::common::NS, rig.hub.instance_id());
    refuse_publish(&mut rig, link, &health);
    let flush = rig.hub.flush(rig.now(), 9_000).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(flush), "OK");
    assert_eq!(rig.current_error().as_deref(), Some("PERMISSION_DENIED"));
    rig.lose(link);
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.current_error(), None);
}

#[test]
fn a_subscribe_call_fails_itself_fast_and_no_other() {
    let (mut rig, link) = Rig::connected();
    let good = rig.sub(link, "work", &SubscribeOptions::default());
    let queue = SubscribeOptions { queue: Some("q".to_owned()), ..SubscribeOptions::default() };
    let (bad, op) = rig.begin_sub("work", &queue);
    rig.sent(link);
    let group = posthouse_core::subject::queue("workshop", "q");
    rig.news();
    refuse_sub(&mut rig, link, &format!("\"{}\" using queue \"{group}\"", subject("work")));
    assert_eq!(rig.code(op), "PERMISSION_DENIED");
    assert_eq!(ended(&mut rig), [(bad, Some("PERMISSION_DENIED"))]);
    rig.say(link, "PONG\r\n");
    assert!(rig.hub.subscription_status(good).unwrap().ready);
    assert_eq!(rig.current_error(), None, "the call told its caller");
    // A second plain one of the same subject while the first is registered.
    let (_, op) = rig.begin_sub("work", &SubscribeOptions::default());
    rig.sent(link);
    refuse_sub(&mut rig, link, &format!("\"{}\"", subject("work")));
    assert_eq!(rig.code(op), "PERMISSION_DENIED");
    assert!(rig.hub.subscription_status(good).unwrap().ready);
}

#[test]
fn one_refused_on_restore_ends_and_does_not_come_back() {
    let (mut rig, link) = Rig::connected();
    let subs = ["a", "b"].map(|name| rig.sub(link, name, &SubscribeOptions::default()));
    rig.lose(link);
    rig.wait_dial();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    rig.sent(link);
    rig.say(link, "PONG\r\n");
    rig.sent(link);
    rig.news();
    refuse_sub(&mut rig, link, &format!("\"{}\"", subject("a")));
    assert_eq!(ended(&mut rig), [(subs[0], Some("PERMISSION_DENIED"))]);
    rig.say(link, "PONG\r\n");
    rig.serve(link);
    assert_eq!(rig.phase(), "Active", "the hub stays connected");
    assert_eq!(rig.current_error().as_deref(), Some("PERMISSION_DENIED"));
    let status = rig.hub.subscription_status(subs[0]).unwrap();
    assert_eq!(status.error.unwrap().code, "PERMISSION_DENIED");
    assert!(rig.hub.subscription_status(subs[1]).unwrap().ready);
    rig.lose(link);
    rig.wait_dial();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    let sent = rig.serve(link);
    assert!(!sent.contains(&format!("SUB {} ", subject("a"))));
    assert!(sent.contains(&format!("SUB {} ", subject("b"))));
    assert_eq!(rig.current_error(), None);
}

#[test]
fn one_refused_by_a_reload_is_the_one_whose_number_is_given() {
    let (mut rig, link) = Rig::connected();
    let first = rig.sub(link, "a", &SubscribeOptions::default());
    let second = rig.sub(link, "a", &SubscribeOptions::default());
    let sid = rig.sid(link, &subject("a"));
    let (third, op) = rig.begin_sub("a", &SubscribeOptions::default());
    rig.news();
    refuse_sub(&mut rig, link, &format!("\"{}\" (sid \"{sid}\")", subject("a")));
    assert_eq!(ended(&mut rig), [(second, Some("PERMISSION_DENIED"))]);
    rig.serve(link);
    assert_eq!(rig.code(op), "OK");
    assert!(rig.hub.subscription_status(first).unwrap().ready);
    assert!(rig.hub.subscription_status(third).unwrap().ready);
}

#[test]
fn a_subject_granted_again_is_no_longer_an_error() {
    let (mut rig, link) = Rig::connected();
    rig.sub(link, "a", &SubscribeOptions::default());
    let sid = rig.sid(link, &subject("a"));
    refuse_sub(&mut rig, link, &format!("\"{}\" (sid \"{sid}\")", subject("a")));
    assert_eq!(rig.current_error().as_deref(), Some("PERMISSION_DENIED"));
    rig.sub(link, "a", &SubscribeOptions::default());
    assert_eq!(rig.current_error(), None);
}

#[test]
fn a_refused_inbox_fails_every_request_and_is_asked_for_again() {
    let (mut rig, link) = Rig::connected();
    let ops = [rig.request("a", "1"), rig.request("b", "1")];
    let sent = rig.sent(link);
    let inbox = sent.split(' ').find(|word| word.starts_with("_INBOX.")).unwrap().to_owned();
    refuse_sub(&mut rig, link, &format!("\"{inbox}\""));
    assert_eq!(ops.map(|op| rig.code(op)), ["PERMISSION_DENIED"; 2]);
    let again = rig.request("a", "1");
    let sent = rig.sent(link);
    assert!(sent.contains("SUB _INBOX."));
    rig.answer(link, &sent, "a", "1");
    assert_eq!(rig.code(again), "OK");
}

#[test]
fn other_refusals_are_reported_and_nothing_ends() {
    let (mut rig, link) = Rig::connected();
    rig.say(link, "-ERR 'Permissions Violation for Publish with Reply of \"x\"'\r\n");
    assert_eq!(rig.last_error().as_deref(), Some("PERMISSION_DENIED"));
    rig.say(link, "-ERR 'Something New'\r\n");
    assert_eq!((rig.phase().as_str(), rig.current_error()), ("Active", None));
}
