//! Several hubs around the real broker's router, in one thread and without sockets.
use super::{at, config};
use posthouse_core::{
    LinkId, Now,
    frame::{ConnectFields, Info},
    hub::{Action, Config, Delivery, Event, Failure, Hub, Op, Outcome, SubId, SubscribeOptions},
};
use posthouse_node::{ClientId, NodeOptions, Router};
use std::{collections::BTreeMap, time::Duration};

pub struct World {
    pub hubs: Vec<Hub>,
    pub ms: u64,
    router: Router,
    links: Vec<(usize, LinkId, ClientId)>,
    pub ended: BTreeMap<(usize, Op), Result<Outcome, Failure>>,
}

impl World {
    /// So many connected hubs.
    pub fn new(hubs: u64) -> Self {
        Self::with((0..hubs).map(|seed| config(seed + 1, &["nats://a:1"])).collect())
    }

    pub fn with(configs: Vec<Config>) -> Self {
        let options = NodeOptions { name: Some("test".to_owned()), ..NodeOptions::default() };
        let mut hubs: Vec<Hub> =
            configs.into_iter().map(|config| Hub::new(config, at(0)).unwrap()).collect();
        hubs.iter_mut().for_each(Hub::start);
        let router = Router::new(&options, "TESTROUTER", 7);
        let mut world = Self { hubs, ms: 0, router, links: Vec::new(), ended: BTreeMap::new() };
        world.settle();
        world
    }

    pub fn now(&self) -> Now {
        at(self.ms)
    }

    fn wall(&self) -> Duration {
        Duration::from_millis(self.ms)
    }

    /// Moves bytes until nothing moves any more.
    pub fn settle(&mut self) {
        let now = self.now();
        loop {
            let mut moved = false;
            for at in 0..self.hubs.len() {
                while let Some(event) = self.hubs[at].poll_event() {
                    if let Event::Done(op, result) = event {
                        assert!(self.ended.insert((at, op), result).is_none(), "{op:?} twice");
                    }
                }
                while let Some(action) = self.hubs[at].poll_action() {
                    moved = true;
                    self.act(at, &action);
                }
            }
            for (at, link, client) in self.links.clone() {
                let mut bytes = Vec::new();
                self.hubs[at].take_output(link, &mut bytes);
                if !bytes.is_empty() {
                    moved = true;
                    self.router.receive(client, &bytes);
                    self.hubs[at].handle_written(now, link, bytes.len());
                }
                let mut bytes = Vec::new();
                if self.router.take_output(client, &mut bytes) {
                    moved = true;
                    self.router.written(client, bytes.len());
                    self.hubs[at].handle_bytes(now, link, &bytes);
                }
            }
            self.router.take_woken(&mut Vec::new());
            if !moved {
                return;
            }
        }
    }

    fn act(&mut self, at: usize, action: &Action) {
        match *action {
            Action::Dial(dial, _) => {
                let client = self.router.open(self.wall(), None);
                let mut greeting = Vec::new();
                self.router.take_output(client, &mut greeting);
                self.router.written(client, greeting.len());
                let json = greeting.strip_prefix(b"INFO ").unwrap();
                let info = Info::parse(json.trim_ascii()).unwrap();
                let fields = ConnectFields::default();
                let now = self.now();
                match self.hubs[at].handle_connected(now, dial, info, &fields) {
                    Some(link) => self.links.push((at, link, client)),
                    None => self.router.close(client),
                }
            }
            Action::Close(link) => {
                if let Some(found) = self.links.iter().position(|(_, l, _)| *l == link) {
                    let (_, _, client) = self.links.remove(found);
                    self.router.close(client);
                }
            }
            Action::Abandon(_) | Action::Probe(_) | Action::Learned(..) => {}
        }
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: u64) {
        let end = self.ms + ms;
        loop {
            let due = self.hubs.iter().filter_map(Hub::deadline).min();
            let Some(due) = due.filter(|due| *due <= at(end).mono) else { break };
            self.ms = self.ms.max(due.saturating_sub(at(0).mono).div_ceil(1_000));
            let now = self.now();
            for hub in &mut self.hubs {
                if hub.deadline().is_some_and(|due| due <= now.mono) {
                    hub.handle_timeout(now);
                }
            }
            self.settle();
        }
        self.ms = end;
    }

    /// Cuts a hub's connection.
    pub fn cut(&mut self, at: usize) {
        while let Some(found) = self.links.iter().position(|(hub, ..)| *hub == at) {
            let (_, link, client) = self.links.remove(found);
            self.router.close(client);
            let now = self.now();
            self.hubs[at].handle_disconnected(now, link, "cut");
        }
    }

    pub fn set(&mut self, at: usize, name: &str, value: &str) {
        let now = self.now();
        let var = self.hubs[at].var(name).unwrap();
        self.hubs[at].set(now, var, value.as_bytes()).unwrap();
    }

    pub fn get(&mut self, at: usize, name: &str) -> Option<String> {
        let var = self.hubs[at].var(name).unwrap();
        self.hubs[at].get(var).map(|value| String::from_utf8(value.to_vec()).unwrap())
    }

    pub fn sub(&mut self, at: usize, name: &str, options: &SubscribeOptions) -> SubId {
        let now = self.now();
        let var = self.hubs[at].var(name).unwrap();
        let (sub, op) = self.hubs[at].subscribe(now, var, options).unwrap();
        self.settle();
        assert_eq!(self.code(at, op), "OK");
        sub
    }

    pub fn publish(&mut self, at: usize, name: &str, body: &str) {
        let var = self.hubs[at].var(name).unwrap();
        self.hubs[at].publish(var, body.as_bytes(), None).unwrap();
        self.settle();
    }

    pub fn take(&mut self, at: usize, sub: SubId) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.hubs[at].take(sub, usize::MAX, &mut out);
        out
    }

    pub fn bodies(&mut self, at: usize, sub: SubId) -> Vec<String> {
        let taken = self.take(at, sub);
        let now = self.now();
        self.hubs[at].finished(now, sub, taken.len());
        taken.into_iter().map(|d| String::from_utf8(d.payload.to_vec()).unwrap()).collect()
    }

    pub fn code(&self, at: usize, op: Op) -> &'static str {
        self.ended.get(&(at, op)).map_or("-", super::code)
    }
}
