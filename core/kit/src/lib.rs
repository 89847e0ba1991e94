//! What every host language needs and none should write again; nothing here has a meaning of its own.
//!
//! A binding opens a [`Hub`] with options taken from data ([`HubSettings`]), begins operations, and
//! drains one bounded queue of [`Event`]s that one wake signal announces. Blocking faces wait in
//! slices instead ([`Waiting`], [`Reader`], [`WatchReader`]), so that a host can look at its signals in
//! between. The kit never calls foreign code but for the wake callback, holds no object of a
//! language, and knows no thread of one.
//!
//! Every function of a forked child fails with `FORKED`; [`guard`] is for the outermost frame of a
//! binding and turns a panic into an error.
mod ask;
mod boundary;
mod event;
#[cfg(feature = "test-hooks")]
mod faults;
mod hub;
mod operation;
mod outbox;
mod process;
mod reader;
pub mod settings;
mod signal;
mod sink;
mod subscriptions;
mod variables;
mod waiting;
mod wake;

pub use ask::AskId;
pub use boundary::guard;
pub use event::Event;
#[cfg(feature = "test-hooks")]
pub use faults::Fault;
pub use hub::Hub;
pub use operation::Operation;
pub use posthouse::refusal;
pub use posthouse_core::{
    Code, Error, Headers, Result, VarId, Version, WatchId,
    hub::{
        Collect, Connection, Delivery, EndReason, Failure, Instance, Level, Meta, Op, Outcome,
        Presence, Reply, Status, SubId, SubscribeOptions, SubscriptionPhase, SubscriptionStatus,
        Token, View,
    },
    json, limits, options,
    options::Group,
};
pub use process::{forked, shutdown};
pub use reader::{Next, Reader, WatchReader};
pub use settings::{
    Dialect, DrainSettings, Given, HubSettings, ManySettings, RequestSettings, Set,
    SubscriptionSettings,
};
pub use waiting::{OpResult, SLICE, Waiting};
pub use wake::Wake;
