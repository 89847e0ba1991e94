//! What programs do: a random call of a random hub, and what they do with messages.
use crate::{
    cast::{HostId, Item},
    host::{Call, Host, HostSub, HostWatch},
    oracle::Expectation,
    sim::{DUE, SECOND, Sim},
};
use posthouse_core::{
    Result,
    hub::{Collect, Config, Hub, Op, SubId, SubscribeOptions},
    options::HubOptions,
};
use std::collections::{BTreeMap, VecDeque};

const VARS: [&str; 6] = ["battery", "sensor.*", "a..b", "lamp", "é", "door"];
const TOPICS: [&str; 4] = ["news", "news.local", "work", "ask"];
const PATTERNS: [&str; 6] = ["news", "news.*", "news.>", ">", "work", "ask"];
const MOST_HUBS: usize = 6;

impl Sim {
    pub(crate) fn new_host(&mut self) -> Result<(), String> {
        let mut options = HubOptions::default();
        if self.chance(20) {
            options.messaging.pending_messages = 8;
        }
        let config = Config {
            namespace: "workshop".to_owned(),
            options,
            endpoints: (0..self.network.endpoints.len())
                .map(|n| format!("nats://n{n}:1"))
                .collect(),
            reconnect_max_ms: 5_000,
            seed: self.rng.next_u64(),
            sdk: "rust".to_owned(),
            version: "0.1.0".to_owned(),
            runtime: "simulation".to_owned(),
        };
        let mut hub = Hub::new(config, self.time()).map_err(|e| e.to_string())?;
        hub.start();
        let mut var = |name| hub.var(name).map_err(|e| e.to_string());
        let vars = VARS.into_iter().map(&mut var).collect::<Result<Vec<_>, _>>()?;
        let mut topics = BTreeMap::new();
        for name in TOPICS.into_iter().chain(PATTERNS) {
            topics.insert(name, var(name)?);
        }
        let host = Host {
            hub,
            versions: vec![None; vars.len()],
            vars,
            topics,
            subs: BTreeMap::new(),
            watches: BTreeMap::new(),
            running: BTreeMap::new(),
            troubles: 0,
            leaving: false,
        };
        self.hosts.push(host);
        self.settle(self.hosts.len() - 1)
    }

    fn any_host(&mut self) -> Option<HostId> {
        let live: Vec<HostId> =
            (0..self.hosts.len()).filter(|&at| !self.hosts[at].leaving).collect();
        let at = self.rng.below(live.len() as u64) as usize;
        live.get(at).copied()
    }

    /// One random call, and when the next one comes.
    pub(crate) fn work(&mut self) -> Result<(), String> {
        if self.healed {
            return Ok(());
        }
        let next = if self.chance(30) { self.rng.below(2_000) } else { self.rng.below(200_000) };
        self.after(next, Item::Work);
        let Some(at) = self.any_host() else { return self.new_host() };
        let now = self.time();
        match self.rng.below(1_000) {
            0..300 => {
                let var = self.rng.below(VARS.len() as u64) as usize;
                let value = self.rng.below(1_000).to_string();
                let host = &mut self.hosts[at];
                let var = host.vars[var];
                let result = if self.rng.below(8) == 0 {
                    host.hub.delete(now, var)
                } else {
                    host.hub.set(now, var, value.as_bytes())
                };
                result.map_err(|e| format!("a write failed: {e}"))?;
            }
            300..560 => self.publish(at),
            560..680 => self.request(at),
            680..780 => self.subscribe(at),
            780..810 => self.end_subscription(at),
            810..850 => {
                let var = self.hosts[at].vars[self.rng.below(VARS.len() as u64) as usize];
                let host = &mut self.hosts[at];
                if host.watches.len() < 4 {
                    let watch = host.hub.watch(var).map_err(|e| e.to_string())?;
                    host.watches.insert(watch, HostWatch { var, told: false, seen: None });
                } else if let Some((watch, _)) = host.watches.pop_first() {
                    host.hub.unwatch(watch);
                }
            }
            850..910 => {
                let timeout = 1 + self.rng.below(10_000);
                let op = self.hosts[at].hub.flush(now, timeout);
                self.began(at, &op, Call::Other);
            }
            910..930 => {
                let op = self.hosts[at].hub.connected(now, Some(5_000));
                self.began(at, &op, Call::Other);
            }
            930..950 => {
                let var = self.hosts[at].vars[0];
                let op = self.hosts[at].hub.ready(now, Some(var), Some(5_000));
                self.began(at, &op, Call::Other);
            }
            950..965 => {
                let op = self.hosts[at].running.keys().next().copied();
                if let Some(op) = op {
                    self.hosts[at].hub.cancel(now, op);
                }
            }
            965..975 => {
                self.hosts[at].troubles += 1;
                self.hosts[at].leaving = true;
                let timeout = 1 + self.rng.below(6_000);
                let op = self.hosts[at].hub.drain(now, timeout);
                if self.chance(20)
                    && let Ok(op) = op
                {
                    self.after(SECOND / 10, Item::Cancel(at, op));
                }
                self.began(at, &op, Call::Drain);
                if self.chance(30) {
                    let again = self.hosts[at].hub.drain(now, 60_000);
                    self.began(at, &again, Call::Drain);
                }
            }
            975..983 => {
                self.trace.note(self.now, format_args!("hub {at} is closed"));
                self.hosts[at].troubles += 1;
                self.hosts[at].leaving = true;
                self.hosts[at].hub.close(now);
            }
            _ => {
                let live = self.hosts.iter().filter(|host| !host.leaving).count();
                if live < MOST_HUBS {
                    return self.new_host();
                }
            }
        }
        self.settle(at)
    }

