//! Posthouse for C, and through `bindings-cpp` for C++: the kit behind opaque handles.
//!
//! Every exported function runs inside a boundary that no panic passes. Handles are boxes that the
//! program frees; what is borrowed is good for the call. Callbacks are closures of `{context, call,
//! drop}`: `drop` runs exactly once, after the last `call`. They run on threads of the library (one
//! for each subscription, one for everything else of a hub), or where the program wants it, in
//! `posthouse_hub_process`. `close` waits until no callback runs any more.
//!
//! The header is written from these files by `cargo run -p xtask -- gen`; what is said about a function
//! here is what C programmers read.
#![allow(clippy::missing_safety_doc)] // Said once, in the header: handles are from this library.
#![allow(clippy::not_unsafe_ptr_arg_deref)]
#![allow(clippy::unit_arg)] // `Ok(step?)` changes the type of the error.

mod callback;
mod core;
mod dispatch;
mod error;
mod exit;
mod generated;
mod headers;
#[cfg(feature = "test-hooks")]
mod hooks;
mod hub;
mod library;
mod message;
mod messages;
mod operation;
mod options;
mod process;
mod scope;
mod slice;
mod subscription;
mod variable;
mod watch;
mod worker;
