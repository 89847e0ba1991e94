//! Joining, asking the others, and answering them.
use crate::common::{NS, Rig, World, config, rig::record, state};

#[test]
fn the_way_to_an_active_connection() {
    let mut rig = Rig::new();
    rig.set("battery", "1");
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    let connect = rig.sent(link);
    assert!(connect.starts_with("CONNECT {\"verbose\":false"), "{connect}");
    for part in ["\"protocol\":1", "\"echo\":true", "\"headers\":true", "\"no_responders\":true"] {
        assert!(connect.contains(part), "{part}");
    }
    rig.say(link, "PONG\r\n");
    let subs = rig.sent(link);
    let wanted = [
        format!("SUB {NS}.* "),
        format!("SUB _sys.v4.{NS}.sync "),
        format!("SUB _sys.v4.{NS}.health.* "),
    ];
    assert!(wanted.iter().all(|line| subs.contains(line)) && subs.ends_with("PING\r\n"), "{subs}");
    assert!(!subs.contains("PUB"));
    rig.say(link, "PONG\r\n");
    let records = rig.sent(link);
    assert!(records.starts_with(&format!("PUB {} ", state("battery"))));
    assert!(records.ends_with("PING\r\n") && rig.phase() == "Offline");
    rig.say(link, "PONG\r\n");
    assert_eq!(rig.phase(), "Active");
    let last = rig.sent(link);
    let health = format!("PUB _sys.v4.{NS}.health.{} ", rig.hub.instance_id());
    assert!(last.contains(&health), "a report on activation: {last}");
    let query = format!("{{\"instanceId\":\"{}\"}}", rig.hub.instance_id());
    assert!(
        last.contains(&format!("PUB _sys.v4.{NS}.sync _sys.v4.{NS}.inbox."))
            && last.contains(&query)
    );
}

fn ask(rig: &mut Rig, link: posthouse_core::LinkId, reply: &str, body: &str) -> String {
    rig.deliver(link, &format!("_sys.v4.{NS}.sync"), reply, body);
    rig.sent(link)
}

#[test]
fn whom_it_answers() {
    let (mut rig, link) = Rig::connected();
    rig.set("battery", "1");
    rig.set("gone", "1");
    let gone = rig.var("gone");
    rig.hub.delete(rig.now(), gone).unwrap();
    rig.serve(link);
    let inbox = format!("_sys.v4.{NS}.inbox.raw1");
    let own = format!("{{\"instanceId\":\"{}\"}}", rig.hub.instance_id());
    for (reply, body) in [
        (inbox.as_str(), own.as_str()),
        ("_INBOX.raw1", "{\"instanceId\":\"raw\"}"),
        ("_sys.v4.00.inbox.raw1", "{\"instanceId\":\"raw\"}"),
        ("", "{\"instanceId\":\"raw\"}"),
        (inbox.as_str(), "{\"instanceId\":\"r w\"}"),
        (inbox.as_str(), "{}"),
        (inbox.as_str(), "[1]"),
    ] {
        assert_eq!(ask(&mut rig, link, reply, body), "", "{reply} {body}");
    }
    let asking = "{\"instanceId\":\"raw\",\"more\":1}";
    let answer = ask(&mut rig, link, &inbox, asking);
    assert_eq!(answer.matches(&format!("PUB {inbox} ")).count(), 2, "tombstones, too: {answer}");
    let health = answer.find("health.").unwrap();
    assert!(health > answer.rfind(&inbox).unwrap(), "the report comes last");
    rig.wait(2_399);
    rig.serve(link);
    assert_eq!(ask(&mut rig, link, &inbox, asking), "", "a repeat within the peer time-out");
    rig.wait(1);
    rig.serve(link);
    assert!(ask(&mut rig, link, &inbox, asking).contains("battery"));
}

#[test]
fn its_inboxes_stay_open_for_the_peer_time_out() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.probe_interval_ms = 1_000;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    let first = rig.serve(link);
    let _ = first;
    let mut inboxes = Vec::new();
    let mut closed = Vec::new();
    for tick in 0..60 {
        for line in rig.serve(link).lines() {
            if line.starts_with(&format!("SUB _sys.v4.{NS}.inbox.")) {
                inboxes.push((tick, line.rsplit_once(' ').unwrap().1.to_owned()));
            } else if let Some(sid) = line.strip_prefix("UNSUB ") {
                closed.push((tick, sid.to_owned()));
            }
        }
        rig.wait(100);
    }
    assert!(inboxes.len() >= 4);
    for (opened, sid) in inboxes.iter().filter(|(tick, _)| *tick < 30) {
        let (when, _) = closed.iter().find(|(_, other)| other == sid).unwrap();
        assert!((24..=25).contains(&(when - opened)), "{opened} {when}");
    }
}

#[test]
fn what_comes_in_the_inbox_is_merged() {
    let mut rig = Rig::new();
    let (dial, _) = rig.dial();
    let link = rig.accept(dial, Rig::info());
    let sent = rig.serve(link);
    let line = sent.lines().find(|l| l.starts_with(&format!("SUB _sys.v4.{NS}.inbox."))).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let body = record("battery", "7", "w", "1");
    rig.say(link, &format!("MSG {} {} {}\r\n{body}\r\n", words[1], words[2], body.len()));
    assert_eq!(rig.get("battery").as_deref(), Some("1"));
}

#[test]
fn a_newcomer_gets_everything_and_a_missed_update_is_repaired() {
    let mut world = World::new(1);
    for n in 0..500 {
        world.set(0, &format!("v{n}"), &format!("\"{}\"", "x".repeat(500)));
    }
    world.settle();
    world.wait(3_000);
    let mut late = World::with(vec![config(1, &["nats://a:1"]), config(2, &["nats://a:1"])]);
    for n in 0..500 {
        late.set(0, &format!("v{n}"), &format!("\"{}\"", "x".repeat(500)));
    }
    late.cut(1);
    late.wait(20_000);
    assert_eq!(late.hubs[1].status(late.now()).variables, 500);
}

#[test]
fn every_probe_interval_it_asks_again() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let mut at = Vec::new();
    for second in 1..=61 {
        rig.wait(1_000);
        if rig.serve(link).contains(&format!("PUB _sys.v4.{NS}.sync ")) {
            at.push(second);
        }
    }
    assert_eq!(at, [15, 30, 45, 60]);
}
