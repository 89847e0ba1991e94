//! Faults that users met elsewhere, from a shell; `tests/field-cases.md` tells them by these numbers.
mod common;

use common::{Running, Served, lines, said};
use posthouse_testkit::NatsServer;
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
};

/// A command for a nats-server, in the namespace `test`.
fn command_at(server: &NatsServer, words: &[&str]) -> Command {
    let mut command = common::command(words);
    let url = server.url().replace("//", "//some:pw@");
    command.env("POSTHOUSE_SERVERS", url).env("POSTHOUSE_NAMESPACE", "test");
    command
}

#[test]
fn r03_a_publisher_is_told_that_the_broker_has_gone() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "n"]);
    sub.wait_for("listening");
    let mut publisher =
        node.command(&["pub", "n"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = publisher.stdin.take().unwrap();
    input.write_all(b"1\n").unwrap();
    sub.wait_for("n 1");
    assert!(node.end(libc::SIGKILL).status.code().is_none());
    sub.wait_for("DISCONNECTED");
    // It is refused once the publisher has noticed, too; nothing of it is kept for later.
    while input.write_all(b"2\n").is_ok() {
        std::thread::yield_now();
    }
    let done = publisher.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    assert!(said(&done).contains("DISCONNECTED"), "{}", said(&done));
}

#[test]
fn r09_r61_a_subscriber_hears_everything_once_after_each_restart() {
    let mut node = Served::start_as(&["--port", "0", "--ws-port", "0"]);
    let tcp = node.urls().0.to_owned();
    let ws = node.urls().1.unwrap().to_owned();
    let start = |url: &str| {
        let mut sub = Running::start(&node, &["sub", "--data", "-s", url, "n"]);
        sub.wait_for("listening");
        sub
    };
    let mut subs = [start(&tcp), start(&ws)];
    let port = |url: &str| url.trim_end_matches('/').rsplit_once(':').unwrap().1.to_owned();
    for round in 1..=2 {
        assert!(node.end(libc::SIGKILL).status.code().is_none());
        for sub in &mut subs {
            sub.wait_for("DISCONNECTED");
        }
        node = Served::start_as(&["--port", &port(&tcp), "--ws-port", &port(&ws)]);
        // They are back when both answer a roll call.
        let connected = || {
            let done = node.run(&["instances", "--json"]);
            lines(&done)[0]["instances"].as_array().map_or(0, Vec::len) >= 2
        };
        posthouse_testkit::until("both are back", connected);
        let sent = node.run(&["pub", "n", &round.to_string()]);
        assert!(sent.status.success(), "{}", said(&sent));
        for sub in &mut subs {
            sub.wait_for(&round.to_string());
        }
    }
    for sub in subs {
        assert_eq!(lines(&sub.interrupt()), [json!(1), json!(2)]);
    }
}

#[test]
fn r12_names_with_spaces_and_long_ones() {
    let node = Served::start(&[]);
    let long = "x".repeat(128);
    for name in ["living room.temperature", &long, "传感器.温度"] {
        let words = ["sub", "--json", "--count", "1", "--queue", "job worker", name];
        let mut sub = Running::start(&node, &words);
        sub.wait_for("listening");
        let sent = node.run(&["pub", name, "1"]);
        assert!(sent.status.success(), "{}", said(&sent));
        let ended = sub.end();
        assert_eq!(lines(&ended)[0]["topic"], name, "{}", said(&ended));
    }
    let too_long = "传".repeat(43);
    for (name, code) in
        [(&*too_long, "INVALID_NAME"), ("a.", "INVALID_TOPIC"), (".a", "INVALID_TOPIC")]
    {
        for verb in ["pub", "req", "collect", "sub"] {
            // Without data it would wait for lines, and have nothing to refuse.
            let words = if verb == "sub" { vec![verb, name] } else { vec![verb, name, "1"] };
            let done = node.run(&words);
            assert_eq!(done.status.code(), Some(2), "{verb} {name}: {}", said(&done));
            assert!(said(&done).contains(code), "{verb} {name}: {}", said(&done));
        }
    }
}

#[test]
fn r14_a_request_in_flight_ends_with_the_connection() {
    for words in
        [&["req", "--timeout", "1m", "silent"][..], &["collect", "--window", "1m", "silent"]]
    {
        let node = Served::start(&[]);
        let mut silent = Running::start(&node, &["sub", "silent"]);
        silent.wait_for("listening");
        let request = Running::start(&node, words);
        silent.wait_for("silent null");
        assert!(node.end(libc::SIGKILL).status.code().is_none());
        let done = request.end();
        assert_eq!(done.status.code(), Some(3), "{}", said(&done));
        assert!(said(&done).contains("DISCONNECTED"), "{}", said(&done));
    }
}

#[test]
fn r16_nobody_there_is_said_by_a_collection_too() {
    let node = Served::start(&[]);
    let done = node.run(&["--json", "collect", "--window", "1m", "nobody"]);
    assert_eq!(done.status.code(), Some(4), "{}", said(&done));
    let error: Value = serde_json::from_str(said(&done).trim()).unwrap();
    assert_eq!(error["error"]["code"], "NO_RESPONDERS");
}

#[test]
fn r18_a_window_ends_at_its_deadline() {
    let node = Served::start(&[]);
    let mut handler = Running::start(&node, &["handle", "--answer", "1", "who"]);
    handler.wait_for("answering");
    let done = node.run(&["collect", "--json", "--window", "300ms", "who"]);
    let all = lines(&done);
    assert_eq!(all.last(), Some(&json!({"replies": 1, "reason": "deadline"})), "{}", said(&done));
}

#[test]
fn r21_values_of_one_header_keep_their_order() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "--json", "--count", "1", "x"]);
    sub.wait_for("listening");
    let words = ["pub", "x", "1", "-H", "X-Tag:a", "-H", "x-tag: b", "-H", "X-TAG:c"];
    assert!(node.run(&words).status.success());
    assert_eq!(lines(&sub.end())[0]["headers"], json!({"x-tag": ["a", "b", "c"]}));
}

