//! Subscriptions: registration, delivery, budgets, ends.
use crate::common::{Rig, World, config, refused, subject};
use posthouse_core::hub::{Event, SubscribeOptions};

fn small(pending_messages: usize, pending_bytes: usize) -> SubscribeOptions {
    let mut options = SubscribeOptions::default();
    options.numbers.pending_messages = pending_messages;
    options.numbers.pending_bytes = pending_bytes;
    options
}

fn ready(rig: &mut Rig) -> usize {
    rig.news().iter().filter(|event| matches!(event, Event::Ready(_))).count()
}

#[test]
fn done_once_the_server_has_processed_it() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let (sub, op) = rig.begin_sub("sensor.*", &SubscribeOptions::default());
    assert!(rig.sent(link).starts_with(&format!("SUB {} ", subject("sensor.*"))));
    assert!(!rig.hub.subscription_status(sub).unwrap().ready);
    rig.say(link, "PONG\r\n");
    assert_eq!(rig.code(op), "OK");
    assert!(rig.hub.subscription_status(sub).unwrap().ready);
}

#[test]
fn not_confirmed_in_time_or_cancelled_it_is_taken_back() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let (sub, op) = rig.begin_sub("a", &SubscribeOptions::default());
    rig.sent(link);
    rig.wait(3_000);
    assert_eq!(rig.code(op), "TIMEOUT");
    assert!(rig.error(op).message().contains("3000 ms"));
    assert!(rig.sent(link).contains("UNSUB"));
    assert!(rig.hub.subscription_status(sub).unwrap().error.is_some());
    let (_, op) = rig.begin_sub("a", &SubscribeOptions::default());
    rig.hub.cancel(rig.now(), op);
    assert_eq!(rig.code(op), "CANCELLED");
    let (_, op) = rig.begin_sub("a", &SubscribeOptions::default());
    rig.lose(link);
    assert_eq!(rig.code(op), "DISCONNECTED");
}

#[test]
fn one_wake_until_the_host_has_found_nothing() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &SubscribeOptions::default());
    rig.news();
    for n in 0..3 {
        rig.deliver(link, &subject("a"), "", &n.to_string());
    }
    assert_eq!(ready(&mut rig), 1);
    assert_eq!(rig.bodies(sub), ["0", "1", "2"]);
    rig.deliver(link, &subject("a"), "", "3");
    assert_eq!(ready(&mut rig), 0, "the host asks until there is none");
    rig.hub.take(sub, 0, &mut Vec::new());
    assert_eq!(rig.bodies(sub), ["3"]);
    assert!(rig.take(sub).is_empty());
    rig.deliver(link, &subject("a"), "", "4");
    assert_eq!(ready(&mut rig), 1);
    let mut out = Vec::new();
    rig.deliver(link, &subject("a"), "", "5");
    rig.hub.take(sub, 1, &mut out);
    rig.hub.take(sub, 0, &mut out);
    rig.deliver(link, &subject("a"), "", "6");
    assert_eq!(ready(&mut rig), 0);
    assert_eq!(rig.take(sub).len(), 2);
}

#[test]
fn a_full_queue_drops_the_new_and_keeps_the_order() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &small(3, 1_000));
    for n in 0..6 {
        rig.deliver(link, &subject("a"), "", &n.to_string());
    }
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    let status = rig.hub.subscription_status(sub).unwrap();
    assert_eq!((status.dropped_messages, status.high_water_messages), (3, 3));
    assert_eq!((status.limits.pending_messages, status.slow), (3, true));
    let taken = rig.take(sub);
    let bodies: Vec<&[u8]> = taken.iter().map(|d| &*d.payload).collect();
    assert_eq!(bodies, [b"0", b"1", b"2"]);
    // Running ones count, and the warning stays until the queue is empty.
    rig.deliver(link, &subject("a"), "", "9");
    rig.hub.finished(rig.now(), sub, 2);
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    rig.hub.finished_one(rig.now(), &taken[2].token);
    rig.hub.finished_one(rig.now(), &taken[2].token);
    assert_eq!(rig.current_error(), None);
    let status = rig.hub.subscription_status(sub).unwrap();
    assert_eq!((status.dropped_messages, status.slow), (4, false), "counts stay");
    assert_eq!(rig.pending(), (0, 0, 0));
}