    fn began(&mut self, at: HostId, op: &Result<Op>, call: Call) {
        if let &Ok(op) = op {
            self.trace.note(self.now, format_args!("hub {at} {op:?} begins: {call:?}"));
            self.hosts[at].running.insert(op, call);
        }
    }

    fn publish(&mut self, at: HostId) {
        let topic = TOPICS[self.rng.below(3) as usize];
        let message = self.oracle.message();
        let host = &mut self.hosts[at];
        let sent = host.hub.publish(host.topics[topic], message.to_string().as_bytes(), None);
        self.oracle.accepted.insert(message, sent.is_ok().then(|| self.network.newest(at)));
        let how = sent.as_ref().map_or_else(|e| e.code().as_str(), |()| "accepted");
        self.trace.note(self.now, format_args!("hub {at} publishes {message} to {topic}: {how}"));
        if sent.is_err() {
            return;
        }
        if !self.network.healthy(at) {
            return;
        }
        let first = self.oracle.expectations.len();
        for to in 0..self.hosts.len() {
            let host = &self.hosts[to];
            if !host.hub.meta(host.vars[0]).connected || !self.network.healthy(to) {
                continue;
            }
            for (id, sub) in &host.subs {
                if sub.open && !sub.queue && !sub.handler && matches(sub.name, topic) {
                    self.oracle.expectations.push(Expectation {
                        message,
                        to: (to, *id),
                        from: at,
                        troubles: (self.hosts[at].troubles, host.troubles, 0),
                        binding: false,
                    });
                }
            }
        }
        for expectation in first..self.oracle.expectations.len() {
            self.after(DUE, Item::Due(expectation));
        }
    }

    pub(crate) fn message_due(&mut self, at: usize) {
        let expected = &mut self.oracle.expectations[at];
        let (from, to) = (&self.hosts[expected.from], &self.hosts[expected.to.0]);
        expected.binding = (from.troubles, to.troubles, 0) == expected.troubles
            && to.hub.meta(to.vars[0]).connected
            && to.subs.get(&expected.to.1).is_some_and(|sub| sub.open);
    }

    fn request(&mut self, at: HostId) {
        let topic = if self.chance(80) { "ask" } else { "news.local" };
        let message = self.oracle.message();
        let many = self.chance(30);
        let collect = many.then_some(Collect { max_replies: 3, max_bytes: 1_000 });
        let timeout = 100 + self.rng.below(3_000);
        let now = self.time();
        let host = &mut self.hosts[at];
        let body = message.to_string();
        let var = host.topics[topic];
        let op = host.hub.request(now, var, body.as_bytes(), None, timeout, collect);
        self.oracle.accepted.insert(message, op.is_ok().then(|| self.network.newest(at)));
        if self.chance(10)
            && let Ok(op) = op
        {
            let delay = self.rng.below(SECOND);
            self.after(delay, Item::Cancel(at, op));
        }
        self.began(at, &op, if many { Call::Collect(message) } else { Call::Request(message) });
    }

