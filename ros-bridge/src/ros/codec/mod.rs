//! Messages as bytes and messages as JSON.
//!
//! A [`Layout`] is a type compiled once. Decoding walks it over the bytes and writes JSON text as it goes; encoding
//! reads JSON text and writes bytes as it goes. Nothing the bytes or the text claim is believed: every length is compared with
//! what is there before memory is taken, and no input panics.
mod decode;
mod encode;
mod layout;
mod refusal;
mod rules;
mod select;

pub use decode::Decoded;
pub use layout::{Layout, ServiceLayout};
pub use refusal::{Reason, Refusal};
pub use rules::{Bytes, Floats, Integers, Rules};
pub use select::Selection;

/// From here on the hub has no numbers.
const NUMBER_BOUND: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests;
