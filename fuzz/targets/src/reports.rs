//! Health reports: none is accepted that breaks the contract, and an accepted one says what it said.
use posthouse_core::{hub::Report, name::is_id};
use serde_json::{Value, value::RawValue};

fn short(problem: &Value) {
    if let Some(message) = problem.get("message").and_then(Value::as_str) {
        assert!(message.chars().count() <= 240);
    }
}

/// The rules of the contract, on the JSON itself.
fn by_the_letter(value: &Value, report: &Report) {
    assert!(value.is_object() && value["status"].is_object(), "a report is an object");
    let status = &value["status"];
    assert!(status.get("name").is_none_or(Value::is_null));
    assert_eq!(status["instanceId"], report.status.instance_id.as_str());
    assert!(is_id(&report.status.instance_id));
    assert_eq!(status["namespace"], report.status.namespace.as_str());
    let interval = value["interval"].as_u64().expect("a whole number");
    assert!(interval == report.interval && (1..=2_147_483_647).contains(&interval));
    short(&status["currentError"]);
    short(&status["lastError"]);
    for counter in ["uptimeMs", "pendingVariables", "sentMessages", "receivedBytes", "reconnects"] {
        let number = status.get(counter).and_then(Value::as_f64);
        assert!(number.is_none_or(|number| number >= 0.0), "{counter}");
    }
    if let Some(mesh) = status.get("mesh").filter(|mesh| !mesh.is_null()) {
        let role = mesh["role"].as_str().expect("a role");
        let known = ["discovering", "candidate", "leader", "follower", "error", "disabled"];
        assert!(known.contains(&role) && mesh["members"].is_u64());
        assert!(mesh["reason"].as_str().is_none_or(|text| text.chars().count() <= 240));
        assert!(mesh["leaderId"].as_str().is_none_or(|text| text.chars().count() <= 128));
    }
    if let Some(messaging) = status.get("messaging").filter(|m| !m.is_null()) {
        assert!(messaging["phase"].is_string());
    }
}

/// The payload of a report.
pub fn run(data: &[u8]) {
    let Some(report) = Report::parse(data) else { return };
    let text = std::str::from_utf8(data).expect("an accepted report is UTF-8");
    serde_json::from_str::<&RawValue>(text).expect("an accepted report is JSON");
    // What is passed over may hold what has no value: a number too large, half a character.
    if let Ok(value) = serde_json::from_str(text) {
        by_the_letter(&value, &report);
    }
    let again = serde_json::to_vec(&report).expect("it can be written");
    let status = serde_json::to_vec(&report.status).expect("it can be written");
    match Report::parse(&again) {
        Some(back) => assert_eq!((&back.status, back.interval), (&report.status, report.interval)),
        // Fields that were left out are written with their defaults, which takes room.
        None => assert!(status.len() > 2_048, "{}", String::from_utf8_lossy(&again)),
    }
}
