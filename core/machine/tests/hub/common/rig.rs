//! One hub and a server that the test plays itself.
use super::{at, config, is_log};
use posthouse_core::{
    EndpointId, Error, LinkId, Now, VarId,
    frame::{ConnectFields, Info},
    hub::{
        Action, Config, Delivery, DialId, Event, Failure, Hub, Op, Outcome, SubId, SubscribeOptions,
    },
};
use std::collections::BTreeMap;

/// A hub, the connections it has, and what happened.
pub struct Rig {
    pub hub: Hub,
    pub ms: u64,
    /// Events in order, without log lines.
    pub events: Vec<Event>,
    pub actions: Vec<Action>,
    pub logs: Vec<String>,
    ended: BTreeMap<Op, Result<Outcome, Failure>>,
    /// The subscription numbers on each connection, by subject; the latest of a subject.
    sids: BTreeMap<(LinkId, String), u64>,
}

impl Rig {
    /// A hub that has begun to dial its one server.
    pub fn new() -> Self {
        Self::with(config(1, &["nats://a:1"]))
    }

    /// The same with another configuration.
    pub fn with(config: Config) -> Self {
        let mut hub = Hub::new(config, at(0)).unwrap();
        hub.start();
        let mut rig = Self {
            hub,
            ms: 0,
            events: Vec::new(),
            actions: Vec::new(),
            logs: Vec::new(),
            ended: BTreeMap::new(),
            sids: BTreeMap::new(),
        };
        rig.settle();
        rig
    }

    /// The same, connected.
    pub fn connected() -> (Self, LinkId) {
        let mut rig = Self::new();
        let link = rig.connect();
        (rig, link)
    }

    pub fn now(&self) -> Now {
        at(self.ms)
    }

    /// Takes events and actions.
    pub fn settle(&mut self) {
        while let Some(event) = self.hub.poll_event() {
            match event {
                Event::Log(_, _, text) => self.logs.push(text),
                Event::Done(op, result) => {
                    let before = self.ended.insert(op, result.clone());
                    assert!(before.is_none(), "{op:?} ended twice");
                    self.events.push(Event::Done(op, result));
                }
                event => self.events.push(event),
            }
        }
        while let Some(action) = self.hub.poll_action() {
            self.actions.push(action);
        }
        assert!(!self.events.iter().any(is_log));
    }

    /// Lets time pass, every deadline in its turn.
    pub fn wait(&mut self, ms: u64) {
        let end = self.ms + ms;
        while let Some(due) = self.hub.deadline().filter(|due| *due <= at(end).mono) {
            self.ms = self.ms.max(due.saturating_sub(at(0).mono).div_ceil(1_000));
            let now = Now { mono: due.max(at(0).mono), ..self.now() };
            self.hub.handle_timeout(now);
            self.settle();
        }
        self.ms = end;
    }

    /// The attempts to connect that nobody has answered yet.
    pub fn dials(&mut self) -> Vec<(DialId, EndpointId)> {
        self.settle();
        let mut dials = Vec::new();
        self.actions.retain(|action| match action {
            Action::Dial(dial, endpoint) => {
                dials.push((*dial, *endpoint));
                false
            }
            _ => true,
        });
        dials
    }

    /// The one attempt to connect that nobody has answered yet.
    pub fn dial(&mut self) -> (DialId, EndpointId) {
        let dials = self.dials();
        assert_eq!(dials.len(), 1, "{dials:?}");
        dials[0]
    }

    /// The connections that the hub wants closed.
    pub fn closed(&mut self) -> Vec<LinkId> {
        self.settle();
        let mut links = Vec::new();
        self.actions.retain(|action| match action {
            Action::Close(link) => {
                links.push(*link);
                false
            }
            _ => true,
        });
        links
    }

    pub fn fail_dial(&mut self, code: posthouse_core::Code, text: &str) {
        let (dial, _) = self.dial();
        self.hub.handle_dial_failed(self.now(), dial, &Error::new(code, text));
        self.settle();
    }

    pub fn info() -> Info {
        Info { headers: true, max_payload: 1 << 20, version: "2.9.0".to_owned(), ..Info::default() }
    }

