//! What goes into a store and what comes out.

/// A message for [`Queue::send`](crate::Queue::send): checked and normalised by the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// The body as normalised JSON text.
    pub body: String,
    /// When it falls due, in seconds from now; 0 at once.
    pub delay_s: u32,
}

/// A leased message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its lasting name, 32 hexadecimal digits; kept by retries, the dead-letter queue and redrive.
    pub id: String,
    /// Which delivery this is, from 1.
    pub attempts: u32,
    /// When it was sent, in Unix milliseconds; kept as the id is.
    pub timestamp_ms: i64,
    /// The body as it lies in the store: JSON text unless a foreign producer put something else.
    pub body: Vec<u8>,
    /// What the lease is renewed and settled with.
    pub ticket: Ticket,
}

/// Names one lease of one message. Its fields are the store's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// Which message.
    pub message: u64,
    /// Which lease of it.
    pub lease: u64,
    /// Where to say what became of it, for stores that need an address.
    pub address: Option<Box<str>>,
}

/// What becomes of a leased message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Done: it is removed.
    Ack,
    /// It comes again after so many seconds; 0 at once. This delivery counts.
    Retry {
        /// Seconds from now.
        delay_s: u32,
    },
    /// It comes again at once, and this delivery does not count: nobody has started on it.
    Release,
    /// Into [`Terms::dead_letter`](crate::Terms): same id and timestamp, attempts from 1, due at once.
    DeadLetter,
    /// Given up: removed and counted in [`Stats::dropped`].
    Drop,
}

/// The answer to one [`Settlement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is so.
    Done,
    /// The lease had ended; nothing was changed.
    Lost,
}

/// The answer to one renewal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// The lease goes on under this ticket; the old one is worth nothing any more.
    Until(Ticket),
    /// The lease had ended.
    Lost,
}

/// A message as [`Queue::peek`](crate::Queue::peek) shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peeked {
    /// See [`Delivery::id`].
    pub id: String,
    /// Deliveries so far.
    pub attempts: u32,
    /// See [`Delivery::timestamp_ms`].
    pub timestamp_ms: i64,
    /// When it falls due, or its lease ends, in Unix milliseconds.
    pub due_ms: i64,
    /// Whether somebody holds it.
    pub in_flight: bool,
    /// The body.
    pub body: Vec<u8>,
}

/// Figures of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages that are due and wait for a consumer.
    pub ready: u64,
    /// Messages that are not due yet.
    pub delayed: u64,
    /// Messages that are leased.
    pub in_flight: u64,
    /// Age of the oldest message that is ready, in milliseconds since it was sent; `None` where there is none.
    pub oldest_ms: Option<u64>,
    /// Messages in the dead-letter queue; `None` where the queue has none.
    pub dead: Option<u64>,
    /// Messages given up since the queue exists.
    pub dropped: u64,
    /// Messages whose retention ran out since the queue exists.
    pub expired: u64,
    /// Whether the queue is paused.
    pub paused: bool,
}
