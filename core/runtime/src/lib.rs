//! To be written.

// Public for this crate's own tests only; no part of the SDK's promise.
#[doc(hidden)]
pub mod net;
