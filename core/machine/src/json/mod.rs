//! JSON as the wire speaks it: RFC 8259 text, bounded, with numbers every language can hold.
//!
//! Payloads cross the machine as bytes. What comes in is checked once by [`validate`]; what goes
//! out is written through [`Writer`], [`write()`] or [`to_vec`], which refuse the same things while writing.
//! [`canonical`] and [`normalize`] bring foreign text into the form `JSON.stringify` gives, [`respelled`] only where it is not.
mod error;
mod escape;
mod number;
mod order;
mod respell;
mod rewrite;
mod scan;
mod ser;
mod ser_key;
mod stringify;
mod writer;

use crate::limits;

pub use error::{Fault, JsonError};
pub(crate) use escape::{push_escaped, push_respelled};
pub use number::MAX_INTEGER;
pub(crate) use number::double;
pub use respell::respelled;
pub use rewrite::{canonical, normalize};
pub use scan::validate;
pub(crate) use scan::{Form as NumberForm, Sink as Parts, loose as parts, validated};
pub use ser::to_vec;
pub(crate) use stringify::{stringify, whole};
pub use writer::{Writer, write};

/// What a value may measure. Exceeding any of the three refuses the whole value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels below the root: 0 allows a scalar or an empty container only. More than
    /// [`Limits::MAX_DEPTH`] counts as that.
    pub depth: usize,
    /// Values of every kind, the root and containers included, object keys not.
    pub nodes: usize,
    /// Bytes of the encoded text.
    pub bytes: usize,
}

impl Limits {
    /// The limits of a value: 32 levels, 20,000 nodes, 64 KiB.
    pub const VALUE: Self =
        Self { depth: limits::VALUE_DEPTH, nodes: limits::VALUE_NODES, bytes: limits::VALUE_BYTES };
    /// The deepest limit that can be asked for.
    pub const MAX_DEPTH: usize = 63;

    /// The same limits with another number of bytes.
    #[must_use]
    pub const fn with_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    const fn levels(&self) -> usize {
        if self.depth < Self::MAX_DEPTH { self.depth } else { Self::MAX_DEPTH }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::VALUE
    }
}

#[cfg(test)]
mod tests;
