//! Who gets what: groups, wildcards, echo, over several clients.

mod support;

use std::collections::HashMap;
use std::time::Duration;

use posthouse_node::{ClientId, NodeOptions, Router};
use support::{Raw, node};

/// The router by itself, with clients that take everything at once.
struct Bench {
    router: Router,
    clients: Vec<ClientId>,
}

impl Bench {
    fn new(clients: usize) -> Self {
        let mut router = Router::new(&NodeOptions::default(), "TESTNODE", 7);
        let clients = (0..clients).map(|_| router.open(Duration::ZERO, None)).collect();
        let mut bench = Self { router, clients };
        for client in 0..bench.clients.len() {
            bench.say(client, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n");
            bench.hear(client);
        }
        bench
    }

    fn say(&mut self, client: usize, text: &str) {
        self.router.receive(self.clients[client], text.as_bytes());
    }

    fn hear(&mut self, client: usize) -> String {
        let mut all = Vec::new();
        let mut part = Vec::new();
        while self.router.take_output(self.clients[client], &mut part) {
            self.router.written(self.clients[client], part.len());
            all.append(&mut part);
        }
        String::from_utf8(all).expect("text")
    }

    /// How many messages each sid of the client got.
    fn counts(&mut self, client: usize) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for line in self.hear(client).lines() {
            if let Some(rest) = line.strip_prefix("MSG ") {
                let sid = rest.split(' ').nth(1).expect("a sid");
                *counts.entry(sid.to_owned()).or_default() += 1;
            }
        }
        counts
    }
}

#[test]
fn one_member_of_each_group_and_every_member_at_some_time() {
    let mut bench = Bench::new(4);
    // Two groups across patterns, one plain subscriber, and a publisher that is in no group.
    bench.say(0, "SUB jobs.* red r0\r\nSUB jobs.> blue b0\r\n");
    bench.say(1, "SUB jobs.a red r1\r\nSUB > red r1b\r\n");
    bench.say(2, "SUB jobs.a blue b2\r\nSUB jobs.a plain\r\n");
    for _ in 0..600 {
        bench.say(3, "PUB jobs.a 1\r\n1\r\n");
    }
    let counts: Vec<_> = (0..3).map(|client| bench.counts(client)).collect();
    let red = [counts[0]["r0"], counts[1]["r1"], counts[1]["r1b"]];
    let blue = [counts[0]["b0"], counts[2]["b2"]];
    assert_eq!(red.iter().sum::<usize>(), 600);
    assert_eq!(blue.iter().sum::<usize>(), 600);
    assert_eq!(counts[2]["plain"], 600);
    // The seed is fixed, so this is no matter of luck.
    assert!(red.iter().chain(&blue).all(|count| *count > 100), "{red:?} {blue:?}");
}

#[test]
fn a_group_whose_members_leave() {
    let mut bench = Bench::new(3);
    bench.say(0, "SUB a q 1\r\n");
    bench.say(1, "SUB a q 1\r\nUNSUB 1 3\r\n");
    for _ in 0..40 {
        bench.say(2, "PUB a 1\r\n1\r\n");
    }
    let (stays, leaves) = (bench.counts(0), bench.counts(1));
    assert_eq!((stays["1"], leaves["1"]), (37, 3));
    let gone = bench.clients[0];
    bench.router.close(gone);
    bench.say(2, "PUB a 1\r\n1\r\n");
    assert_eq!(bench.router.stats().subscriptions, 0);
    assert_eq!(bench.router.stats().messages_out, 40);
}

#[test]
fn a_publisher_without_echo_is_passed_over_in_its_group() {
    let mut bench = Bench::new(2);
    bench.say(0, "CONNECT {\"echo\":false}\r\nSUB a q 1\r\nSUB a 2\r\n");
    bench.say(1, "SUB a q 1\r\n");
    for _ in 0..50 {
        bench.say(0, "PUB a 1\r\n1\r\n");
    }
    assert_eq!(bench.counts(1)["1"], 50);
    assert!(bench.counts(0).is_empty());
    for _ in 0..50 {
        bench.say(1, "PUB a 1\r\n1\r\n");
    }
    let (first, second) = (bench.counts(0), bench.counts(1));
    assert_eq!(first["1"] + second["1"], 50);
    assert_eq!(first["2"], 50);
}

fn matches(pattern: &str, subject: &str) -> bool {
    let mut levels = subject.split('.');
    for part in pattern.split('.') {
        match (part, levels.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (part, Some(level)) if part == level => {}
            _ => return false,
        }
    }
    levels.next().is_none()
}

#[test]
fn random_subscriptions_against_a_naive_matcher() {
    let mut state = 0xfeed_f00d_u64;
    let mut random = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % bound
    };
    let mut bench = Bench::new(5);
    let mut held: Vec<(usize, usize, String)> = Vec::new();
    for sid in 0..3000 {
        let parts = ["a", "b", "c", "*", "d*"];
        let mut name = |wild: usize, rest: bool| {
            let levels = 1 + random(4);
            let mut text: Vec<_> = (0..levels).map(|_| parts[random(wild)]).collect();
            if rest && random(5) == 0 {
                text.push(">");
            }
            text.join(".")
        };
        let (pattern, subject) = (name(5, true), name(3, false));
        if held.len() > 40 {
            let (client, sid, _) = held.swap_remove(random(held.len()));
            bench.say(client, &format!("UNSUB {sid}\r\n"));
        }
        let client = random(4);
        bench.say(client, &format!("SUB {pattern} {sid}\r\n"));
        held.push((client, sid, pattern));
        bench.say(4, &format!("PUB {subject} 0\r\n\r\n"));
        for client in 0..4 {
            let mut got: Vec<_> = bench.counts(client).into_iter().collect();
            let mut want: Vec<_> = held
                .iter()
                .filter(|(owner, _, pattern)| *owner == client && matches(pattern, &subject))
                .map(|(_, sid, _)| (sid.to_string(), 1))
                .collect();
            got.sort_unstable();
            want.sort_unstable();
            assert_eq!(got, want, "{subject}");
        }
    }
}

#[tokio::test]
async fn a_request_and_its_answer() {
    let node = node().await;
    let full = b"CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\n";
    let (mut asks, mut answers) =
        (Raw::connect(node.addr()).await, Raw::connect(node.addr()).await);
    asks.say(full).await;
    answers.say(full).await;
    answers.say(b"SUB svc workers 1\r\n").await;
    answers.sync().await;
    asks.say(b"SUB _INBOX.x.* 1\r\nPUB svc _INBOX.x.1 4\r\nask?\r\n").await;
    answers.hear(b"MSG svc 1 _INBOX.x.1 4\r\nask?\r\n").await;
    answers.say(b"HPUB _INBOX.x.1 12 15\r\nNATS/1.0\r\n\r\nyes\r\n").await;
    asks.hear(b"HMSG _INBOX.x.1 1 12 15\r\nNATS/1.0\r\n\r\nyes\r\n").await;
    // A responder that is gone is no responder.
    drop(answers);
    support::until("the responder to be forgotten", || node.stats().connections == 1).await;
    asks.say(b"PUB svc _INBOX.x.2 4\r\nask?\r\n").await;
    asks.hear(b"HMSG _INBOX.x.2 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n").await;
}