#[test]
fn what_is_handled_makes_room_before_the_host_comes_again() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &small(3, 1_000));
    for n in 0..3 {
        rig.deliver(link, &subject("a"), "r", &n.to_string());
    }
    let taken = rig.take(sub);
    let progress = rig.hub.progress(sub).unwrap();
    let pending = |rig: &Rig| {
        let status = rig.hub.subscription_status(sub).unwrap();
        (status.pending_messages, status.pending_bytes, status.in_flight_handlers)
    };
    progress.handled();
    assert_eq!((pending(&rig), rig.pending()), ((2, 2, 1), (2, 2, 1)));
    let late = rig.hub.reply(&taken[0].token, b"1", None).unwrap_err();
    assert_eq!(late.code().as_str(), "CLOSED");
    rig.hub.reply(&taken[1].token, b"1", None).unwrap();
    for n in 3..6 {
        rig.deliver(link, &subject("a"), "", &n.to_string());
    }
    let status = rig.hub.subscription_status(sub).unwrap();
    assert_eq!((status.dropped_messages, pending(&rig)), (2, (3, 3, 1)));
    progress.handled();
    progress.handled();
    assert_eq!(pending(&rig), (1, 1, 0), "all that was taken is handled");
    rig.hub.finished(rig.now(), sub, 0);
    assert_eq!(rig.bodies(sub), ["3"]);
    rig.deliver(link, &subject("a"), "", "6");
    let last = rig.take(sub);
    progress.handled();
    rig.hub.finished_one(rig.now(), &last[0].token);
    assert_eq!((pending(&rig), rig.pending()), ((0, 0, 0), (0, 0, 0)), "counted once");
    rig.deliver(link, &subject("a"), "", "7");
    assert_eq!((rig.take(sub).len(), pending(&rig)), (1, (1, 1, 1)));
}

#[test]
fn a_queue_that_is_seen_to_be_empty_is_not_slow() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &small(2, 1_000));
    for n in 0..3 {
        rig.deliver(link, &subject("a"), "", &n.to_string());
    }
    assert_eq!(rig.take(sub).len(), 2);
    let progress = rig.hub.progress(sub).unwrap();
    progress.handled();
    rig.hub.count_handled(rig.now());
    assert!(rig.hub.subscription_status(sub).unwrap().slow, "one is left");
    progress.handled();
    rig.hub.count_handled(rig.now());
    let status = rig.hub.subscription_status(sub).unwrap();
    assert_eq!((status.pending_messages, status.slow), (0, false));
    assert_eq!((rig.current_error(), rig.pending()), (None, (0, 0, 0)));
    rig.hub.finished(rig.now(), sub, 0);
    rig.deliver(link, &subject("a"), "", "3");
    assert_eq!(rig.bodies(sub), ["3"]);
}

#[test]
fn the_end_of_a_subscription_shows_in_its_progress() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &small(9, 99));
    rig.deliver(link, &subject("a"), "", "1");
    rig.deliver(link, &subject("a"), "", "2");
    assert_eq!(rig.take(sub).len(), 2);
    let progress = rig.hub.progress(sub).unwrap();
    assert!(!progress.ended());
    rig.hub.unsubscribe(rig.now(), sub);
    assert!(progress.ended());
    assert_eq!(rig.pending(), (2, 2, 1), "what was taken may still be under way");
    progress.handled();
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(rig.pending(), (0, 0, 0));
    rig.hub.release(rig.now(), sub);
    assert!(rig.hub.progress(sub).is_none());
}

#[test]
fn bytes_count_too() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &small(100, 10));
    rig.deliver(link, &subject("a"), "", "\"12345\"");
    rig.deliver(link, &subject("a"), "", "\"12345\"");
    rig.deliver(link, &subject("a"), "", "123");
    assert_eq!(rig.bodies(sub), ["\"12345\"", "123"]);
    assert_eq!(rig.hub.subscription_status(sub).unwrap().high_water_bytes, 10);
}

#[test]
fn the_hub_s_own_budget_is_over_all_subscriptions() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.messaging.pending_messages = 2;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    let (a, b) = (rig.sub(link, "a", &small(9, 99)), rig.sub(link, "b", &small(9, 99)));
    rig.deliver(link, &subject("a"), "", "1");
    rig.deliver(link, &subject("a"), "", "2");
    rig.deliver(link, &subject("b"), "", "3");
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    assert_eq!(rig.hub.subscription_status(b).unwrap().dropped_messages, 1);
    assert_eq!(rig.bodies(a), ["1", "2"]);
    assert_eq!(rig.current_error(), None, "nothing waits any more");
    rig.deliver(link, &subject("b"), "", "4");
    assert_eq!(rig.bodies(b), ["4"]);
    // Collected answers count as well, and the queue may be empty when they are done with.
    let var = rig.var("c");
    let collect = Some(posthouse_core::hub::Collect { max_replies: 9, max_bytes: 99 });
    let op = rig.hub.request(rig.now(), var, b"1", None, 3_000, collect).unwrap();
    let sent = rig.serve(link);
    rig.answer(link, &sent, "c", "1");
    rig.answer(link, &sent, "c", "2");
    rig.deliver(link, &subject("b"), "", "5");
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    rig.hub.cancel(rig.now(), op);
    assert_eq!(rig.current_error(), None);
}

