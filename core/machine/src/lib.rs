//! The sans-IO core of Posthouse.
//!
//! Bytes, commands and time go in; bytes, events and deadlines come out. Nothing in this crate
//! opens a socket, reads a clock, starts a thread or draws a random number: the driver hands in
//! the time and a seed, so the same inputs give the same outputs on every platform.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod body;
mod counter;
mod error;
mod fields;
pub mod frame;
mod generated;
pub mod headers;
pub mod hub;
mod inbox;
pub mod json;
mod link;
pub mod name;
pub mod options;
mod pool;
mod progress;
pub mod queue;
mod record;
pub mod rng;
pub mod subject;
mod subs;
mod time;
mod timers;
mod vars;
mod watch;

pub use body::Body;
pub use counter::Counter;
pub use error::{Code, Error, Result, UnknownCode};
pub use generated::limits;
pub use headers::Headers;
pub use link::LinkId;
pub use pool::EndpointId;
pub use progress::Progress;
pub use record::{Record, Version};
pub use time::Now;
pub use vars::VarId;
pub use watch::WatchId;
