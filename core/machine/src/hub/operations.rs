//! Asynchronous operations: each has a number, perhaps a deadline, and ends exactly once.
use super::{Event, Failure, Hub, Life, Op, Outcome, SubId, Timer, requests::Request};
use crate::{
    Code, Error, Result, link::Awaited, pool::may_pass, time::Now, timers::TimerKey, vars::VarId,
};
use alloc::{boxed::Box, format, vec::Vec};

#[derive(Debug)]
pub(crate) enum Kind {
    Connected,
    /// The hub, or one variable, is initialised.
    Ready(Option<VarId>),
    /// The flag says that its PING is written.
    Flush(bool),
    Subscribe(SubId),
    DrainSubscription(SubId),
    Request(Box<Request>),
    Drain,
    /// Ends as another operation does.
    Joined,
}

#[derive(Debug)]
pub(crate) struct Operation {
    pub kind: Kind,
    timer: Option<TimerKey>,
    started: u64,
    joined: Vec<Op>,
    /// Only ends those that joined it; the host does not know of it.
    hidden: bool,
}

impl Hub {
    /// An operation that may have to end by a time.
    pub(super) fn timed(&mut self, now: Now, kind: Kind, timeout_ms: Option<u64>) -> Op {
        let op = Op(self.id());
        let timer = timeout_ms.map(|ms| self.timers.set(now.after_ms(ms), Timer::Op(op)));
        let joined = Vec::new();
        let operation = Operation { kind, timer, started: now.mono, joined, hidden: false };
        self.operations.insert(op, operation);
        op
    }

    /// The work that several callers may wait for. It goes on and keeps its deadline whoever of
    /// them gives up waiting.
    pub(super) fn shared(&mut self, now: Now, kind: Kind, timeout_ms: u64) -> Op {
        let op = self.timed(now, kind, Some(timeout_ms));
        if let Some(operation) = self.operations.get_mut(&op) {
            operation.hidden = true;
        }
        op
    }

    /// An operation that ends as the shared one does.
    pub(super) fn join(&mut self, now: Now, shared: Op) -> Op {
        let op = self.timed(now, Kind::Joined, None);
        if let Some(operation) = self.operations.get_mut(&shared) {
            operation.joined.push(op);
        }
        op
    }

    /// Ends an operation; a second end of the same one does nothing.
    pub(super) fn finish(&mut self, op: Op, result: Result<Outcome, Failure>) {
        let Some(operation) = self.operations.remove(&op) else { return };
        if let Some(timer) = operation.timer {
            self.timers.cancel(timer);
        }
        if let Kind::Request(request) = &operation.kind {
            self.requests -= 1;
            self.pending.remove(request.replies.len(), request.bytes);
            self.slowness_passed(false);
        }
        for other in operation.joined {
            self.finish(other, result.clone());
        }
        if !operation.hidden {
            self.events.push_back(Event::Done(op, result));
        }
    }

    /// Ends every operation of a kind.
    pub(super) fn finish_all(
        &mut self,
        which: impl Fn(&Kind) -> bool,
        result: &Result<Outcome, Failure>,
    ) {
        for op in self.operations_where(which) {
            self.finish(op, result.clone());
        }
    }

    /// The operations of a kind, oldest first.
    pub(super) fn operations_where(&self, which: impl Fn(&Kind) -> bool) -> Vec<Op> {
        let matching = self.operations.iter().filter(|(_, o)| which(&o.kind));
        let mut ops: Vec<Op> = matching.map(|(&op, _)| op).collect();
        ops.sort_unstable();
        ops
    }