#[test]
fn r22_headers_and_payload_must_fit_together() {
    let node = Served::start(&["--max-payload", "1024"]);
    let body = format!("\"{}\"", "b".repeat(998));
    let header = format!("x-sixty:{}", "h".repeat(37));
    for verb in ["pub", "req", "collect"] {
        let done = node.run(&[verb, "x", &body, "-H", &header]);
        assert_eq!(done.status.code(), Some(2), "{verb}: {}", said(&done));
        let text = said(&done);
        assert!(text.contains("MESSAGE_TOO_LARGE") && text.contains("1060"), "{verb}: {text}");
    }
}

#[test]
fn r25_integers_that_would_change_are_refused() {
    let node = Served::start(&[]);
    for number in ["9007199254740993", "-9007199254740992", "123456789012345678901234567890"] {
        for (verb, code) in
            [("pub", "INVALID_MESSAGE"), ("req", "INVALID_MESSAGE"), ("set", "INVALID_VALUE")]
        {
            // A name of its own keeps a leading minus from being an option.
            let done = node.run(&[verb, "x", "--", number]);
            assert!(!done.status.success(), "{verb} {number}");
            assert!(said(&done).contains(code), "{verb} {number}: {}", said(&done));
        }
    }
}

/// A reader that does not read holds up its own subscription only; what is lost is counted and said.
#[test]
fn r31_a_reader_that_does_not_read() {
    let node = Served::start(&[]);
    let mut sub =
        node.command(&["sub", "x"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let notes = sub.stderr.take().unwrap();
    let (sender, news) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let lines = std::io::BufRead::lines(std::io::BufReader::new(notes));
        for line in lines.map_while(Result::ok) {
            // The test may have seen enough.
            _ = sender.send(line);
        }
    });
    let wait_for = |text: &str| {
        while !news.recv_timeout(posthouse_testkit::PATIENCE).expect(text).contains(text) {}
    };
    wait_for("listening");
    let mut publisher = node.command(&["pub", "x"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = publisher.stdin.take().unwrap();
    let line = format!("\"{}\"\n", "x".repeat(1_000));
    for _ in 0..2_000 {
        input.write_all(line.as_bytes()).unwrap();
    }
    drop(input);
    assert!(publisher.wait().unwrap().success());
    wait_for("SLOW_CONSUMER");
    // Read at last, it goes on; R34: Ctrl-C ends it once everything accepted is printed.
    common::kill(&sub, libc::SIGINT);
    let mut out = Vec::new();
    sub.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    assert!(sub.wait().unwrap().success());
    let heard = String::from_utf8_lossy(&out).lines().count();
    assert!((256..2_000).contains(&heard), "{heard}");
}

#[test]
fn r34_what_was_not_asked_for_does_not_hold_up_the_end() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "--data", "--count", "3", "x"]);
    sub.wait_for("listening");
    let mut publisher = node.command(&["pub", "x"]).stdin(Stdio::piped()).spawn().unwrap();
    publisher.stdin.take().unwrap().write_all("1\n".repeat(200).as_bytes()).unwrap();
    assert!(publisher.wait().unwrap().success());
    let done = sub.end();
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(lines(&done).len(), 3);
}

