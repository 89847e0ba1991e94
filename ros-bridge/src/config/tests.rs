use super::*;
use crate::ros::codec::Floats;
use std::path::Path;

fn read(text: &str) -> Result<Config, Problems> {
    let variable = |name: &str| (name == "ROBOT_PASSWORD").then(|| "s3cret".to_owned());
    Config::from_text(text, "robot.yaml".to_owned(), Path::new("/etc/robot"), &variable)
}

fn resolved(text: &str) -> Result<Config, Problems> {
    read(text)?.resolved("/robot/bridge", &|name| {
        Ok(if name.starts_with('/') { name.to_owned() } else { format!("/robot/{name}") })
    })
}

fn refused(text: &str) -> String {
    match resolved(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(problems) => problems.to_string(),
    }
}

const HUB: &str = "hub: {namespace: workshop}\n";

#[test]
fn a_full_file_is_read_with_its_defaults() {
    let config = resolved(include_str!("../../config/everything.yaml")).unwrap();
    assert_eq!(config.hub.namespace, "workshop");
    assert_eq!(config.status_variable, "robot.bridge");
    let scan = &config.topics[0];
    assert_eq!((scan.topic.as_str(), scan.variable.as_str()), ("/robot/scan", "robot.scan"));
    assert!(scan.interval.is_some());
    assert_eq!(config.topics[0].common.rules.floats, Floats::Strings);
    assert_eq!(config.controls[0].common.rules.floats, Floats::Null);
    assert_eq!(config.routes(), 10);
    assert_eq!(config.events_out[0].headers.get_all("x-robot").count(), 2);
}

#[test]
fn unknown_keys_are_refused_with_line_and_nearest() {
    let text = refused("hub:\n  namespace: a\n  severs: b\ntopic:\n  - topic: /a\n");
    assert_eq!(
        text,
        "robot.yaml:3: hub: there is no key \"severs\"; did you mean \"servers\"?\n\
         robot.yaml:4: there is no key \"topic\"; did you mean \"topics\"?"
    );
    let text = refused(&format!("{HUB}topics:\n  - topic: /a\n    colour: red\n"));
    assert!(
        text.contains("robot.yaml:4: topics[0]: there is no key \"colour\"; known are topic,"),
        "{text}"
    );
}

#[test]
fn every_value_is_checked_with_its_line() {
    for (entry, wanted) in [
        ("topics: 3", "topics: is \"3\"; it has to be a list of mappings"),
        ("topics:\n  - /scan", "topics[0]: is \"/scan\"; it has to be a mapping"),
        ("topics:\n  - {topic: 'a b'}", "topics[0].topic: \"a b\" is no ROS name"),
        ("topics:\n  - {variable: a}", "topics[0]: topic is missing"),
        (
            "topics:\n  - {topic: /a, max_hz: fast}",
            "topics[0].max_hz: is \"fast\"; it has to be a number above 0",
        ),
        ("topics:\n  - {topic: /a, max_hz: 0}", "it has to be a number above 0"),
        ("topics:\n  - {topic: /a, type: String}", "is no type"),
        ("topics:\n  - {topic: /a, field: 'a[0]'}", "is no path into a message"),
        ("topics:\n  - {topic: /a, non_finite: zero}", "has to be one of null, strings, skip"),
        ("topics:\n  - {topic: /a, max_bytes: -1}", "a whole number from 1"),
        ("topics:\n  - {topic: /a, exclude: /b}", "nothing can be left out"),
        ("topics:\n  - {topic: '/a/*', variable: x}", "put {topic} or {1} into it"),
        ("topics:\n  - {topic: '/a/*', variable: 'x{2}'}", "the topic has 1 wildcards"),
        ("topics:\n  - {topic: /a, variable: 'x{y}'}", "what can be put in is {topic}"),
        ("controls:\n  - {variable: a, topic: /a}", "controls[0]: type is missing"),
        ("controls:\n  - {variable: a, topic: /a, type: a/B, latch: maybe}", "true or false"),
        ("events:\n  - {direction: up, topic: /a, channel: a}", "one of ros_to_hub, hub_to_ros"),
        (
            "events:\n  - {direction: hub_to_ros, topic: /a, channel: a}",
            "events[0].type: is missing",
        ),
        ("events:\n  - {direction: ros_to_hub, topic: /a, channel: 'a.*'}", "events[0].channel: "),
        (
            "events:\n  - {direction: ros_to_hub, topic: /a, channel: a, queue: b}",
            "is for direction hub_to_ros",
        ),
        (
            "events:\n  - {direction: ros_to_hub, topic: /a, channel: a, headers: {'a b': x}}",
            "events[0].headers.a b: ",
        ),
        (
            "events:\n  - {direction: ros_to_hub, topic: /a, channel: a, queue_size: 0}",
            "from 1 to 1000000",
        ),
        (
            "services:\n  - {direction: ros_to_hub, service: /a, channel: a}",
            "services[0].type: is missing",
        ),
        ("services:\n  - {direction: hub_to_ros, service: /a, channel: a, timeout: 0}", "above 0"),
        ("status_variable:", "status_variable: has no value"),
        ("defaults: {int64: big}", "one of number, string"),
    ] {
        let text = refused(&format!("{HUB}{entry}\n"));
        assert!(text.contains(wanted), "{entry}\n{text}");
        assert!(text.starts_with("robot.yaml:"), "{text}");
        let line = text["robot.yaml:".len()..].split(':').next().unwrap();
        assert!(line == "2" || line == "3", "{text}");
    }
    assert!(refused("").contains("hub is missing"));
    assert!(refused("hub: [").contains("robot.yaml:"));
    assert!(refused("a: 1\na: 2\n").contains("a second time; the first is on line 1"));
    assert!(refused("a: 1\n---\nb: 2\n").contains("a second document"));
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    assert!(refused(&deep).contains("deeper than 32 levels"));
    assert!(refused(&"[".repeat(100_000)).starts_with("robot.yaml:1: "));
}

