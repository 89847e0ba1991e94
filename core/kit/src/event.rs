//! What a host finds in a hub's queue.
use crate::AskId;
use posthouse_core::{
    Code, Error, WatchId,
    hub::{Failure, Level, Op, Outcome, SubId},
};

/// What happened. Edge events say that there is something to take, not what.
///
/// Not `non_exhaustive` on purpose: a new event must stop every binding's build until it is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An operation has ended: exactly once for each that was begun for the queue, before [`Event::Gone`].
    Done {
        /// Which.
        op: Op,
        /// How.
        result: Result<Outcome, Failure>,
    },
    /// A subscription has messages: take until there are none; only then this comes again.
    Ready {
        /// Which.
        sub: SubId,
    },
    /// A subscription has ended: exactly once for each that was not released before, before
    /// [`Event::Gone`].
    Ended {
        /// Which.
        sub: SubId,
        /// Why, where it was not the program that wanted it.
        error: Option<Error>,
    },
    /// A watch has news to take.
    Watch {
        /// Which.
        watch: WatchId,
    },
    /// The hub's status has changed since the last of these.
    Status,
    /// The list of instances has changed since the last of these.
    Instances,
    /// A line for the host's log. Never carries a secret or a value.
    Log {
        /// How much it matters.
        level: Level,
        /// The code, where it is about an error.
        code: Option<Code>,
        /// The line.
        message: String,
    },
    /// So many lines that should stand before the next one were dropped: the host was slow.
    LogsLost {
        /// How many.
        count: u64,
    },
    /// An attempt to connect asks for a credential that the program gave a callback for.
    Ask {
        /// What to answer with [`crate::Hub::tell`].
        ask: AskId,
        /// The option's name.
        what: &'static str,
    },
    /// The hub takes nothing any more; watches get no more news.
    Closed,
    /// Connections and an owned node are gone, too. The last event of a hub.
    Gone,
}
