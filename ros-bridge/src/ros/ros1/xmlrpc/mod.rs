//! XML-RPC over HTTP/1.1, as much of it as ROS masters and nodes speak.
//!
//! Everything read is bounded: bytes of a head and of a body, depth and number of values, connections at a time, and the
//! time a peer may take.
mod client;
mod http;
mod read;
mod server;
mod value;
mod write;

pub(super) use client::{Peer, call};
pub use read::{Answered, read_call, read_response};
pub(super) use server::{Methods, serve};
pub use value::Value;
pub use write::{write_call, write_fault, write_response};
