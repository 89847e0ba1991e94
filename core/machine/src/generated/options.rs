//! Options with their defaults and ranges, and the names that each group knows.
//!
//! Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.

use crate::{
    Result,
    options::{Kind, Spec, in_range, ratio_in_range},
};

/// What a hub is opened with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HubOptions {
    /// How long connecting, and each operation that gives none of its own, may take.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 3,000.
    pub timeout_ms: u64,
    /// How long other instances have to answer a query for the current state; after it a variable that nobody holds counts as absent.
    ///
    /// Milliseconds; `None` stands for 80 % of `timeout`.
    pub peer_timeout_ms: Option<u64>,
    /// How often the hub reports its own health to the namespace.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 5,000.
    pub health_interval_ms: u64,
    /// How often the hub asks the others for their state again and measures the other servers.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 15,000.
    pub probe_interval_ms: u64,
    /// How long the link may be silent before the hub pings it.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 5,000.
    pub ping_interval_ms: u64,
    /// How many pings in a row may stay unanswered; a dead link is noticed within `ping_interval` × (this + 1).
    ///
    /// 0 to 1,000; default 1.
    pub ping_missed: usize,
    /// How many variable references, and how many records, the hub holds at most.
    ///
    /// 1 to 10,000,000; default 10,000.
    pub max_variables: usize,
    /// How many bytes of state records the hub holds at most.
    ///
    /// Bytes, 1 to 2,147,483,647; default 16,777,216.
    pub max_memory_bytes: usize,
    /// How many other instances the hub remembers at most.
    ///
    /// 1 to 1,000,000; default 1,024.
    pub max_instances: usize,
    /// When the hub moves to a better one of several servers.
    pub selection: Selection,
    /// Bounds for messages, per hub.
    pub messaging: MessagingLimits,
}

impl Default for HubOptions {
    fn default() -> Self {
        Self {
            timeout_ms: 3_000,
            peer_timeout_ms: None,
            health_interval_ms: 5_000,
            probe_interval_ms: 15_000,
            ping_interval_ms: 5_000,
            ping_missed: 1,
            max_variables: 10_000,
            max_memory_bytes: 16_777_216,
            max_instances: 1_024,
            selection: Selection::default(),
            messaging: MessagingLimits::default(),
        }
    }
}

impl HubOptions {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("timeout", self.timeout_ms, 1, 2_147_483_647, " ms")?;
        if let Some(given) = self.peer_timeout_ms {
            in_range("peer_timeout", given, 1, 2_147_483_647, " ms")?;
        }
        in_range("health_interval", self.health_interval_ms, 1, 2_147_483_647, " ms")?;
        in_range("probe_interval", self.probe_interval_ms, 1, 2_147_483_647, " ms")?;
        in_range("ping_interval", self.ping_interval_ms, 1, 2_147_483_647, " ms")?;
        in_range("ping_missed", self.ping_missed as u64, 0, 1_000, "")?;
        in_range("max_variables", self.max_variables as u64, 1, 10_000_000, "")?;
        in_range("max_memory_bytes", self.max_memory_bytes as u64, 1, 2_147_483_647, " bytes")?;
        in_range("max_instances", self.max_instances as u64, 1, 1_000_000, "")?;
        self.selection.check()?;
        self.messaging.check()?;
        Ok(())
    }

    /// `peer_timeout` in milliseconds: as given, else 80 % of `timeout`, at least 1.
    pub fn peer_timeout_or_default_ms(&self) -> u64 {
        self.peer_timeout_ms.unwrap_or_else(|| (self.timeout_ms.saturating_mul(80) / 100).max(1))
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "timeout" => self.timeout_ms = number as u64,
            "peer_timeout" => self.peer_timeout_ms = Some(number as u64),
            "health_interval" => self.health_interval_ms = number as u64,
            "probe_interval" => self.probe_interval_ms = number as u64,
            "ping_interval" => self.ping_interval_ms = number as u64,
            "ping_missed" => self.ping_missed = number as usize,
            "max_variables" => self.max_variables = number as usize,
            "max_memory_bytes" => self.max_memory_bytes = number as usize,
            "max_instances" => self.max_instances = number as usize,
            _ => return false,
        }
        true
    }
}

