//! What is fuzzed and what must hold, as plain functions of bytes.
//!
//! Each module has a `run` that takes any bytes and panics where a rule is broken. libFuzzer calls them
//! (`make fuzz`), and so does an ordinary test over the kept corpus (`tests/corpus.rs`).
pub mod frames;
pub mod headers;
mod input;
pub mod json;
pub mod json_writer;
pub mod mutate;
pub mod names;
pub mod queue;
pub mod records;
#[cfg(feature = "repeat")]
pub mod repeat;
pub mod reports;
pub mod ros_definition;
pub mod ros_message;
pub mod ros_wire;
pub mod router;
pub mod session;

/// A target: its name, which is also that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 13] = [
    ("frames", frames::run),
    ("headers", headers::run),
    ("json", json::run),
    ("json_writer", json_writer::run),
    ("names", names::run),
    ("queue", queue::run),
    ("records", records::run),
    ("reports", reports::run),
    ("ros_definition", ros_definition::run),
    ("ros_message", ros_message::run),
    ("ros_wire", ros_wire::run),
    ("session", session::run),
    ("router", router::run),
];