#[test]
fn one_slow_subscription_does_not_hide_another() {
    let (mut rig, link) = Rig::connected();
    let (a, b) = (rig.sub(link, "a", &small(1, 99)), rig.sub(link, "b", &small(1, 99)));
    for name in ["a", "a", "b", "b"] {
        rig.deliver(link, &subject(name), "", "1");
    }
    rig.bodies(a);
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    rig.hub.unsubscribe(rig.now(), b);
    assert_eq!(rig.current_error(), None);
}

#[test]
fn what_no_handler_may_see_is_dropped_counted_and_reported() {
    let (mut rig, link) = Rig::connected();
    let all = rig.sub(link, ">", &SubscribeOptions::default());
    let prefix = posthouse_core::subject::message_prefix("workshop");
    let bad = [
        ("61", "", "{bad"),
        ("61", "", ""),
        ("61", "", "9007199254740993"),
        ("61", "", "1e999"),
        ("61", "", "\"\\ud800\""),
        ("61", "NATS/1.0\r\nx: é\r\n\r\n", "1"),
        ("61", "NATS/1.0\r\nx y: 1\r\n\r\n", "1"),
        ("6A", "", "1"),
        ("zz", "", "1"),
        ("612e62", "", "1"),
        ("ff", "", "1"),
    ];
    for (count, (token, block, body)) in bad.into_iter().enumerate() {
        let sid = rig.sid(link, &subject(">"));
        let (head, size) = (block.len(), block.len() + body.len());
        let line = if head == 0 {
            format!("MSG {prefix}{token} {sid} {size}\r\n{body}\r\n")
        } else {
            format!("HMSG {prefix}{token} {sid} {head} {size}\r\n{block}{body}\r\n")
        };
        rig.say(link, &line);
        let dropped = rig.hub.subscription_status(all).unwrap().dropped_messages;
        assert_eq!(dropped, count as u64 + 1, "{line}");
        let error = rig.last_error().unwrap();
        assert!(error.starts_with("INVALID_"), "{error}");
    }
    // Larger than any allowed: skipped as it streams by, whole or in pieces.
    let sid = rig.sid(link, &subject(">"));
    let body = "x".repeat(300_000);
    rig.say(link, &format!("MSG {prefix}61 {sid} 300000\r\n{}", &body[..1_000]));
    rig.say(link, &format!("{}\r\n", &body[1_000..]));
    assert_eq!(rig.last_error().as_deref(), Some("MESSAGE_TOO_LARGE"));
    assert!(rig.take(all).is_empty());
    rig.say(link, &format!("MSG {prefix}61.62 {sid} 1\r\n1\r\n"));
    let taken = rig.take(all);
    assert_eq!(taken[0].topic.as_deref(), Some("a.b"), "the subscription lives");
    assert_eq!(rig.current_error(), None);
}

#[test]
fn a_handler_takes_only_what_wants_an_answer() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &Rig::handler());
    rig.deliver(link, &subject("a"), "", "1");
    rig.deliver(link, &subject("a"), "_INBOX.x.1", "2");
    assert_eq!(rig.bodies(sub), ["2"]);
    assert_eq!(rig.hub.subscription_status(sub).unwrap().dropped_messages, 0);
}

#[test]
fn a_context_answers_while_its_handler_runs_and_no_longer() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &SubscribeOptions::default());
    rig.serve(link);
    rig.deliver(link, &subject("a"), "_INBOX.x.1", "1");
    rig.deliver(link, &subject("a"), "", "2");
    let taken = rig.take(sub);
    rig.hub.reply(&taken[0].token, b"1", None).unwrap();
    rig.hub.reply(&taken[0].token, b"2", None).unwrap();
    assert_eq!(rig.sent(link), "PUB _INBOX.x.1 1\r\n1\r\nPUB _INBOX.x.1 1\r\n2\r\n");
    assert_eq!(refused(&rig.hub.reply(&taken[1].token, b"1", None)), "NO_REPLY_SUBJECT");
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(refused(&rig.hub.reply(&taken[0].token, b"1", None)), "CLOSED");
    // Over a later connection it cannot send either, and that is over with the call.
    rig.deliver(link, &subject("a"), "_INBOX.x.2", "3");
    let late = rig.take(sub);
    rig.lose(link);
    rig.wait_dial();
    let link = rig.connect();
    assert_eq!(refused(&rig.hub.reply(&late[0].token, b"1", None)), "DISCONNECTED");
    rig.hub.answer(rig.now(), &late[0].token, b"1", None);
    assert_eq!((rig.last_error().as_deref(), rig.current_error()), (Some("DISCONNECTED"), None));
    assert!(!rig.serve(link).contains("_INBOX.x.2"));
}

