//! Variables: writing, merging, versions, limits.
use crate::common::{NS, Rig, World, config, refused, rig::record, state};

fn version(rig: &mut Rig, name: &str) -> String {
    let var = rig.var(name);
    let version = rig.hub.meta(var).version.unwrap();
    format!("{} {}", version.counter.as_str(), version.writer)
}

#[test]
fn a_write_takes_the_clock_and_one_and_goes_out_at_once() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    rig.set("battery", " {\"b\":1, \"a\":1.0} ");
    let var = rig.var("battery");
    assert!(rig.hub.meta(var).pending);
    let writer = rig.hub.meta(var).version.unwrap().writer;
    let body = record("battery", "1", &writer, "{\"a\":1,\"b\":1}");
    let subject = state("battery");
    let sent = rig.serve(link);
    assert_eq!(sent, format!("PUB {subject} {}\r\n{body}\r\nPING\r\n", body.len()));
    assert!(!rig.hub.meta(var).pending);
    rig.record(link, "other", "41", "w", "1");
    rig.hub.delete(rig.now(), var).unwrap();
    assert_eq!(version(&mut rig, "battery"), format!("42 {writer}"));
    let body = record("battery", "42", &writer, "");
    assert!(rig.sent(link).contains(&body));
    assert_eq!(rig.get("battery"), None);
    assert_eq!(rig.hub.meta(var).exists, Some(false));
}

#[test]
fn the_higher_counter_then_the_greater_writer() {
    let (mut rig, link) = Rig::connected();
    for (counter, writer, value, held) in [
        ("5", "m", "1", "1"),
        ("4", "z", "2", "1"),
        ("5", "a", "2", "1"),
        ("5", "n", "3", "3"),
        ("18446744073709551616", "a", "4", "4"),
        ("9", "z", "5", "4"),
    ] {
        rig.record(link, "battery", counter, writer, value);
        assert_eq!(rig.get("battery").as_deref(), Some(held), "{counter} {writer}");
    }
    rig.set("battery", "6");
    assert!(version(&mut rig, "battery").starts_with("18446744073709551617 "));
}

#[test]
fn the_same_version_is_ignored_and_other_content_a_collision() {
    let (mut rig, link) = Rig::connected();
    rig.record(link, "battery", "5", "m", "{\"a\":1,\"b\":2}");
    rig.news();
    rig.record(link, "battery", "5", "m", "{\"b\":2,\"a\":1}");
    assert!(rig.last_error().is_none() && rig.news().is_empty());
    for other in ["2", ""] {
        rig.record(link, "battery", "5", "m", other);
        assert_eq!(rig.last_error().as_deref(), Some("VERSION_COLLISION"));
        assert_eq!(rig.get("battery").as_deref(), Some("{\"a\":1,\"b\":2}"));
    }
}

#[test]
fn broken_records_are_refused_and_reported() {
    let (mut rig, link) = Rig::connected();
    let sid = rig.sid(link, &format!("{NS}.*"));
    let version = "\"version\":{\"counter\":\"1\",\"writer\":\"w\"}";
    let bad = [
        "[]".to_owned(),
        "{".to_owned(),
        record("other", "1", "w", "1"),
        record("battery", "0", "w", "1"),
        record("battery", "01", "w", "1"),
        record("battery", &"1".repeat(41), "w", "1"),
        record("battery", "1", "w w", "1"),
        record("battery", "1", "", "1"),
        record("battery", "1", "w", "9007199254740993"),
        record("battery", "1", "w", &format!("\"{}\"", "x".repeat(65_536))),
        record("battery", "1", "w", &format!("{}1{}", "[".repeat(34), "]".repeat(34))),
        format!("{{\"name\":\"battery\",{version},\"deleted\":false}}"),
        format!("{{\"name\":\"battery\",{version},\"deleted\":1,\"value\":1}}"),
        format!("{{\"name\":\"battery\",{version},\"value\":1}}"),
        format!("{{\"name\":1,{version},\"deleted\":true}}"),
        format!("{{\"name\":\"battery\",{version},\"deleted\":true,\"scope\":null}}"),
        "{\"name\":\"battery\",\"version\":{\"counter\":1,\"writer\":\"w\"},\"deleted\":true}"
            .to_owned(),
    ];
    for body in &bad {
        rig.logs.clear();
        rig.say(link, &format!("MSG {} {sid} {}\r\n{body}\r\n", state("battery"), body.len()));
        assert_eq!(rig.last_error().as_deref(), Some("INVALID_RECORD"), "{body}");
        assert_eq!(rig.logs.len(), 1, "{body}");
        assert_eq!(rig.hub.status(rig.now()).variables, 0);
    }
    assert_eq!(rig.phase(), "Active");
    assert_eq!(rig.current_error(), None);
}