/// When a hub moves to a better one of several servers: better by both figures, and not again before the pause is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// By how many milliseconds the round trip must be shorter. Milliseconds in every language, as its name says.
    ///
    /// Milliseconds, 0 to 2,147,483,647; default 10.
    pub improvement_ms: u64,
    /// By which part of the present round trip it must be shorter.
    ///
    /// 0.0 to 1.0; default 0.2.
    pub improvement_ratio: f64,
    /// How long the hub stays where it is after a switch.
    ///
    /// Milliseconds, 0 to 2,147,483,647; default 30,000.
    pub cooldown_ms: u64,
}

impl Default for Selection {
    fn default() -> Self {
        Self { improvement_ms: 10, improvement_ratio: 0.2, cooldown_ms: 30_000 }
    }
}

impl Selection {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("selection.improvement_ms", self.improvement_ms, 0, 2_147_483_647, " ms")?;
        ratio_in_range("selection.improvement_ratio", self.improvement_ratio, 0.0, 1.0)?;
        in_range("selection.cooldown", self.cooldown_ms, 0, 2_147_483_647, " ms")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "improvement_ms" => self.improvement_ms = number as u64,
            "improvement_ratio" => self.improvement_ratio = number,
            "cooldown" => self.cooldown_ms = number as u64,
            _ => return false,
        }
        true
    }
}

/// Bounds for messages, per hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagingLimits {
    /// Subscriptions and handlers at a time.
    ///
    /// 1 to 1,000,000; default 128.
    pub subscriptions: usize,
    /// Requests and collections that wait for answers at a time.
    ///
    /// 1 to 1,000,000; default 64.
    pub requests: usize,
    /// Messages received and not yet done with: queued, running, collected.
    ///
    /// 1 to 100,000,000; default 4,096.
    pub pending_messages: usize,
    /// Bytes of the messages received and not yet done with.
    ///
    /// Bytes, 1 to 2,147,483,647; default 8,388,608.
    pub pending_bytes: usize,
    /// Bytes accepted for sending and not yet handed to the system.
    ///
    /// Bytes, 1 to 2,147,483,647; default 8,388,608.
    pub outbound_bytes: usize,
    /// The largest body of one message.
    ///
    /// Bytes, 1 to 67,108,864; default 65,536.
    pub payload_bytes: usize,
    /// The largest header block of one message.
    ///
    /// Bytes, 0 to 65,536; default 4,096.
    pub header_bytes: usize,
    /// Header entries of one message.
    ///
    /// 0 to 1,024; default 32.
    pub header_entries: usize,
    /// Answers that one collection may gather; its `max_replies` may only lower this.
    ///
    /// 1 to 1,000,000; default 16.
    pub replies: usize,
    /// Bytes of answers that one collection may gather; its `max_bytes` may only lower this.
    ///
    /// Bytes, 1 to 2,147,483,647; default 1,048,576.
    pub reply_bytes: usize,
}

impl Default for MessagingLimits {
    fn default() -> Self {
        Self {
            subscriptions: 128,
            requests: 64,
            pending_messages: 4_096,
            pending_bytes: 8_388_608,
            outbound_bytes: 8_388_608,
            payload_bytes: 65_536,
            header_bytes: 4_096,
            header_entries: 32,
            replies: 16,
            reply_bytes: 1_048_576,
        }
    }
}

