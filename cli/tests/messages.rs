//! Events, requests and collections from a shell.
mod common;

use common::{Running, Served, lines, said};
use serde_json::{Value, json};
use std::{io::Write as _, process::Stdio};

#[test]
fn an_event_reaches_a_subscriber() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "--json", "--count", "3", "sensor.*", "other"]);
    sub.wait_for("listening");
    let sent = node.run(&["pub", "--json", "sensor.hall", "-H", "unit:C", "{\"t\":19.5}"]);
    assert!(sent.status.success(), "{}", said(&sent));
    assert_eq!(lines(&sent), [json!({"published": 1})]);
    // Lines of the input, one event each.
    let mut child = node.command(&["pub", "sensor.yard"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"1\n\n\"two\"\n").unwrap();
    assert!(child.wait().unwrap().success());
    let ended = sub.end();
    assert!(ended.status.success(), "{}", said(&ended));
    assert_eq!(
        lines(&ended),
        [
            json!({"topic": "sensor.hall", "data": {"t": 19.5}, "headers": {"unit": "C"}, "request": false}),
            json!({"topic": "sensor.yard", "data": 1, "headers": {}, "request": false}),
            json!({"topic": "sensor.yard", "data": "two", "headers": {}, "request": false}),
        ]
    );
}

#[test]
fn a_request_is_answered_by_a_command() {
    let node = Served::start(&[]);
    let script = "read data; echo \"{\\\"topic\\\":\\\"$POSTHOUSE_TOPIC\\\",\\\"got\\\":$data}\"";
    let mut handler =
        Running::start(&node, &["handle", "--json", "--count", "2", "ask.*", "--", script]);
    handler.wait_for("answering");
    let answer = node.run(&["req", "ask.me", "[1, 2]"]);
    assert_eq!(lines(&answer), [json!({"topic": "ask.me", "got": [1, 2]})], "{}", said(&answer));
    let answer = node.run(&["req", "--json", "ask.you"]);
    let data = json!({"topic": "ask.you", "got": null});
    assert_eq!(lines(&answer), [json!({"data": data, "headers": {}})], "{}", said(&answer));
    let ended = handler.end();
    assert!(ended.status.success(), "{}", said(&ended));
    assert_eq!(lines(&ended).len(), 2);
}

#[test]
fn a_failing_command_answers_nothing() {
    let node = Served::start(&[]);
    let mut handler = Running::start(&node, &["handle", "--count", "1", "ask", "--", "exit 3"]);
    handler.wait_for("answering");
    let answer = node.run(&["req", "--timeout", "300ms", "ask"]);
    assert_eq!(answer.status.code(), Some(4), "{}", said(&answer));
    assert!(said(&answer).contains("TIMEOUT"));
    let ended = handler.end();
    assert!(said(&ended).contains("sh ended with"), "{}", said(&ended));
}

#[test]
fn nobody_there_is_said_at_once() {
    let node = Served::start(&[]);
    let answer = node.run(&["--json", "req", "--timeout", "1m", "nobody"]);
    assert_eq!(answer.status.code(), Some(4));
    let error: Value = serde_json::from_str(said(&answer).trim()).unwrap();
    assert_eq!(error["error"]["code"], "NO_RESPONDERS");
}

#[test]
fn a_collection_prints_every_answer() {
    let node = Served::start(&[]);
    let mut handlers: Vec<Running> = ["\"a\"", "\"b\""]
        .map(|answer| Running::start(&node, &["handle", "--answer", answer, "who"]))
        .into();
    for handler in &mut handlers {
        handler.wait_for("answering");
    }
    let answers = node.run(&["collect", "--json", "who", "--max", "2", "--window", "1m"]);
    let mut answers = lines(&answers);
    assert_eq!(answers.pop(), Some(json!({"replies": 2, "reason": "maxReplies"})));
    let mut data: Vec<&str> = answers.iter().filter_map(|line| line["data"].as_str()).collect();
    data.sort_unstable();
    assert_eq!(data, ["a", "b"]);
    for handler in handlers {
        let ended = handler.interrupt();
        assert!(ended.status.success(), "{}", said(&ended));
    }
}

#[test]
fn members_of_a_queue_share() {
    let node = Served::start(&[]);
    let words = ["sub", "--data", "--queue", "workers", "job"];
    let mut workers: Vec<Running> = (0..2).map(|_| Running::start(&node, &words)).collect();
    for worker in &mut workers {
        worker.wait_for("listening");
    }
    let mut child = node.command(&["pub", "job"]).stdin(Stdio::piped()).spawn().unwrap();
    let numbers: Vec<String> = (0..20).map(|number: i32| number.to_string()).collect();
    child.stdin.take().unwrap().write_all(numbers.join("\n").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    // The drain at the end prints what was accepted before.
    let mut all: Vec<i64> = workers
        .into_iter()
        .flat_map(|worker| lines(&worker.interrupt()))
        .filter_map(|line| line.as_i64())
        .collect();
    all.sort_unstable();
    assert_eq!(all, (0..20).collect::<Vec<_>>());
}

#[test]
fn wrong_data_and_names_are_refused_before_connecting() {
    for (words, code) in [
        (&["pub", "x", "hello"][..], "INVALID_VALUE"),
        (&["req", "x", "{"], "INVALID_VALUE"),
        (&["pub", "x", "1", "-H", "nonsense"], "INVALID_HEADERS"),
        (&["handle", "x", "--answer", "nope"], "INVALID_VALUE"),
    ] {
        let done = common::command(words).env("POSTHOUSE_NAMESPACE", "test").output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{words:?}: {}", said(&done));
        assert!(said(&done).contains(code), "{words:?}: {}", said(&done));
    }
    let node = Served::start(&[]);
    let done = node.run(&["pub", "a..b", "1"]);
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("INVALID_TOPIC"));
}

#[test]
fn without_a_broker_it_says_how_to_get_one() {
    let words = ["-s", "nats://127.0.0.1:1", "--timeout", "300ms", "x", "1"];
    let words: Vec<&str> = ["pub", "-n", "test"].iter().chain(&words).copied().collect();
    let done = common::posthouse(&words);
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    assert!(said(&done).contains("posthouse serve"), "{}", said(&done));
}

#[test]
fn the_namespace_is_asked_for() {
    let done = common::posthouse(&["pub", "x", "1"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(said(&done).contains("--namespace"), "{}", said(&done));
}

#[test]
fn the_bench_measures() {
    let node = Served::start(&[]);
    let done = node.run(&["--json", "bench", "--events", "500", "--requests", "20"]);
    assert!(done.status.success(), "{}", said(&done));
    let figures = &lines(&done)[0];
    assert_eq!((&figures["received"], &figures["requests"]), (&json!(500), &json!(20)));
    assert!(figures["sent_per_second"].as_f64().unwrap() > 0.0);
}

#[test]
fn secrets_are_not_printed() {
    let node = Served::start(&["--token", "open-sesame"]);
    let done = node.run(&["--log", "trace", "status", "--token", "wrong-sesame"]);
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    assert!(said(&done).contains("AUTH_FAILED"), "{}", said(&done));
    let mut right = node.command(&["--log", "trace", "status"]);
    let right = right.env("POSTHOUSE_TOKEN", "open-sesame").output().unwrap();
    assert!(right.status.success(), "{}", said(&right));
    for done in [done, right] {
        let all = [&done.stdout[..], &done.stderr[..]].concat();
        assert!(!String::from_utf8_lossy(&all).contains("sesame"));
    }
}
