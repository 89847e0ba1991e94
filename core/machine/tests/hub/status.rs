//! Status and health reports: what the hub tells of itself, and whom it believes.
use crate::common::{NS, Rig, World, config};
use posthouse_core::{Code, LinkId, hub::Event};

fn report(rig: &mut Rig, link: LinkId, id: &str, body: &str) {
    let sid = rig.sid(link, &format!("_sys.v4.{NS}.health.*"));
    let subject = format!("_sys.v4.{NS}.health.{id}");
    rig.say(link, &format!("MSG {subject} {sid} {}\r\n{body}\r\n", body.len()));
}

fn known(rig: &Rig) -> Vec<(String, String)> {
    let list = rig.hub.instances(rig.now());
    list.into_iter().map(|i| (i.instance_id, format!("{:?}", i.state))).collect()
}

fn body(id: &str, extra: &str, interval: &str) -> String {
    format!(
        "{{\"status\":{{\"instanceId\":\"{id}\",\"namespace\":\"workshop\",\"connection\":\"connected\"{extra}}},\"interval\":{interval}}}"
    )
}

#[test]
fn reports_that_break_a_rule_are_refused() {
    let (mut rig, link) = Rig::connected();
    let long = "x".repeat(241);
    for bad in [
        body("other", "", "5000"),
        body("raw", "", "5000").replace("workshop", "elsewhere"),
        body("raw", ",\"name\":\"x\"", "5000"),
        body("raw", ",\"name\":null", "5000"),
        body("raw", "", "0"),
        body("raw", "", "2147483648"),
        body("raw", "", "5000.5"),
        body("raw", "", "\"5000\""),
        body("raw", "", "-1"),
        body("raw", ",\"sentMessages\":-1", "5000"),
        body("raw", ",\"mesh\":{\"role\":\"king\",\"members\":0}", "5000"),
        body("raw", ",\"mesh\":{\"role\":\"leader\",\"members\":-1}", "5000"),
        body(
            "raw",
            &format!(",\"mesh\":{{\"role\":\"leader\",\"members\":1,\"reason\":\"{long}\"}}"),
            "5000",
        ),
        body(
            "raw",
            &format!(
                ",\"mesh\":{{\"role\":\"leader\",\"members\":1,\"leaderId\":\"{}\"}}",
                &long[..129]
            ),
            "5000",
        ),
        body("raw", ",\"messaging\":{}", "5000"),
        body("raw", &format!(",\"lastError\":{{\"code\":\"X\",\"message\":\"{long}\"}}"), "5000"),
        body("raw", &format!(",\"unknown\":\"{}\"", "x".repeat(2_048)), "5000"),
        body("raw", "", "5000").replace("\"connection\":\"connected\"", "\"connection\":\"odd\""),
        "{}".to_owned(),
        "x".to_owned(),
    ] {
        report(&mut rig, link, "raw", &bad);
        assert!(known(&rig).is_empty(), "{bad}");
    }
    for (id, good) in [
        ("a", body("a", "", "1")),
        (
            "b",
            body(
                "b",
                ",\"mesh\":{\"role\":\"disabled\",\"leaderId\":null,\"members\":0,\"reason\":\"initializing\",\"upstreamConnected\":null},\"messaging\":{\"phase\":\"active\"},\"rttMs\":1.0274710000430787",
                "5000",
            ),
        ),
        ("c", body("c", ",\"unknown\":1", "2147483647")),
    ] {
        report(&mut rig, link, id, &good);
        assert!(known(&rig).iter().any(|(known, _)| known == id), "{good}");
    }
}

#[test]
fn online_for_three_intervals_then_offline_and_unknown_while_oneself_is() {
    let (mut rig, link) = Rig::connected();
    report(&mut rig, link, "slow", &body("slow", "", "600000"));
    report(&mut rig, link, "quick", &body("quick", "", "100"));
    rig.news();
    rig.wait(299);
    assert_eq!(known(&rig)[0], ("quick".to_owned(), "Online".to_owned()));
    assert!(!rig.news().contains(&Event::Instances));
    rig.wait(1);
    assert_eq!(known(&rig)[0].1, "Offline");
    assert!(rig.news().contains(&Event::Instances), "told when it happens");
    rig.lose(link);
    assert!(rig.news().contains(&Event::Instances));
    assert!(known(&rig).iter().all(|(_, state)| state == "Unknown"));
    rig.wait_dial();
    rig.connect();
    assert!(rig.news().contains(&Event::Instances));
    assert_eq!(known(&rig)[1].1, "Online");
}

#[test]
fn no_more_instances_than_allowed() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.max_instances = 2;
    let mut rig = Rig::with(config);
    let link = rig.connect();
    for id in ["a", "b", "c"] {
        report(&mut rig, link, id, &body(id, "", "1000"));
        rig.wait(100);
    }
    assert_eq!(known(&rig).len(), 2);
    rig.wait(2_850);
    report(&mut rig, link, "d", &body("d", "", "1000"));
    let ids: Vec<String> = known(&rig).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["b", "d"], "the one that has been silent longest makes room");
}

#[test]
fn every_hub_sees_every_hub_and_itself() {
    let mut world = World::new(3);
    world.wait(5_000);
    for hub in 0..3 {
        let list = world.hubs[hub].instances(world.now());
        assert_eq!(list.len(), 3);
        assert!(list.iter().all(|i| format!("{:?}", i.state) == "Online"));
    }
}

