//! The contract of queues: what may be sent and what becomes of it, and what a handler may do with a batch.
//!
//! Every store and every language goes through here, so a rule is written once: [`Deployment`] says which queue a
//! name means and whether a program may use it; [`outgoing`], [`outgoing_batch`] and [`Batch`] check bodies and
//! delays before a store is called and bring bodies into the one form in which they are stored; [`Event`] is one batch
//! in a handler's hands and tells what is to become of each message. Nothing here stores, waits or knows the time.
//!
//! The texts of errors are part of the contract, in Chinese, the same in every language (`texts`).
mod batch;
mod deployment;
mod event;
mod exec;
mod fault;
mod items;
mod outgoing;
mod read;
mod settings;
#[cfg(test)]
mod tests;
mod texts;

pub use batch::{Batch, outgoing_batch};
pub use deployment::{Binding, Deployment};
pub use event::{Act, Disposition, Ending, Event, Message, Outcome, Settled};
pub use exec::Line;
pub use fault::{Fault, Refusal};
pub use outgoing::{Outgoing, RESERVED_KEYS, check_delay, check_delay_text, outgoing};
pub use settings::Settings;
pub use texts::{batch_refused, lease_lost, no_event, not_json, send_refused};

/// What a program's entry is told of a queue event: the kind that `eventKind` gives inside one.
pub const EVENT_KIND: &str = "queue";
