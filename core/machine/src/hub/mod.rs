//! The hub: one struct that holds all state of one hub and every rule about it.
//!
//! Input: `start`, `handle_*`, and a method per operation of the user. Output, to be asked for after
//! every input until empty: [`Hub::poll_event`], [`Hub::poll_action`], [`Hub::take_output`] and
//! [`Hub::deadline`]. Nothing blocks and nothing is called back.
#[cfg(any(test, feature = "audit"))]
mod audit;
mod connection;
mod drain;
mod frames;
mod handoff;
mod health;
mod instances;
mod messages;
mod operations;
mod problems;
mod requests;
mod state;
mod status;
mod subscriptions;
mod sync;
mod watches;

pub use instances::{Instance, Presence};
pub use messages::Token;
pub use requests::Collect;
pub use state::Meta;
pub use status::{
    Connection, Limits, MeshStatus, MessagingStatus, Phase as MessagingPhase, Problem, Report,
    Status,
};
pub use subscriptions::{Delivery, SubscribeOptions, SubscriptionPhase, SubscriptionStatus};
pub use watches::View;

use crate::{
    Code, Error, Result,
    headers::{HeaderLimits, Headers},
    json,
    link::{Link, LinkId},
    name,
    options::HubOptions,
    pool::{EndpointId, Pool},
    rng::Rng,
    subject::Namespace,
    subs::Subs,
    time::Now,
    timers::{TimerKey, Timers},
    vars::{VarId, Vars},
    watch::{WatchId, Watches},
};
use alloc::{boxed::Box, collections::VecDeque, format, string::String, vec::Vec};
use hashbrown::HashMap;

/// Names one asynchronous operation until its [`Event::Done`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(pub u64);

/// Names one subscription or handler; never used twice in the life of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubId(pub u64);

/// Names one attempt to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DialId(pub u64);

/// What a hub is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// The namespace: hubs of one namespace see each other.
    pub namespace: String,
    /// Numbers and times.
    pub options: HubOptions,
    /// The configured endpoints, best first, as shown to people: without credentials.
    pub endpoints: Vec<String>,
    /// The longest pause between attempts to connect, in milliseconds.
    pub reconnect_max_ms: u64,
    /// Randomness for identities and jitter; must differ from hub to hub.
    pub seed: u64,
    /// The SDK's language, as reported to others, e.g. `rust`.
    pub sdk: String,
    /// The SDK's version.
    pub version: String,
    /// The platform, as reported to others, e.g. `python/3.11.7`.
    pub runtime: String,
}

/// One answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer's JSON, validated.
    pub payload: Box<[u8]>,
    /// The answer's headers.
    pub headers: Headers,
}

/// Why a collection of answers ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The window is over.
    Deadline,
    /// As many answers as wanted have come.
    MaxReplies,
}

impl EndReason {
    /// As every language spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::MaxReplies => "maxReplies",
        }
    }
}

/// What an operation that went well gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing but its success.
    Unit,
    /// The answer to a request.
    Reply(Reply),
    /// The answers to a collection.
    Replies(Vec<Reply>, EndReason),
}

/// How an operation failed, with the answers that a collection had until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error.
    pub error: Error,
    /// The answers so far, bounded as the collection was.
    pub partial: Vec<Reply>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, partial: Vec::new() }
    }
}

/// How much a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Of interest when looking for a fault.
    Debug,
    /// A change that people may want to know of.
    Info,
    /// Something was lost, refused or failed.
    Warning,
}

/// What the host must know. Edge events say that there is something to take, not what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An asynchronous operation ended.
    Done(Op, Result<Outcome, Failure>),
    /// A subscription has messages: call [`Hub::take`] until it gives none.
    Ready(SubId),
    /// A subscription has ended; nothing more comes. The error is there when it was refused.
    Ended(SubId, Option<Error>),
    /// A watch has news: call [`Hub::take_watch`].
    Watch(WatchId),
    /// [`Hub::status`] has changed in a way that people care about.
    Status,
    /// The list of instances has changed.
    Instances,
    /// A line for the log. Never carries a secret or a value.
    Log(Level, Option<Code>, String),
}

