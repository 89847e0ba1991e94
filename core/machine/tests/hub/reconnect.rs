//! Losing the connection and finding the next one.
use crate::common::{Rig, config, refused, subject};
use posthouse_core::{Code, EndpointId, hub::SubscribeOptions};

#[test]
fn nothing_is_kept_and_nothing_is_replayed() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    let var = rig.var("work");
    // Accepted, and still in the buffer when the connection goes.
    rig.hub.publish(var, b"1", None).unwrap();
    let asked = rig.request("work", "2");
    let flush = rig.hub.flush(rig.now(), 3_000).unwrap();
    rig.lose(link);
    assert_eq!((rig.code(asked), rig.code(flush)), ("DISCONNECTED", "DISCONNECTED"));
    let now = rig.now();
    assert_eq!(refused(&rig.hub.publish(var, b"3", None)), "DISCONNECTED");
    assert_eq!(refused(&rig.hub.request(now, var, b"3", None, 9, None)), "DISCONNECTED");
    assert_eq!(refused(&rig.hub.subscribe(now, var, &Rig::handler())), "DISCONNECTED");
    let status = rig.hub.subscription_status(sub).unwrap();
    assert!(!status.ready && format!("{:?}", status.phase) == "Offline");
    rig.wait_dial();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    let sent = rig.serve(link);
    assert!(!sent.contains(&format!("PUB {}", subject("work"))), "{sent}");
    assert!(sent.contains(&format!("SUB {} ", subject("work"))), "set up again");
    assert!(rig.hub.subscription_status(sub).unwrap().ready);
    assert_eq!(rig.current_error(), None, "its cause has passed");
    assert_eq!(rig.last_error().as_deref(), Some("DISCONNECTED"));
}

#[test]
fn pauses_double_and_never_end() {
    let mut rig = Rig::new();
    let mut pauses = Vec::new();
    for _ in 0..12 {
        rig.fail_dial(Code::Disconnected, "down");
        let before = rig.ms;
        rig.wait_dial();
        pauses.push(rig.ms - before);
    }
    for (pause, base) in pauses.iter().zip([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
        assert!((base * 8 / 10..=base * 12 / 10 + 10).contains(pause), "{pauses:?}");
    }
    assert!(pauses[8..].iter().all(|pause| (4_000..=6_010).contains(pause)), "{pauses:?}");
}

#[test]
fn connected_fails_only_when_every_server_refuses() {
    let mut rig = Rig::with(config(1, &["nats://a:1", "nats://b:2"]));
    let op = rig.hub.connected(rig.now(), None).unwrap();
    rig.fail_dial(Code::AuthFailed, "refused");
    assert_eq!(rig.code(op), "-");
    rig.fail_dial(Code::Disconnected, "down");
    assert_eq!(rig.code(op), "-");
    rig.wait_dial();
    rig.fail_dial(Code::AuthFailed, "refused");
    rig.fail_dial(Code::InvalidServer, "not NATS");
    assert_eq!(rig.code(op), "INVALID_SERVER");
    assert_eq!(format!("{:?}", rig.hub.connection()), "Error");
    let again = rig.hub.connected(rig.now(), None).unwrap();
    assert_eq!(rig.code(again), "INVALID_SERVER");
    rig.wait_dial();
    rig.connect();
    let now = rig.hub.connected(rig.now(), None).unwrap();
    assert_eq!(rig.code(now), "OK");
}

#[test]
fn connected_tells_the_reason_at_its_time_out() {
    let mut rig = Rig::with(config(1, &["nats://a:1", "nats://b:2"]));
    let op = rig.hub.connected(rig.now(), Some(50)).unwrap();
    rig.fail_dial(Code::Disconnected, "down");
    rig.fail_dial(Code::AuthFailed, "refused");
    rig.wait(50);
    assert_eq!(rig.code(op), "AUTH_FAILED");
    let mut rig = Rig::new();
    let op = rig.hub.connected(rig.now(), Some(50)).unwrap();
    rig.wait(50);
    assert_eq!(rig.code(op), "TIMEOUT");
}

#[test]
fn credentials_refused_after_the_greeting_are_told_as_such() {
    let mut rig = Rig::new();
    let op = rig.hub.connected(rig.now(), None).unwrap();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    rig.say(link, "-ERR 'Authorization Violation'\r\n");
    assert_eq!(rig.closed(), [link]);
    assert_eq!(rig.code(op), "AUTH_FAILED");
    // The driver tells of the end, too.
    rig.lose(link);
    rig.wait_dial();
    let link = rig.connect();
    rig.say(link, "-ERR 'User Authentication Expired'\r\n");
    assert_eq!(rig.closed(), [link]);
    assert_eq!(rig.current_error().as_deref(), Some("AUTH_FAILED"));
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.current_error(), None);
}

