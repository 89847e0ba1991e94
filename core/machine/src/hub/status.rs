//! What the hub tells of itself, to the program and, shorter, to the other instances.
use super::{Hub, Life, problems::Cause};
use crate::{
    Error,
    fields::members,
    limits::{REPORT_INTERVAL_MAX_MS, REPORT_TEXT_CHARS, STATUS_BYTES},
    link::Stage,
    name,
    time::Now,
};
use alloc::{borrow::ToOwned, string::String};
use serde::{Deserialize, Serialize};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Connection {
    /// Not dialled yet.
    Starting,
    /// Dialling, or being set up.
    Connecting,
    /// In use.
    Connected,
    /// Lost, and being sought again.
    Offline,
    /// Every server refuses; being sought all the same.
    Error,
    /// The hub is closed.
    Closed,
}

/// What messages may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// There is no connection.
    Offline,
    /// They pass.
    Active,
    /// A planned switch of the server is under way.
    Handoff,
    /// The hub drains.
    Draining,
    /// The hub is closed.
    Closed,
}

/// An error that was reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its stable code.
    pub code: String,
    /// What it said, at most 240 characters.
    pub message: String,
    /// When, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

impl Problem {
    pub(crate) fn undated(error: &Error) -> Self {
        let message = error.message().chars().take(REPORT_TEXT_CHARS).collect();
        Self { code: error.code().as_str().to_owned(), message, at: None }
    }

    fn shorter(&self, chars: usize) -> Self {
        Self { message: self.message.chars().take(chars).collect(), ..self.clone() }
    }
}

/// The counts of messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessagingStatus {
    /// What messages may do now.
    pub phase: Phase,
    /// Requests and collections that wait.
    #[serde(default)]
    pub pending_requests: u64,
    /// Messages received and not yet done with.
    #[serde(default)]
    pub pending_messages: u64,
    /// Bytes of these.
    #[serde(default)]
    pub pending_bytes: u64,
    /// Handlers running.
    #[serde(default)]
    pub in_flight_handlers: u64,
    /// Messages dropped here.
    #[serde(default)]
    pub dropped_messages: u64,
    /// Messages that a NATS client library below the SDK dropped; here there is none.
    #[serde(default)]
    pub native_dropped_messages: u64,
    /// Subscriptions and handlers that are open. Not in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscriptions: Option<u64>,
    /// The most messages that were pending at a time. Not in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_water_messages: Option<u64>,
    /// The most bytes that were pending at a time. Not in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_water_bytes: Option<u64>,
    /// Bytes accepted for sending and not yet handed to the system. Not in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outbound_bytes: Option<u64>,
    /// The limits in force. Not in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
}

/// The limits in force for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Subscriptions and handlers at a time.
    pub subscriptions: u64,
    /// Requests at a time.
    pub requests: u64,
    /// Messages received and not yet done with.
    pub pending_messages: u64,
    /// Bytes of these.
    pub pending_bytes: u64,
    /// Bytes accepted for sending and not yet handed to the system.
    pub outbound_bytes: u64,
}

/// What a peer tells of its mesh; this SDK has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MeshStatus {
    /// discovering, candidate, leader, follower, error or disabled.
    pub role: String,
    /// The leader's identity.
    #[serde(default)]
    pub leader_id: Option<String>,
    /// Members known.
    pub members: u64,
    /// Why it is so.
    #[serde(default)]
    pub reason: String,
    /// Whether the mesh has a way up.
    #[serde(default)]
    pub upstream_connected: Option<bool>,
}