    fn subscribe(&mut self, at: HostId) {
        if self.hosts[at].subs.len() > 20 {
            return;
        }
        let name = PATTERNS[self.rng.below(PATTERNS.len() as u64) as usize];
        let queue = name == "work" && self.chance(70);
        let mut options = SubscribeOptions {
            queue: queue.then(|| "members".to_owned()),
            requests_only: name == "ask",
            ..SubscribeOptions::default()
        };
        if self.chance(20) {
            options.numbers.pending_messages = 2;
        }
        let now = self.time();
        let host = &mut self.hosts[at];
        let Ok((sub, op)) = host.hub.subscribe(now, host.topics[name], &options) else { return };
        let delay = match self.rng.below(10) {
            0..7 => 0,
            7..9 => self.rng.below(20_000),
            _ => self.rng.below(2 * SECOND),
        };
        let known = HostSub {
            name,
            queue,
            handler: options.requests_only,
            open: false,
            pumping: false,
            taken: VecDeque::new(),
            delay,
        };
        self.hosts[at].subs.insert(sub, known);
        self.began(at, &Ok(op), Call::Subscribe(sub));
    }

    fn end_subscription(&mut self, at: HostId) {
        let open = self.hosts[at].subs.iter().filter(|(_, sub)| sub.open);
        let ids: Vec<SubId> = open.map(|(id, _)| *id).collect();
        let Some(&id) = ids.get(self.rng.below(ids.len() as u64) as usize) else { return };
        let now = self.time();
        let way = self.rng.below(3);
        let timeout = 1 + self.rng.below(5_000);
        let host = &mut self.hosts[at];
        if let Some(sub) = host.subs.get_mut(&id) {
            sub.open = false;
        }
        match way {
            0 => host.hub.unsubscribe(now, id),
            1 => {
                host.hub.release(now, id);
                if let Some(sub) = host.subs.get_mut(&id) {
                    sub.taken.clear();
                }
            }
            _ => {
                let op = host.hub.drain_subscription(now, id, timeout);
                self.began(at, &op, Call::DrainSubscription(id));
            }
        }
    }

    /// The program asks for messages, after it was told or when it is done with the last ones.
    pub(crate) fn pump(&mut self, at: HostId, sub: SubId) -> Result<(), String> {
        let most = 1 + self.rng.below(4) as usize;
        let host = &mut self.hosts[at];
        let Some(known) = host.subs.get_mut(&sub) else { return Ok(()) };
        let mut out = Vec::new();
        host.hub.take(sub, most, &mut out);
        if out.is_empty() {
            known.pumping = false;
            return self.settle(at);
        }
        let delay = known.delay;
        for delivery in out {
            let text = String::from_utf8_lossy(&delivery.payload).into_owned();
            let message = text.parse().map_err(|_| format!("a message said {text}"))?;
            self.oracle.delivered(at, sub, message, known.queue)?;
            self.trace.note(self.now, format_args!("hub {at} {sub:?} gets {message}"));
            let reply = delivery.token.has_reply().then_some(text);
            known.taken.push_back((delivery.token, reply, message));
        }
        self.after(delay, Item::Handled(at, sub));
        self.settle(at)
    }

    /// The handler of the oldest message that the program holds ends.
    pub(crate) fn handled(&mut self, at: HostId, sub: SubId) -> Result<(), String> {
        let now = self.time();
        let host = &mut self.hosts[at];
        let Some(known) = host.subs.get_mut(&sub) else { return Ok(()) };
        if let Some((token, reply, _)) = known.taken.pop_front() {
            if let (true, Some(body)) = (known.handler, reply) {
                host.hub.answer(now, &token, body.as_bytes(), None);
            }
            if self.rng.below(2) == 0 {
                host.hub.finished(now, sub, 1);
            } else {
                host.hub.finished_one(now, &token);
            }
        }
        let (more, delay) = (!known.taken.is_empty(), known.delay);
        let item = if more { Item::Handled(at, sub) } else { Item::Pump(at, sub) };
        self.after(if more { delay } else { 0 }, item);
        self.settle(at)
    }

    /// Every hub that is left drains.
    pub(crate) fn drain_all(&mut self) -> Result<Vec<HostId>, String> {
        let live: Vec<HostId> =
            (0..self.hosts.len()).filter(|&at| !self.hosts[at].leaving).collect();
        for &at in &live {
            let now = self.time();
            let op = self.hosts[at].hub.drain(now, 5_000);
            self.hosts[at].leaving = true;
            self.began(at, &op, Call::LastDrain);
            self.settle(at)?;
        }
        Ok(live)
    }
}

/// Whether a subscription to `pattern` gets messages of `topic`.
fn matches(pattern: &str, topic: &str) -> bool {
    match pattern {
        ">" => true,
        "news.*" | "news.>" => topic == "news.local",
        _ => pattern == topic,
    }
}