#[test]
fn a_server_without_headers_or_without_sense_is_no_server() {
    let mut rig = Rig::new();
    let op = rig.hub.connected(rig.now(), None).unwrap();
    let (dial, _) = rig.dial();
    let fields = posthouse_core::frame::ConnectFields::default();
    let info = posthouse_core::frame::Info::default();
    assert!(rig.hub.handle_connected(rig.now(), dial, info, &fields).is_none());
    assert_eq!(rig.code(op), "INVALID_SERVER");
    rig.wait_dial();
    let link = rig.connect();
    rig.say(link, "HTTP/1.1 400 Bad Request\r\n");
    assert_eq!(rig.closed(), [link]);
    rig.wait_dial();
}

#[test]
fn flush_offline_waits_for_a_connection_then_times_out() {
    let (mut rig, link) = Rig::connected();
    rig.lose(link);
    let late = rig.hub.flush(rig.now(), 20).unwrap();
    let good = rig.hub.flush(rig.now(), 20_000).unwrap();
    rig.wait(20);
    assert_eq!(rig.code(late), "TIMEOUT");
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.code(good), "OK");
}

#[test]
fn reconnecting_often_does_not_pile_up_questions() {
    let (mut rig, mut link) = Rig::connected();
    for _ in 0..20 {
        rig.lose(link);
        rig.wait_dial();
        link = rig.connect();
    }
    let mut asked = 0;
    for _ in 0..60 {
        rig.wait(1_000);
        asked += rig.serve(link).matches(".sync _sys").count();
    }
    assert_eq!(asked, 4, "one every 15 seconds");
}

#[test]
fn gossip_adds_and_takes_away_only_what_it_added() {
    let (mut rig, link) = Rig::connected();
    let info = |urls: &str| {
        format!("INFO {{\"headers\":true,\"max_payload\":1048576,\"connect_urls\":[{urls}]}}\r\n")
    };
    rig.say(link, &info("\"a:1\",\"b:2\""));
    let learned = posthouse_core::hub::Action::Learned(EndpointId(1), "b:2".to_owned());
    assert!(rig.actions.contains(&learned), "{:?}", rig.actions);
    rig.lose(link);
    rig.wait_dial();
    let (dial, endpoint) = rig.dial();
    assert_eq!(endpoint, EndpointId(1));
    let link = rig.accept(dial, Rig::info());
    rig.serve(link);
    let many: Vec<String> = (0..1_000).map(|n| format!("\"h{n}:1\"")).collect();
    rig.actions.clear();
    for _ in 0..3 {
        rig.say(link, &info(&many.join(",")));
    }
    assert!(rig.actions.len() <= 64, "{}", rig.actions.len());
    rig.say(link, &info(""));
    rig.lose(link);
    rig.wait_dial();
    assert_eq!(rig.dial().1, EndpointId(0), "what was configured stays");
}

#[test]
fn close_ends_everything_at_once() {
    let (mut rig, link) = Rig::connected();
    let sub = rig.sub(link, "work", &SubscribeOptions::default());
    rig.deliver(link, &subject("work"), "", "1");
    let (asked, flush) = (rig.request("x", "1"), rig.hub.flush(rig.now(), 9).unwrap());
    let (registering, op) = rig.begin_sub("y", &SubscribeOptions::default());
    let ready = rig.hub.ready(rig.now(), None, None).unwrap();
    rig.hub.close(rig.now());
    rig.hub.close(rig.now());
    assert_eq!(rig.closed(), [link]);
    for op in [asked, flush, op, ready] {
        assert_eq!(rig.code(op), "CLOSED");
    }
    assert_eq!(rig.pending(), (0, 0, 0));
    assert!(rig.take(sub).is_empty());
    let var = posthouse_core::VarId(0);
    let now = rig.now();
    assert_eq!(refused(&rig.hub.var("x")), "CLOSED");
    assert_eq!(refused(&rig.hub.publish(var, b"1", None)), "CLOSED");
    assert_eq!(refused(&rig.hub.set(now, var, b"1")), "CLOSED");
    assert_eq!(refused(&rig.hub.watch(var)), "CLOSED");
    assert_eq!(refused(&rig.hub.connected(now, None)), "CLOSED");
    assert_eq!(refused(&rig.hub.ready(now, None, None)), "CLOSED");
    assert_eq!(refused(&rig.hub.flush(now, 1)), "CLOSED");
    assert_eq!(refused(&rig.hub.drain_subscription(now, registering, 1)), "CLOSED");
    assert!(rig.hub.deadline().is_none() && rig.phase() == "Closed");
}