    pub(super) fn operation_timed_out(&mut self, now: Now, op: Op) {
        let Some(operation) = self.operations.get_mut(&op) else { return };
        operation.timer = None;
        let waited = now.mono.saturating_sub(operation.started) / 1000;
        let late = |what: &str| Error::new(Code::Timeout, format!("{what} after {waited} ms"));
        match &mut operation.kind {
            Kind::Connected => {
                let error = match self.problems.connection_error() {
                    Some(why) if may_pass(why.code()) => Error::new(
                        Code::Timeout,
                        format!("not connected after {waited} ms: {}", why.message()),
                    ),
                    Some(why) => why,
                    None => late("not connected"),
                };
                self.finish(op, Err(error.into()));
            }
            Kind::Ready(_) => self.finish(op, Err(late("not initialised").into())),
            Kind::Flush(written) => {
                let why = if *written { "the server has not confirmed" } else { "not connected" };
                self.finish(op, Err(late(why).into()));
            }
            &mut Kind::Subscribe(sub) => {
                self.end_sub(now, sub, Some(late("the server has not confirmed the subscription")));
            }
            &mut Kind::DrainSubscription(sub) => {
                self.finish(op, Err(drain_timeout(waited).into()));
                self.end_sub(now, sub, None);
            }
            Kind::Request(request) => {
                let result = request.deadline_passed(waited);
                self.finish(op, result);
                self.advance_drain(now);
            }
            Kind::Drain => self.drain_failed(now, op, drain_timeout(waited)),
            Kind::Joined => {}
        }
    }

    /// Gives up waiting for an operation. It ends with `CANCELLED`; what was sent is not undone.
    pub fn cancel(&mut self, now: Now, op: Op) {
        let cancelled = Error::new(
            Code::Cancelled,
            "the operation was cancelled here; what was sent may be carried out all the same",
        );
        let Some(operation) = self.operations.get_mut(&op) else { return };
        match &mut operation.kind {
            &mut Kind::Subscribe(sub) => self.end_sub(now, sub, Some(cancelled)),
            Kind::Request(request) => {
                let failure = request.fail(cancelled);
                self.finish(op, Err(failure));
                self.advance_drain(now);
            }
            _ => self.finish(op, Err(cancelled.into())),
        }
    }

    /// Done when the hub has an active connection; at once if it has one. Without a time-out it
    /// waits as long as it takes, and fails only when every server has refused.
    ///
    /// # Errors
    /// `CLOSED`; by the event `TIMEOUT` or the reason why there is no connection, `AUTH_FAILED`,
    /// `INVALID_SERVER`.
    pub fn connected(&mut self, now: Now, timeout_ms: Option<u64>) -> Result<Op> {
        if self.life == Life::Closed {
            return Err(super::closed());
        }
        let op = self.timed(now, Kind::Connected, timeout_ms);
        if self.active_link().is_some() {
            self.finish(op, Ok(Outcome::Unit));
        } else if let Some(error) = self.refused_by_all.clone() {
            self.finish(op, Err(error.into()));
        }
        Ok(op)
    }

    /// Done when a variable, or without one the hub, is initialised: a record is held, or the
    /// others have had their time to answer.
    ///
    /// # Errors
    /// `CLOSED`.
    pub fn ready(&mut self, now: Now, var: Option<VarId>, timeout_ms: Option<u64>) -> Result<Op> {
        if self.life == Life::Closed {
            return Err(super::closed());
        }
        let op = self.timed(now, Kind::Ready(var), timeout_ms);
        if self.peers_answered || var.is_some_and(|var| self.vars.get(var).record.is_some()) {
            self.finish(op, Ok(Outcome::Unit));
        }
        Ok(op)
    }

    /// Done when the server has processed all that was written before. Offline it waits for a
    /// connection within its time.
    ///
    /// # Errors
    /// `DRAINING`, `CLOSED`; by the event `TIMEOUT`, `DISCONNECTED` (the connection went before it
    /// was confirmed), `PERMISSION_DENIED` (a publication since the last flush was refused).
    pub fn flush(&mut self, now: Now, timeout_ms: u64) -> Result<Op> {
        self.check_open()?;
        let op = self.timed(now, Kind::Flush(false), Some(timeout_ms));
        if self.active_link().is_some() {
            self.write_flush(now, op);
        }
        Ok(op)
    }

    pub(super) fn write_flush(&mut self, now: Now, op: Op) {
        self.write_dirty(now, true);
        if let Some(Operation { kind: Kind::Flush(written), .. }) = self.operations.get_mut(&op) {
            *written = true;
            if let Some(link) = &mut self.link {
                link.ping(now.mono, Awaited::Flush(op));
            }
        }
    }
}

fn drain_timeout(waited: u64) -> Error {
    Error::new(
        Code::DrainTimeout,
        format!(
            "the drain was not done after {waited} ms; its resources were cleaned up and unfinished work was dropped: give it more time, or make the handlers quicker"
        ),
    )
}
