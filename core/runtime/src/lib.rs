//! Posthouse for Rust: shared state, events and requests between programs, over NATS.
//!
//! [`Hub`] is one member of a namespace, [`Variable`] a stable reference to a name in it. A variable
//! carries state that works offline ([`Variable::set`], [`Variable::value`], [`Variable::watch`]), events
//! ([`Variable::publish`], [`Variable::subscribe`]) and requests ([`Variable::request`],
//! [`Variable::handle`], [`Variable::request_many`]). With no server given, the first hub on a machine
//! is the broker for all others on it.
//!
//! Input and output run on one thread of the SDK, however many hubs there are. The futures need no
//! particular runtime; handlers run on the caller's tokio runtime or a thread of the SDK.
// One call to the system in engine/fork.rs; nothing else may be unsafe.
#![deny(unsafe_code)]

mod batch;
mod builder;
mod collect;
#[doc(hidden)]
pub mod engine;
mod handler;
mod hub;
mod listener;
#[doc(hidden)]
pub mod logging;
mod message;
#[doc(hidden)]
pub mod net;
mod options;
mod payload;
#[doc(hidden)]
pub mod refusal;
mod request;
mod sink;
mod subscription;
mod typed;
mod variable;
mod watch;
mod worker;

pub use builder::Builder;
pub use collect::{CollectError, ManyResult, RequestMany};
pub use hub::{Hub, Instances, OnCallbackError, StatusWatch};
pub use listener::{Handle, Listener, Subscribe};
pub use message::{Answer, IntoAnswer, Message};
pub use net::{AuthOptions, Credential, Secret, TlsOptions};
pub use options::{NodeMode, Options};
pub use posthouse_core::{
    Code, Error, Headers, Result, Version,
    hub::{
        Connection, EndReason, Instance, MessagingPhase, MessagingStatus, Meta, Presence, Problem,
        Status, SubscriptionPhase, SubscriptionStatus,
    },
    limits,
    options::{HubOptions, MessagingLimits, Selection},
};
pub use request::{Reply, Request};
pub use serde_json::{Value, json};
pub use subscription::Subscription;
pub use typed::{SubscribeAs, SubscriptionAs};
pub use variable::Variable;
pub use watch::{Change, Watch, WatchGuard};
