//! The planned switch to another server.
use crate::common::{Rig, config, refused, subject};
use posthouse_core::{
    Code, EndpointId, Error, LinkId,
    frame::Info,
    hub::{Action, SubscribeOptions},
};

const LEAVES: &str = "INFO {\"headers\":true,\"max_payload\":1048576,\"ldm\":true}\r\n";

fn rig(endpoints: &[&str]) -> (Rig, LinkId) {
    let mut rig = Rig::with(config(1, endpoints));
    let link = rig.connect();
    (rig, link)
}

/// The next connection, greeted: the old subscriptions are being retired.
fn switch(rig: &mut Rig, old: LinkId) -> LinkId {
    rig.say(old, LEAVES);
    let (dial, endpoint) = rig.dial();
    assert_eq!(endpoint, EndpointId(1));
    let next = rig.accept(dial, Rig::info());
    rig.serve(next);
    next
}

#[test]
fn retire_then_finish_then_activate() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    let sub = rig.sub(old, "work", &SubscribeOptions::default());
    let sid = rig.sid(old, &subject("work"));
    let asked = rig.request("other", "1");
    rig.serve(old);
    rig.deliver(old, &subject("work"), "_INBOX.x.1", "1");
    let taken = rig.take(sub);
    let next = switch(&mut rig, old);
    assert_eq!(rig.code(asked), "DISCONNECTED", "running requests fail");
    assert_eq!(rig.phase(), "Handoff");
    let var = rig.var("work");
    let now = rig.now();
    assert_eq!(refused(&rig.hub.publish(var, b"1", None)), "DISCONNECTED");
    assert_eq!(refused(&rig.hub.request(now, var, b"1", None, 9, None)), "DISCONNECTED");
    assert_eq!(refused(&rig.hub.subscribe(now, var, &Rig::handler())), "DISCONNECTED");
    assert!(!rig.hub.meta(var).connected);
    rig.set("battery", "1");
    // On its way when the server processed UNSUB: accepted.
    rig.deliver(old, &subject("work"), "", "2");
    assert!(rig.serve(old).contains(&format!("UNSUB {sid}\r\n")));
    assert!(!rig.serve(next).contains("SUB"), "not before the handlers have finished");
    rig.hub.reply(&taken[0].token, b"7", None).unwrap();
    rig.hub.finished(now, sub, 1);
    assert_eq!(rig.bodies(sub), ["2"]);
    assert!(rig.closed().is_empty(), "the last reply is not confirmed yet");
    assert!(rig.serve(old).contains("PUB _INBOX.x.1 1\r\n7\r\n"));
    assert_eq!(rig.closed(), [old]);
    let sent = rig.serve(next);
    assert!(sent.contains(&format!("SUB {}", subject("work"))) && sent.contains("battery"));
    let status = rig.hub.status(now);
    assert_eq!(status.last_switch_reason.as_deref(), Some("lame-duck"));
    assert_eq!((status.server.as_deref(), status.reconnects), (Some("nats://b:2"), 1));
    assert_eq!(status.pending_variables, 0);
    assert_eq!(rig.phase(), "Active");
    assert_eq!(refused(&rig.hub.reply(&taken[0].token, b"8", None)), "CLOSED");
    rig.deliver(next, &subject("work"), "", "3");
    assert_eq!(rig.bodies(sub), ["3"]);
}

#[test]
fn a_handler_gets_five_seconds() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    let sub = rig.sub(old, "work", &SubscribeOptions::default());
    rig.deliver(old, &subject("work"), "_INBOX.x.1", "1");
    let taken = rig.take(sub);
    // Dialling takes its own time, it is not part of the five seconds.
    rig.say(old, LEAVES);
    rig.wait(2_000);
    rig.serve(old);
    let (dial, _) = rig.dial();
    let next = rig.accept(dial, Rig::info());
    rig.serve(next);
    rig.serve(old);
    rig.wait(4_999);
    rig.serve(old);
    assert!(rig.closed().is_empty());
    rig.wait(1);
    assert_eq!(rig.closed(), [old]);
    rig.serve(next);
    assert_eq!(rig.phase(), "Active");
    assert_eq!(refused(&rig.hub.reply(&taken[0].token, b"1", None)), "DISCONNECTED");
    rig.hub.finished(rig.now(), sub, 1);
    assert_eq!(rig.pending(), (0, 0, 0));
}