impl MessagingLimits {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("messaging.subscriptions", self.subscriptions as u64, 1, 1_000_000, "")?;
        in_range("messaging.requests", self.requests as u64, 1, 1_000_000, "")?;
        in_range("messaging.pending_messages", self.pending_messages as u64, 1, 100_000_000, "")?;
        in_range("messaging.pending_bytes", self.pending_bytes as u64, 1, 2_147_483_647, " bytes")?;
        in_range(
            "messaging.outbound_bytes",
            self.outbound_bytes as u64,
            1,
            2_147_483_647,
            " bytes",
        )?;
        in_range("messaging.payload_bytes", self.payload_bytes as u64, 1, 67_108_864, " bytes")?;
        in_range("messaging.header_bytes", self.header_bytes as u64, 0, 65_536, " bytes")?;
        in_range("messaging.header_entries", self.header_entries as u64, 0, 1_024, "")?;
        in_range("messaging.replies", self.replies as u64, 1, 1_000_000, "")?;
        in_range("messaging.reply_bytes", self.reply_bytes as u64, 1, 2_147_483_647, " bytes")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "subscriptions" => self.subscriptions = number as usize,
            "requests" => self.requests = number as usize,
            "pending_messages" => self.pending_messages = number as usize,
            "pending_bytes" => self.pending_bytes = number as usize,
            "outbound_bytes" => self.outbound_bytes = number as usize,
            "payload_bytes" => self.payload_bytes = number as usize,
            "header_bytes" => self.header_bytes = number as usize,
            "header_entries" => self.header_entries = number as usize,
            "replies" => self.replies = number as usize,
            "reply_bytes" => self.reply_bytes = number as usize,
            _ => return false,
        }
        true
    }
}

/// What a subscription or a handler is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionOptions {
    /// Messages that may wait for this subscription's handler; further ones are dropped and counted.
    ///
    /// 1 to 100,000,000; default 256.
    pub pending_messages: usize,
    /// Bytes that may wait for this subscription's handler.
    ///
    /// Bytes, 1 to 2,147,483,647; default 1,048,576.
    pub pending_bytes: usize,
    /// How long the broker has to confirm the subscription.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 3,000.
    pub timeout_ms: u64,
}

impl Default for SubscriptionOptions {
    fn default() -> Self {
        Self { pending_messages: 256, pending_bytes: 1_048_576, timeout_ms: 3_000 }
    }
}

impl SubscriptionOptions {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("pending_messages", self.pending_messages as u64, 1, 100_000_000, "")?;
        in_range("pending_bytes", self.pending_bytes as u64, 1, 2_147_483_647, " bytes")?;
        in_range("timeout", self.timeout_ms, 1, 2_147_483_647, " ms")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "pending_messages" => self.pending_messages = number as usize,
            "pending_bytes" => self.pending_bytes = number as usize,
            "timeout" => self.timeout_ms = number as u64,
            _ => return false,
        }
        true
    }
}

/// What a request for one answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOptions {
    /// How long the whole request may take.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 3,000.
    pub timeout_ms: u64,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self { timeout_ms: 3_000 }
    }
}

impl RequestOptions {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("timeout", self.timeout_ms, 1, 2_147_483_647, " ms")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "timeout" => self.timeout_ms = number as u64,
            _ => return false,
        }
        true
    }
}

/// What a collection of several answers takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestManyOptions {
    /// The window in which answers are gathered, counted from the call.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 3,000.
    pub timeout_ms: u64,
    /// The collection ends with this many answers; at most the hub's `messaging.replies`.
    ///
    /// 1 to 1,000,000; default 16.
    pub max_replies: usize,
    /// The collection fails beyond this many bytes of answers; at most the hub's `messaging.reply_bytes`.
    ///
    /// Bytes, 1 to 2,147,483,647; default 1,048,576.
    pub max_bytes: usize,
}

impl Default for RequestManyOptions {
    fn default() -> Self {
        Self { timeout_ms: 3_000, max_replies: 16, max_bytes: 1_048_576 }
    }
}

impl RequestManyOptions {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("timeout", self.timeout_ms, 1, 2_147_483_647, " ms")?;
        in_range("max_replies", self.max_replies as u64, 1, 1_000_000, "")?;
        in_range("max_bytes", self.max_bytes as u64, 1, 2_147_483_647, " bytes")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "timeout" => self.timeout_ms = number as u64,
            "max_replies" => self.max_replies = number as usize,
            "max_bytes" => self.max_bytes = number as usize,
            _ => return false,
        }
        true
    }
}

/// What the drain of a hub or of a subscription takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainOptions {
    /// How long accepted work has to finish; past it the rest is cleaned up and the drain fails with DRAIN_TIMEOUT.
    ///
    /// Milliseconds, 1 to 2,147,483,647; default 5,000.
    pub timeout_ms: u64,
}

impl Default for DrainOptions {
    fn default() -> Self {
        Self { timeout_ms: 5_000 }
    }
}

