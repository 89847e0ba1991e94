//! Operations that have an end.
use posthouse_core::{
    Headers, Now, Result, VarId,
    hub::{self, Collect, Op, SubId},
};

/// An operation to begin, with [`crate::Hub::begin`] for the queue or [`crate::Hub::begin_waiting`] for a thread.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// An active connection. Fails early once every server has refused.
    Connected {
        /// How long it may take; `None`: as long as it takes.
        timeout_ms: Option<u64>,
    },
    /// It is known what a variable holds, or without one, what all do.
    Ready {
        /// The variable.
        var: Option<VarId>,
        /// How long it may take; `None`: as long as it takes.
        timeout_ms: Option<u64>,
    },
    /// The server has processed all that was written before.
    Flush {
        /// How long it may take.
        timeout_ms: u64,
    },
    /// The end of the hub in order. Ends well once everything has gone; `DRAIN_TIMEOUT` comes at once.
    Drain {
        /// How long it may take.
        timeout_ms: u64,
    },
    /// The end of a subscription in order.
    DrainSubscription {
        /// Which.
        sub: SubId,
        /// How long it may take.
        timeout_ms: u64,
    },
    /// A request for one answer, or for several.
    Request {
        /// Whom: the variable of the name.
        var: VarId,
        /// JSON, written under [`crate::Hub::message_limits`].
        body: &'a [u8],
        /// Headers to send along.
        headers: Option<&'a Headers>,
        /// How long it may take; for several answers, the window.
        timeout_ms: u64,
        /// How many answers; `None`: the first one.
        collect: Option<Collect>,
    },
}

impl Operation<'_> {
    pub(crate) fn begin(self, hub: &mut hub::Hub, now: Now) -> Result<Op> {
        match self {
            Self::Connected { timeout_ms } => hub.connected(now, timeout_ms),
            Self::Ready { var, timeout_ms } => hub.ready(now, var, timeout_ms),
            Self::Flush { timeout_ms } => hub.flush(now, timeout_ms),
            Self::Drain { timeout_ms } => hub.drain(now, timeout_ms),
            Self::DrainSubscription { sub, timeout_ms } => {
                hub.drain_subscription(now, sub, timeout_ms)
            }
            Self::Request { var, body, headers, timeout_ms, collect } => {
                hub.request(now, var, body, headers, timeout_ms, collect)
            }
        }
    }

    pub(crate) fn ends_the_hub(&self) -> bool {
        matches!(self, Self::Drain { .. })
    }
}
