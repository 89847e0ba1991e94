//! The batch of the handler that runs: module-level functions for it.
//!
//! They work in the handler and in what it awaits. A task that the handler spawns is not the handler: give it
//! the [`Batch`].
use super::{
    Batch, BatchValue,
    batch::{Number, outside},
};
use posthouse_core::{
    Error,
    queue::{EVENT_KIND, Fault, Refusal},
};

tokio::task_local! {
    static CURRENT: Batch;
}

/// Runs a handler of `batch`.
pub(super) async fn scope<F: Future>(batch: Batch, handler: F) -> F::Output {
    CURRENT.scope(batch, handler).await
}

fn current() -> Result<Batch, Error> {
    CURRENT.try_with(Clone::clone).map_err(|_| outside())
}

/// Tells the event that runs here, if one does, of a fault.
pub(crate) fn fault(fault: &Fault) {
    if let Ok(batch) = current() {
        batch.fault(fault);
    }
}

/// `Some("queue")` inside a queue event, `None` elsewhere: how a program chooses its entry.
pub fn event_kind() -> Option<&'static str> {
    current().is_ok_and(|batch| !batch.has_ended()).then_some(EVENT_KIND)
}

/// [`Batch::read_batch`] of the current event.
///
/// # Errors
/// As there; `QUEUE_NO_EVENT` outside an event.
pub fn read_batch() -> Result<BatchValue, Refusal> {
    current()?.read_batch()
}

/// [`Batch::read_batch_text`] of the current event.
///
/// # Errors
/// As there; `QUEUE_NO_EVENT` outside an event.
pub fn read_batch_text() -> Result<String, Refusal> {
    current()?.read_batch_text()
}

/// [`Batch::ack`] of the current event.
///
/// # Errors
/// As there; `QUEUE_NO_EVENT` outside an event.
pub async fn ack(index: impl Into<Number>) -> Result<(), Error> {
    current()?.ack(index).await
}

/// [`Batch::retry`] of the current event.
///
/// # Errors
/// As there; `QUEUE_NO_EVENT` outside an event.
pub async fn retry(index: impl Into<Number>, delay: impl Into<crate::Delay>) -> Result<(), Error> {
    current()?.retry(index, delay).await
}
