//! The loop of a run: the next thing that is due, what follows from it, and whether all is well.
use crate::{
    broker::Broker,
    cast::{ConnId, HostId, Item},
    host::{Call, Host},
    network::{Conn, Endpoint, Network},
    oracle::Oracle,
    trace::Trace,
};
use posthouse_core::{
    Code, EndpointId, Error, Now,
    frame::ConnectFields,
    hub::{Action, Connection, Event, Outcome},
    rng::Rng,
};
use std::collections::BTreeMap;

/// A second in the unit of the simulation, which is the machine's: microseconds.
pub(crate) const SECOND: u64 = 1_000_000;
/// How long programs work and faults happen.
pub(crate) const TROUBLE: u64 = 30 * SECOND;
/// How long everything then has to come together: a swallowed link is noticed after 10 s, dialled
/// again within 6, and a missed update is asked for within 15 and 2.4.
const HEALING: u64 = 40 * SECOND;
/// How long the last drains have.
const ENDING: u64 = 6 * SECOND;
/// A message must have arrived by then, if nothing went wrong.
pub(crate) const DUE: u64 = 4 * SECOND;

/// What a good run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tells two runs apart.
    pub hash: u64,
    /// Things that happened.
    pub steps: u64,
    /// Messages given to programs.
    pub deliveries: u64,
    /// Connections made.
    pub connections: u64,
}

/// A run that broke a rule.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its seed: gives the same failure again.
    pub seed: u64,
    /// The rule and what broke it.
    pub what: String,
    /// What happened until then, where that was asked for.
    pub trace: Vec<String>,
}

pub(crate) struct Sim {
    pub now: u64,
    pub rng: Rng,
    pub due: BTreeMap<(u64, u64), Item>,
    pub broker: Option<Broker>,
    pub network: Network,
    pub hosts: Vec<Host>,
    pub oracle: Oracle,
    pub trace: Trace,
    pub healed: bool,
    count: u64,
    summary: Summary,
}

/// Runs one seed; `trace` keeps what happens as text.
///
/// # Errors
/// The rule that was broken.
pub fn run(seed: u64, trace: bool) -> Result<Summary, Failure> {
    let mut sim = Sim::new(seed, trace);
    let result = sim.play();
    let summary =
        Summary { hash: sim.trace.hash(), deliveries: sim.oracle.deliveries, ..sim.summary };
    match result {
        Ok(()) => Ok(summary),
        Err(what) => Err(Failure { seed, what, trace: sim.trace.into_lines() }),
    }
}

impl Sim {
    fn new(seed: u64, trace: bool) -> Self {
        let mut rng = Rng::new(seed);
        let endpoints = 1 + rng.below(2);
        let endpoint = |rng: &mut Rng| Endpoint {
            listens: true,
            leaving: false,
            latency: 50 + rng.below(20_000),
        };
        let network = Network {
            endpoints: (0..endpoints).map(|_| endpoint(&mut rng)).collect(),
            ..Network::default()
        };
        Self {
            now: SECOND,
            broker: Some(Broker::new(rng.next_u64())),
            rng,
            due: BTreeMap::new(),
            network,
            hosts: Vec::new(),
            oracle: Oracle::default(),
            trace: Trace::new(trace),
            healed: false,
            count: 0,
            summary: Summary::default(),
        }
    }

    pub fn time(&self) -> Now {
        Now { mono: self.now, unix_ms: 1_700_000_000_000 + self.now / 1_000 }
    }

    pub fn after(&mut self, delay: u64, item: Item) {
        self.at(self.now + delay, item);
    }

