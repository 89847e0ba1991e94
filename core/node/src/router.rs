//! The broker without sockets: what clients said comes in, what they are to get goes out.
//!
//! The owner opens a client for each connection, hands over whatever bytes arrive, and asks
//! [`Router::take_woken`] whose output to fetch. Time is an argument, counted from any fixed point.

use std::net::IpAddr;
use std::time::Duration;

use slab::Slab;

use crate::cache::{Cache, Target};
use crate::client::{Client, Ending};
use crate::connect::Credentials;
use crate::deliver::Delivery;
use crate::frame::Frame;
use crate::info::Info;
use crate::options::NodeOptions;
use crate::trie::Trie;
use crate::violation::Violation;

/// Why a client is cut whose buffer is full.
pub(crate) const OVERFULL: &str = "let more wait than max_pending allows";
/// An open connection's key, given again after [`Router::close`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientId(pub(crate) u32);

/// Figures of a node since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeStats {
    /// Open connections.
    pub connections: usize,
    /// Connections accepted so far.
    pub total_connections: u64,
    /// Subscriptions of all clients.
    pub subscriptions: usize,
    /// Messages received from publishers.
    pub messages_in: u64,
    /// Bytes of these, headers and payload.
    pub bytes_in: u64,
    /// Messages handed to subscribers.
    pub messages_out: u64,
    /// Bytes of these, headers and payload.
    pub bytes_out: u64,
    /// Clients that were cut because they did not take their messages.
    pub slow_consumers: u64,
}

/// A subscription of a client.
pub(crate) struct Sub {
    pub client: u32,
    pub sid: Box<[u8]>,
    pub subject: Box<[u8]>,
    pub queue: Option<Box<[u8]>>,
    pub delivered: u64,
    /// Ends after so many messages; 0 = never.
    pub max: u64,
}

/// The broker by itself. Methods that take a [`ClientId`] want one that is open, and panic otherwise.
pub struct Router {
    pub(crate) clients: Slab<Client>,
    pub(crate) subs: Slab<Sub>,
    pub(crate) trie: Trie,
    pub(crate) cache: Cache,
    pub(crate) woken: Vec<u32>,
    /// Receivers to deal with once a message has reached all others.
    pub(crate) leftover: Vec<(Target, Delivery)>,
    pub(crate) stats: NodeStats,
    info: Info,
    pub(crate) credentials: Credentials,
    max_payload: usize,
    pub(crate) max_pending: usize,
    max_connections: usize,
    ping_interval: Duration,
    ping_max: u32,
    auth_timeout: Duration,
    lame: bool,
    pub(crate) random: u64,
}

impl Router {
    /// A broker without clients. `server_id` goes into INFO and must have at least 8 characters;
    /// `seed` decides which member of a queue group gets a message.
    pub fn new(options: &NodeOptions, server_id: &str, seed: u64) -> Self {
        Self {
            clients: Slab::new(),
            subs: Slab::new(),
            trie: Trie::default(),
            cache: Cache::default(),
            woken: Vec::new(),
            leftover: Vec::new(),
            stats: NodeStats::default(),
            info: Info::new(options, server_id.to_owned()),
            credentials: Credentials {
                token: options.token.clone(),
                user: options.user.clone(),
                password: options.password.clone(),
            },
            max_payload: options.max_payload,
            max_pending: options.max_pending,
            max_connections: options.max_connections,
            ping_interval: options.ping_interval,
            ping_max: options.ping_max,
            auth_timeout: options.auth_timeout,
            lame: false,
            random: seed | 1,
        }
    }

    /// Takes in a new connection and greets it with INFO. One too many is told so and ends at once.
    pub fn open(&mut self, now: Duration, ip: Option<IpAddr>) -> ClientId {
        self.stats.total_connections += 1;
        let number = self.stats.total_connections;
        let authorized = !self.credentials.required();
        let patience = if authorized { self.ping_interval } else { self.auth_timeout };
        let mut client = Client::new(number, ip, authorized, now + patience);
        self.info.write(number, ip, self.lame, &mut client.output);
        let id = ClientId(self.clients.insert(client) as u32);
        self.wake(id);
        if self.clients.len() > self.max_connections {
            self.violated(id, Violation::MaxConnections);
        }
        id
    }

    /// Forgets a connection and its subscriptions.
    pub fn close(&mut self, id: ClientId) {
        self.end(id, Ending::Gone);
        if let Some(client) = self.clients.try_remove(id.0 as usize) {
            self.woken.retain(|woken| *woken != id.0);
            log::debug!("client {} {} gone: {:?}", client.number, client.label, client.ending);
        }
    }

    /// Bytes of a client, cut anywhere.
    pub fn receive(&mut self, id: ClientId, mut bytes: &[u8]) {
        let client = &mut self.clients[id.0 as usize];
        client.heard = true;
        let mut input = std::mem::take(&mut client.input);
        let max_payload = self.max_payload;
        loop {
            let client = &self.clients[id.0 as usize];
            if client.ending.is_some() {
                break;
            }
            // As nats-server, which takes nothing but a C from strangers.
            if !client.authorized
                && input.at_start()
                && bytes.first().is_some_and(|first| !first.eq_ignore_ascii_case(&b'C'))
            {
                self.violated(id, Violation::Authorization);
                break;
            }
            let Some(frame) = input.next(&mut bytes, max_payload) else { break };
            match frame {
                Ok(Frame::Publish(message)) => self.publish(id, &message),
                Ok(frame) => self.control(id, &frame),
                Err(violation) => self.violated(id, violation),
            }
        }
        self.clients[id.0 as usize].input = input;
    }