#[test]
fn the_next_connection_lost_while_retiring_gives_the_old_one_back() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    let sub = rig.sub(old, "work", &SubscribeOptions::default());
    let next = switch(&mut rig, old);
    let connected = rig.hub.connected(rig.now(), None).unwrap();
    let flush = rig.hub.flush(rig.now(), 3_000).unwrap();
    rig.lose(next);
    assert_eq!(rig.closed(), [next]);
    // Who sees a hub as active may count on its subscriptions.
    assert_eq!(rig.phase(), "Handoff", "the server has not set the subscription up again");
    let sent = rig.serve(old);
    assert_eq!(rig.phase(), "Active");
    assert!(sent.contains(&format!("SUB {}", subject("work"))), "{sent}");
    assert_eq!((rig.code(connected), rig.code(flush)), ("OK", "OK"));
    rig.deliver(old, &subject("work"), "", "1");
    assert_eq!(rig.bodies(sub), ["1"]);
    // A later round of questions tries again.
    rig.wait(15_000);
    assert_eq!(rig.dial().1, EndpointId(1));
}

#[test]
fn both_connections_lost_while_retiring_end_in_a_new_one() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    let sub = rig.sub(old, "work", &SubscribeOptions::default());
    let next = switch(&mut rig, old);
    rig.lose(next);
    rig.lose(old);
    assert_eq!(rig.phase(), "Offline");
    rig.wait(200);
    let again = rig.connect();
    assert_eq!(rig.phase(), "Active");
    rig.deliver(again, &subject("work"), "", "1");
    assert_eq!(rig.bodies(sub), ["1"]);
}

#[test]
fn the_old_connection_lost_while_retiring_takes_the_next_at_once() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    let subs = ["a", "b", "c"].map(|name| rig.sub(old, name, &SubscribeOptions::default()));
    let draining = rig.hub.drain_subscription(rig.now(), subs[0], 5_000).unwrap();
    let next = switch(&mut rig, old);
    rig.lose(old);
    assert_eq!(rig.code(draining), "OK");
    rig.serve(next);
    assert_eq!(rig.phase(), "Active");
    for (sub, name) in [(subs[1], "b"), (subs[2], "c")] {
        rig.deliver(next, &subject(name), "", "1");
        assert_eq!(rig.bodies(sub), ["1"]);
        let sid = rig.sid(next, &subject(name));
        rig.hub.unsubscribe(rig.now(), sub);
        assert!(rig.serve(next).contains(&format!("UNSUB {sid}\r\n")));
    }
}

#[test]
fn the_old_connection_lost_while_the_next_one_greets() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    rig.sub(old, "work", &SubscribeOptions::default());
    rig.say(old, LEAVES);
    let (dial, _) = rig.dial();
    let next = rig.accept(dial, Rig::info());
    rig.lose(old);
    assert!(rig.dials().is_empty());
    assert!(rig.serve(next).contains(&format!("SUB {}", subject("work"))));
    assert_eq!(rig.phase(), "Active");
}

#[test]
fn a_lame_duck_tries_every_other_server_once() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2", "nats://c:3"]);
    rig.say(old, LEAVES);
    let (dial, endpoint) = rig.dial();
    assert_eq!(endpoint, EndpointId(1));
    // The second says that it leaves, too.
    let lame = rig.accept(dial, Info { ldm: true, ..Rig::info() });
    rig.serve(lame);
    assert_eq!(rig.closed(), [lame]);
    let (dial, endpoint) = rig.dial();
    assert_eq!(endpoint, EndpointId(2));
    rig.hub.handle_dial_failed(rig.now(), dial, &Error::new(Code::Disconnected, "down"));
    assert!(rig.dials().is_empty());
    assert_eq!(rig.phase(), "Active");
    rig.lose(old);
    rig.wait_dial();
    let tried: Vec<u32> = (0..3)
        .map(|_| {
            rig.wait_dial();
            let (dial, endpoint) = rig.dial();
            rig.hub.handle_dial_failed(rig.now(), dial, &Error::new(Code::Disconnected, "down"));
            endpoint.0
        })
        .collect();
    assert_eq!(tried, [1, 2, 0], "the one that left comes last, and comes");
}