    pub fn at(&mut self, when: u64, item: Item) {
        self.count += 1;
        self.due.insert((when, self.count), item);
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn play(&mut self) -> Result<(), String> {
        let hubs = 2 + self.rng.below(3);
        for _ in 0..hubs {
            self.new_host()?;
        }
        self.after(0, Item::Work);
        self.after(SECOND, Item::Fault);
        self.run_until(SECOND + TROUBLE)?;
        self.heal();
        self.run_until(SECOND + TROUBLE + HEALING)?;
        self.check_healed()?;
        let drains = self.drain_all()?;
        self.run_until(SECOND + TROUBLE + HEALING + ENDING)?;
        self.check_ended(&drains)
    }

    fn run_until(&mut self, end: u64) -> Result<(), String> {
        loop {
            let item = self.due.first_key_value().map(|(key, _)| key.0);
            let hub = (0..self.hosts.len())
                .filter_map(|at| self.hosts[at].hub.deadline().map(|due| (due, at)))
                .min();
            let next = match (item, hub) {
                (Some(item), Some((hub, _))) => item.min(hub),
                (Some(item), None) => item,
                (None, Some((hub, _))) => hub,
                (None, None) => end,
            };
            if next >= end {
                self.now = end;
                return Ok(());
            }
            self.now = self.now.max(next);
            self.summary.steps += 1;
            match hub {
                Some((due, at)) if item.is_none_or(|item| due <= item) => {
                    let now = self.time();
                    self.hosts[at].hub.handle_timeout(now);
                    self.settle(at)?;
                    if self.hosts[at].hub.deadline().is_some_and(|again| again <= self.now) {
                        return Err(format!("hub {at} asks for a time that has passed"));
                    }
                }
                _ => {
                    if let Some((_, item)) = self.due.pop_first() {
                        self.happen(item)?;
                    }
                }
            }
        }
    }

    fn happen(&mut self, item: Item) -> Result<(), String> {
        let now = self.time();
        match item {
            Item::ToBroker(conn, bytes) => {
                if self.network.conns.get(&conn).is_some_and(Conn::passes)
                    && let Some(broker) = &mut self.broker
                {
                    broker.receive(conn, &bytes);
                    self.broker_output(Some(conn))?;
                }
            }
            Item::ToHub(conn, bytes) => {
                let Some(to) = self.network.conns.get(&conn) else { return Ok(()) };
                if to.passes() && !to.hub_gone {
                    let (host, link) = (to.host, to.link);
                    self.hosts[host].hub.handle_bytes(now, link, &bytes);
                    self.settle(host)?;
                }
            }
            Item::Written(conn, bytes) => {
                let Some(from) = self.network.conns.get_mut(&conn) else { return Ok(()) };
                from.writing = false;
                if !from.hub_gone {
                    let (host, link) = (from.host, from.link);
                    self.hosts[host].hub.handle_written(now, link, bytes);
                    self.settle(host)?;
                }
            }
            Item::HubEnd(conn) => {
                let Some(conn) = self.network.conns.get_mut(&conn) else { return Ok(()) };
                if !std::mem::replace(&mut conn.hub_gone, true) {
                    let (host, link) = (conn.host, conn.link);
                    self.hosts[host].troubles += 1;
                    self.trace.note(self.now, format_args!("hub {host} loses {link:?}"));
                    self.hosts[host].hub.handle_disconnected(now, link, "simulated");
                    self.settle(host)?;
                }
            }
            Item::BrokerEnd(conn) => {
                if let Some(broker) = &mut self.broker {
                    broker.close(conn);
                }
                if self.network.conns.get(&conn).is_some_and(|c| c.hub_gone) {
                    self.network.conns.remove(&conn);
                }
            }
            Item::Dialled(host, dial, endpoint, stuck) => {
                self.dialled(host, dial, endpoint, stuck)?;
            }
            Item::Probed(host, endpoint) => {
                let there = self.network.endpoints[endpoint as usize];
                // A switch would be under way just when everything is looked at.
                let answers = self.broker.is_some() && there.listens && !self.healed;
                let there = answers.then_some(there);
                let rtt = there.map(|there| 2 * there.latency);
                self.hosts[host].hub.handle_probe(now, EndpointId(endpoint), rtt);
                self.settle(host)?;
            }
            Item::Pump(host, sub) => self.pump(host, sub)?,
            Item::Handled(host, sub) => self.handled(host, sub)?,
            Item::Look(host, watch) => {
                let there = &mut self.hosts[host];
                if let (Some(view), Some(known)) =
                    (there.hub.take_watch(watch), there.watches.get_mut(&watch))
                {
                    known.seen = Some(view);
                    known.told = false;
                    self.settle(host)?;
                }
            }
            Item::Work => self.work()?,
            Item::Fault => self.fault(),
            Item::BrokerUp => {
                if self.broker.is_none() {
                    self.broker = Some(Broker::new(self.rng.next_u64()));
                    self.trace.note(self.now, format_args!("the broker is back"));
                }
            }
            Item::EndpointUp(endpoint) => {
                let endpoint = &mut self.network.endpoints[endpoint as usize];
                (endpoint.listens, endpoint.leaving) = (true, false);
            }
            Item::EndpointGone(endpoint) => self.end_connections(Some(endpoint)),
            Item::Cancel(host, op) => {
                self.hosts[host].hub.cancel(now, op);
                self.settle(host)?;
            }
            Item::Due(at) => self.message_due(at),
        }
        Ok(())
    }

    fn dialled(
        &mut self,
        host: HostId,
        dial: posthouse_core::hub::DialId,
        endpoint: u32,
        stuck: bool,
    ) -> Result<(), String> {
        let now = self.time();
        let there = self.network.endpoints[endpoint as usize];
        let number = self.network.number();
        let info = match &mut self.broker {
            Some(broker) if there.listens && !there.leaving && !stuck => {
                broker.open(number, self.now)
            }
            _ => None,
        };
        let hub = &mut self.hosts[host].hub;
        let link =
            info.and_then(|info| hub.handle_connected(now, dial, info, &ConnectFields::default()));
        if link.is_none() {
            // Nothing, where the hub did not want it any more.
            let error = Error::new(Code::Disconnected, "nobody answers");
            hub.handle_dial_failed(now, dial, &error);
        }
        if let Some(link) = link {
            self.summary.connections += 1;
            self.trace.note(self.now, format_args!("hub {host} {link:?} to {endpoint}"));
            let latency = there.latency + self.rng.below(there.latency / 4 + 1);
            let conn = Conn {
                host,
                link,
                endpoint,
                latency,
                swallows: false,
                cut: false,
                hub_gone: false,
                writing: false,
                up: 0,
                down: 0,
            };
            self.network.conns.insert(number, conn);
        } else if let Some(broker) = &mut self.broker {
            broker.close(number);
        }
        self.broker_output(None)?;
        self.settle(host)
    }

    /// Takes what follows from an input to a hub, then checks the hub.
    pub fn settle(&mut self, at: HostId) -> Result<(), String> {
        while let Some(event) = self.hosts[at].hub.poll_event() {
            self.event(at, event)?;
        }
        while let Some(action) = self.hosts[at].hub.poll_action() {
            self.act(at, &action);
        }
        for conn in self.network.of(at) {
            self.write(conn);
        }
        self.check_host(at)
    }

    fn act(&mut self, at: HostId, action: &Action) {
        self.trace.note(self.now, format_args!("hub {at} {action:?}"));
        match *action {
            Action::Dial(dial, endpoint) => {
                self.hosts[at].troubles += 1;
                let latency = self.network.endpoints[endpoint.0 as usize].latency;
                let stuck = !self.healed && self.chance(3);
                let delay = if stuck { 3 * SECOND } else { 2 * latency + self.rng.below(2_000) };
                self.after(delay, Item::Dialled(at, dial, endpoint.0, stuck));
            }
            Action::Close(link) => {
                self.hosts[at].troubles += 1;
                if let Some(id) = self.network.by_link(at, link)
                    && let Some(conn) = self.network.conns.get_mut(&id)
                {
                    conn.hub_gone = true;
                    let when = conn.up.max(self.now + conn.latency);
                    self.at(when, Item::BrokerEnd(id));
                }
            }
            Action::Probe(endpoint) => {
                let latency = self.network.endpoints[endpoint.0 as usize].latency;
                self.after(2 * latency, Item::Probed(at, endpoint.0));
            }
            Action::Abandon(_) | Action::Learned(..) => {}
        }
    }

    fn event(&mut self, at: HostId, event: Event) -> Result<(), String> {
        match event {
            Event::Done(op, result) => {
                let code = result.as_ref().map_or_else(|f| f.error.code().as_str(), |_| "OK");
                self.trace.note(self.now, format_args!("hub {at} {op:?} ends: {code}"));
                let Some(call) = self.hosts[at].running.remove(&op) else {
                    return Err(format!("{op:?} of hub {at} ended, and was not running"));
                };
                self.ended(at, call, result)?;
            }
            Event::Ready(sub) => {
                let Some(known) = self.hosts[at].subs.get_mut(&sub) else {
                    return Err(format!("{sub:?} of hub {at} is ready, and is not known"));
                };
                if !std::mem::replace(&mut known.pumping, true) {
                    let delay = self.rng.below(2_000);
                    self.after(delay, Item::Pump(at, sub));
                }
            }
            Event::Ended(sub, error) => {
                let code = error.map_or("-", |e| e.code().as_str());
                self.trace.note(self.now, format_args!("hub {at} {sub:?} ended: {code}"));
                if let Some(known) = self.hosts[at].subs.get_mut(&sub) {
                    known.open = false;
                }
            }
            Event::Watch(watch) => {
                if let Some(known) = self.hosts[at].watches.get_mut(&watch) {
                    if std::mem::replace(&mut known.told, true) {
                        return Err(format!("{watch:?} of hub {at} was told twice"));
                    }
                    let delay = self.rng.below(20_000);
                    self.after(delay, Item::Look(at, watch));
                }
            }
            Event::Log(_, _, text) => self.trace.note(self.now, format_args!("hub {at}: {text}")),
            Event::Status | Event::Instances => {}
        }
        Ok(())
    }

    fn ended(
        &mut self,
        at: HostId,
        call: Call,
        result: Result<Outcome, posthouse_core::hub::Failure>,
    ) -> Result<(), String> {
        match (call, result) {
            (Call::Subscribe(sub), Ok(_)) => {
                if let Some(known) = self.hosts[at].subs.get_mut(&sub) {
                    known.open = true;
                }
            }
            (Call::Request(message), Ok(Outcome::Reply(reply)))
                if *reply.payload == *message.to_string().as_bytes() => {}
            (Call::Collect(message), Ok(Outcome::Replies(replies, _)))
                if replies.iter().all(|r| *r.payload == *message.to_string().as_bytes()) => {}
            (Call::LastDrain, Err(failure)) => {
                return Err(format!("hub {at} did not drain: {}", failure.error));
            }
            (Call::Request(_) | Call::Collect(_), Ok(other)) => {
                return Err(format!("{call:?} got the answer of another: {other:?}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Hands what a hub has written on to the network.
    fn write(&mut self, id: ConnId) {
        let Some(conn) = self.network.conns.get_mut(&id) else { return };
        let hub = &mut self.hosts[conn.host].hub;
        if conn.writing || !hub.has_output(conn.link) {
            return;
        }
        let mut bytes = Vec::new();
        hub.take_output(conn.link, &mut bytes);
        conn.writing = true;
        let busy = if self.healed { 100 } else { 1 + self.rng.below(200) };
        // Now and then the system takes nothing for a while.
        let delay = if busy == 200 { self.rng.below(500_000) } else { self.rng.below(busy * 5) };
        let written = self.now + delay;
        conn.up = conn.up.max(written + conn.latency);
        let (arrives, passes) = (conn.up, conn.passes());
        // A link that swallows is full at some time: then the system takes nothing any more, and
        // what the hub writes waits in the hub until it finds out.
        if passes || self.chance(50) {
            self.at(written, Item::Written(id, bytes.len()));
        }
        if passes {
            self.send(arrives, bytes, |part| Item::ToBroker(id, part));
        }
    }

    /// Sends bytes, cut anywhere.
    fn send(&mut self, arrives: u64, mut bytes: Vec<u8>, item: impl Fn(Vec<u8>) -> Item) {
        while bytes.len() > 1 && self.chance(20) {
            let at = 1 + self.rng.below(bytes.len() as u64 - 1) as usize;
            let rest = bytes.split_off(at);
            self.at(arrives, item(bytes));
            bytes = rest;
        }
        self.at(arrives, item(bytes));
    }

    pub fn broker_output(&mut self, over: Option<ConnId>) -> Result<(), String> {
        let Some(broker) = &mut self.broker else { return Ok(()) };
        let out = broker.output();
        for (_, body) in std::mem::take(&mut broker.passed) {
            let text = String::from_utf8_lossy(&body);
            let message = text.parse().map_err(|_| format!("a message said {text}"))?;
            self.oracle.passed(message, over)?;
        }
        for (id, bytes, ends) in out {
            self.broker_says(id, bytes);
            if ends {
                return Err(format!("the broker cut connection {id}"));
            }
        }
        Ok(())
    }

    pub fn broker_says(&mut self, id: ConnId, bytes: Vec<u8>) {
        let jitter = self.rng.below(500);
        let Some(conn) = self.network.conns.get_mut(&id) else { return };
        if conn.passes() && !bytes.is_empty() {
            conn.down = conn.down.max(self.now + conn.latency + jitter);
            let arrives = conn.down;
            self.send(arrives, bytes, |part| Item::ToHub(id, part));
        }
    }

    /// What holds for a hub at any moment.
    fn check_host(&mut self, at: HostId) -> Result<(), String> {
        let host = &mut self.hosts[at];
        for (place, &var) in host.vars.iter().enumerate() {
            let version = host.hub.meta(var).version.map(|v| (v.counter, v.writer));
            if version < host.versions[place] {
                return Err(format!("a version went back at hub {at}"));
            }
            host.versions[place] = version;
        }
        if host.hub.is_closed() {
            return Ok(());
        }
        let asks = |call: &Call| matches!(call, Call::Request(_) | Call::Collect(_));
        if !host.hub.meta(host.vars[0]).connected && host.running.values().any(asks) {
            return Err(format!("a request of hub {at} outlived its connection"));
        }
        for (id, watch) in &host.watches {
            let view = host.view(watch.var);
            let seen = watch.seen.as_ref();
            if !watch.told && view.meta.initialized && seen != Some(&view) {
                return Err(format!("{id:?} of hub {at} shows {seen:?}, but there is {view:?}"));
            }
        }
        for (id, sub) in &host.subs {
            let Some(status) = host.hub.subscription_status(*id) else { continue };
            if status.pending_messages < sub.taken.len() {
                return Err(format!("{id:?} of hub {at} counts less than the host holds"));
            }
            if status.pending_messages > sub.taken.len() && !sub.pumping {
                return Err(format!(
                    "{id:?} of hub {at} has messages that the host is not told of"
                ));
            }
        }
        Ok(())
    }

    /// What holds once everything had time to come together.
    fn check_healed(&mut self) -> Result<(), String> {
        let now = self.time();
        let live: Vec<HostId> =
            (0..self.hosts.len()).filter(|&at| !self.hosts[at].leaving).collect();
        let mut states = BTreeMap::new();
        for &at in &live {
            let host = &self.hosts[at];
            let status = host.hub.status(now);
            if host.hub.connection() != Connection::Connected {
                return Err(format!("hub {at} is not connected: {status:?}"));
            }
            if status.pending_variables > 0 || status.pending_bytes > 0 {
                return Err(format!("hub {at} still has pending variables"));
            }
            if status.current_error.is_some() {
                return Err(format!("hub {at} still has an error: {:?}", status.current_error));
            }
            let messaging = status.messaging.ok_or("a status without messaging")?;
            let counts = (
                messaging.pending_messages,
                messaging.pending_bytes,
                messaging.in_flight_handlers,
                messaging.pending_requests,
            );
            if counts != (0, 0, 0, 0) {
                return Err(format!("hub {at} still has messages: {counts:?}"));
            }
            let online = host.hub.instances(now);
            for &other in &live {
                let id = self.hosts[other].hub.instance_id();
                let there = online.iter().find(|i| i.instance_id == id);
                if !there.is_some_and(|i| i.state == posthouse_core::hub::Presence::Online) {
                    return Err(format!("hub {at} does not see hub {other}"));
                }
            }
            for &var in &host.vars {
                let view = host.view(var);
                let state = (view.value, view.meta.version.map(|v| (v.counter, v.writer)));
                let (first, known) =
                    states.entry(var_name(host, var)).or_insert_with(|| (at, state.clone()));
                if *known != state {
                    return Err(format!("hubs {first} and {at} differ: {known:?}, {state:?}"));
                }
            }
        }
        for expected in self.oracle.expectations.iter().filter(|e| e.binding) {
            let (host, sub) = expected.to;
            let there = &self.hosts[host];
            let dropped = there.hub.subscription_status(sub).is_none_or(|s| s.dropped_messages > 0);
            let open = there.subs.get(&sub).is_some_and(|s| s.open);
            if open && !dropped && !self.oracle.has(host, sub, expected.message) {
                return Err(format!("message {} was lost without a fault", expected.message));
            }
        }
        Ok(())
    }

    /// What holds when every hub has drained.
    fn check_ended(&mut self, drains: &[HostId]) -> Result<(), String> {
        for at in 0..self.hosts.len() {
            let now = self.time();
            let host = &mut self.hosts[at];
            if !host.hub.is_closed() {
                let what = if drains.contains(&at) { "did not drain" } else { "did not close" };
                return Err(format!("hub {at} {what}: {:?}", host.hub.status(now)));
            }
            if let Some(op) = host.running.keys().next() {
                return Err(format!("{op:?} of hub {at} never ended"));
            }
            for id in host.subs.keys().copied().collect::<Vec<_>>() {
                host.hub.release(now, id);
            }
            let messaging = host.hub.status(now).messaging.ok_or("a status without messaging")?;
            let counts = (
                messaging.pending_messages,
                messaging.pending_bytes,
                messaging.in_flight_handlers,
                messaging.pending_requests,
            );
            if counts != (0, 0, 0, 0) {
                return Err(format!("the budgets of hub {at} are not back at zero: {counts:?}"));
            }
        }
        Ok(())
    }
}

fn var_name(host: &Host, var: posthouse_core::VarId) -> String {
    host.hub.var_name(var).to_owned()
}