/// What a hub tells of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The hub's identity.
    pub instance_id: String,
    /// Its namespace.
    pub namespace: String,
    /// Its SDK's language.
    #[serde(default)]
    pub sdk: String,
    /// Its SDK's version.
    #[serde(default)]
    pub version: String,
    /// Its platform.
    #[serde(default)]
    pub runtime: String,
    /// Milliseconds since it was opened.
    #[serde(default)]
    pub uptime_ms: u64,
    /// The state of its connection.
    pub connection: Connection,
    /// The server it is connected to, without credentials.
    #[serde(default)]
    pub server: Option<String>,
    /// The last measured round trip to it, in milliseconds.
    #[serde(default)]
    pub rtt_ms: Option<f64>,
    /// Why it is on this server.
    #[serde(default)]
    pub last_switch_reason: Option<String>,
    /// Variables whose last write no server has confirmed.
    #[serde(default)]
    pub pending_variables: u64,
    /// Bytes of these.
    #[serde(default)]
    pub pending_bytes: u64,
    /// Variables with a record.
    #[serde(default)]
    pub variables: u64,
    /// Watches of variables.
    #[serde(default)]
    pub subscriptions: u64,
    /// Connections after the first.
    #[serde(default)]
    pub reconnects: u64,
    /// Messages sent, of every kind.
    #[serde(default)]
    pub sent_messages: u64,
    /// Messages received, of every kind.
    #[serde(default)]
    pub received_messages: u64,
    /// Bytes of payload sent.
    #[serde(default)]
    pub sent_bytes: u64,
    /// Bytes of payload received.
    #[serde(default)]
    pub received_bytes: u64,
    /// ok, warning or error.
    #[serde(default)]
    pub health: String,
    /// What is wrong now.
    #[serde(default)]
    pub current_error: Option<Problem>,
    /// What was wrong last.
    #[serde(default)]
    pub last_error: Option<Problem>,
    /// A peer's mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshStatus>,
    /// The counts of messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messaging: Option<MessagingStatus>,
}

/// A health report as it travels.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What the hub tells of itself.
    pub status: Status,
    /// Milliseconds until its next report.
    pub interval: u64,
}

impl Report {
    /// Reads a report and checks it; `None` if it breaks a rule.
    pub fn parse(payload: &[u8]) -> Option<Self> {
        let [status, interval] = members(payload, ["status", "interval"]).ok()?;
        let text = status?.get();
        let interval: u64 = interval?.get().parse().ok()?;
        if text.len() > STATUS_BYTES || !(1..=REPORT_INTERVAL_MAX_MS).contains(&interval) {
            return None;
        }
        let [name] = members(text.as_bytes(), ["name"]).ok()?;
        if name.is_some() {
            return None;
        }
        let status: Status = serde_json::from_str(text).ok()?;
        status.sound().then_some(Self { status, interval })
    }
}

impl Status {
    fn sound(&self) -> bool {
        const ROLES: [&str; 6] =
            ["discovering", "candidate", "leader", "follower", "error", "disabled"];
        let short = |text: &str| text.chars().count() <= REPORT_TEXT_CHARS;
        let problem = |p: &Option<Problem>| p.as_ref().is_none_or(|p| short(&p.message));
        let mesh = self.mesh.as_ref().is_none_or(|mesh| {
            ROLES.contains(&mesh.role.as_str())
                && short(&mesh.reason)
                && mesh.leader_id.as_ref().is_none_or(|id| id.chars().count() <= 128)
        });
        name::is_id(&self.instance_id)
            && problem(&self.current_error)
            && problem(&self.last_error)
            && mesh
    }
}

fn fits(status: &Status) -> bool {
    serde_json::to_vec(status).is_ok_and(|json| json.len() <= STATUS_BYTES)
}

fn dated(error: &Error, at: u64) -> Problem {
    Problem { at: Some(at), ..Problem::undated(error) }
}

impl Hub {
    /// The state of the connection.
    pub fn connection(&self) -> Connection {
        match (&self.link, self.life) {
            (_, Life::Closed) => Connection::Closed,
            (Some(link), _) if link.stage == Stage::Active => Connection::Connected,
            _ if self.refused_by_all.is_some() => Connection::Error,
            _ if self.ever_active => Connection::Offline,
            (None, _) if self.dialling.is_none() => Connection::Starting,
            _ => Connection::Connecting,
        }
    }

    fn phase(&self) -> Phase {
        match self.life {
            Life::Closed => Phase::Closed,
            Life::Draining => Phase::Draining,
            Life::Open if self.active_link().is_some() => Phase::Active,
            Life::Open if self.handoff.as_ref().is_some_and(super::handoff::Handoff::retiring) => {
                Phase::Handoff
            }
            Life::Open => Phase::Offline,
        }
    }

