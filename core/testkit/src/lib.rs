//! What Posthouse's own tests stand on: real servers, a scripted fake one, and a proxy that hurts.
//!
//! - [`NatsServer`] starts a real `nats-server` in a private directory on free ports, waits until it
//!   answers, and stops it when dropped. [`Cluster`] starts several that route to each other.
//! - [`NodeProcess`] is the owned node in a process of its own, to be killed like a server.
//! - [`Proxy`] stands between a client and a server and pauses, swallows, cuts, splits or delays.
//! - [`FakeServer`] is a server whose every byte the test writes.
//! - [`Certs`] and [`Creds`] make the keys that TLS and NATS authentication need.
//!
//! Everything here panics with an explanation instead of returning errors: a test that cannot get
//! its surroundings has failed. Development only; nothing of it is published.

mod certs;
mod creds;
mod fake;
mod node;
mod proxy;
mod server;
mod temp;
mod wait;

pub use certs::{Certs, Identity};
pub use creds::{Creds, NkeyUser, UserCreds};
pub use fake::{FakeConnection, FakeServer};
pub use node::NodeProcess;
pub use proxy::{Direction, Proxy};
pub use server::{Binary, Cluster, NatsServer, ServerBuilder, find_nats_server};
pub use temp::TempDir;
pub use wait::{until, until_async};

use std::time::Duration;

/// How long any helper waits for something that a healthy machine does at once. Generous, because
/// a loaded machine is slow; passing it fails the test.
pub const PATIENCE: Duration = Duration::from_secs(20);
