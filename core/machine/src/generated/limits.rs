//! Limits that no option changes.
//!
//! Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.

/// The longest namespace, variable, message or queue name, in UTF-8. In bytes.
///
/// Contract: Variable name, namespace, live channel: 1–128 UTF-8 bytes.
pub const NAME_BYTES: usize = 128;

/// The longest instance id, writer or inbox id. In bytes.
///
/// Contract: ID, INSTANCE_ID and writer: 1–128 of `[A-Za-z0-9_-]`.
pub const ID_BYTES: usize = 128;

/// How deep arrays and objects may be nested below the root of a value. In levels.
///
/// Contract: Depth at most 32 below the root.
pub const VALUE_DEPTH: usize = 32;

/// How many nodes one JSON value may have. In nodes.
///
/// Contract: At most 20,000 nodes.
pub const VALUE_NODES: usize = 20_000;

/// The largest encoded value of a variable. In bytes.
///
/// Contract: Encoded at most 64 KiB.
pub const VALUE_BYTES: usize = 65_536;

/// The largest magnitude of an integer-valued number: 2^53 − 1. In integer.
///
/// Contract: Integer-valued numbers within ±(2^53−1).
pub const SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The longest counter of a version, in decimal digits. In digits.
///
/// Contract: `counter`: decimal string, `[1-9][0-9]{0,39}`.
pub const COUNTER_DIGITS: usize = 40;

/// The largest status in a health report, measured before unknown fields are dropped. In bytes.
///
/// Contract: The whole status ≤ 2,048 bytes before unknown fields are dropped.
pub const STATUS_BYTES: usize = 2_048;

/// The longest error text or reason in a health report. In characters.
///
/// Contract: Error texts ≤ 240 characters.
pub const REPORT_TEXT_CHARS: usize = 240;

/// The longest interval that a health report may announce. In milliseconds.
///
/// Contract: `interval` an integer 1–2,147,483,647.
pub const REPORT_INTERVAL_MAX_MS: u64 = 2_147_483_647;

/// An instance counts as offline once its last report is this many of its intervals old. In intervals.
///
/// Contract: An instance is online while its last report is younger than 3 intervals.
pub const ONLINE_INTERVALS: usize = 3;

/// What a header block costs besides its entries. In bytes.
///
/// Contract: 12 + Σ(name + value + 4), no headers = 0.
pub const HEADER_FIXED_BYTES: usize = 12;

/// What each header entry costs besides its name and value. In bytes.
///
/// Contract: 12 + Σ(name + value + 4), no headers = 0.
pub const HEADER_ENTRY_BYTES: usize = 4;

/// The pause before the first attempt to reconnect; it doubles from there. In milliseconds.
///
/// Contract: Reconnect: 100 doubling to 5,000, ±20 % jitter, for ever.
pub const RECONNECT_FIRST_MS: u64 = 100;

/// The longest pause between two attempts to reconnect, before jitter. In milliseconds.
///
/// Contract: Reconnect: 100 doubling to 5,000, ±20 % jitter, for ever.
pub const RECONNECT_MAX_MS: u64 = 5_000;

/// How far a pause between attempts may differ from its nominal length, either way. In percent.
///
/// Contract: Reconnect: 100 doubling to 5,000, ±20 % jitter, for ever.
pub const RECONNECT_JITTER: u64 = 20;

/// How long a planned switch of the broker waits for handlers that already run. In milliseconds.
///
/// Contract: Let accepted handlers finish (at most 5,000), then activate the new connection.
pub const SWITCH_DRAIN_MS: u64 = 5_000;

/// The default of `peer_timeout`, as a part of `timeout`. In percent.
///
/// Contract: The peer time-out (default 80 % of the time-out: 2.4 s).
pub const PEER_TIMEOUT_PERCENT: u64 = 80;

/// Within this time another hub of the machine takes over an owned node whose owner went. In milliseconds.
///
/// Contract: When its owner goes, another hub on the machine takes over within 2 s.
pub const TAKE_OVER_MS: u64 = 2_000;

/// TCP port of the local node. In port.
///
/// Contract: TCP 4222, WebSocket 9222.
pub const LOCAL_PORT: u16 = 4222;

/// WebSocket port of the local node. In port.
///
/// Contract: TCP 4222, WebSocket 9222.
pub const LOCAL_WEBSOCKET_PORT: u16 = 9222;

/// The largest body of a queue message, as given and as normalised. In bytes.
///
/// Contract: Size of the given text, and of the normalised text: 128,000 UTF-8 bytes each.
pub const QUEUE_BODY_BYTES: usize = 128_000;

/// How deep a body may be nested when it is sent; arrays and objects count one each. In levels.
///
/// Contract: Nesting, arrays and objects count one each: 24.
pub const QUEUE_DEPTH: usize = 24;

/// How deep a body may be nested when it is read; beyond it the event fails. In levels.
///
/// Contract: A body nested deeper than 32: the event ends as failed, not catchable.
pub const QUEUE_READ_DEPTH: usize = 32;

/// The longest delay of a message or of a retry. In seconds.
///
/// Contract: Delay: integer 0–43,200.
pub const QUEUE_DELAY_MAX: usize = 43_200;

/// How many messages a batch may have. In messages.
///
/// Contract: Batch: 1–100 items.
pub const QUEUE_BATCH_MESSAGES: usize = 100;

/// How large the normalised bodies of a batch may be together. In bytes.
///
/// Contract: Batch: bodies together (normalised) 256,000 bytes.
pub const QUEUE_BATCH_BYTES: usize = 256_000;

/// The largest text of a batch. In bytes.
///
/// Contract: Batch: the array text 1 MiB.
pub const QUEUE_BATCH_TEXT_BYTES: usize = 1_048_576;