    /// Accepts an attempt to connect.
    pub fn accept(&mut self, dial: DialId, info: Info) -> LinkId {
        let fields = ConnectFields::default();
        let link = self.hub.handle_connected(self.now(), dial, info, &fields).unwrap();
        self.settle();
        link
    }

    /// Accepts the one attempt to connect and answers every PING until the hub is active.
    pub fn connect(&mut self) -> LinkId {
        let (dial, _) = self.dial();
        let link = self.accept(dial, Self::info());
        self.serve(link);
        link
    }

    /// What the hub has written, handed to the system at once.
    pub fn sent(&mut self, link: LinkId) -> String {
        let mut bytes = Vec::new();
        self.hub.take_output(link, &mut bytes);
        self.hub.handle_written(self.now(), link, bytes.len());
        self.settle();
        let text = String::from_utf8(bytes).unwrap();
        for line in text.lines() {
            if let Some(args) = line.strip_prefix("SUB ") {
                let words: Vec<&str> = args.split(' ').collect();
                let sid = words.last().unwrap().parse().unwrap();
                self.sids.insert((link, words[0].to_owned()), sid);
            }
        }
        text
    }

    /// The server says something.
    pub fn say(&mut self, link: LinkId, text: &str) {
        self.hub.handle_bytes(self.now(), link, text.as_bytes());
        self.settle();
    }

    /// Answers one PING after the other until the hub writes no more; gives all that it wrote.
    pub fn serve(&mut self, link: LinkId) -> String {
        let mut all = String::new();
        loop {
            let text = self.sent(link);
            if text.is_empty() {
                return all;
            }
            for _ in text.lines().filter(|line| *line == "PING") {
                self.say(link, "PONG\r\n");
            }
            all.push_str(&text);
        }
    }

    /// The number of the subscription to a subject on a connection.
    pub fn sid(&self, link: LinkId, subject: &str) -> u64 {
        self.sids[&(link, subject.to_owned())]
    }

    /// A message arrives on the subscription to exactly `subject`.
    pub fn deliver(&mut self, link: LinkId, subject: &str, reply: &str, body: &str) {
        let sid = self.sid(link, subject);
        let gap = if reply.is_empty() { "" } else { " " };
        self.say(link, &format!("MSG {subject} {sid}{gap}{reply} {}\r\n{body}\r\n", body.len()));
    }

    /// A message with a header block arrives on the subscription to exactly `subscribed`.
    pub fn deliver_headers(
        &mut self,
        link: LinkId,
        subscribed: &str,
        on: &str,
        block: &str,
        body: &str,
    ) {
        let sid = self.sid(link, subscribed);
        let (head, size) = (block.len(), block.len() + body.len());
        self.say(link, &format!("HMSG {on} {sid} {head} {size}\r\n{block}{body}\r\n"));
    }

    /// A state record arrives.
    pub fn record(&mut self, link: LinkId, name: &str, counter: &str, writer: &str, value: &str) {
        let all = format!("{}.*", super::NS);
        let (sid, subject) = (self.sid(link, &all), super::state(name));
        let body = record(name, counter, writer, value);
        self.say(link, &format!("MSG {subject} {sid} {}\r\n{body}\r\n", body.len()));
    }

    pub fn var(&mut self, name: &str) -> VarId {
        self.hub.var(name).unwrap()
    }

    pub fn set(&mut self, name: &str, value: &str) {
        let var = self.var(name);
        self.hub.set(self.now(), var, value.as_bytes()).unwrap();
        self.settle();
    }

    pub fn get(&mut self, name: &str) -> Option<String> {
        let var = self.var(name);
        self.hub.get(var).map(|value| String::from_utf8(value.to_vec()).unwrap())
    }

    /// Subscribes, not yet confirmed.
    pub fn begin_sub(&mut self, name: &str, options: &SubscribeOptions) -> (SubId, Op) {
        let var = self.var(name);
        let begun = self.hub.subscribe(self.now(), var, options).unwrap();
        self.settle();
        begun
    }

    /// Subscribes and confirms it.
    pub fn sub(&mut self, link: LinkId, name: &str, options: &SubscribeOptions) -> SubId {
        let (sub, op) = self.begin_sub(name, options);
        self.serve(link);
        assert_eq!(self.code(op), "OK");
        sub
    }