impl DrainOptions {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("timeout", self.timeout_ms, 1, 2_147_483_647, " ms")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "timeout" => self.timeout_ms = number as u64,
            _ => return false,
        }
        true
    }
}

/// How a queue is served: settings of the deployment, in its configuration and not in the program. There, durations are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// How many messages a handler gets at once, at most.
    ///
    /// 1 to 100; default 10.
    pub max_batch_size: usize,
    /// How long a batch that is not full waits for more messages; 0 hands over at once what is there.
    ///
    /// Milliseconds, 0 to 60,000; default 5,000.
    pub max_batch_wait_ms: u64,
    /// How often a message is delivered again after the first time; 0 delivers once.
    ///
    /// 0 to 100; default 3.
    pub max_retries: usize,
    /// How long a message waits before it is delivered again, where the retry itself says nothing; whole seconds.
    ///
    /// Milliseconds, 0 to 43,200,000; default 0.
    pub retry_delay_ms: u64,
    /// How long a consumer that is heard of no more keeps its messages; renewed while the handler runs.
    ///
    /// Milliseconds, 100 to 43,200,000; default 30,000.
    pub visibility_timeout_ms: u64,
    /// How many batches one consumer handles at a time.
    ///
    /// 1 to 250; default 1.
    pub max_concurrency: usize,
    /// How long the queue keeps a message, counted from when it was sent; then it is dropped and counted.
    ///
    /// Milliseconds, 1,000 to 1,209,600,000; default 345,600,000.
    pub retention_ms: u64,
    /// How long the handler of a batch may take; then the batch has failed.
    ///
    /// Milliseconds, 100 to 43,200,000; default 900,000.
    pub handler_timeout_ms: u64,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            max_batch_size: 10,
            max_batch_wait_ms: 5_000,
            max_retries: 3,
            retry_delay_ms: 0,
            visibility_timeout_ms: 30_000,
            max_concurrency: 1,
            retention_ms: 345_600_000,
            handler_timeout_ms: 900_000,
        }
    }
}

impl QueueSettings {
    /// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was
    /// given and what is allowed.
    pub fn check(&self) -> Result<()> {
        in_range("max_batch_size", self.max_batch_size as u64, 1, 100, "")?;
        in_range("max_batch_wait", self.max_batch_wait_ms, 0, 60_000, " ms")?;
        in_range("max_retries", self.max_retries as u64, 0, 100, "")?;
        in_range("retry_delay", self.retry_delay_ms, 0, 43_200_000, " ms")?;
        in_range("visibility_timeout", self.visibility_timeout_ms, 100, 43_200_000, " ms")?;
        in_range("max_concurrency", self.max_concurrency as u64, 1, 250, "")?;
        in_range("retention", self.retention_ms, 1_000, 1_209_600_000, " ms")?;
        in_range("handler_timeout", self.handler_timeout_ms, 100, 43_200_000, " ms")?;
        Ok(())
    }

    /// Sets the number of an option by its name in the table and in the table's unit, durations
    /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.
    pub fn put(&mut self, option: &str, number: f64) -> bool {
        match option {
            "max_batch_size" => self.max_batch_size = number as usize,
            "max_batch_wait" => self.max_batch_wait_ms = number as u64,
            "max_retries" => self.max_retries = number as usize,
            "retry_delay" => self.retry_delay_ms = number as u64,
            "visibility_timeout" => self.visibility_timeout_ms = number as u64,
            "max_concurrency" => self.max_concurrency = number as usize,
            "retention" => self.retention_ms = number as u64,
            "handler_timeout" => self.handler_timeout_ms = number as u64,
            _ => return false,
        }
        true
    }
}

/// The groups of options, for telling a known name from an unknown one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What a hub is opened with.
    Hub,
    /// TLS: every field is the path of a PEM file, but the last.
    Tls,
    /// When a hub moves to a better one of several servers: better by both figures, and not again before the pause is over.
    Selection,
    /// Bounds for messages, per hub.
    Messaging,
    /// What a subscription or a handler is opened with.
    Subscription,
    /// What a publication may carry besides its data.
    Publish,
    /// What a request for one answer takes.
    Request,
    /// What a collection of several answers takes.
    RequestMany,
    /// What the drain of a hub or of a subscription takes.
    Drain,
    /// How a queue is served: settings of the deployment, in its configuration and not in the program. There, durations are seconds.
    Queue,
}

