//! The same conversations with the node and with real nats-servers, whose answers must agree.

mod scripts;
mod support;

use std::net::{Ipv4Addr, SocketAddr};

use posthouse_node::{Node, NodeOptions};
use posthouse_testkit::{Binary, NatsServer};
use scripts::SCRIPTS;
use support::{Raw, node, options};

fn addr(server: &NatsServer) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, server.port()).into()
}

/// Lines in any order: receivers of one message are served in no particular one, and where several
/// subscriptions of the requester match, any may get a no-responders status. With `subject`, without
/// the subject that newer servers put into that status.
fn sorted(bytes: &[u8], subject: bool) -> Vec<String> {
    let text = bytes.escape_ascii().to_string();
    let lines = text.split_inclusive("\\r\\n");
    let mut lines: Vec<_> = lines
        .filter(|line| !(subject && line.starts_with("Nats-Subject:")))
        .map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            // A header as long as the whole is a status, or at least has no payload.
            ["HMSG", inbox, _, header, all] if all.trim_end_matches("\\r\\n") == header => {
                format!("HMSG {inbox}")
            }
            _ => line.to_owned(),
        })
        .collect();
    lines.sort_unstable();
    lines
}

/// What only one of the two has.
fn differences(ours: &[String], theirs: &[String]) -> Vec<String> {
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    let mut found = Vec::new();
    loop {
        match (ours.peek(), theirs.peek()) {
            (None, None) => return found,
            (Some(a), Some(b)) if a == b => {
                ours.next();
                theirs.next();
            }
            (Some(a), b) if b.is_none_or(|b| a < b) => {
                found.extend(ours.next().map(|line| format!("only the node: {line}")));
            }
            _ => found.extend(theirs.next().map(|line| format!("only nats-server: {line}"))),
        }
    }
}

async fn answer(addr: SocketAddr, say: &[u8]) -> (Vec<u8>, bool) {
    let mut raw = Raw::connect(addr).await;
    raw.say(say).await;
    let upper = say.to_ascii_uppercase();
    let pings = upper.windows(6).filter(|six| six.starts_with(b"\nPING")).count();
    raw.hear_all(pings).await
}

async fn compare_scripts(binary: Binary) {
    if !binary.available() {
        return;
    }
    let server = NatsServer::builder().binary(binary).start();
    let node = node().await;
    for script in SCRIPTS {
        println!("{}", script.name);
        let ours = answer(node.addr(), script.say).await;
        let (theirs, closed) = answer(addr(&server), script.say).await;
        assert_eq!(ours.1, closed, "who closes");
        let current = binary == Binary::Current;
        let (ours, theirs) = (sorted(&ours.0, current), sorted(&theirs, current));
        match script.nats {
            None => assert_eq!(ours, theirs),
            Some(told) => {
                assert_eq!(theirs, sorted(told, current));
                assert_ne!(ours, theirs, "a difference that is none any more");
            }
        }
    }
}

#[tokio::test]
async fn scripts_as_the_oldest_server() {
    compare_scripts(Binary::System).await;
}

#[tokio::test]
async fn scripts_as_the_current_server() {
    compare_scripts(Binary::Current).await;
}

