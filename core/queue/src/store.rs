//! What a store has to be able to do.
//!
//! A [`Store`] is one place that keeps messages: a file, an account of a server. A [`Queue`] is
//! one queue in it, opened with what the store has to know of its settings. Neither knows a rule of
//! the contract: bodies come normalised and checked, and what becomes of a delivery (done, again, dead,
//! dropped) is decided above and told by [`Queue::settle`]. Both are shared between threads, and
//! every future may be awaited on any tokio runtime with time enabled.
use crate::{
    Delivery, NewMessage, Peeked, Renewed, Settled, Settlement, Stats, Stop, StoreError, Ticket,
};
use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

/// What an operation of a store gives: boxed, so that stores can stand behind `dyn`.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// One place that keeps messages.
pub trait Store: Send + Sync + 'static {
    /// What kind of store it is and where, for a person: `sqlite:./queue.db`. No secret.
    fn describe(&self) -> String;

    /// Opens a queue, which is created where it does not exist. A queue that exists with settings
    /// that contradict `terms` is refused ([`Trouble::Mismatch`](crate::Trouble)), never silently different. Opening the same
    /// queue again is cheap and gives an equal handle.
    fn queue<'a>(&'a self, name: &'a str, terms: Terms) -> Task<'a, Arc<dyn Queue>>;

    /// Lets go of the file or connection, after what is under way has ended. Later operations fail.
    fn close(&self) -> Task<'_, ()>;
}

/// What a store has to know of a queue's settings. Everything else is decided above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How long a leased message stays with its holder unless the lease is renewed.
    pub visibility: Duration,
    /// How long after the end of a lease that nobody settled (the holder died) its message comes
    /// again.
    pub retry_delay: Duration,
    /// How long a message is kept, counted from its arrival in this queue.
    pub retention: Duration,
    /// Where [`Settlement::DeadLetter`] puts messages: a queue of the same store. `None`: it is not
    /// asked for.
    pub dead_letter: Option<String>,
    /// The most deliveries that are leased at one time by all holders in this process: batch size times
    /// concurrency. A store may use it to size buffers.
    pub in_flight: usize,
}

/// One queue of a store.
pub trait Queue: Send + Sync + 'static {
    /// The queue's name in its store.
    fn name(&self) -> &str;

    /// The terms it was opened with.
    fn terms(&self) -> &Terms;

    /// Keeps messages, 1 to 100. When the future ends well they are durable: on disk, or confirmed
    /// by the server. All or none where [`Queue::atomic`] says so. A dropped future leaves open whether they
    /// were kept.
    fn send(&self, messages: Vec<NewMessage>) -> Task<'_, ()>;

    /// Whether [`Queue::send`] keeps a batch whole or not at all.
    fn atomic(&self) -> bool;

    /// Takes up to `max` messages that are due, for [`Terms::visibility`] from now. Where there is none
    /// it waits up to `wait` (zero: not at all) and returns as soon as there is at least one; it never
    /// waits for more. A message that arrives, falls due or comes back wakes it, whichever process caused
    /// that. Empty when the wait is over, the queue is paused, or `stop` was called: then at once,
    /// and nothing is lost. A dropped future may leave messages leased until their lease ends:
    /// use `stop`.
    ///
    /// [`Delivery::attempts`] counts this one, starting at 1. What is past its retention is never given.
    fn lease<'a>(&'a self, max: usize, wait: Duration, stop: &'a Stop) -> Task<'a, Vec<Delivery>>;

    /// Extends leases to [`Terms::visibility`] from now. The answer has the order of `tickets`: a new ticket that
    /// takes the place of the old one, or [`Renewed::Lost`] where the lease has ended.
    fn renew<'a>(&'a self, tickets: &'a [Ticket]) -> Task<'a, Vec<Renewed>>;

    /// Says what becomes of leased messages. The answer has the order of `messages`;
    /// [`Settled::Lost`] where the lease has ended, and then nothing was changed. When it ends well the
    /// settlements survive the death of the process.
    fn settle<'a>(&'a self, messages: &'a [(Ticket, Settlement)]) -> Task<'a, Vec<Settled>>;

    /// Figures of the moment.
    fn stats(&self) -> Task<'_, Stats>;

    /// Up to `max` messages in the order they fall due, without taking them.
    fn peek(&self, max: usize) -> Task<'_, Vec<Peeked>>;

    /// Removes every message that nobody holds; says how many.
    fn purge(&self) -> Task<'_, u64>;

    /// Brings up to `max` messages of this queue back from its dead-letter queue (`None`: all of them), due at
    /// once, same id and timestamp, attempts from 1 again; says how many.
    fn redrive(&self, max: Option<u64>) -> Task<'_, u64>;

    /// Stops giving messages to anybody, in every process, until [`Queue::resume`]; survives
    /// restarts. Sending goes on, and what is leased can be settled.
    fn pause(&self) -> Task<'_, ()>;

    /// Ends a pause.
    fn resume(&self) -> Task<'_, ()>;
}
