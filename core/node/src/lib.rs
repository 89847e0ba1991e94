//! The owned node: a broker inside a hub's process, speaking the NATS core protocol over TCP and
//! WebSocket on loopback.
//!
//! [`Router`] is the broker itself and touches nothing outside: bytes of a client in, bytes for
//! clients out, time as an argument. `Node`, of the feature `sockets`, puts it on sockets. It runs on
//! whatever tokio runtime it is bound on, a `current_thread` one included, never blocks it and starts
//! no thread: every connection is one task, woken at most once for any number of messages, and each
//! wake-up writes everything that waits in one call.
//!
//! The node keeps no data, has no accounts, no JetStream and no clustering; past one machine a real
//! `nats-server` takes its place and clients stay the same. Where the published protocol leaves
//! something open, the node does what `nats-server` does; the tests compare the two.
#![forbid(unsafe_code)]
// What only the sockets use is idle without them.
#![cfg_attr(not(feature = "sockets"), allow(dead_code))]

mod cache;
mod client;
mod connect;
mod control;
mod deliver;
mod frame;
mod info;
mod input;
#[cfg(feature = "sockets")]
mod link;
#[cfg(feature = "sockets")]
mod node;
mod options;
#[cfg(feature = "sockets")]
mod origin;
mod publish;
mod router;
#[cfg(feature = "sockets")]
mod shared;
mod subject;
#[cfg(feature = "sockets")]
mod tcp;
mod trie;
mod violation;
#[cfg(feature = "sockets")]
mod ws;

pub use info::PROTOCOL_VERSION;
#[cfg(feature = "sockets")]
pub use node::{BindError, Node};
pub use options::NodeOptions;
pub use router::{ClientId, NodeStats, Router};
pub use violation::Violation;
