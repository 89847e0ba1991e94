//! A whole hub, driven by bytes from its server, commands of its program, steps of time and cuts, all out
//! of a fuzzer's choices. Checked after every step: see `model` for what a program may rely on,
//! `protocol` for what a server may, and `Hub::audit` for the hub's own books.
mod model;
mod program;
mod protocol;
mod server;
mod wire;

use crate::input::{Input, pieces};
use model::Model;
use posthouse_core::{
    EndpointId, Now, VarId,
    frame::{ConnectFields, Info},
    hub::{Action, Config, DialId, Event, Hub},
    options::HubOptions,
    subject::Namespace,
};
use server::Server;
use std::collections::BTreeMap;

/// More steps than this find nothing new and take long.
const STEPS: usize = 300;
/// Variables and messages that a program and its peers speak of.
const NAMES: [&str; 8] = ["a", "a.b", "sensor.x", "a.*", ">", "é.b", "x y", "*.b"];

struct World {
    hub: Hub,
    model: Model,
    names: Namespace,
    now: Now,
    vars: Vec<VarId>,
    dials: BTreeMap<DialId, EndpointId>,
    /// Dials that the hub gave up; a driver may still report them.
    stale: Vec<DialId>,
    servers: Vec<Server>,
    /// The transport takes nothing.
    stuck: bool,
    /// How server bytes are cut.
    lengths: Option<u8>,
}

fn options(profile: u8) -> HubOptions {
    let mut options = HubOptions::default();
    let most = &mut options.messaging;
    if profile & 1 == 1 {
        (most.pending_messages, most.pending_bytes) = (5, 200);
        (most.subscriptions, most.requests) = (3, 2);
        (most.payload_bytes, most.outbound_bytes) = (300, 600);
        (most.header_entries, most.header_bytes) = (2, 64);
    }
    if profile & 2 == 2 {
        (options.max_variables, options.max_memory_bytes) = (4, 120);
        options.max_instances = 2;
        (most.replies, most.reply_bytes) = (2, 50);
    }
    if profile & 4 == 4 {
        (options.timeout_ms, options.peer_timeout_ms) = (50, Some(7));
        (options.ping_interval_ms, options.ping_missed) = (20, 0);
        (options.probe_interval_ms, options.health_interval_ms) = (30, 11);
        options.selection.cooldown_ms = 0;
    }
    options
}

impl World {
    fn new(profile: u8, lengths: Option<u8>) -> Self {
        let now = Now { mono: 1_000_000, unix_ms: 1_700_000_000_000 };
        let endpoints = ["nats://one:4222", "nats://two:4222", "ws://three:9222"];
        let config = Config {
            namespace: "n".into(),
            options: options(profile),
            endpoints: endpoints[..=usize::from(profile >> 4) % 3]
                .iter()
                .map(|&e| e.into())
                .collect(),
            reconnect_max_ms: 500,
            seed: 7,
            sdk: "rust".into(),
            version: "0".into(),
            runtime: "fuzz".into(),
        };
        let mut hub = Hub::new(config, now).expect("the options are in range");
        hub.start();
        Self {
            hub,
            model: Model::default(),
            names: Namespace::new("n").expect("it is a name"),
            now,
            vars: Vec::new(),
            dials: BTreeMap::new(),
            stale: Vec::new(),
            servers: Vec::new(),
            stuck: false,
            lengths,
        }
    }

    /// Does what a driver does until the hub has nothing more to say.
    fn settle(&mut self) {
        let mut buffer = Vec::new();
        for server in &mut self.servers {
            if !self.stuck {
                self.hub.take_output(server.link, &mut buffer);
                server.hear(&buffer, &self.names);
                buffer.clear();
            }
        }
        if !self.stuck {
            for index in 0..self.servers.len() {
                let (link, written) = (self.servers[index].link, self.servers[index].unwritten);
                self.servers[index].unwritten = 0;
                self.hub.handle_written(self.now, link, written);
            }
        }
        while let Some(event) = self.hub.poll_event() {
            self.model.event(&mut self.hub, &event);
            if matches!(event, Event::Instances) {
                let list = self.hub.instances(self.now);
                self.model.told.push(format!("{list:?}"));
            }
        }
        while let Some(action) = self.hub.poll_action() {
            self.model.told.push(format!("{action:?}"));
            match action {
                Action::Dial(dial, endpoint) => {
                    assert!(self.dials.insert(dial, endpoint).is_none(), "dialled twice");
                    assert!(self.dials.len() <= 2, "more than the next and the one after");
                }
                Action::Abandon(dial) => {
                    assert!(self.dials.remove(&dial).is_some(), "nothing to abandon");
                    self.stale.push(dial);
                }
                Action::Close(link) => self.servers.retain(|server| server.link != link),
                Action::Probe(_) | Action::Learned(..) => {}
            }
        }
        assert!(self.servers.len() <= 2, "more links than the current and the next");
        self.model.check(&self.hub, self.now);
    }

