//! The store on NATS JetStream: many machines, one queue.
//!
//! A queue is one work-queue stream with explicit acknowledgement and one durable pull consumer that all
//! workers share (`setup`). The server is the only truth: it keeps the messages, the leases and the number
//! of deliveries. What it cannot do is added here:
//!
//! - It takes an acknowledgement from whoever sends it. So each holder knows when its own lease
//!   has ended at the latest (`leases`) and says nothing any more from then on; the server waits a little
//!   longer than the lease before it delivers again.
//! - It counts every delivery. Those that nobody has started on are written down in the stream beside
//!   the message (`note`) and taken off.
//! - It forgets parts of a second of a retry's due time when it is started again; the same note keeps the
//!   exact one.
//! - Before 2.12 it cannot publish later; there a worker moves what has fallen due (`mover`).
//!
//! The server's own limit of deliveries is never used: past it a message would lie unseen in the stream.
mod admin;
mod api;
mod clock;
mod connect;
mod delivery;
mod dropped;
mod lease;
mod leases;
mod link;
mod mover;
mod names;
mod note;
mod options;
mod peek;
mod pull;
mod queue;
mod redrive;
mod refusal;
mod send;
mod settle;
mod setup;
mod store;

pub use options::{JetStreamOptions, JetStreamTls};
pub use store::JetStream;
