//! Codes and option structures as C sees them.
//!
//! Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
use crate::{
    headers::Headers,
    options::{Fields, Sized, UNSET, UNSET_FLAG, UNSET_RATIO},
    slice::Str,
};
use posthouse_kit::{Code, Given, Result};
use std::ptr;

/// The number of a code; 0 is none.
pub fn number(code: Code) -> u32 {
    match code {
        Code::InvalidOptions => 1,
        Code::InvalidName => 2,
        Code::InvalidTopic => 3,
        Code::InvalidValue => 4,
        Code::InvalidHeaders => 5,
        Code::InvalidMessage => 6,
        Code::InvalidServer => 7,
        Code::InvalidRecord => 8,
        Code::VersionCollision => 9,
        Code::ValueTooLarge => 10,
        Code::MessageTooLarge => 11,
        Code::MemoryFull => 12,
        Code::BufferOverflow => 13,
        Code::SlowConsumer => 14,
        Code::Timeout => 15,
        Code::Cancelled => 16,
        Code::Disconnected => 17,
        Code::Draining => 18,
        Code::DrainTimeout => 19,
        Code::DrainInHandler => 20,
        Code::BlockingInHandler => 21,
        Code::Closed => 22,
        Code::NoResponders => 23,
        Code::NoReplySubject => 24,
        Code::PermissionDenied => 25,
        Code::AuthFailed => 26,
        Code::HandlerError => 27,
        Code::Forked => 28,
        Code::Unsupported => 29,
        Code::ClockRequired => 30,
        Code::QueueBinding => 32,
        Code::Deployment => 33,
        Code::QueueBodyJson => 34,
        Code::QueueBodyUnicode => 35,
        Code::QueueBodyReserved => 36,
        Code::QueueBodySize => 37,
        Code::QueueBodyDepth => 38,
        Code::QueueDelay => 39,
        Code::QueueBatchJson => 40,
        Code::QueueBatchCount => 41,
        Code::QueueBatchItem => 42,
        Code::QueueBatchSize => 43,
        Code::QueueBatchText => 44,
        Code::QueueStore => 45,
        Code::QueueNoEvent => 46,
        Code::QueueBodyNotJson => 47,
        Code::QueueIndex => 48,
        Code::QueueLeaseLost => 49,
        _ => 31,
    }
}

/// What a hub is opened with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HubOptions {
    /// Of the caller's structure.
    pub size: u32,
    /// Addresses of the brokers to choose from: `nats://`, `tls://`, `ws://` or `wss://`. Given, the hub is a client only and never owns a node.
    pub servers: *const Str,
    /// How many there are.
    pub servers_count: usize,
    /// Whether the hub may become the local node where none listens: `auto`, true (it must be possible) or false (never).
    pub node: i32,
    /// Token for the broker, or a callback that is asked anew at every attempt to connect.
    pub token: Str,
    /// User name for the broker, or a callback that is asked anew at every attempt.
    pub user: Str,
    /// Password of `user`, or a callback that is asked anew at every attempt.
    pub password: Str,
    /// Seed of an nkey, or a callback that is asked anew at every attempt.
    pub nkey: Str,
    /// Path of a credentials file (a user's JWT and its seed), or a callback that gives its content anew at every attempt.
    pub credentials: Str,
    /// Authorities to trust instead of the system's own.
    pub tls_ca_file: Str,
    /// Certificate chain of this client.
    pub tls_cert_file: Str,
    /// Private key of `cert_file`.
    pub tls_key_file: Str,
    /// Start TLS before the broker has said anything, instead of after its greeting.
    pub tls_handshake_first: i32,
    /// How long connecting, and each operation that gives none of its own, may take. Default 3000 ms, allowed 1 to 2147483647.
    pub timeout_ms: i64,
    /// How long other instances have to answer a query for the current state; after it a variable that nobody holds counts as absent. Default 80 % of `timeout`, allowed 1 to 2147483647.
    pub peer_timeout_ms: i64,
    /// How often the hub reports its own health to the namespace. Default 5000 ms, allowed 1 to 2147483647.
    pub health_interval_ms: i64,
    /// How often the hub asks the others for their state again and measures the other servers. Default 15000 ms, allowed 1 to 2147483647.
    pub probe_interval_ms: i64,
    /// How long the link may be silent before the hub pings it. Default 5000 ms, allowed 1 to 2147483647.
    pub ping_interval_ms: i64,
    /// How many pings in a row may stay unanswered; a dead link is noticed within `ping_interval` × (this + 1). Default 1, allowed 0 to 1000.
    pub ping_missed: i64,
    /// How many variable references, and how many records, the hub holds at most. Default 10000, allowed 1 to 10000000.
    pub max_variables: i64,
    /// How many bytes of state records the hub holds at most. Default 16777216 bytes, allowed 1 to 2147483647.
    pub max_memory_bytes: i64,
    /// How many other instances the hub remembers at most. Default 1024, allowed 1 to 1000000.
    pub max_instances: i64,
    /// By how many milliseconds the round trip must be shorter. Milliseconds in every language, as its name says. Default 10 ms, allowed 0 to 2147483647.
    pub selection_improvement_ms: i64,
    /// By which part of the present round trip it must be shorter. Default 0.2, allowed 0 to 1.
    pub selection_improvement_ratio: f64,
    /// How long the hub stays where it is after a switch. Default 30000 ms, allowed 0 to 2147483647.
    pub selection_cooldown_ms: i64,
    /// Subscriptions and handlers at a time. Default 128, allowed 1 to 1000000.
    pub messaging_subscriptions: i64,
    /// Requests and collections that wait for answers at a time. Default 64, allowed 1 to 1000000.
    pub messaging_requests: i64,
    /// Messages received and not yet done with: queued, running, collected. Default 4096, allowed 1 to 100000000.
    pub messaging_pending_messages: i64,
    /// Bytes of the messages received and not yet done with. Default 8388608 bytes, allowed 1 to 2147483647.
    pub messaging_pending_bytes: i64,
    /// Bytes accepted for sending and not yet handed to the system. Default 8388608 bytes, allowed 1 to 2147483647.
    pub messaging_outbound_bytes: i64,
    /// The largest body of one message. Default 65536 bytes, allowed 1 to 67108864.
    pub messaging_payload_bytes: i64,
    /// The largest header block of one message. Default 4096 bytes, allowed 0 to 65536.
    pub messaging_header_bytes: i64,
    /// Header entries of one message. Default 32, allowed 0 to 1024.
    pub messaging_header_entries: i64,
    /// Answers that one collection may gather; its `max_replies` may only lower this. Default 16, allowed 1 to 1000000.
    pub messaging_replies: i64,
    /// Bytes of answers that one collection may gather; its `max_bytes` may only lower this. Default 1048576 bytes, allowed 1 to 2147483647.
    pub messaging_reply_bytes: i64,
}