#[test]
fn lenient_where_the_contract_is() {
    let (mut rig, link) = Rig::connected();
    let sid = rig.sid(link, &format!("{NS}.*"));
    // The last of a duplicate key, an unknown field, white space, a tombstone with a value.
    for (body, value) in [
        (
            " {\"name\":1,\"deleted\":true,\"name\":\"battery\",\"x\":[{}],\"version\":{\"counter\":\"9\",\"counter\":\"1\",\"writer\":\"w\",\"y\":2},\"value\":1,\"value\":2,\"deleted\":false}",
            Some("2"),
        ),
        (
            "{\"name\":\"battery\",\"version\":{\"counter\":\"2\",\"writer\":\"w\"},\"deleted\":true,\"value\":3}",
            None,
        ),
        (
            "{\"name\":\"batt\\u0065ry\",\"version\":{\"counter\":\"3\",\"writer\":\"w\"},\"deleted\":false,\"value\":{\"a\":1,\"a\":2}}",
            Some("{\"a\":2}"),
        ),
    ] {
        rig.say(link, &format!("MSG {} {sid} {}\r\n{body}\r\n", state("battery"), body.len()));
        assert_eq!(rig.get("battery").as_deref(), value, "{:?}", rig.logs);
    }
}

#[test]
fn the_clock_ends_at_forty_digits() {
    let (mut rig, link) = Rig::connected();
    rig.record(link, "battery", &"9".repeat(40), "w", "1");
    let var = rig.var("other");
    assert_eq!(refused(&rig.hub.set(rig.now(), var, b"1")), "MEMORY_FULL");
}

#[test]
fn bad_values_are_refused_here() {
    let (mut rig, _) = Rig::connected();
    let var = rig.var("battery");
    let now = rig.now();
    for bad in ["", "{", "9007199254740992", "1e999", "NaN", "\"\\ud800\""] {
        assert_eq!(refused(&rig.hub.set(now, var, bad.as_bytes())), "INVALID_VALUE", "{bad}");
    }
    let deep = format!("{}1{}", "[".repeat(33), "]".repeat(33));
    assert_eq!(refused(&rig.hub.set(now, var, deep.as_bytes())), "INVALID_VALUE");
    let long = format!("\"{}\"", "x".repeat(65_535));
    assert_eq!(refused(&rig.hub.set(now, var, long.as_bytes())), "VALUE_TOO_LARGE");
    for good in ["null", "false", "0", "\"\"", "[]", "{}", "-0"] {
        rig.hub.set(now, var, good.as_bytes()).unwrap();
        let shown = if good == "-0" { "0" } else { good };
        assert_eq!(rig.get("battery").as_deref(), Some(shown));
        assert_eq!(rig.hub.meta(var).exists, Some(true));
    }
}

#[test]
fn room_is_bounded_and_the_error_passes_with_its_cause() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.max_variables = 3;
    config.options.max_memory_bytes = 300;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    let names = ["a", "b", "c"].map(|name| rig.var(name));
    assert_eq!(refused(&rig.hub.var("d")), "MEMORY_FULL");
    assert_eq!(rig.hub.var("a").unwrap(), names[0], "the same name, the same reference");
    let big = format!("\"{}\"", "x".repeat(190));
    rig.set("a", &big);
    rig.record(link, "b", "7", "w", &big);
    assert_eq!(rig.current_error().as_deref(), Some("MEMORY_FULL"));
    assert_eq!(rig.get("b"), None);
    assert_eq!(refused(&rig.hub.set(rig.now(), names[2], big.as_bytes())), "MEMORY_FULL");
    rig.set("a", "1");
    assert_eq!(rig.current_error(), None);
    rig.record(link, "b", "7", "w", &big);
    assert_eq!(rig.get("b"), Some(big));
    // Names that find no room leave nothing behind.
    for n in 0..100 {
        rig.record(link, &format!("n{n}"), "1", "w", "1");
    }
    assert_eq!(rig.hub.status(rig.now()).variables, 3);
}