    /// All that the hub tells of itself.
    pub fn status(&self, now: Now) -> Status {
        let link = self.link.as_ref();
        let most = &self.options.messaging;
        let current = self.problems.current();
        let (mut handled, mut handled_bytes, mut running) = (0, 0, 0);
        for sub in self.subs.all.values() {
            let (count, bytes) = sub.handled();
            handled += count;
            handled_bytes += bytes;
            running += usize::from(count < sub.taken.len());
        }
        Status {
            instance_id: self.instance_id.clone(),
            namespace: self.config.namespace.clone(),
            sdk: self.config.sdk.clone(),
            version: self.config.version.clone(),
            runtime: self.config.runtime.clone(),
            uptime_ms: now.mono.saturating_sub(self.started.mono) / 1000,
            connection: self.connection(),
            server: link.map(|l| self.pool.url(l.endpoint).to_owned()),
            rtt_ms: link.and_then(|l| l.rtt_us).map(|us| us as f64 / 1000.0),
            last_switch_reason: link.map(|_| self.switch_reason.to_owned()),
            pending_variables: self.vars.pending as u64,
            pending_bytes: self.vars.pending_bytes() as u64,
            variables: self.vars.records() as u64,
            subscriptions: self.watches.len() as u64,
            reconnects: self.traffic.reconnects,
            sent_messages: self.traffic.sent_messages,
            received_messages: self.traffic.received_messages,
            sent_bytes: self.traffic.sent_bytes,
            received_bytes: self.traffic.received_bytes,
            health: match current {
                None => "ok",
                Some((Cause::Connection, ..)) => "error",
                Some(_) => "warning",
            }
            .to_owned(),
            current_error: current.map(|(_, error, at)| dated(error, *at)),
            last_error: self.problems.last().map(|(error, at)| dated(error, *at)),
            mesh: Some(MeshStatus {
                role: "disabled".to_owned(),
                leader_id: None,
                members: 0,
                reason: String::new(),
                upstream_connected: None,
            }),
            messaging: Some(MessagingStatus {
                phase: self.phase(),
                pending_requests: self.requests as u64,
                pending_messages: (self.pending.messages - handled) as u64,
                pending_bytes: (self.pending.bytes - handled_bytes) as u64,
                in_flight_handlers: running as u64,
                dropped_messages: self.pending.dropped,
                native_dropped_messages: 0,
                subscriptions: Some(self.subs.live() as u64),
                high_water_messages: Some(self.pending.high_messages as u64),
                high_water_bytes: Some(self.pending.high_bytes as u64),
                outbound_bytes: Some(link.map_or(0, crate::link::Link::outbound) as u64),
                limits: Some(Limits {
                    subscriptions: most.subscriptions as u64,
                    requests: most.requests as u64,
                    pending_messages: most.pending_messages as u64,
                    pending_bytes: most.pending_bytes as u64,
                    outbound_bytes: most.outbound_bytes as u64,
                }),
            }),
        }
    }

    /// The same for others: without the details, short enough for a report.
    pub(super) fn report_status(&self, now: Now) -> Status {
        // Escapes may lengthen a text in JSON; two full ones and a long namespace may pass the
        // size that others accept, and no report would be worse than a shorter text.
        let mut status = self.status(now);
        if let Some(messaging) = &mut status.messaging {
            messaging.subscriptions = None;
            messaging.high_water_messages = None;
            messaging.high_water_bytes = None;
            messaging.outbound_bytes = None;
            messaging.limits = None;
        }
        for problem in status.current_error.iter_mut().chain(&mut status.last_error) {
            problem.message = self.without_endpoints(&problem.message);
        }
        for chars in [120, 40, 0] {
            if fits(&status) {
                return status;
            }
            status.current_error = status.current_error.map(|p| p.shorter(chars));
            status.last_error = status.last_error.map(|p| p.shorter(chars));
        }
        for text in [&mut status.sdk, &mut status.version, &mut status.runtime] {
            *text = text.chars().take(32).collect();
        }
        if !fits(&status) {
            status.server = None;
        }
        status
    }

    /// An error's text for others, who need not know where the servers are.
    fn without_endpoints(&self, text: &str) -> String {
        let place = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '[' && c != ']');
            word.contains("://") || self.pool.knows(word)
        };
        let words = text.split(' ').map(|word| if place(word) { "[server]" } else { word });
        let mut shown = String::with_capacity(text.len());
        for word in words {
            if !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(word);
        }
        shown.chars().take(REPORT_TEXT_CHARS).collect()
    }
}