impl Default for HubOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            servers: ptr::null(),
            servers_count: 0,
            node: UNSET_FLAG,
            token: Str::NONE,
            user: Str::NONE,
            password: Str::NONE,
            nkey: Str::NONE,
            credentials: Str::NONE,
            tls_ca_file: Str::NONE,
            tls_cert_file: Str::NONE,
            tls_key_file: Str::NONE,
            tls_handshake_first: UNSET_FLAG,
            timeout_ms: UNSET,
            peer_timeout_ms: UNSET,
            health_interval_ms: UNSET,
            probe_interval_ms: UNSET,
            ping_interval_ms: UNSET,
            ping_missed: UNSET,
            max_variables: UNSET,
            max_memory_bytes: UNSET,
            max_instances: UNSET,
            selection_improvement_ms: UNSET,
            selection_improvement_ratio: UNSET_RATIO,
            selection_cooldown_ms: UNSET,
            messaging_subscriptions: UNSET,
            messaging_requests: UNSET,
            messaging_pending_messages: UNSET,
            messaging_pending_bytes: UNSET,
            messaging_outbound_bytes: UNSET,
            messaging_payload_bytes: UNSET,
            messaging_header_bytes: UNSET,
            messaging_header_entries: UNSET,
            messaging_replies: UNSET,
            messaging_reply_bytes: UNSET,
        }
    }
}

impl Sized for HubOptions {
    fn size(&self) -> u32 {
        self.size
    }