#[test]
fn writes_are_coalesced_while_the_transport_is_busy_and_flushed_before_a_flush() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    let body = format!("\"{}\"", "x".repeat(60_000));
    rig.set("big", &body);
    rig.set("big", &body);
    for n in 0..100 {
        rig.set("battery", &n.to_string());
    }
    let flush = rig.hub.flush(rig.now(), 3_000).unwrap();
    let sent = rig.serve(link);
    let subject = format!("PUB {} ", state("battery"));
    assert_eq!(sent.matches(&subject).count(), 1, "only the last");
    assert!(sent.contains("\"value\":99}"));
    assert_eq!(rig.code(flush), "OK");
    assert_eq!(rig.hub.status(rig.now()).pending_variables, 0);
}

#[test]
fn pending_is_that_of_the_version_confirmed() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    rig.set("battery", "1");
    let var = rig.var("battery");
    rig.sent(link);
    rig.set("battery", "2");
    rig.say(link, "PONG\r\n");
    assert!(rig.hub.meta(var).pending, "the first write was confirmed, not the second");
    rig.serve(link);
    assert!(!rig.hub.meta(var).pending);
    rig.set("battery", "3");
    rig.record(link, "battery", "99", "w", "4");
    assert!(!rig.hub.meta(var).pending, "it is another's now");
    rig.serve(link);
    let status = rig.hub.status(rig.now());
    assert_eq!((status.pending_variables, status.pending_bytes), (0, 0));
}

#[test]
fn set_in_every_stage_of_connecting_is_published_and_confirmed() {
    for stage in 0..4 {
        let mut rig = Rig::new();
        rig.set("early", "0");
        let (dial, _) = rig.dial();
        let link = rig.accept(dial, Rig::info());
        let mut sent = String::new();
        for step in 0..4 {
            if step == stage {
                rig.set("battery", "1");
            }
            sent += &rig.sent(link);
            rig.say(link, "PONG\r\n");
        }
        sent += &rig.serve(link);
        assert_eq!(sent.matches("\"battery\"").count(), 1, "stage {stage}: {sent}");
        assert_eq!(rig.hub.status(rig.now()).pending_variables, 0, "stage {stage}");
    }
}

#[test]
fn names_are_taken_whole() {
    let (mut rig, link) = Rig::connected();
    rig.serve(link);
    for name in ["sensor.*", "a..b", ".a", "é", "e\u{301}"] {
        rig.set(name, "1");
        assert!(rig.sent(link).contains(&format!("PUB {} ", state(name))));
    }
    assert_eq!(rig.hub.status(rig.now()).variables, 5);
    for name in ["", "\n", "\u{7f}", &"x".repeat(129)] {
        assert_eq!(refused(&rig.hub.var(name)), "INVALID_NAME");
    }
}

#[test]
fn replicas_come_together_through_a_broker() {
    let mut world = World::new(3);
    world.set(0, "a", "1");
    world.set(1, "b", "{\"x\":[1,2]}");
    world.settle();
    world.cut(2);
    world.set(2, "a", "\"offline\"");
    world.set(0, "c", "3");
    world.settle();
    world.wait(20_000);
    for hub in 0..3 {
        // The offline write took the clock of its writer: it had seen the first one.
        assert_eq!(world.get(hub, "a").as_deref(), Some("\"offline\""), "hub {hub}");
        assert_eq!(world.get(hub, "b").as_deref(), Some("{\"x\":[1,2]}"));
        assert_eq!(world.get(hub, "c").as_deref(), Some("3"));
        assert_eq!(world.hubs[hub].status(world.now()).pending_variables, 0);
    }
}
