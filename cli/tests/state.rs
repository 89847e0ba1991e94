//! State from a shell.
mod common;

use common::{Running, Served, lines, said};
use serde_json::{Value, json};

#[test]
fn a_held_value_is_read_changed_and_deleted() {
    let node = Served::start(&[]);
    let mut holder = Running::start(&node, &["set", "--hold", "lamp", "{\"on\": true}"]);
    holder.wait_for("holding lamp");
    let got = node.run(&["get", "lamp"]);
    assert_eq!(lines(&got), [json!({"on": true})], "{}", said(&got));

    // The write wins over the version that is held, without --hold: somebody else keeps it.
    let set = node.run(&["--json", "set", "lamp", "5"]);
    assert_eq!(lines(&set)[0]["version"]["counter"], "2", "{}", said(&set));
    assert!(!said(&set).contains("warning"), "{}", said(&set));
    assert_eq!(lines(&node.run(&["get", "lamp"])), [json!(5)]);

    assert!(node.run(&["delete", "lamp"]).status.success());
    let got = node.run(&["get", "lamp"]);
    assert_eq!(got.status.code(), Some(5), "{}", said(&got));
    let got = node.run(&["get", "--json", "lamp", "--fallback", "\"dark\""]);
    assert_eq!(lines(&got), [json!({"name": "lamp", "value": "dark", "exists": false})]);
    assert!(holder.interrupt().status.success());
}

#[test]
fn a_value_that_nobody_keeps_is_warned_about() {
    let node = Served::start(&[]);
    let set = node.run(&["set", "--text", "note", "not kept"]);
    assert!(set.status.success());
    assert!(said(&set).contains("--hold"), "{}", said(&set));
}

#[test]
fn a_watch_prints_every_value() {
    let node = Served::start(&[]);
    let mut watch = Running::start(&node, &["watch", "--count", "3", "lamp"]);
    // Nothing is known of it until the others had their time; then it is absent.
    watch.wait_for("absent");
    assert!(node.run(&["set", "lamp", "1"]).status.success());
    watch.wait_for("1");
    assert!(node.run(&["delete", "lamp"]).status.success());
    let ended = watch.end();
    assert!(ended.status.success(), "{}", said(&ended));
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(printed, "absent\n1\nabsent\n");
}

#[test]
fn a_watch_tells_scripts_everything() {
    let node = Served::start(&[]);
    let mut watch = Running::start(&node, &["watch", "--json", "lamp"]);
    assert!(node.run(&["set", "lamp", "1"]).status.success());
    watch.wait_for("\"value\":1");
    let ended = watch.interrupt();
    let last: Value = lines(&ended).pop().unwrap();
    assert_eq!((&last["name"], &last["value"]), (&json!("lamp"), &json!(1)));
    assert_eq!(last["version"]["counter"], "1");
}

#[test]
fn status_and_instances_tell_who_is_there() {
    let node = Served::start(&[]);
    let mut other = Running::start(&node, &["sub", "x"]);
    other.wait_for("listening");
    let status = node.run(&["--json", "status"]);
    let status = &lines(&status)[0];
    assert_eq!(
        (&status["namespace"], &status["connection"]),
        (&json!("test"), &json!("connected"))
    );
    let list = node.run(&["--json", "instances", "--listen", "2s"]);
    let list = &lines(&list)[0]["instances"];
    let online: Vec<&Value> =
        list.as_array().unwrap().iter().filter(|other| other["state"] == "online").collect();
    assert_eq!(online.len(), 1, "{list}");
    assert_ne!(online[0]["instanceId"], status["instanceId"], "{list}");
    assert_eq!(online[0]["status"]["connection"], "connected", "{list}");
    drop(other);
    let plain = node.run(&["status"]);
    assert!(String::from_utf8_lossy(&plain.stdout).contains("connected"), "{}", said(&plain));
}
