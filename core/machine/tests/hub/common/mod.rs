//! What the tests of the machine share: a hub whose server is a script, byte by byte, and several
//! hubs around a real broker. Time is a number; nothing sleeps and nothing is sent.
#![allow(dead_code, unreachable_pub)]

pub mod rig;
pub mod world;

pub use rig::Rig;
pub use world::World;

use posthouse_core::{
    Error, Now,
    hub::{Config, Event, Failure, Outcome},
    options::HubOptions,
};

/// A hub's configuration as the tests use it.
pub fn config(seed: u64, endpoints: &[&str]) -> Config {
    Config {
        namespace: "workshop".to_owned(),
        options: HubOptions::default(),
        endpoints: endpoints.iter().map(|&url| url.to_owned()).collect(),
        reconnect_max_ms: 5_000,
        seed,
        sdk: "rust".to_owned(),
        version: "0.1.0".to_owned(),
        runtime: "test".to_owned(),
    }
}

/// A time: milliseconds since the start of the test.
pub fn at(ms: u64) -> Now {
    Now { mono: 1_000_000 + ms * 1_000, unix_ms: 1_700_000_000_000 + ms }
}

/// The hex of the namespace `workshop`.
pub const NS: &str = "776f726b73686f70";

/// A message's subject.
pub fn subject(topic: &str) -> String {
    posthouse_core::subject::message("workshop", topic)
}

/// The subject of a variable's records.
pub fn state(name: &str) -> String {
    posthouse_core::subject::state("workshop", name)
}

/// The code of a failed operation; `OK` for a good end.
pub fn code(result: &Result<Outcome, Failure>) -> &'static str {
    result.as_ref().map_or_else(|failure| failure.error.code().as_str(), |_| "OK")
}

/// The code of a refused call; `OK` where it was accepted.
pub fn refused<T>(result: &Result<T, Error>) -> &'static str {
    result.as_ref().map_or_else(|error| error.code().as_str(), |_| "OK")
}

/// Whether an event is a line of the log, which tests pass over.
pub fn is_log(event: &Event) -> bool {
    matches!(event, Event::Log(..))
}
