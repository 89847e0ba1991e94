//! A seeded simulation: several hubs and the real broker's router in one thread, over a network that
//! delays, splits, cuts and swallows, in virtual time. The same seed gives the same run, to the bit.
//!
//! One run: some thirty seconds of random work under random faults, then the network heals, and after
//! the time that the contract allows everything must have come together. Rules that hold at any
//! moment are checked after every step.
mod broker;
mod cast;
mod faults;
mod host;
mod network;
mod oracle;
mod sim;
mod trace;
mod work;

pub use sim::{Failure, Summary, run};