    /// Bytes of a server, in pieces.
    fn deliver(&mut self, index: usize, bytes: &[u8]) {
        let Some(server) = self.servers.get(index) else { return };
        let link = server.link;
        match self.lengths {
            None => self.hub.handle_bytes(self.now, link, bytes),
            Some(length) => {
                for piece in pieces(bytes, &[length]) {
                    self.hub.handle_bytes(self.now, link, piece);
                }
            }
        }
    }

    fn pass_time(&mut self, choice: u8) {
        let step = match choice {
            0..=127 => match self.hub.deadline() {
                Some(at) => at.saturating_sub(self.now.mono),
                None => 1_000,
            },
            other => [1, 10, 100, 1_000, 5_000, 15_000, 60_000][usize::from(other) % 7] * 1_000,
        };
        self.now.mono += step;
        self.now.unix_ms += step / 1_000;
        self.hub.handle_timeout(self.now);
        self.settle();
        self.model.check_time(&self.hub, self.now);
    }

    fn dialled(&mut self, outcome: u8, input: &mut Input<'_>) {
        let chosen =
            self.dials.keys().nth(usize::from(outcome >> 6) % 2).or(self.dials.keys().next());
        let dial = match chosen.copied() {
            Some(dial) => dial,
            None => match self.stale.last() {
                Some(&dial) => dial,
                None => return,
            },
        };
        self.dials.remove(&dial);
        let code = [posthouse_core::Code::AuthFailed, posthouse_core::Code::Timeout];
        if outcome & 15 == 1 {
            let error = posthouse_core::Error::new(input.pick(&code), "no");
            return self.hub.handle_dial_failed(self.now, dial, &error);
        }
        let info = Info {
            headers: outcome & 15 != 2,
            max_payload: if outcome & 16 == 0 { 1_048_576 } else { 250 },
            ldm: outcome & 15 == 3,
            ..Info::default()
        };
        if let Some(link) =
            self.hub.handle_connected(self.now, dial, info, &ConnectFields::default())
        {
            self.servers.push(Server::new(link));
        }
    }

    fn step(&mut self, what: u8, input: &mut Input<'_>) {
        match what {
            b'T' => self.pass_time(input.byte()),
            b'D' => {
                let outcome = input.byte();
                self.dialled(outcome, input);
            }
            b'C' => {
                let count = self.servers.len();
                if count > 0 {
                    let server = self.servers.remove(input.below(count));
                    self.hub.handle_disconnected(self.now, server.link, "it was cut");
                }
            }
            b'W' => self.stuck = !self.stuck,
            b'A'..=b'Z' => self.server_says(what, input),
            _ => self.program_does(what, input),
        }
    }

    /// The end: whatever happened, a closed hub has nothing left.
    fn finish(&mut self) {
        self.stuck = false;
        self.settle();
        self.hub.close(self.now);
        self.settle();
        assert!(self.hub.is_closed() && self.dials.is_empty(), "a dial is left: {:?}", self.dials);
        assert!(self.servers.is_empty(), "a link is left open");
        for (id, sub) in &self.model.subs {
            self.hub.finished(self.now, *id, sub.held.len());
        }
        let messaging = self.hub.status(self.now).messaging.expect("it is always told");
        let left =
            (messaging.pending_messages, messaging.pending_bytes, messaging.pending_requests);
        assert_eq!(left, (0, 0, 0), "budgets go back to nothing");
        assert_eq!((messaging.in_flight_handlers, messaging.outbound_bytes), (0, Some(0)));
        assert_eq!(self.hub.audit(), Ok(()));
        assert!(self.hub.poll_action().is_none());
        self.hub.handle_timeout(Now { mono: u64::MAX, ..self.now });
        assert!(self.hub.poll_action().is_none() && self.hub.deadline().is_none());
    }
}

/// Plays the choices and gives what the hub told.
fn play(profile: u8, lengths: Option<u8>, data: &[u8]) -> Vec<String> {
    let mut input = Input(data);
    let mut world = World::new(profile, lengths);
    world.vars = NAMES.iter().filter_map(|name| world.hub.var(name).ok()).collect();
    world.settle();
    for _ in 0..STEPS {
        let Some(byte) = input.next() else { break };
        let what = if byte.is_ascii_alphabetic() { byte } else { b'a' + byte % 26 };
        world.step(what, &mut input);
        world.settle();
    }
    world.finish();
    world.model.told
}

/// First byte: small limits, short times, endpoints, and whether to play again with the server's bytes cut
/// in other pieces. Then the steps: a letter each, lower case for the program, upper case for the world.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let profile = input.byte();
    let told = play(profile, None, input.0);
    if profile & 8 == 8 {
        let length = 1 + (profile >> 6) * 5;
        let again = play(profile, Some(length), input.0);
        assert_eq!(told, again, "pieces of {length} bytes make a difference");
    }
}