#[test]
fn r35_a_drain_that_takes_too_long_says_so() {
    let node = Served::start(&[]);
    let script = "echo started >&2; exec sleep 600";
    let mut handler = Running::start(&node, &["handle", "x", "--", script]);
    handler.wait_for("answering");
    let request = Running::start(&node, &["req", "--timeout", "1m", "x"]);
    handler.wait_for("started");
    let done = handler.interrupt();
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("DRAIN_TIMEOUT"), "{}", said(&done));
    drop(request);
}

#[test]
fn r38_control_characters_go_nowhere() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "--data", ">"]);
    sub.wait_for("listening");
    let bad = ["a\r\nb", "a\nPUB x 1\r\n1", "a\u{7f}", "a\tb"];
    for text in bad {
        let header = format!("x-a:b{text}");
        let name = format!("{text}:b");
        for (words, code) in [
            (&["pub", text, "1"][..], "INVALID_NAME"),
            (&["sub", text], "INVALID_NAME"),
            (&["sub", "x", "--queue", text], "INVALID_TOPIC"),
            (&["handle", "x", "--answer", "1", "--queue", text], "INVALID_TOPIC"),
            (&["pub", "-n", text, "x", "1"], "INVALID_NAME"),
            (&["pub", "x", "1", "-H", &header], "INVALID_HEADERS"),
            (&["req", "x", "1", "-H", &name], "INVALID_HEADERS"),
            (&["collect", "x", "1", "-H", &header], "INVALID_HEADERS"),
        ] {
            let done = node.run(words);
            assert_eq!(done.status.code(), Some(2), "{words:?}: {}", said(&done));
            assert!(said(&done).contains(code), "{words:?}: {}", said(&done));
        }
    }
    assert!(node.run(&["pub", "x", "\"end\""]).status.success());
    sub.wait_for("\"end\"");
    assert_eq!(lines(&sub.interrupt()), [json!("end")]);
}

#[test]
fn r39_an_address_does_not_give_its_password_away() {
    for url in ["nats://u:S3CR3T@127.0.0.1:1", "nats://u:S3CR3T@[bad", "u:S3CR3T@x:y"] {
        let words = ["--log", "trace", "status", "--timeout", "200ms", "-s", url];
        for extra in [&[][..], &["--json"]] {
            let words: Vec<&str> = words.iter().chain(extra).copied().collect();
            let done = common::posthouse(&words);
            assert!(!done.status.success());
            let all = [&done.stdout[..], &done.stderr[..]].concat();
            let all = String::from_utf8_lossy(&all);
            assert!(!all.contains("S3CR3T") && !all.contains("UzNDUjNU"), "{all}");
        }
    }
}

#[test]
fn r44_what_the_broker_refuses_is_said_at_once() {
    // `test` and `secret` as they are in subjects.
    let denied = "{ deny: [\"_msg.v1.74657374.736563726574\"] }";
    let both = format!("publish: {denied}, subscribe: {denied}");
    let mut server = NatsServer::builder().user_with("some", "pw", &both).start();
    for words in [
        &["sub", "secret"][..],
        &["sub", "fine", "secret"],
        &["handle", "secret", "--answer", "1"],
        &["req", "secret", "--timeout", "1m"],
        &["collect", "secret", "--window", "1m"],
        &["pub", "secret", "1"],
    ] {
        let done = command_at(&server, words).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{words:?}: {}", said(&done));
        assert!(said(&done).contains("PERMISSION_DENIED"), "{words:?}: {}", said(&done));
    }
    // A right that is taken away ends the command, also where another subscription goes on.
    server.reload(|settings| settings.no_auth().user("some", "pw"));
    let mut running = [
        Running::of(command_at(&server, &["sub", "fine", "secret"])),
        Running::of(command_at(&server, &["handle", "secret", "--answer", "1"])),
    ];
    running[0].wait_for("listening");
    running[1].wait_for("answering");
    server.reload(|settings| settings.no_auth().user_with("some", "pw", &both));
    for command in running {
        let done = command.end();
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
        assert!(said(&done).contains("PERMISSION_DENIED"), "{}", said(&done));
    }
}