/// What the driver must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Connect to an endpoint, then call [`Hub::handle_connected`] or [`Hub::handle_dial_failed`].
    Dial(DialId, EndpointId),
    /// Forget an attempt to connect that is under way.
    Abandon(DialId),
    /// Close a connection, after what was taken from it is written.
    Close(LinkId),
    /// Measure the round trip to an endpoint, then call [`Hub::handle_probe`].
    Probe(EndpointId),
    /// Gossip told of this endpoint (`host:port`); it is dialled like the one it was heard from.
    Learned(EndpointId, String),
}

/// Whether the hub takes operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Open,
    Draining,
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    Op(Op),
    /// Time to dial again.
    Redial,
    /// Look after the current connection's signs of life.
    Alive,
    Health,
    Probe,
    /// Variables that nobody holds count as absent from now on.
    PeersAnswered,
    /// An inbox of a sync query has been open long enough.
    SyncInbox(u64),
    /// Accepted handlers have had their time to finish before a planned switch.
    Handoff,
    /// An instance may have gone silent.
    Instances,
}

/// Numbers of messages and bytes, for status and reports.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub sent_messages: u64,
    pub sent_bytes: u64,
    pub received_messages: u64,
    pub received_bytes: u64,
    pub reconnects: u64,
}

/// Messages received and not yet done with, over the whole hub.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub messages: usize,
    pub bytes: usize,
    pub high_messages: usize,
    pub high_bytes: usize,
    pub dropped: u64,
    /// A message was dropped because all together were too many, and there were some ever since.
    pub slow: bool,
}

impl Pending {
    pub fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes;
        self.high_messages = self.high_messages.max(self.messages);
        self.high_bytes = self.high_bytes.max(self.bytes);
    }

    pub fn remove(&mut self, messages: usize, bytes: usize) {
        self.messages -= messages;
        self.bytes -= bytes;
    }
}

/// All state of one hub. Not shared: whoever drives it keeps it behind a lock.
#[derive(Debug)]
pub struct Hub {
    pub(crate) config: Config,
    pub(crate) options: HubOptions,
    pub(crate) names: Namespace,
    pub(crate) instance_id: String,
    pub(crate) writer: Box<str>,
    pub(crate) incoming: messages::Incoming,
    pub(crate) record_limits: json::Limits,
    pub(crate) rng: Rng,
    pub(crate) life: Life,
    pub(crate) started: Now,

    pub(crate) pool: Pool,
    pub(crate) link: Option<Link>,
    pub(crate) dialling: Option<connection::Dialling>,
    pub(crate) handoff: Option<handoff::Handoff>,
    pub(crate) ever_active: bool,
    pub(crate) last_endpoint: Option<EndpointId>,
    pub(crate) switch_reason: &'static str,
    pub(crate) refused_by_all: Option<Error>,

    pub(crate) vars: Vars,
    pub(crate) watches: Watches,
    pub(crate) subs: Subs,
    pub(crate) operations: HashMap<Op, operations::Operation>,
    pub(crate) requests: usize,
    pub(crate) pending: Pending,
    pub(crate) traffic: Traffic,
    pub(crate) instances: instances::Instances,
    pub(crate) problems: problems::Problems,
    pub(crate) drain: Option<drain::Drain>,
    pub(crate) peers_answered: bool,
    pub(crate) asked: HashMap<String, u64>,
    /// What a record of another hub lacked: whether it is of a new variable, and how many bytes.
    pub(crate) short: Option<(bool, usize)>,

