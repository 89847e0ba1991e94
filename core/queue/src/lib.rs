//! Durable work queues: stores, consumer and the Rust face.
//!
//! What a queue means is said once, in `posthouse_core::queue`. This crate keeps the messages and
//! runs the handlers: [`Store`] is what a store has to be able to do, and everything above it is
//! the same for every store.
#![deny(unsafe_code)]

mod clock;
mod consumer;
mod delay;
pub mod jetstream;
mod message;
mod queues;
mod sqlite;
mod stop;
mod store;
mod trouble;

pub use clock::Clock;
pub use consumer::{
    Batch, BatchValue, Consumer, MessageValue, Number, Running, ack, event_kind, read_batch,
    read_batch_text, retry,
};
pub use delay::Delay;
pub use message::{Delivery, NewMessage, Peeked, Renewed, Settled, Settlement, Stats, Ticket};
pub use posthouse_core::{
    Code, Error,
    queue::{Binding, Deployment, Disposition, Ending, Fault, Message, Outcome, Refusal, Settings},
};
pub use queues::{Admin, Config, Queues};
pub use sqlite::Sqlite;
pub use stop::{Stop, Stopper};
pub use store::{Queue, Store, Task, Terms};
pub use trouble::{StoreError, Trouble};
