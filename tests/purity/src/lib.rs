//! The machine alone in a WebAssembly module, to prove that it asks nothing of its host.
//!
//! `make purity` builds this for `wasm32-unknown-unknown` and fails if the module imports anything:
//! a clock, a socket, a thread or a random source could only come in as an import. On any other
//! target this crate is empty.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[cfg(target_arch = "wasm32")]
mod bare;