    pub(crate) timers: Timers<Timer>,
    pub(crate) health_timer: Option<TimerKey>,
    /// When this hub reported last.
    pub(crate) last_report: u64,
    /// When the others were last asked, and the inbox after which to ask them again because they
    /// may have ignored it as a repetition.
    pub(crate) last_query: Option<u64>,
    pub(crate) query_again: Option<u64>,
    pub(crate) alive_timer: Option<TimerKey>,
    pub(crate) probe_timer: Option<TimerKey>,
    pub(crate) events: VecDeque<Event>,
    pub(crate) actions: VecDeque<Action>,
    pub(crate) status_changed: bool,
    next_id: u64,
    /// Reused for what is encoded before it is framed.
    pub(crate) scratch: Vec<u8>,
}

impl Hub {
    /// A hub that is not connected yet; [`Hub::start`] begins.
    ///
    /// # Errors
    /// `INVALID_NAME` for the namespace, `INVALID_OPTIONS` for a number out of range.
    pub fn new(config: Config, now: Now) -> Result<Self> {
        config.options.check()?;
        if config.endpoints.is_empty() {
            let text = "the list of servers is empty; give at least one, or leave it out";
            return Err(Error::new(Code::InvalidOptions, text));
        }
        let mut rng = Rng::new(config.seed);
        let options = config.options;
        let incoming = messages::Incoming {
            body: json::Limits::VALUE.with_bytes(options.messaging.payload_bytes),
            headers: HeaderLimits {
                entries: options.messaging.header_entries,
                bytes: options.messaging.header_bytes,
            },
        };
        let mut hub = Self {
            names: Namespace::new(&config.namespace)?,
            instance_id: rng.uuid(),
            writer: rng.uuid().into_boxed_str(),
            incoming,
            record_limits: json::Limits::VALUE,
            pool: Pool::new(&config.endpoints, config.reconnect_max_ms),
            rng,
            life: Life::Open,
            started: now,
            link: None,
            dialling: None,
            handoff: None,
            ever_active: false,
            last_endpoint: None,
            switch_reason: "available-server",
            refused_by_all: None,
            vars: Vars::new(options.max_variables, options.max_memory_bytes),
            watches: Watches::default(),
            subs: Subs::default(),
            operations: HashMap::new(),
            requests: 0,
            pending: Pending::default(),
            traffic: Traffic::default(),
            instances: instances::Instances::default(),
            problems: problems::Problems::default(),
            drain: None,
            peers_answered: false,
            asked: HashMap::new(),
            short: None,
            timers: Timers::new(),
            health_timer: None,
            last_report: 0,
            last_query: None,
            query_again: None,
            alive_timer: None,
            probe_timer: None,
            events: VecDeque::new(),
            actions: VecDeque::new(),
            status_changed: false,
            next_id: 0,
            scratch: Vec::new(),
            options,
            config,
        };
        hub.timers
            .set(now.after_ms(hub.options.peer_timeout_or_default_ms()), Timer::PeersAnswered);
        Ok(hub)
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.config.namespace
    }

    /// This hub's identity, new for every hub.
    pub fn instance_id(&self) -> &str {
        &self.instance_id
    }

    /// The rules for values and messages of this hub, for writing them.
    pub fn value_limits(&self) -> json::Limits {
        self.record_limits
    }

    /// The rules for message bodies of this hub, for writing them.
    pub fn message_limits(&self) -> json::Limits {
        self.incoming.body
    }