#[test]
fn the_hubs_ways_to_authenticate() {
    for (entry, wanted) in [
        ("token: a, user: b, password: c", "a second way to authenticate"),
        ("user: b", "needs password or password_env"),
        ("password: c", "without a user"),
        ("user: b, password: c, password_env: D", "give one"),
        ("user: b, password_env: NOT_THERE", "NOT_THERE, which is not set"),
        ("nkey_file: seed.nk", "/etc/robot/seed.nk cannot be read"),
        ("tls: {cert_file: a}", "needs both"),
        ("servers: nats://h, node: true", "servers are given"),
    ] {
        let text = refused(&format!("hub: {{namespace: a, {entry}}}\n"));
        assert!(text.contains(wanted), "{entry}\n{text}");
    }
    let config = read("hub: {namespace: a, user: b, password_env: ROBOT_PASSWORD}\n").unwrap();
    assert!(!format!("{config:?}").contains("s3cret"));
    // A value that is refused may be a secret.
    let text = refused("hub: {namespace: a, token: [s3cret]}\n");
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn circles_and_names_given_twice_are_refused() {
    let control = "controls:\n  - {variable: go, topic: /cmd, type: a/B}\n";
    for (entry, wanted) in [
        (format!("{control}topics:\n  - {{topic: /cmd}}\n"), "topics[0].topic: /cmd goes both ways: controls[0] (line 3)"),
        (format!("{control}topics:\n  - {{topic: '/*'}}\n"), "or put it into exclude"),
        (format!("{control}events:\n  - {{direction: ros_to_hub, topic: /cmd, channel: a}}\n"), "both ways"),
        (format!("{control}  - {{variable: go2, topic: /cmd, type: a/B}}\n"), "is published by controls[0]"),
        (format!("{control}  - {{variable: go, topic: /cmd2, type: a/B}}\n"), "is the variable of controls[0]"),
        (format!("{control}topics:\n  - {{topic: /odom, variable: go}}\n"), "commands a topic in controls[0]"),
        (format!("{control}status_variable: go\n"), "is the status variable"),
        ("topics:\n  - {topic: /a, variable: x}\n  - {topic: /b, variable: x}\n".to_owned(), "topics[1].variable: \"x\" is the variable of topics[0]"),
        ("topics:\n  - {topic: '/**', variable: '{topic}'}\n  - {topic: /b, variable: b}\n".to_owned(), "topics[1].variable"),
        ("topics:\n  - {topic: /_bridge}\n".to_owned(), "the status variable"),
        ("events:\n  - {direction: ros_to_hub, topic: /a, channel: r.a}\n  - {direction: hub_to_ros, topic: /b, channel: 'r.*', type: a/B}\n".to_owned(), "events[0].channel: r.a overlaps r.* of events[1]"),
        ("services:\n  - {direction: ros_to_hub, service: /a, channel: s, type: a/B}\n  - {direction: hub_to_ros, service: /b, channel: s}\n".to_owned(), "would hear itself"),
        ("services:\n  - {direction: ros_to_hub, service: /a, channel: s, type: a/B}\n  - {direction: hub_to_ros, service: /a, channel: t}\n".to_owned(), "a call would come back"),
        ("services:\n  - {direction: hub_to_ros, service: /a, channel: s}\n  - {direction: hub_to_ros, service: /b, channel: s}\n".to_owned(), "is the channel of services[0]"),
    ] {
        let text = refused(&format!("{HUB}{entry}"));
        assert!(text.contains(wanted), "{entry}\n{text}");
    }
    // The same topic twice in one direction is two views of it, and relative names are resolved.
    let fine = "topics:\n  - {topic: odom, variable: pose, field: pose}\n  - {topic: odom, variable: twist, field: twist}\n  - {topic: '/**', exclude: /cmd, variable: 'all.{topic}'}\n";
    let config = resolved(&format!("{HUB}{control}{fine}")).unwrap();
    assert_eq!(config.topics[0].topic, "/robot/odom");
}

#[test]
fn parameters_read_like_the_file() {
    let parameters = serde_json::json!({
        "config": "ignored",
        "hub": {"namespace": "a"},
        "topics": [{"topic": "/scan", "max_hz": 5}],
    });
    let tree = params::tree(&params::sections(&parameters).unwrap());
    let around = Surroundings { folder: Path::new("/"), variable: &|_| None };
    let config = Config::from_tree(&tree, "the parameters of /bridge".into(), &around).unwrap();
    assert_eq!(config.topics.len(), 1);
    let wrong = serde_json::json!({"hub": {"namespace": "a", "tokn": "b"}});
    let problems = Config::from_tree(&params::tree(&wrong), "the parameters".into(), &around);
    assert_eq!(
        problems.unwrap_err().to_string(),
        "the parameters: hub: there is no key \"tokn\"; did you mean \"token\"?"
    );
}

#[test]
fn the_schema_and_the_page_are_what_the_tables_say() {
    for (path, text) in [
        ("config/posthouse_bridge.schema.json", json_schema::text()),
        ("../docs/reference/ros-yaml.md", reference::text()),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("POSTHOUSE_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == text,
            "{} is old; set POSTHOUSE_WRITE=1 and run this test",
            path.display()
        );
    }
}