    /// The clients that something waits for since they were last taken out.
    pub fn take_woken(&mut self, into: &mut Vec<ClientId>) {
        into.extend(self.woken.drain(..).map(ClientId));
    }

    /// Moves what waits for a client into `into`, which must be empty: it and the client's buffer
    /// change places. The bytes count as pending until [`Self::written`] is told of them. False when
    /// nothing waits: the client is woken again when something does.
    pub fn take_output(&mut self, id: ClientId, into: &mut Vec<u8>) -> bool {
        let client = &mut self.clients[id.0 as usize];
        if client.output.is_empty() {
            client.woken = false;
            return false;
        }
        std::mem::swap(&mut client.output, into);
        client.in_flight += into.len();
        true
    }

    /// Notes that the client took so many of the bytes.
    pub fn written(&mut self, id: ClientId, count: usize) {
        let client = &mut self.clients[id.0 as usize];
        client.in_flight = client.in_flight.saturating_sub(count);
        if !client.holds.is_empty() && client.pending() <= self.max_pending / 4 {
            self.caught_up(id);
        }
    }

    /// For how long nothing is to be read from the client, because a receiver of its messages has
    /// fallen behind. The client is woken when that is over sooner; [`Self::release`] ends it.
    pub fn hold(&self, id: ClientId) -> Option<Duration> {
        self.clients[id.0 as usize].hold
    }

    /// Ends what [`Self::hold`] tells.
    pub fn release(&mut self, id: ClientId) {
        self.clients[id.0 as usize].hold = None;
    }

    /// Whether the connection is to be closed once its output is written.
    pub fn is_ending(&self, id: ClientId) -> bool {
        self.clients[id.0 as usize].ending.is_some()
    }

    /// When to call [`Self::deadline_passed`] for the client.
    pub fn deadline(&self, id: ClientId) -> Duration {
        self.clients[id.0 as usize].deadline
    }

    /// Cuts a client that is late with its credentials or answers no PING, or sends it a PING.
    pub fn deadline_passed(&mut self, now: Duration, id: ClientId) {
        let client = &mut self.clients[id.0 as usize];
        if now < client.deadline || client.ending.is_some() {
            return;
        }
        client.deadline = now + self.ping_interval;
        if !client.authorized {
            self.violated(id, Violation::AuthTimeout);
        } else if std::mem::take(&mut client.heard) {
            client.pings_out = 0;
        } else if client.pings_out >= self.ping_max {
            self.violated(id, Violation::StaleConnection);
        } else {
            client.pings_out += 1;
            client.output.extend_from_slice(b"PING\r\n");
            self.wake(id);
        }
    }

    /// Cuts a client that takes nothing from its socket any more.
    pub fn write_stalled(&mut self, id: ClientId) {
        if !self.is_ending(id) {
            self.cut_slow(id, "took nothing within the write deadline");
        }
    }

    /// Tells every client that understands it that the node is about to go.
    pub fn announce_end(&mut self) {
        self.lame = true;
        for key in self.keys() {
            let client = &mut self.clients[key as usize];
            if client.dynamic && client.ending.is_none() {
                self.info.write(client.number, client.ip, true, &mut client.output);
                self.wake(ClientId(key));
            }
        }
    }

    /// Ends every connection once its output is written.
    pub fn end_all(&mut self) {
        for key in self.keys() {
            self.end(ClientId(key), Ending::Shutdown);
        }
    }

    /// The figures so far.
    pub fn stats(&self) -> NodeStats {
        NodeStats { connections: self.clients.len(), subscriptions: self.subs.len(), ..self.stats }
    }

    fn keys(&self) -> Vec<u32> {
        self.clients.iter().map(|(key, _)| key as u32).collect()
    }

    pub(crate) fn wake(&mut self, id: ClientId) {
        let client = &mut self.clients[id.0 as usize];
        if !std::mem::replace(&mut client.woken, true) {
            self.woken.push(id.0);
        }
    }

    /// Wakes the client even if it knows that something waits: it may be stuck with that.
    pub(crate) fn rouse(&mut self, id: ClientId) {
        self.clients[id.0 as usize].woken = true;
        self.woken.push(id.0);
    }

    pub(crate) fn say(&mut self, id: ClientId, text: &[u8]) {
        self.clients[id.0 as usize].output.extend_from_slice(text);
        self.wake(id);
        if self.clients[id.0 as usize].pending() > self.max_pending {
            self.cut_slow(id, OVERFULL);
        }
    }

    pub(crate) fn agree(&mut self, id: ClientId) {
        if self.clients[id.0 as usize].verbose {
            self.say(id, b"+OK\r\n");
        }
    }

    pub(crate) fn violated(&mut self, id: ClientId, violation: Violation) {
        self.say(id, format!("-ERR '{}'\r\n", violation.text()).as_bytes());
        if violation.closes() {
            self.end(id, Ending::Violation(violation));
        }
    }

    pub(crate) fn end(&mut self, id: ClientId, ending: Ending) {
        self.forget_subs(id);
        self.caught_up(id);
        let client = &mut self.clients[id.0 as usize];
        client.ending.get_or_insert(ending);
        self.rouse(id);
    }

    /// What waits and is not on its way yet is dropped, so that the reason can still follow.
    pub(crate) fn cut_slow(&mut self, id: ClientId, why: &str) {
        let client = &mut self.clients[id.0 as usize];
        if client.ending.is_some() {
            return;
        }
        log::warn!("client {} {} cut as a slow consumer: it {why}", client.number, client.label);
        client.output = Vec::new();
        client.ending = Some(Ending::Violation(Violation::SlowConsumer));
        self.stats.slow_consumers += 1;
        self.violated(id, Violation::SlowConsumer);
    }
}