    /// The next event, oldest first. Ask until there is none.
    pub fn poll_event(&mut self) -> Option<Event> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        if core::mem::take(&mut self.status_changed) {
            return Some(Event::Status);
        }
        None
    }

    /// The next thing for the driver to do. Ask until there is none.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Whether [`Hub::poll_action`] has something.
    pub fn has_actions(&self) -> bool {
        !self.actions.is_empty()
    }

    /// Whether the hub is closed: there is nothing left to drive.
    pub fn is_closed(&self) -> bool {
        self.life == Life::Closed
    }

    /// The option `timeout`, in milliseconds: also the limit of one attempt to connect.
    pub fn timeout_ms(&self) -> u64 {
        self.options.timeout_ms
    }

    /// When to call [`Hub::handle_timeout`], in microseconds of the monotonic clock.
    pub fn deadline(&self) -> Option<u64> {
        self.timers.next()
    }

    /// The time of the last deadline has come, or any later time.
    pub fn handle_timeout(&mut self, now: Now) {
        while let Some(timer) = self.timers.expired(now.mono) {
            match timer {
                Timer::Op(op) => self.operation_timed_out(now, op),
                Timer::Redial => self.redial(),
                Timer::Alive => self.check_alive(now),
                Timer::Health => self.health_due(now),
                Timer::Probe => self.probe_due(now),
                Timer::PeersAnswered => self.set_peers_answered(now),
                Timer::SyncInbox(sid) => self.sync_inbox_due(now, sid),
                Timer::Handoff => self.handoff_timed_out(now),
                Timer::Instances => self.instances_due(now),
            }
        }
        self.advance_drain(now);
    }

    pub(crate) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(crate) fn log(&mut self, level: Level, code: Option<Code>, text: impl Into<String>) {
        self.events.push_back(Event::Log(level, code, text.into()));
    }

    /// Writes a line of the driver's to the log, in order with the hub's own. It must carry no secret.
    pub fn note(&mut self, level: Level, text: impl Into<String>) {
        self.log(level, None, text);
    }

    /// Refuses an operation on a hub that takes none any more.
    pub(crate) fn check_open(&self) -> Result<()> {
        match self.life {
            Life::Open => Ok(()),
            Life::Draining => Err(draining()),
            Life::Closed => Err(closed()),
        }
    }

    /// Reports what has happened and is over: status, watchers and log.
    pub(crate) fn report(&mut self, now: Now, error: &Error) {
        self.problems.happened(now, error);
        self.log(Level::Warning, Some(error.code()), error.message());
        self.status_changed = true;
    }

    /// Reports what is wrong until its cause has passed.
    pub(crate) fn report_lasting(&mut self, now: Now, cause: problems::Cause, error: &Error) {
        self.problems.began(now, cause, error);
        self.report(now, error);
    }

    /// The cause of a reported error has passed.
    pub(crate) fn resolved(&mut self, cause: &problems::Cause) {
        if self.problems.passed(|c| c == cause) {
            self.status_changed = true;
        }
    }

    /// Refuses a body that is over the payload limit; for bodies not written under it.
    pub(crate) fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let limit = self.options.messaging.payload_bytes;
        if payload.len() <= limit {
            return Ok(());
        }
        Err(Error::over(
            Code::MessageTooLarge,
            format!(
                "the message has {} bytes; allowed are {limit}: send less, or raise the option payload_bytes",
                payload.len()
            ),
            limit as u64,
            payload.len() as u64,
        ))
    }
}

pub(crate) fn draining() -> Error {
    Error::new(Code::Draining, "the hub is draining and takes no new operation; open a new hub")
}

pub(crate) fn closed() -> Error {
    Error::new(Code::Closed, "the hub is closed; open a new hub")
}

pub(crate) fn disconnected() -> Error {
    Error::new(
        Code::Disconnected,
        "there is no active connection, and messages are not kept for later: wait for connected(), then try again",
    )
}

/// A variable reference, for hosts that hold one.
impl Hub {
    /// The stable reference of a name; the same name always gives the same one.
    ///
    /// # Errors
    /// `INVALID_NAME`, `MEMORY_FULL`, `CLOSED`.
    pub fn var(&mut self, name: &str) -> Result<VarId> {
        if self.life == Life::Closed {
            return Err(closed());
        }
        name::check_name(name)?;
        self.vars.reference(name, &self.names)
    }

    /// The name of a reference.
    pub fn var_name(&self, var: VarId) -> &str {
        self.vars.name(var)
    }
}
