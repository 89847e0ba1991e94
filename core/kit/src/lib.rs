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
//!
//! The loop of a host, as a binding writes it once:
//!
//! ```no_run
//! use posthouse_kit::{Dialect, Event, Given, Hub, HubSettings, SubscribeOptions, Wake};
//!
//! # fn main() -> posthouse_kit::Result<()> {
//! let mut settings = HubSettings::new(Dialect::C, "c", "c/11").namespace(Some("workshop"));
//! settings.set("timeout", Given::Integer(500))?;
//! let hub = Hub::open(settings, Wake::Fd)?;
//! let (lamp, registered) = hub.subscribe(hub.var("lamp")?, &SubscribeOptions::default())?;
//! let (mut events, mut messages) = (Vec::new(), Vec::new());
//! loop {
//!     // The host's own loop waits until `hub.wake_fd()` is readable, then takes a batch.
//!     hub.poll(256, &mut events)?;
//!     for event in events.drain(..) {
//!         match event {
//!             Event::Done { op, result } if op == registered => println!("{result:?}"),
//!             Event::Ready { sub } if sub == lamp => {
//!                 hub.next_batch(sub, 64, &mut messages)?;
//!                 while !messages.is_empty() {
//!                     for message in messages.drain(..) {
//!                         println!("{}", String::from_utf8_lossy(&message.payload));
//!                         hub.finished_one(&message.token)?;
//!                     }
//!                     hub.next_batch(sub, 64, &mut messages)?;
//!                 }
//!             }
//!             Event::Gone => return Ok(()),
//!             _ => {}
//!         }
//!     }
//! }
//! # }
//! ```
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
    Code, Error, Headers, Progress, Result, VarId, Version, WatchId,
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