    fn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()> {
        let mut fields = Fields::new(set);
        fields.texts("servers", self.servers, self.servers_count)?;
        fields.flag("node", self.node)?;
        fields.text("token", self.token)?;
        fields.text("user", self.user)?;
        fields.text("password", self.password)?;
        fields.text("nkey", self.nkey)?;
        fields.text("credentials", self.credentials)?;
        fields.text("tls.ca_file", self.tls_ca_file)?;
        fields.text("tls.cert_file", self.tls_cert_file)?;
        fields.text("tls.key_file", self.tls_key_file)?;
        fields.flag("tls.handshake_first", self.tls_handshake_first)?;
        fields.integer("timeout", self.timeout_ms)?;
        fields.integer("peer_timeout", self.peer_timeout_ms)?;
        fields.integer("health_interval", self.health_interval_ms)?;
        fields.integer("probe_interval", self.probe_interval_ms)?;
        fields.integer("ping_interval", self.ping_interval_ms)?;
        fields.integer("ping_missed", self.ping_missed)?;
        fields.integer("max_variables", self.max_variables)?;
        fields.integer("max_memory_bytes", self.max_memory_bytes)?;
        fields.integer("max_instances", self.max_instances)?;
        fields.integer("selection.improvement_ms", self.selection_improvement_ms)?;
        fields.ratio("selection.improvement_ratio", self.selection_improvement_ratio)?;
        fields.integer("selection.cooldown", self.selection_cooldown_ms)?;
        fields.integer("messaging.subscriptions", self.messaging_subscriptions)?;
        fields.integer("messaging.requests", self.messaging_requests)?;
        fields.integer("messaging.pending_messages", self.messaging_pending_messages)?;
        fields.integer("messaging.pending_bytes", self.messaging_pending_bytes)?;
        fields.integer("messaging.outbound_bytes", self.messaging_outbound_bytes)?;
        fields.integer("messaging.payload_bytes", self.messaging_payload_bytes)?;
        fields.integer("messaging.header_bytes", self.messaging_header_bytes)?;
        fields.integer("messaging.header_entries", self.messaging_header_entries)?;
        fields.integer("messaging.replies", self.messaging_replies)?;
        fields.integer("messaging.reply_bytes", self.messaging_reply_bytes)?;
        Ok(())
    }
}

/// What a subscription or a handler is opened with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SubscriptionOptions {
    /// Of the caller's structure.
    pub size: u32,
    /// Queue group: the broker gives each message to one member. Without it every subscriber gets every message.
    pub queue: Str,
    /// Messages that may wait for this subscription's handler; further ones are dropped and counted. Default 256, allowed 1 to 100000000.
    pub pending_messages: i64,
    /// Bytes that may wait for this subscription's handler. Default 1048576 bytes, allowed 1 to 2147483647.
    pub pending_bytes: i64,
    /// How long the broker has to confirm the subscription. Default 3000 ms, allowed 1 to 2147483647.
    pub timeout_ms: i64,
}

impl Default for SubscriptionOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            queue: Str::NONE,
            pending_messages: UNSET,
            pending_bytes: UNSET,
            timeout_ms: UNSET,
        }
    }
}

impl Sized for SubscriptionOptions {
    fn size(&self) -> u32 {
        self.size
    }

    fn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()> {
        let mut fields = Fields::new(set);
        fields.text("queue", self.queue)?;
        fields.integer("pending_messages", self.pending_messages)?;
        fields.integer("pending_bytes", self.pending_bytes)?;
        fields.integer("timeout", self.timeout_ms)?;
        Ok(())
    }
}

/// What a request for one answer takes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RequestOptions {
    /// Of the caller's structure.
    pub size: u32,
    /// How long the whole request may take. Default 3000 ms, allowed 1 to 2147483647.
    pub timeout_ms: i64,
    /// Headers: a key takes one text or several.
    pub headers: *const Headers,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self { size: size_of::<Self>() as u32, timeout_ms: UNSET, headers: ptr::null() }
    }
}

impl Sized for RequestOptions {
    fn size(&self) -> u32 {
        self.size
    }

    fn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()> {
        let mut fields = Fields::new(set);
        fields.integer("timeout", self.timeout_ms)?;
        Ok(())
    }
}

impl RequestOptions {
    /// The headers to send along.
    pub fn headers(&self) -> *const Headers {
        self.headers
    }
}

/// What a collection of several answers takes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RequestManyOptions {
    /// Of the caller's structure.
    pub size: u32,
    /// The window in which answers are gathered, counted from the call. Default 3000 ms, allowed 1 to 2147483647.
    pub timeout_ms: i64,
    /// The collection ends with this many answers; at most the hub's `messaging.replies`. Default 16, allowed 1 to 1000000.
    pub max_replies: i64,
    /// The collection fails beyond this many bytes of answers; at most the hub's `messaging.reply_bytes`. Default 1048576 bytes, allowed 1 to 2147483647.
    pub max_bytes: i64,
    /// Headers: a key takes one text or several.
    pub headers: *const Headers,
}

impl Default for RequestManyOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            timeout_ms: UNSET,
            max_replies: UNSET,
            max_bytes: UNSET,
            headers: ptr::null(),
        }
    }
}

impl Sized for RequestManyOptions {
    fn size(&self) -> u32 {
        self.size
    }

    fn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()> {
        let mut fields = Fields::new(set);
        fields.integer("timeout", self.timeout_ms)?;
        fields.integer("max_replies", self.max_replies)?;
        fields.integer("max_bytes", self.max_bytes)?;
        Ok(())
    }
}

impl RequestManyOptions {
    /// The headers to send along.
    pub fn headers(&self) -> *const Headers {
        self.headers
    }
}
