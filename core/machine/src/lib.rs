//! The sans-IO core of Posthouse.
//!
//! Bytes, commands and time go in; bytes, events and deadlines come out. Nothing in this crate
//! opens a socket, reads a clock, starts a thread or draws a random number: the driver hands in
//! the time and a seed, so the same inputs give the same outputs on every platform.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod generated;
pub mod headers;
pub mod json;
pub mod name;
pub mod options;
pub mod rng;
pub mod subject;

pub use error::{Code, Error, Result, UnknownCode};
pub use generated::limits;