impl Group {
    /// Every option name of the group, in the spelling of Rust and Python.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Hub => &[
                "servers",
                "node",
                "token",
                "user",
                "password",
                "nkey",
                "credentials",
                "tls",
                "timeout",
                "peer_timeout",
                "health_interval",
                "probe_interval",
                "ping_interval",
                "ping_missed",
                "max_variables",
                "max_memory_bytes",
                "max_instances",
                "selection",
                "messaging",
                "on_callback_error",
            ],
            Self::Tls => &["ca_file", "cert_file", "key_file", "handshake_first"],
            Self::Selection => &["improvement_ms", "improvement_ratio", "cooldown"],
            Self::Messaging => &[
                "subscriptions",
                "requests",
                "pending_messages",
                "pending_bytes",
                "outbound_bytes",
                "payload_bytes",
                "header_bytes",
                "header_entries",
                "replies",
                "reply_bytes",
            ],
            Self::Subscription => {
                &["queue", "pending_messages", "pending_bytes", "with_context", "timeout"]
            }
            Self::Publish => &["headers"],
            Self::Request => &["timeout", "headers", "details", "signal"],
            Self::RequestMany => {
                &["timeout", "max_replies", "max_bytes", "headers", "details", "signal"]
            }
            Self::Drain => &["timeout"],
            Self::Queue => &[
                "max_batch_size",
                "max_batch_wait",
                "max_retries",
                "retry_delay",
                "dead_letter_queue",
                "visibility_timeout",
                "max_concurrency",
                "retention",
                "handler_timeout",
            ],
        }
    }

    /// Every option of the group, in the order of the table.
    pub const fn specs(self) -> &'static [Spec] {
        match self {
            Self::Hub => &[
                Spec { name: "servers", kind: Kind::List, min: 0.0, max: 0.0, languages: None },
                Spec { name: "node", kind: Kind::Value, min: 0.0, max: 0.0, languages: None },
                Spec { name: "token", kind: Kind::Secret, min: 0.0, max: 0.0, languages: None },
                Spec { name: "user", kind: Kind::Text, min: 0.0, max: 0.0, languages: None },
                Spec { name: "password", kind: Kind::Secret, min: 0.0, max: 0.0, languages: None },
                Spec { name: "nkey", kind: Kind::Secret, min: 0.0, max: 0.0, languages: None },
                Spec {
                    name: "credentials",
                    kind: Kind::Secret,
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
                Spec {
                    name: "tls",
                    kind: Kind::Group(Group::Tls),
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
                Spec {
                    name: "timeout",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "peer_timeout",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "health_interval",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "probe_interval",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "ping_interval",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "ping_missed",
                    kind: Kind::Count,
                    min: 0.0,
                    max: 1_000.0,
                    languages: None,
                },
                Spec {
                    name: "max_variables",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 10_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "max_memory_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "max_instances",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 1_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "selection",
                    kind: Kind::Group(Group::Selection),
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
                Spec {
                    name: "messaging",
                    kind: Kind::Group(Group::Messaging),
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
                Spec {
                    name: "on_callback_error",
                    kind: Kind::Callback,
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
            ],
            Self::Tls => &[
                Spec { name: "ca_file", kind: Kind::Text, min: 0.0, max: 0.0, languages: None },
                Spec { name: "cert_file", kind: Kind::Text, min: 0.0, max: 0.0, languages: None },
                Spec { name: "key_file", kind: Kind::Text, min: 0.0, max: 0.0, languages: None },
                Spec {
                    name: "handshake_first",
                    kind: Kind::Flag,
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
            ],
            Self::Selection => &[
                Spec {
                    name: "improvement_ms",
                    kind: Kind::Milliseconds,
                    min: 0.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "improvement_ratio",
                    kind: Kind::Ratio,
                    min: 0.0,
                    max: 1.0,
                    languages: None,
                },
                Spec {
                    name: "cooldown",
                    kind: Kind::Duration,
                    min: 0.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
            ],
            Self::Messaging => &[
                Spec {
                    name: "subscriptions",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 1_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "requests",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 1_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "pending_messages",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 100_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "pending_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "outbound_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "payload_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 67_108_864.0,
                    languages: None,
                },
                Spec {
                    name: "header_bytes",
                    kind: Kind::Bytes,
                    min: 0.0,
                    max: 65_536.0,
                    languages: None,
                },
                Spec {
                    name: "header_entries",
                    kind: Kind::Count,
                    min: 0.0,
                    max: 1_024.0,
                    languages: None,
                },
                Spec {
                    name: "replies",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 1_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "reply_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
            ],
            Self::Subscription => &[
                Spec { name: "queue", kind: Kind::Text, min: 0.0, max: 0.0, languages: None },
                Spec {
                    name: "pending_messages",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 100_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "pending_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "with_context",
                    kind: Kind::Flag,
                    min: 0.0,
                    max: 0.0,
                    languages: Some(&["python"]),
                },
                Spec {
                    name: "timeout",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
            ],
            Self::Publish => {
                &[Spec { name: "headers", kind: Kind::Value, min: 0.0, max: 0.0, languages: None }]
            }
            Self::Request => &[
                Spec {
                    name: "timeout",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec { name: "headers", kind: Kind::Value, min: 0.0, max: 0.0, languages: None },
                Spec {
                    name: "details",
                    kind: Kind::Flag,
                    min: 0.0,
                    max: 0.0,
                    languages: Some(&["python", "javascript"]),
                },
                Spec {
                    name: "signal",
                    kind: Kind::Value,
                    min: 0.0,
                    max: 0.0,
                    languages: Some(&["javascript"]),
                },
            ],
            Self::RequestMany => &[
                Spec {
                    name: "timeout",
                    kind: Kind::Duration,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec {
                    name: "max_replies",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 1_000_000.0,
                    languages: None,
                },
                Spec {
                    name: "max_bytes",
                    kind: Kind::Bytes,
                    min: 1.0,
                    max: 2_147_483_647.0,
                    languages: None,
                },
                Spec { name: "headers", kind: Kind::Value, min: 0.0, max: 0.0, languages: None },
                Spec {
                    name: "details",
                    kind: Kind::Flag,
                    min: 0.0,
                    max: 0.0,
                    languages: Some(&["python", "javascript"]),
                },
                Spec {
                    name: "signal",
                    kind: Kind::Value,
                    min: 0.0,
                    max: 0.0,
                    languages: Some(&["javascript"]),
                },
            ],
            Self::Drain => &[Spec {
                name: "timeout",
                kind: Kind::Duration,
                min: 1.0,
                max: 2_147_483_647.0,
                languages: None,
            }],
            Self::Queue => &[
                Spec {
                    name: "max_batch_size",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 100.0,
                    languages: None,
                },
                Spec {
                    name: "max_batch_wait",
                    kind: Kind::Duration,
                    min: 0.0,
                    max: 60_000.0,
                    languages: None,
                },
                Spec {
                    name: "max_retries",
                    kind: Kind::Count,
                    min: 0.0,
                    max: 100.0,
                    languages: None,
                },
                Spec {
                    name: "retry_delay",
                    kind: Kind::Duration,
                    min: 0.0,
                    max: 43_200_000.0,
                    languages: None,
                },
                Spec {
                    name: "dead_letter_queue",
                    kind: Kind::Text,
                    min: 0.0,
                    max: 0.0,
                    languages: None,
                },
                Spec {
                    name: "visibility_timeout",
                    kind: Kind::Duration,
                    min: 100.0,
                    max: 43_200_000.0,
                    languages: None,
                },
                Spec {
                    name: "max_concurrency",
                    kind: Kind::Count,
                    min: 1.0,
                    max: 250.0,
                    languages: None,
                },
                Spec {
                    name: "retention",
                    kind: Kind::Duration,
                    min: 1_000.0,
                    max: 1_209_600_000.0,
                    languages: None,
                },
                Spec {
                    name: "handler_timeout",
                    kind: Kind::Duration,
                    min: 100.0,
                    max: 43_200_000.0,
                    languages: None,
                },
            ],
        }
    }
}