#[test]
fn a_lame_duck_that_is_alone_is_kept_and_dialled_again() {
    let (mut rig, old) = Rig::connected();
    rig.say(old, LEAVES);
    assert!(rig.dials().is_empty());
    rig.lose(old);
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.phase(), "Active");
}

#[test]
fn a_better_server_needs_both_figures_and_a_rest() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    // A round trip of 50 ms.
    while !rig.actions.contains(&Action::Probe(EndpointId(1))) {
        rig.serve(old);
        rig.wait(1_000);
    }
    rig.sent(old);
    rig.wait(50);
    rig.say(old, &"PONG\r\n".repeat(4));
    assert_eq!(rig.hub.status(rig.now()).rtt_ms, Some(50.0));
    for (rtt_ms, better) in [(45, false), (41, false), (40, true)] {
        rig.hub.handle_probe(rig.now(), EndpointId(1), Some(rtt_ms * 1_000));
        assert_eq!(rig.dials().len(), usize::from(better), "{rtt_ms}");
    }
}

#[test]
fn a_switch_that_does_not_come_about_in_time_is_given_up() {
    let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
    rig.say(old, LEAVES);
    let (dial, _) = rig.dial();
    rig.wait(6_000);
    rig.settle();
    assert!(rig.actions.contains(&Action::Abandon(dial)));
    rig.serve(old);
    assert_eq!(rig.phase(), "Active");
}

#[test]
fn a_drain_during_a_switch_ends_on_the_connection_that_is_there() {
    for retiring in [false, true] {
        let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
        let sub = rig.sub(old, "work", &SubscribeOptions::default());
        rig.deliver(old, &subject("work"), "_INBOX.x.1", "1");
        let taken = rig.take(sub);
        rig.say(old, LEAVES);
        let (dial, _) = rig.dial();
        let next = rig.accept(dial, Rig::info());
        if retiring {
            rig.serve(next);
        }
        let flush = rig.hub.flush(rig.now(), 3_000).unwrap();
        let var = rig.var("work");
        let op = rig.hub.drain(rig.now(), 5_000).unwrap();
        assert_eq!(rig.closed(), [next]);
        assert!(rig.hub.meta(var).connected);
        rig.serve(old);
        rig.hub.reply(&taken[0].token, b"1", None).unwrap();
        rig.hub.finished(rig.now(), sub, 1);
        assert!(rig.serve(old).contains("PUB _INBOX.x.1"));
        assert_eq!((rig.code(op), rig.code(flush)), ("OK", "OK"));
    }
}

#[test]
fn close_in_any_step() {
    for step in 0..4 {
        let (mut rig, old) = rig(&["nats://a:1", "nats://b:2"]);
        rig.sub(old, "work", &SubscribeOptions::default());
        if step > 0 {
            rig.say(old, LEAVES);
        }
        if step > 1 {
            let (dial, _) = rig.dial();
            let next = rig.accept(dial, Rig::info());
            if step > 2 {
                rig.serve(next);
            }
        }
        rig.hub.close(rig.now());
        rig.settle();
        let ends = rig.actions.iter().filter(|a| !matches!(a, Action::Dial(..))).count();
        assert_eq!(ends, if step == 0 { 1 } else { 2 }, "step {step}: {:?}", rig.actions);
        assert!(rig.hub.deadline().is_none());
        rig.wait(60_000);
        assert!(rig.dials().len() <= usize::from(step == 1));
    }
}
