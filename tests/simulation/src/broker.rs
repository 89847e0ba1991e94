//! The broker: the router of the owned node, and a client of its own that sees every message.
use crate::cast::ConnId;
use posthouse_core::frame::{Decoder, Frame, Info};
use posthouse_node::{ClientId, NodeOptions, Router};
use std::{collections::BTreeMap, time::Duration};

pub(crate) struct Broker {
    router: Router,
    clients: BTreeMap<ConnId, ClientId>,
    monitor: ClientId,
    decoder: Decoder,
    /// Bodies of the messages that the router has passed on since they were last asked for.
    pub passed: Vec<(String, Vec<u8>)>,
}

impl Broker {
    pub fn new(seed: u64) -> Self {
        let options = NodeOptions { name: Some("simulated".to_owned()), ..NodeOptions::default() };
        let mut router = Router::new(&options, "SIMULATEDNODE", seed);
        let monitor = router.open(Duration::ZERO, None);
        router.receive(monitor, b"CONNECT {\"verbose\":false}\r\nSUB _msg.> 1\r\n");
        let decoder = Decoder::new(1 << 20);
        let mut broker =
            Self { router, clients: BTreeMap::new(), monitor, decoder, passed: Vec::new() };
        let mut greeting = Vec::new();
        broker.take(monitor, &mut greeting);
        broker
    }

    fn take(&mut self, client: ClientId, into: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        while self.router.take_output(client, &mut bytes) {
            self.router.written(client, bytes.len());
            into.append(&mut bytes);
        }
    }

    /// A connection is made: what the server says of itself.
    pub fn open(&mut self, conn: ConnId, now_us: u64) -> Option<Info> {
        let client = self.router.open(Duration::from_micros(now_us), None);
        self.clients.insert(conn, client);
        let mut greeting = Vec::new();
        self.take(client, &mut greeting);
        Info::parse(greeting.strip_prefix(b"INFO ")?.trim_ascii())
    }

    pub fn close(&mut self, conn: ConnId) {
        if let Some(client) = self.clients.remove(&conn) {
            self.router.close(client);
        }
    }

    pub fn receive(&mut self, conn: ConnId, bytes: &[u8]) {
        if let Some(&client) = self.clients.get(&conn) {
            self.router.receive(client, bytes);
        }
    }

    /// What is to go out, by connection; the flag says that the broker ends it.
    pub fn output(&mut self) -> Vec<(ConnId, Vec<u8>, bool)> {
        let mut woken = Vec::new();
        self.router.take_woken(&mut woken);
        woken.sort_unstable_by_key(|client| self.number(*client));
        let mut out = Vec::new();
        for client in woken {
            let mut bytes = Vec::new();
            self.take(client, &mut bytes);
            if client == self.monitor {
                self.observe(&bytes);
            } else if let Some(conn) = self.number(client) {
                out.push((conn, bytes, self.router.is_ending(client)));
            }
        }
        out
    }

    fn number(&self, client: ClientId) -> Option<ConnId> {
        self.clients.iter().find(|(_, other)| **other == client).map(|(conn, _)| *conn)
    }

    fn observe(&mut self, bytes: &[u8]) {
        let passed = &mut self.passed;
        let fed = self.decoder.feed(bytes, |frame| {
            if let Frame::Message { subject, payload, .. } = frame {
                passed.push((String::from_utf8_lossy(subject).into_owned(), payload.to_vec()));
            }
            true
        });
        assert!(fed.is_ok(), "the router speaks NATS");
    }
}