    pub fn handler() -> SubscribeOptions {
        SubscribeOptions { requests_only: true, ..SubscribeOptions::default() }
    }

    /// Begins a request.
    pub fn request(&mut self, name: &str, body: &str) -> Op {
        let var = self.var(name);
        let op = self.hub.request(self.now(), var, body.as_bytes(), None, 3_000, None).unwrap();
        self.settle();
        op
    }

    /// Answers a request whose PUB is in `sent`.
    pub fn answer(&mut self, link: LinkId, sent: &str, topic: &str, body: &str) {
        let reply = reply_of(sent, topic);
        let inbox = format!("{}.*", reply.rsplit_once('.').unwrap().0);
        let sid = self.sid(link, &inbox);
        self.say(link, &format!("MSG {reply} {sid} {}\r\n{body}\r\n", body.len()));
    }

    /// How an operation ended: a code, `OK`, or `-` while it runs.
    pub fn code(&mut self, op: Op) -> &'static str {
        self.settle();
        self.ended.get(&op).map_or("-", super::code)
    }

    pub fn result(&mut self, op: Op) -> &Result<Outcome, Failure> {
        self.settle();
        &self.ended[&op]
    }

    pub fn error(&mut self, op: Op) -> Error {
        self.result(op).as_ref().unwrap_err().error.clone()
    }

    /// Takes everything that waits.
    pub fn take(&mut self, sub: SubId) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.hub.take(sub, usize::MAX, &mut out);
        out
    }

    /// Takes and finishes everything that waits; gives the bodies.
    pub fn bodies(&mut self, sub: SubId) -> Vec<String> {
        let taken = self.take(sub);
        self.hub.finished(self.now(), sub, taken.len());
        self.settle();
        taken.into_iter().map(|d| String::from_utf8(d.payload.to_vec()).unwrap()).collect()
    }

    /// The events since the last call, log lines left out.
    pub fn news(&mut self) -> Vec<Event> {
        self.settle();
        std::mem::take(&mut self.events)
    }

    pub fn lose(&mut self, link: LinkId) {
        self.hub.handle_disconnected(self.now(), link, "the test cut it");
        self.settle();
    }

    /// Waits until the hub dials again.
    pub fn wait_dial(&mut self) {
        for _ in 0..1_000 {
            self.settle();
            if self.actions.iter().any(|a| matches!(a, Action::Dial(..))) {
                return;
            }
            self.wait(10);
        }
        panic!("no new attempt to connect");
    }

    pub fn phase(&self) -> String {
        format!("{:?}", self.hub.status(self.now()).messaging.unwrap().phase)
    }

    pub fn current_error(&self) -> Option<String> {
        self.hub.status(self.now()).current_error.map(|p| p.code)
    }

    pub fn last_error(&self) -> Option<String> {
        self.hub.status(self.now()).last_error.map(|p| p.code)
    }

    /// Messages, bytes and handlers under way, as status counts them.
    pub fn pending(&self) -> (u64, u64, u64) {
        let messaging = self.hub.status(self.now()).messaging.unwrap();
        (messaging.pending_messages, messaging.pending_bytes, messaging.in_flight_handlers)
    }
}

/// A state record's text; an empty value is a deletion.
pub fn record(name: &str, counter: &str, writer: &str, value: &str) -> String {
    let rest = match value {
        "" => "\"deleted\":true".to_owned(),
        value => format!("\"deleted\":false,\"value\":{value}"),
    };
    format!(
        "{{\"name\":\"{name}\",\"version\":{{\"counter\":\"{counter}\",\"writer\":\"{writer}\"}},{rest}}}"
    )
}

/// The reply subject of the PUB to a topic in what a hub wrote.
pub fn reply_of(sent: &str, topic: &str) -> String {
    let subject = super::subject(topic);
    let line = sent
        .lines()
        .find(|line| line.split(' ').nth(1) == Some(&subject) && line.contains(" _INBOX."))
        .unwrap_or_else(|| panic!("no request to {topic} in {sent:?}"));
    line.split(' ').nth(2).unwrap().to_owned()
}
