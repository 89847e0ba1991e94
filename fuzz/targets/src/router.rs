//! The owned node's router, fed by several clients at a time: it never panics, bounds what waits for each,
//! answers each in valid frames, and serves a bystander whatever the others do.
use crate::input::{Input, pieces};
use posthouse_core::frame::{Decoder, Frame};
use posthouse_node::{ClientId, NodeOptions, Router};
use std::time::Duration;

const SUBJECTS: [&str; 8] = ["a", "a.b", "a.*", ">", "*.b", "a.>", "q.r.s", "_INBOX.x"];
const MAX_PENDING: usize = 3_000;
const MAX_PAYLOAD: usize = 400;

struct Client {
    id: ClientId,
    /// None once it sent what may be anything: subscription numbers come back as they were given.
    decoder: Option<Decoder>,
    /// Taken from the router and not reported as written.
    unwritten: usize,
    messages: Vec<Vec<u8>>,
    pongs: usize,
    ended: bool,
}

struct World {
    router: Router,
    clients: Vec<Client>,
    now: Duration,
    /// Messages of one friend to another, who both do nothing wrong.
    sent: usize,
}

const BYSTANDER: usize = 0;
const FRIEND: usize = 1;

impl World {
    fn open(&mut self) {
        let id = self.router.open(self.now, None);
        let decoder = Some(Decoder::new(MAX_PAYLOAD + 4_096));
        self.clients.push(Client {
            id,
            decoder,
            unwritten: 0,
            messages: Vec::new(),
            pongs: 0,
            ended: false,
        });
    }

    /// Takes what waits for a client and reads it.
    fn hear(&mut self, index: usize) {
        let client = &mut self.clients[index];
        let mut part = Vec::new();
        loop {
            part.clear();
            if !self.router.take_output(client.id, &mut part) {
                break;
            }
            // One message may go over the bound before the client is cut.
            let most = MAX_PENDING + 2 * (MAX_PAYLOAD + 4_096) + 8_192;
            assert!(part.len() <= most, "{} bytes wait", part.len());
            client.unwritten += part.len();
            let Some(decoder) = &mut client.decoder else { continue };
            let read = decoder.feed(&part, |frame| {
                match frame {
                    Frame::Message { payload, .. } => client.messages.push(payload.to_vec()),
                    Frame::Pong => client.pongs += 1,
                    Frame::Oversize { size, .. } => panic!("{size} bytes were let through"),
                    Frame::Info(_) | Frame::Ping | Frame::Ok | Frame::Err(_) => {}
                }
                true
            });
            read.expect("the node speaks NATS");
        }
        client.ended |= self.router.is_ending(client.id);
    }

    fn written(&mut self, index: usize, count: usize) {
        let client = &mut self.clients[index];
        let count = count.min(client.unwritten);
        client.unwritten -= count;
        self.router.written(client.id, count);
    }

    /// A message between the two who behave, which must arrive.
    fn friends(&mut self) {
        self.sent += 1;
        let text = format!("friend-{:08}", self.sent);
        let line = format!("PUB private.{} 15\r\n{text}\r\n", self.sent % 3);
        self.router.receive(self.clients[FRIEND].id, line.as_bytes());
        self.router.receive(self.clients[BYSTANDER].id, b"PING\r\n");
        for index in [BYSTANDER, FRIEND] {
            self.hear(index);
            self.written(index, usize::MAX);
        }
        let client = &mut self.clients[BYSTANDER];
        assert!(!client.ended, "the bystander did nothing wrong");
        let got = std::mem::take(&mut client.messages);
        assert_eq!(
            got.iter().filter(|m| **m == text.as_bytes()).count(),
            1,
            "it gets the message once"
        );
        assert_eq!(std::mem::take(&mut client.pongs), 1);
        assert!(!self.clients[FRIEND].ended);
    }