fn own_report(rig: &mut Rig, link: LinkId) -> serde_json::Value {
    rig.serve(link);
    rig.wait(5_000);
    let sent = rig.serve(link);
    let mut lines = sent.lines().skip_while(|line| !line.contains(".health."));
    lines.next().unwrap();
    serde_json::from_str(lines.next().unwrap()).unwrap()
}

#[test]
fn a_report_has_the_fields_of_the_contract() {
    let (mut rig, link) = Rig::connected();
    rig.set("battery", "1");
    let report = own_report(&mut rig, link);
    assert_eq!(report["interval"], 5_000);
    let status = report["status"].as_object().unwrap();
    for field in [
        "instanceId",
        "namespace",
        "sdk",
        "version",
        "runtime",
        "uptimeMs",
        "connection",
        "mesh",
        "messaging",
        "server",
        "rttMs",
        "lastSwitchReason",
        "pendingVariables",
        "pendingBytes",
        "variables",
        "subscriptions",
        "reconnects",
        "sentMessages",
        "receivedMessages",
        "sentBytes",
        "receivedBytes",
        "health",
        "currentError",
        "lastError",
    ] {
        assert!(status.contains_key(field), "{field}");
    }
    for field in [
        "phase",
        "pendingRequests",
        "pendingMessages",
        "pendingBytes",
        "inFlightHandlers",
        "droppedMessages",
        "nativeDroppedMessages",
    ] {
        assert!(status["messaging"].get(field).is_some(), "{field}");
    }
    assert_eq!(status["variables"], 1);
    assert_eq!(status["health"], "ok");
}

#[test]
fn a_report_is_never_too_long_and_tells_no_endpoint() {
    let mut config = config(1, &["nats://broker.example:4222"]);
    config.namespace = "\"".repeat(128);
    config.sdk = "\u{1}".repeat(300);
    config.runtime = "x".repeat(3_000);
    config.endpoints.push(format!("nats://{}:1", "h".repeat(3_000)));
    let mut rig = Rig::with(config);
    rig.fail_dial(Code::Disconnected, "broker.example:4222 is away");
    let link = rig.connect();
    let nasty = "\u{1}".repeat(400);
    rig.hub.handler_failed(rig.now(), "a handler", &nasty);
    let report = own_report(&mut rig, link);
    let text = report["status"].to_string();
    assert!(text.len() <= 2_048, "{}", text.len());
    let (mut rig, link) = {
        let mut rig = Rig::with(crate::common::config(1, &["nats://broker.example:4222"]));
        let link = rig.connect();
        (rig, link)
    };
    rig.hub.handler_failed(
        rig.now(),
        "a handler",
        "no way to broker.example:4222, (nats://u:p@x:1) nor broker.example.",
    );
    let report = own_report(&mut rig, link);
    let message = report["status"]["lastError"]["message"].as_str().unwrap();
    assert!(!message.contains("broker") && !message.contains("nats:"), "{message}");
    assert!(message.contains("[server]"));
}

#[test]
fn errors_of_several_causes_show_the_latest_until_it_passes() {
    let (mut rig, link) = Rig::connected();
    let mut small = posthouse_core::hub::SubscribeOptions::default();
    small.numbers.pending_messages = 1;
    let sub = rig.sub(link, "a", &small);
    for _ in 0..2 {
        rig.deliver(link, &crate::common::subject("a"), "", "1");
    }
    let var = rig.var("b");
    rig.hub.publish(var, b"1", None).unwrap();
    let refused = crate::common::subject("b");
    rig.sent(link);
    rig.say(link, &format!("-ERR 'Permissions Violation for Publish to \"{refused}\"'\r\n"));
    assert_eq!(rig.current_error().as_deref(), Some("PERMISSION_DENIED"));
    let flush = rig.hub.flush(rig.now(), 9).unwrap();
    rig.serve(link);
    assert_eq!(rig.code(flush), "PERMISSION_DENIED");
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"));
    rig.lose(link);
    rig.wait_dial();
    rig.connect();
    assert_eq!(rig.current_error().as_deref(), Some("SLOW_CONSUMER"), "the queue is still full");
    rig.bodies(sub);
    assert_eq!(rig.current_error(), None);
    assert_eq!(rig.hub.status(rig.now()).health, "ok");
}

#[test]
fn absurd_options_are_refused_or_harmless() {
    let mut config = config(1, &["nats://a:1"]);
    config.options.timeout_ms = u64::MAX;
    assert!(posthouse_core::hub::Hub::new(config.clone(), crate::common::at(0)).is_err());
    config.options.timeout_ms = 3_000;
    config.reconnect_max_ms = u64::MAX;
    let mut rig = Rig::with(config);
    let connected = rig.hub.connected(rig.now(), Some(u64::MAX)).unwrap();
    rig.connect();
    assert_eq!(rig.code(connected), "OK");
    let flush = rig.hub.flush(rig.now(), u64::MAX).unwrap();
    let ready = rig.hub.ready(rig.now(), None, Some(u64::MAX)).unwrap();
    rig.wait(3_000);
    assert_eq!((rig.code(flush), rig.code(ready)), ("-", "OK"));
    let mut rig = Rig::new();
    for _ in 0..80 {
        rig.fail_dial(Code::Disconnected, "down");
        rig.wait_dial();
    }
}
