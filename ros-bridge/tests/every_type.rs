//! Every message and service type that is installed, and those of the tests: checksum and full text against ROS's own
//! generator; random messages of rospy to JSON and back, byte for byte; and rospy reads the JSON as the same
//! message. Prints a table.
mod support;

use posthouse_core::json::{self, Limits};
use posthouse_ros_bridge::ros::{
    Layout, ServiceLayout,
    codec::{Bytes, Floats, Integers, Rules},
    message::{Library, Schema, ServiceSchema},
};
use serde_json::{Value, json};
use std::{env, fmt::Write as _, sync::Arc};
use support::{Agent, bytes, oracle, packages};

/// Far beyond any message here.
const LIMITS: Limits = Limits { depth: 63, nodes: 10_000_000, bytes: 1 << 30 };

const ALL_RULES: [Rules; 2] = [
    Rules { bytes: Bytes::Base64, floats: Floats::Null, integers: Integers::Numbers },
    Rules { bytes: Bytes::Numbers, floats: Floats::Strings, integers: Integers::Strings },
];

#[derive(Default)]
struct Row {
    decoded: usize,
    encoded: usize,
    read_by_rospy: usize,
    wrong: Vec<String>,
}

/// Messages of rospy through our JSON and back.
fn check(oracle: &mut Agent, layout: &Layout, seed: u64, count: usize) -> Row {
    let mut row = Row::default();
    let asked = json!({ "do": "make", "kind": layout.name(), "seed": seed, "count": count });
    let made = oracle.ask(&asked);
    if made["md5"] != layout.md5() {
        row.wrong.push(format!("checksum {} is not {}", layout.md5(), made["md5"]));
    }
    for (number, message) in made["messages"].as_array().unwrap().iter().enumerate() {
        let body = bytes(message);
        for rules in ALL_RULES {
            let mut json = Vec::new();
            if let Err(refusal) = layout.to_json(&body, rules, &LIMITS, &mut json) {
                row.wrong.push(format!("message {number}, decoding: {refusal}"));
                continue;
            }
            json::validate(&json, &LIMITS).unwrap();
            row.decoded += 1;
            let mut again = Vec::new();
            match layout.from_json(&json, rules, &mut again) {
                Ok(()) if again == body => row.encoded += 1,
                Ok(()) => row.wrong.push(format!("message {number}: other bytes come back")),
                Err(refusal) => row.wrong.push(format!("message {number}, encoding: {refusal}")),
            }
            let json = std::str::from_utf8(&json).unwrap();
            let asked = json!({ "do": "fill", "kind": layout.name(), "json": json });
            match oracle.try_ask(&asked) {
                Ok(filled) if bytes(&filled) == body => row.read_by_rospy += 1,
                Ok(_) => row.wrong.push(format!("message {number}: rospy reads another message")),
                Err(error) => row.wrong.push(format!("message {number}, rospy: {error}")),
            }
        }
    }
    row
}

/// A service type that is not on disk, by the texts of its two messages.
fn by_text(name: &str, texts: &[Value]) -> Arc<ServiceLayout> {
    let part = |part: &str, text: &Value| {
        Schema::from_full_text(&format!("{name}{part}"), text.as_str().unwrap()).unwrap()
    };
    let (request, response) = (part("Request", &texts[0]), part("Response", &texts[1]));
    Arc::new(ServiceLayout::new(&ServiceSchema::new(name.to_owned(), request, response)).unwrap())
}

#[test]
fn every_installed_type_round_trips() {
    let seed = env::var("POSTHOUSE_ROS_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(1);
    let count = env::var("POSTHOUSE_ROS_COUNT").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    let mut oracle = oracle();
    let folders = ["/usr/share".into(), packages()];
    let types = oracle.ask(&json!({ "do": "types", "folders": folders }));
    let library = Library::new(vec![packages()]);
    let wanted = count * ALL_RULES.len();
    let mut table = format!(
        "{:<48} {:>7} {:>7} {:>7}  {:<32} equal\n",
        "type", "decoded", "encoded", "rospy", "md5"
    );
    let (mut messages, mut services, mut wrong) = (0, 0, Vec::new());
    for kind in types.as_array().unwrap() {
        let name = kind["kind"].as_str().unwrap();
        let is_service = kind["service"].as_bool().unwrap();
        let mut rows = Vec::new();
        let md5 = if is_service {
            services += 1;
            let layout = match kind["text"].as_array() {
                None => library.service(name).unwrap(),
                Some(texts) => by_text(name, texts),
            };
            rows.push(check(&mut oracle, &layout.request, seed, count));
            rows.push(check(&mut oracle, &layout.response, seed, count));
            layout.md5().to_owned()
        } else {
            messages += 1;
            let text = kind["text"].as_str().unwrap();
            let layout = match library.message(name) {
                Ok(layout) => layout,
                // Not on disk: as a connection brings it.
                Err(_) => {
                    Arc::new(Layout::new(&Schema::from_full_text(name, text).unwrap()).unwrap())
                }
            };
            let mut row = check(&mut oracle, &layout, seed, count);
            if text != layout.definition() {
                row.wrong.push("the full text is another one".to_owned());
            }
            // What a publisher sends is enough to know the type.
            let schema = Schema::from_full_text(name, layout.definition()).unwrap();
            assert_eq!(schema.md5(), layout.md5(), "{name}");
            assert_eq!(schema.full_text(), layout.definition(), "{name}");
            rows.push(row);
            layout.md5().to_owned()
        };
        let sum = |get: fn(&Row) -> usize| rows.iter().map(get).sum::<usize>();
        let total = wanted * rows.len();
        let counts = [sum(|row| row.decoded), sum(|row| row.encoded), sum(|row| row.read_by_rospy)];
        let same_sum = kind["md5"] == md5.as_str();
        let equal = same_sum && counts == [total; 3] && rows.iter().all(|row| row.wrong.is_empty());
        let _ = writeln!(
            table,
            "{name:<48} {:>7} {:>7} {:>7}  {md5} {}",
            counts[0],
            counts[1],
            counts[2],
            if equal { "yes" } else { "NO" }
        );
        if !equal {
            let what: Vec<_> = rows.iter().flat_map(|row| row.wrong.iter().take(3)).collect();
            wrong.push(format!("{name} (md5 {}): {what:?}", kind["md5"]));
        }
    }
    println!("{table}{messages} message types and {services} service types");
    assert!(wrong.is_empty(), "{} types differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(messages >= 100 && services >= 10, "{messages} and {services}");
}