#[test]
fn unsubscribe_discards_what_waits_and_lets_a_handler_finish() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "a", &SubscribeOptions::default());
    rig.deliver(link, &subject("a"), "_INBOX.x.1", "1");
    let taken = rig.take(sub);
    rig.deliver(link, &subject("a"), "", "2");
    let sid = rig.sid(link, &subject("a"));
    rig.hub.unsubscribe(rig.now(), sub);
    rig.hub.unsubscribe(rig.now(), sub);
    rig.say(link, &format!("MSG {} {sid} 1\r\n3\r\n", subject("a")));
    assert!(rig.take(sub).is_empty());
    assert_eq!(rig.pending(), (1, 1, 1));
    rig.hub.reply(&taken[0].token, b"1", None).unwrap();
    rig.hub.release(rig.now(), sub);
    assert_eq!(rig.pending(), (0, 0, 0));
    assert!(rig.hub.subscription_status(sub).is_none());
    rig.hub.release(rig.now(), sub);
    rig.hub.finished(rig.now(), sub, 5);
    assert_eq!(rig.pending(), (0, 0, 0));
}

#[test]
fn capacity_and_wrong_options() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.messaging.subscriptions = 1;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    let now = rig.now();
    for name in ["a*", "a.>.b", "a..b", ""] {
        let Ok(var) = rig.hub.var(name) else { continue };
        let result = rig.hub.subscribe(now, var, &SubscribeOptions::default());
        assert_eq!(refused(&result), "INVALID_TOPIC");
    }
    let var = rig.var("a");
    for queue in ["", "a.*", ">"] {
        let options =
            SubscribeOptions { queue: Some(queue.to_owned()), ..SubscribeOptions::default() };
        assert_eq!(refused(&rig.hub.subscribe(now, var, &options)), "INVALID_TOPIC");
    }
    for options in [small(0, 1), small(1, 0)] {
        assert_eq!(refused(&rig.hub.subscribe(now, var, &options)), "INVALID_OPTIONS");
    }
    let sub = rig.sub(link, "a", &SubscribeOptions::default());
    let over = rig.hub.subscribe(now, var, &SubscribeOptions::default());
    assert_eq!(refused(&over), "BUFFER_OVERFLOW");
    rig.hub.unsubscribe(now, sub);
    rig.sub(link, "a", &SubscribeOptions::default());
}

#[test]
fn patterns_groups_and_oneself_through_a_broker() {
    let mut world = World::new(3);
    let mine = world.sub(0, "sensor.>", &SubscribeOptions::default());
    let star = world.sub(1, "sensor.*", &SubscribeOptions::default());
    let queue = SubscribeOptions { queue: Some("q".to_owned()), ..SubscribeOptions::default() };
    let group = [world.sub(1, "sensor.a", &queue), world.sub(2, "sensor.a", &queue)];
    world.publish(0, "sensor.a", "1");
    world.publish(0, "sensor.a", "1");
    world.publish(2, "sensor.a.b", "2");
    world.publish(2, "sensor", "3");
    assert_eq!(world.bodies(0, mine), ["1", "1", "2"], "equal events are separate messages");
    assert_eq!(world.bodies(1, star), ["1", "1"]);
    let shared = world.bodies(1, group[0]).len() + world.bodies(2, group[1]).len();
    assert_eq!(shared, 2, "one member each");
    let all = world.sub(0, ">", &SubscribeOptions::default());
    world.set(1, "battery", "1");
    world.wait(6_000);
    assert!(world.bodies(0, all).is_empty(), "never state or reports");
    assert_eq!(world.get(0, "battery").as_deref(), Some("1"));
}

#[test]
fn a_reply_address_that_could_end_a_line_reaches_no_handler() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "order", &Rig::handler());
    for (count, bad) in ["r\nPUB", "r\r", "a\u{1}b", "a..b", "a.>"].into_iter().enumerate() {
        rig.deliver(link, &subject("order"), bad, "1");
        assert!(rig.take(sub).is_empty(), "{bad:?}");
        assert_eq!(rig.hub.subscription_status(sub).unwrap().dropped_messages, count as u64 + 1);
        assert_eq!(rig.last_error().as_deref(), Some("INVALID_MESSAGE"));
    }
    rig.deliver(link, &subject("order"), "_INBOX.a.1", "1");
    assert_eq!(rig.take(sub).len(), 1);
}
