//! Queues from a shell: messages in and out, and what an administrator does.
mod common;

use common::{Running, command, lines, said};
use posthouse_testkit::{Binary, NatsServer, TempDir};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// A folder with a queue file, and commands for a queue in it.
struct Bed(TempDir);

impl Bed {
    fn new() -> Self {
        Self(TempDir::new("cli-queue"))
    }
    fn file(&self) -> PathBuf {
        self.0.path().join("queue.db")
    }
    fn command(&self, verb: &str, rest: &[&str]) -> Command {
        let file = self.file();
        let mut words = vec!["queue", verb, "--file", file.to_str().unwrap(), "work"];
        words.extend(rest);
        command(&words)
    }
    fn run(&self, verb: &str, rest: &[&str]) -> Output {
        self.command(verb, rest).output().unwrap()
    }
    fn stats(&self, rest: &[&str]) -> Value {
        let done = self.run("stats", &[&["--json"], rest].concat());
        assert!(done.status.success(), "{}", said(&done));
        lines(&done).remove(0)
    }
}

fn fed(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn consumed(bed: &Bed, rest: &[&str]) -> Vec<Value> {
    let done = bed.run("consume", rest);
    assert!(done.status.success(), "{}", said(&done));
    lines(&done)
}

#[test]
fn what_is_sent_is_printed_once_and_done() {
    let bed = Bed::new();
    assert!(bed.run("send", &["{\"kind\": \"page\"}"]).status.success());
    let sent = fed(bed.command("send", &["--json"]), "1\n\n[2, 3]\n");
    assert_eq!(lines(&sent), [json!({"sent": 2})], "{}", said(&sent));
    let sent = fed(bed.command("send", &["--text"]), "two words\n");
    assert!(sent.status.success(), "{}", said(&sent));
    let batch = "[{\"body\":{\"a\":1}},{\"body\":5,\"delaySeconds\":0}]";
    let sent = fed(bed.command("send", &["--json", "--batch"]), batch);
    assert_eq!(lines(&sent), [json!({"sent": 2})], "{}", said(&sent));

    let peeked = lines(&bed.run("peek", &["--json", "--max", "2"]));
    assert_eq!(peeked.len(), 2);
    assert_eq!((&peeked[0]["body"], &peeked[0]["attempts"]), (&json!({"kind": "page"}), &json!(0)));

    let first = consumed(&bed, &["--json", "--count", "1"]);
    assert_eq!(first[0]["id"], peeked[0]["id"]);
    assert_eq!(first[0]["attempts"], 1);
    assert_eq!(bed.stats(&[])["ready"], 5);
    let rest = consumed(&bed, &["--count", "5"]);
    assert_eq!(rest, [json!(1), json!([2, 3]), json!("two words"), json!({"a": 1}), json!(5)]);
    assert_eq!(bed.stats(&[])["ready"], 0);
}

#[test]
fn it_consumes_until_it_is_stopped_and_wakes_for_what_arrives() {
    let bed = Bed::new();
    let mut consumer = Running::of(bed.command("consume", &["--setting", "max_batch_wait=0"]));
    consumer.wait_for("consuming work");
    for body in ["1", "2"] {
        let done = bed.run("send", &[body, "--setting", "max_batch_wait=0"]);
        assert!(done.status.success(), "{}", said(&done));
        consumer.wait_for(body);
    }
    let ended = consumer.interrupt();
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    assert_eq!(lines(&ended), [json!(1), json!(2)]);
}

#[test]
fn an_administrator_looks_pauses_purges_and_brings_back() {
    let bed = Bed::new();
    let settings = ["--setting", "dead_letter_queue=dead", "--setting", "max_retries=0"];
    assert!(bed.run("send", &[&["1"][..], &settings].concat()).status.success());
    let later = ["2", "--delay", "600"];
    assert!(bed.run("send", &[&later[..], &settings].concat()).status.success());
    let stats = bed.stats(&settings);
    assert_eq!(
        (&stats["ready"], &stats["delayed"], &stats["dead"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert_eq!(stats["paused"], false);
    assert!(stats["oldestMs"].is_u64());

    assert!(bed.run("pause", &settings).status.success());
    assert_eq!(bed.stats(&settings)["paused"], true);
    assert!(bed.run("resume", &settings).status.success());

    // One that fails goes to the dead letters at once, for it has no retries.
    let failing = [&["--exec", "false", "--count", "1"][..], &settings].concat();
    assert!(bed.run("consume", &failing).status.success());
    assert_eq!(bed.stats(&settings)["dead"], 1);
    let back = bed.run("redrive", &[&["--json"][..], &settings].concat());
    assert_eq!(lines(&back), [json!({"redriven": 1})], "{}", said(&back));
    assert_eq!(bed.stats(&settings)["ready"], 1);
    let purged = bed.run("purge", &settings);
    assert_eq!(String::from_utf8_lossy(&purged.stdout), "purged 2\n");
    let plain = bed.run("stats", &settings);
    let plain = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(plain.contains("ready     0") && plain.contains("paused    no"), "{plain}");
}

#[test]
fn a_configuration_names_queues_by_binding_or_by_queue() {
    let bed = Bed::new();
    let path = bed.0.path().join("queues.toml");
    let text = "[queues.PAGE_QUEUE]\nstore = \"sqlite:queue.db\"\nqueue = \"pages\"\n";
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    // It is no program of the deployment and needs no grant.
    let sent = command(&["queue", "send", "-c", path, "PAGE_QUEUE", "1"]).output().unwrap();
    assert!(sent.status.success(), "{}", said(&sent));
    assert!(bed.file().exists());
    let mut named = command(&["queue", "consume", "--count", "1", "pages"]);
    let done = named.env("POSTHOUSE_QUEUE_CONFIG", path).output().unwrap();
    assert_eq!(lines(&done), [json!(1)], "{}", said(&done));
    let unknown = command(&["queue", "send", "-c", path, "NOPE", "1"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown).contains("DEPLOYMENT"), "{}", said(&unknown));
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_done() {
    let bed = Bed::new();
    let refused = |done: Output, exit: i32, words: &[&str]| {
        assert_eq!(done.status.code(), Some(exit), "{}", said(&done));
        for word in words {
            assert!(said(&done).contains(word), "{word}: {}", said(&done));
        }
    };
    refused(command(&["queue", "stats", "work"]).output().unwrap(), 2, &["--file", "--server"]);
    refused(bed.run("stats", &[]), 2, &["there is no file"]);
    assert!(!bed.file().exists());
    refused(bed.run("send", &["{"]), 2, &["QUEUE_BODY_JSON", "消息体不是有效的 JSON 文字"]);
    refused(bed.run("send", &["1", "--delay", "-1"]), 2, &["QUEUE_DELAY"]);
    refused(bed.run("send", &["--batch", "[]"]), 2, &["QUEUE_BATCH_COUNT"]);
    let odd = fed(bed.command("send", &[]), "1\n{\n3\n");
    refused(odd, 2, &["line 2", "1 were sent before"]);
    refused(bed.run("send", &["1", "--setting", "max_retry=1"]), 2, &["max_retries"]);
    refused(bed.run("send", &["1", "--setting", "max_retries=101"]), 2, &["0 to 100"]);
    refused(bed.run("consume", &["--exec", "./no-such-program"]), 2, &["can be run"]);
    fs::write(bed.0.path().join("list"), "milk\n".repeat(100)).unwrap();
    let list = bed.0.path().join("list");
    let other = command(&["queue", "stats", "--file", list.to_str().unwrap(), "work"]);
    let done = { other }.output().unwrap();
    refused(done, 1, &["QUEUE_STORE", "not a database"]);
    refused(
        command(&["queue", "send", "-s", "nats://127.0.0.1:9", "-t", "200ms", "work", "1"])
            .output()
            .unwrap(),
        3,
        &["QUEUE_STORE"],
    );
}

#[test]
fn r25_integers_are_read_as_doubles_and_nothing_past_them_is_taken() {
    let bed = Bed::new();
    let texts = "9007199254740993\n[1e400]\n";
    let done = fed(bed.command("send", &[]), texts);
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("line 2: 消息体不是有效的 JSON 文字"), "{}", said(&done));
    let done = bed.run("consume", &["--count", "1"]);
    assert_eq!(String::from_utf8_lossy(&done.stdout), "9007199254740992\n", "{}", said(&done));
}

#[test]
fn the_same_on_a_server() {
    if !Binary::Current.available() {
        return;
    }
    let server =
        NatsServer::builder().binary(Binary::Current).jetstream().user("some", "pw").start();
    let run = |verb: &str, rest: &[&str]| {
        let url = server.url();
        let login = ["--user", "some", "--password", "pw", "--timeout", "20s"];
        let words = [&["queue", verb, "-s", &url, "work"][..], &login, rest].concat();
        command(&words).output().unwrap()
    };
    let sent = run("send", &["{\"a\":1}"]);
    assert!(sent.status.success(), "{}", said(&sent));
    let stats = run("stats", &["--json"]);
    assert_eq!(lines(&stats)[0]["ready"], 1, "{}", said(&stats));
    let done = run("consume", &["--count", "1"]);
    assert_eq!(lines(&done), [json!({"a": 1})], "{}", said(&done));
    let url = server.url();
    let refused = command(&["queue", "stats", "-s", &url, "work"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
}
