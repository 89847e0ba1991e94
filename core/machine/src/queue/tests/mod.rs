//! The contract's tables, row by row.
mod batches;
mod bodies;
mod configuration;
mod events;
mod lines;
mod settings;

use super::*;
use crate::{Code, Error};
use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

/// What an error tells: its code, its text, and which item it is about.
fn told(error: &Error) -> (Code, &str, Option<usize>) {
    (error.code(), error.message(), error.index())
}

/// The body that is sent for a text, or the error's code and text.
fn sent(text: &str) -> Result<String, (Code, String)> {
    outgoing(text.as_bytes(), 0.0)
        .map(|message| message.body)
        .map_err(|error| (error.code(), error.message().to_string()))
}

/// `levels` arrays around a value.
fn nested(levels: usize, inner: &str) -> String {
    format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels))
}