#[tokio::test]
async fn credentials() {
    if !Binary::System.available() {
        return;
    }
    let token = NatsServer::builder().token("t0k").start();
    let user = NatsServer::builder().user("u", "p").start();
    let ours_token = NodeOptions { token: Some("t0k".into()), ..options() };
    let ours_user = NodeOptions { user: Some("u".into()), password: Some("p".into()), ..options() };
    let ours_token = Node::bind(ours_token).await.expect("a free port");
    let ours_user = Node::bind(ours_user).await.expect("a free port");
    for (theirs, ours) in [(&token, &ours_token), (&user, &ours_user)] {
        for say in [
            "PING\r\n",
            "SUB a 1\r\n",
            "PUB a 1\r\n1\r\n",
            "FOO\r\n",
            "CONNEXT\r\n",
            "CONNECT {}\r\nPING\r\n",
            "CONNECT {\"verbose\":false,\"auth_token\":\"t0k\"}\r\nPING\r\n",
            "CONNECT {\"verbose\":false,\"auth_token\":\"t0\"}\r\nPING\r\n",
            "CONNECT {\"auth_token\":\"\"}\r\nPING\r\n",
            "CONNECT {\"user\":\"u\",\"pass\":\"p\"}\r\nPING\r\n",
            "CONNECT {\"user\":\"u\",\"pass\":\"q\"}\r\nPING\r\n",
            "CONNECT {\"user\":\"u\"}\r\nPING\r\n",
            "CONNECT {\"user\":\"t0k\"}\r\nPING\r\n",
        ] {
            let (ours, theirs) = (
                answer(ours.addr(), say.as_bytes()).await,
                answer(addr(theirs), say.as_bytes()).await,
            );
            assert_eq!(
                ours.0.escape_ascii().to_string(),
                theirs.0.escape_ascii().to_string(),
                "{say}"
            );
            assert_eq!(ours.1, theirs.1, "{say}");
        }
    }
    let info = Raw::connect(ours_token.addr()).await.info;
    assert!(info.contains("\"auth_required\":true"), "{info}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }

    fn subject(&mut self, parts: &[&str]) -> String {
        let count = 1 + self.below(3);
        let picked: Vec<_> = (0..count).map(|_| parts[self.below(parts.len())]).collect();
        picked.join(".")
    }
}

/// What three clients say in turn, each line with the client's number.
fn conversation(seed: u64) -> Vec<(usize, String)> {
    let mut random = Random(seed);
    let mut said: Vec<_> = (0..3)
        .map(|client| {
            let (echo, full) = (client != 1, client != 2);
            let text = format!(
                "CONNECT {{\"verbose\":false,\"pedantic\":false,\"echo\":{echo},\"headers\":{full},\"no_responders\":{full}}}\r\nSUB in.{client} in\r\n"
            );
            (client, text)
        })
        .collect();
    for step in 0..400 {
        let client = random.below(3);
        let sid = random.below(12);
        let text = match random.below(10) {
            0..=2 => {
                let mut pattern = random.subject(&["a", "b", "*"]);
                if random.below(4) == 0 {
                    pattern.push_str(".>");
                }
                // A group of one client's own, so that which member gets a message is not by chance.
                let queue =
                    if random.below(4) == 0 { format!(" q{client}{sid}") } else { String::new() };
                format!("SUB {pattern}{queue} {sid}\r\n")
            }
            3 => format!("UNSUB {sid}\r\n"),
            4 => format!("UNSUB {sid} {}\r\n", random.below(5)),
            5 if client != 2 => {
                format!(
                    "HPUB {} 12 15\r\nNATS/1.0\r\n\r\n{step:03}\r\n",
                    random.subject(&["a", "b"])
                )
            }
            6 => format!("PUB {} in.{client} 3\r\n{step:03}\r\n", random.subject(&["a", "b", "c"])),
            _ => format!("PUB {} 3\r\n{step:03}\r\n", random.subject(&["a", "b"])),
        };
        said.push((client, text));
    }
    said
}

async fn converse(addr: SocketAddr, said: &[(usize, String)]) -> Vec<Vec<u8>> {
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(Raw::connect(addr).await);
    }
    let mut heard = vec![Vec::new(); 3];
    for (client, text) in said {
        clients[*client].say(text.as_bytes()).await;
        clients[*client].say(b"PING\r\n").await;
        heard[*client].extend(clients[*client].hear_all(1).await.0);
    }
    for (client, heard) in clients.iter_mut().zip(&mut heard) {
        client.say(b"PING\r\n").await;
        heard.extend(client.hear_all(1).await.0);
    }
    heard
}

#[tokio::test]
async fn random_conversations() {
    if !Binary::System.available() {
        return;
    }
    let server = NatsServer::start();
    for seed in 1..=6 {
        let node = node().await;
        let said = conversation(0x9e37_79b9_7f4a_7c15 ^ seed);
        let ours = converse(node.addr(), &said).await;
        let theirs = converse(addr(&server), &said).await;
        for client in 0..3 {
            let (ours, theirs) = (sorted(&ours[client], false), sorted(&theirs[client], false));
            assert!(ours.len() > 100, "much was said");
            let found = differences(&ours, &theirs);
            assert!(found.is_empty(), "seed {seed}, client {client}: {found:#?}");
        }
    }
}