    fn step(&mut self, what: u8, input: &mut Input<'_>) {
        let strangers = self.clients.len() - 2;
        let index = if strangers == 0 { 0 } else { 2 + input.below(strangers) };
        if strangers == 0 || what.is_multiple_of(16) {
            if strangers < 5 {
                self.open();
            }
            return;
        }
        let id = self.clients[index].id;
        match what % 16 {
            1 => {
                let bytes = input.some();
                self.clients[index].decoder = None;
                let length = [1 + (what >> 4)];
                for piece in pieces(bytes, &length) {
                    self.router.receive(id, piece);
                }
            }
            2 => {
                let verbose = what & 16 != 0;
                let text = format!(
                    "CONNECT {{\"verbose\":{verbose},\"headers\":{},\"echo\":{},\"no_responders\":{},\"pedantic\":{},\"protocol\":1}}\r\n",
                    what & 32 == 0,
                    what & 64 == 0,
                    what & 32 == 0,
                    what & 128 != 0,
                );
                self.router.receive(id, text.as_bytes());
            }
            3 | 4 => {
                let queue = if what & 16 != 0 { " group" } else { "" };
                let line = format!("SUB {}{queue} {}\r\n", input.pick(&SUBJECTS), input.below(9));
                self.router.receive(id, line.as_bytes());
            }
            5 => {
                let line = format!("UNSUB {} {}\r\n", input.below(9), input.below(4));
                self.router.receive(id, line.as_bytes());
            }
            6..=8 => {
                let (subject, reply) =
                    (input.pick(&SUBJECTS), input.pick(&["", " r", " _INBOX.x"]));
                let size = 2 * usize::from(input.byte());
                let mut line = format!("PUB {subject}{reply} {size}\r\n").into_bytes();
                line.resize(line.len() + size, b'm');
                line.extend_from_slice(b"\r\n");
                self.router.receive(id, &line);
            }
            9 => {
                let line =
                    format!("HPUB {} 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", input.pick(&SUBJECTS));
                self.router.receive(id, line.as_bytes());
            }
            10 => self.hear(index),
            11 => self.written(index, usize::from(input.byte()) * 16),
            12 => {
                self.now += Duration::from_millis(u64::from(input.byte()) * 100);
                for client in &self.clients {
                    if self.router.deadline(client.id) <= self.now {
                        self.router.deadline_passed(self.now, client.id);
                    }
                }
                // The two who behave answer their PINGs.
                for index in [BYSTANDER, FRIEND] {
                    self.router.receive(self.clients[index].id, b"PONG\r\n");
                }
            }
            13 => self.router.write_stalled(id),
            14 => {
                if self.router.hold(id).is_some() {
                    self.router.release(id);
                }
            }
            _ => {
                self.hear(index);
                self.router.close(id);
                self.clients.remove(index);
            }
        }
    }
}

/// Each step: a byte that says what, a byte for whom, and what that needs.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let options = NodeOptions {
        max_payload: MAX_PAYLOAD,
        max_pending: MAX_PENDING,
        ping_interval: Duration::from_secs(5),
        token: (input.byte() & 1 == 1).then(|| "t".to_owned()),
        max_connections: 6,
        ..NodeOptions::default()
    };
    let router = Router::new(&options, "FUZZNODE", 7);
    let mut world = World { router, clients: Vec::new(), now: Duration::ZERO, sent: 0 };
    for hello in ["SUB private.> 1\r\n", ""] {
        world.open();
        let index = world.clients.len() - 1;
        let connect = "CONNECT {\"verbose\":false,\"pedantic\":false,\"auth_token\":\"t\"}\r\n";
        world.router.receive(world.clients[index].id, connect.as_bytes());
        world.router.receive(world.clients[index].id, hello.as_bytes());
        world.hear(index);
        world.written(index, usize::MAX);
    }
    let mut woken = Vec::new();
    for _ in 0..200 {
        let Some(what) = input.next() else { break };
        world.step(what, &mut input);
        world.friends();
        world.router.take_woken(&mut woken);
        assert!(woken.iter().all(|id| world.clients.iter().any(|client| client.id == *id)));
        woken.clear();
    }
    while world.clients.len() > 2 {
        let client = world.clients.remove(2);
        world.router.close(client.id);
    }
    world.friends();
    let stats = world.router.stats();
    assert_eq!((stats.connections, stats.subscriptions), (2, 1), "nothing stays behind");
}
