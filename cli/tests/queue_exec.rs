//! A program for each batch: what it gets, what it says, and how it is ended.
mod common;

use common::{Running, command, lines, said};
use posthouse_testkit::{TempDir, until};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A queue file with a script beside it.
struct Bed(TempDir);

/// Retries come back at once, and nothing waits for more.
const SETTINGS: [&str; 4] = ["--setting", "max_batch_wait=0", "--setting", "max_retries=1"];

impl Bed {
    fn new() -> Self {
        Self(TempDir::new("cli-exec"))
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn queue(&self, words: &[&str]) -> Command {
        let file = self.path("queue.db");
        let start = ["queue", words[0], "work", "--file", file.to_str().unwrap()];
        let mut command = command(&[&start[..], &SETTINGS, &words[1..]].concat());
        command.current_dir(self.0.path());
        command
    }
    fn send(&self, bodies: &[&str]) {
        let items: Vec<_> = bodies.iter().map(|body| format!("{{\"body\":{body}}}")).collect();
        let path = self.path("batch.json");
        fs::write(&path, format!("[{}]", items.join(","))).unwrap();
        let mut command = self.queue(&["send", "--batch"]);
        let done = command.stdin(fs::File::open(path).unwrap()).output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
    }
    fn script(&self, text: &str) -> PathBuf {
        let path = self.path("handler");
        fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
    /// Handles so many batches with a script.
    fn handle(&self, count: &str, script: &str) -> Output {
        self.script(script);
        let words = ["consume", "--json", "--count", count, "--exec", "./handler"];
        self.queue(&words).output().unwrap()
    }
    fn stats(&self) -> Value {
        lines(&self.queue(&["stats", "--json"]).output().unwrap()).remove(0)
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn alive(id: &str) -> bool {
    // An orphan that has ended may be there until somebody asks how it ended.
    let state = read(Path::new(&format!("/proc/{}/stat", id.trim())));
    let ended = state.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'));
    // SAFETY: signal 0 only asks.
    !ended && unsafe { libc::kill(id.trim().parse().unwrap(), 0) == 0 }
}

#[test]
fn a_program_gets_the_batch_and_says_what_becomes_of_it() {
    let bed = Bed::new();
    bed.send(&["{\"n\":0}", "{\"n\":1}", "{\"n\":2}"]);
    let done = bed.handle(
        "1",
        "cat >batch; env >environment; echo out; echo \"$@\" >arguments\n\
         echo '{\"ack\":0}' >&3; echo '{\"retry\":1,\"delaySeconds\":600}' >&3\n",
    );
    assert!(done.status.success(), "{}", said(&done));
    let report = json!({"batch": 1, "messages": 3, "failed": false, "done": 2, "again": 1,
        "dead": 0, "dropped": 0, "lost": 0});
    assert_eq!(lines(&done), [report]);
    // Its own output does not get between the lines.
    assert!(said(&done).contains("out\n"), "{}", said(&done));
    let batch: Value = serde_json::from_str(&read(&bed.path("batch"))).unwrap();
    assert_eq!(batch["queue"], "work");
    let bodies: Vec<_> = batch["messages"].as_array().unwrap().iter().map(|m| &m["body"]).collect();
    assert_eq!(bodies, [&json!({"n": 0}), &json!({"n": 1}), &json!({"n": 2})]);
    assert_eq!(batch["messages"][0]["attempts"], 1);
    let environment = read(&bed.path("environment"));
    assert!(environment.contains("POSTHOUSE_EVENT=queue\n"), "{environment}");
    assert!(environment.contains("POSTHOUSE_QUEUE=work\n"), "{environment}");
    let stats = bed.stats();
    assert_eq!((&stats["ready"], &stats["delayed"]), (&json!(0), &json!(1)));
}

#[test]
fn arguments_follow_two_dashes_and_output_is_free() {
    let bed = Bed::new();
    bed.send(&["1"]);
    let words = ["consume", "--count", "1", "--exec", "printf", "--", "%s-%s\\n", "a b", "$HOME"];
    let done = bed.queue(&words).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(String::from_utf8_lossy(&done.stdout), "a b-$HOME\n");
    assert_eq!(bed.stats()["ready"], 0);
}

#[test]
fn a_failed_batch_comes_back_but_for_what_was_acknowledged() {
    let bed = Bed::new();
    bed.send(&["0", "1"]);
    // Of two deliveries, the second is the last: then it is dropped.
    let done = bed.handle("2", "echo run >>runs; echo '{\"ack\":0}' >&3; exit 3\n");
    assert!(done.status.success(), "{}", said(&done));
    let reports = lines(&done);
    assert_eq!((&reports[0]["done"], &reports[0]["again"]), (&json!(1), &json!(1)));
    assert!(reports[0]["error"].as_str().unwrap().contains("exit status: 3"), "{}", reports[0]);
    // It says the same of the message that is left, which is done by it.
    assert_eq!((&reports[1]["messages"], &reports[1]["done"]), (&json!(1), &json!(1)));
    assert_eq!(read(&bed.path("runs")), "run\nrun\n");
}

#[test]
fn a_wrong_line_fails_the_event() {
    for (wrong, words) in [
        ("{\"ack\":0,\"x\":1}", "each line must be"),
        ("{\"ack\":7}", "QUEUE_INDEX"),
        ("{\"retry\":0,\"delaySeconds\":43201}", "QUEUE_DELAY"),
        ("done", "each line must be"),
        (&"x".repeat(5_000), "each line must be"),
    ] {
        let bed = Bed::new();
        bed.send(&["0", "1"]);
        // Without an end of the line, too; what is right still counts.
        let done = bed.handle("1", &format!("printf '%s\\n{{\"ack\":1}}' '{wrong}' >&3\n"));
        let report = lines(&done).remove(0);
        assert_eq!((&report["failed"], &report["done"]), (&json!(true), &json!(1)), "{report}");
        assert!(report["error"].as_str().unwrap().contains(words), "{report}");
        assert_eq!(bed.stats()["ready"], 1);
    }
}

#[test]
fn large_batches_pass_both_ways() {
    let bed = Bed::new();
    let body = format!("\"{}\"", "x".repeat(60_000));
    bed.send(&[&body, &body, &body, &body]);
    // It talks before it reads: neither waits for the other.
    let script =
        "i=0; while [ $i -lt 8000 ]; do echo '{\"ack\":0}'; i=$((i+1)); done >&3; wc -c >size\n";
    let done = bed.handle("1", script);
    assert_eq!(lines(&done)[0]["done"], 4, "{}", said(&done));
    assert!(read(&bed.path("size")).trim().parse::<u32>().unwrap() > 240_000);
}

#[test]
fn a_stop_lets_the_running_program_finish() {
    let bed = Bed::new();
    bed.send(&["1"]);
    bed.script(
        "trap '' TERM; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended >end\n",
    );
    let words = ["consume", "--exec", "./handler", "--grace", "60s"];
    let mut consumer = Running::of(bed.queue(&words));
    consumer.wait_for("begun");
    consumer.signal(libc::SIGTERM);
    bed.send(&["2"]);
    fs::write(bed.path("go"), "").unwrap();
    let ended = consumer.end();
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    assert_eq!(read(&bed.path("end")), "ended\n");
    // The first is done, the second was not begun.
    let stats = bed.stats();
    assert_eq!((&stats["ready"], &stats["inFlight"]), (&json!(1), &json!(0)));
}

#[test]
fn a_program_that_does_not_leave_is_ended_with_its_descendants() {
    let bed = Bed::new();
    bed.send(&["1"]);
    bed.script("sleep 600 & echo $! >child; echo $$ >parent; echo begun; wait\n");
    let words = ["consume", "--exec", "./handler", "--grace", "0s"];
    let mut consumer = Running::of(bed.queue(&words));
    consumer.wait_for("begun");
    consumer.signal(libc::SIGTERM);
    let ended = consumer.end();
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    for name in ["parent", "child"] {
        until("the program is gone", || !alive(&read(&bed.path(name))));
    }
    // It failed, so the message is back.
    assert_eq!(bed.stats()["ready"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_does_not_outlive_the_command() {
    let bed = Bed::new();
    bed.send(&["1"]);
    bed.script("echo $$ >parent; echo begun; exec sleep 600\n");
    let mut consumer = Running::of(bed.queue(&["consume", "--exec", "./handler"]));
    consumer.wait_for("begun");
    consumer.signal(libc::SIGKILL);
    until("the program is gone", || !alive(&read(&bed.path("parent"))));
}

#[test]
fn the_time_limit_of_a_handler_holds_for_programs() {
    let bed = Bed::new();
    bed.send(&["1"]);
    bed.script("echo $$ >parent; exec sleep 600\n");
    let words = ["consume", "--json", "--count", "1", "--setting", "handler_timeout=2"];
    let done = bed.queue(&[&words[..], &["--exec", "./handler"]].concat()).output().unwrap();
    assert!(said(&done).contains("told to leave off"), "{}", said(&done));
    assert!(!alive(&read(&bed.path("parent"))));
    assert_eq!(bed.stats()["ready"], 1);
}

#[test]
fn r50_a_delay_outlives_every_process() {
    let bed = Bed::new();
    let sent = bed.queue(&["send", "{\"n\":1}", "--delay", "1"]).output().unwrap();
    assert!(sent.status.success(), "{}", said(&sent));
    assert_eq!(bed.stats()["delayed"], 1);
    // Nobody is there while it waits; each of these is a process of its own.
    let done = bed.handle("1", "echo '{\"retry\":0,\"delaySeconds\":1}' >&3; cat >first\n");
    assert_eq!(lines(&done)[0]["again"], 1, "{}", said(&done));
    assert_eq!(bed.stats()["delayed"], 1);
    assert!(bed.handle("1", "cat >second\n").status.success());
    let message = |name: &str| {
        let batch: Value = serde_json::from_str(&read(&bed.path(name))).unwrap();
        batch["messages"][0].clone()
    };
    let (first, second) = (message("first"), message("second"));
    assert_eq!((&first["attempts"], &second["attempts"]), (&json!(1), &json!(2)));
    assert_eq!((&first["id"], &first["timestamp"]), (&second["id"], &second["timestamp"]));
}

#[test]
fn r52_the_first_word_about_a_message_counts() {
    let bed = Bed::new();
    bed.send(&["0", "1", "2", "3"]);
    let script = "printf '%s\\n' '{\"ack\":0}' '{\"retry\":0,\"delaySeconds\":30}' \\\n\
         '{\"retry\":1,\"delaySeconds\":600}' '{\"ack\":1}' '{\"ack\":2}' '{\"ack\":2}' >&3; exit 1\n";
    let report = lines(&bed.handle("1", script)).remove(0);
    assert_eq!((&report["done"], &report["again"]), (&json!(2), &json!(2)), "{report}");
    let stats = bed.stats();
    assert_eq!((&stats["ready"], &stats["delayed"]), (&json!(1), &json!(1)));
}
