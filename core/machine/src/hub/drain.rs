//! The drain of a hub: no new work, accepted work finishes, the transport confirms, the hub closes.
use super::{Hub, Life, Op, operations::Kind};
use crate::{
    Error, Result,
    link::{Awaited, Stage},
    options::DrainOptions,
    subs::SubState,
    time::Now,
};

#[derive(Debug)]
pub(crate) struct Drain {
    /// What the callers of the drain have joined.
    shared: Op,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// There is no connection that could confirm anything.
    Offline,
    /// The subscriptions are taken back; what is on its way is still accepted.
    Retiring,
    /// Accepted messages, requests and writes are being finished.
    Finishing,
    /// All is done; the server confirms that it has processed it.
    Flushing,
}

impl Hub {
    /// Stops new operations, finishes accepted work and requests, confirms the transport, closes.
    /// A second call joins the first.
    ///
    /// # Errors
    /// `CLOSED`, `INVALID_OPTIONS`; by the event `DRAIN_TIMEOUT`: the hub is then closed all the same.
    pub fn drain(&mut self, now: Now, timeout_ms: u64) -> Result<Op> {
        if self.life == Life::Closed {
            return Err(super::closed());
        }
        DrainOptions { timeout_ms }.check()?;
        if let Some(drain) = &self.drain {
            let shared = drain.shared;
            return Ok(self.join(now, shared));
        }
        let shared = self.shared(now, Kind::Drain, timeout_ms);
        let op = self.join(now, shared);
        self.life = Life::Draining;
        self.status_changed = true;
        self.drain = Some(Drain { shared, step: Step::Offline });
        // The connection that is there will do for what is left.
        let retiring = self.handoff.as_ref().is_some_and(super::handoff::Handoff::retiring);
        self.abandon_switch();
        if retiring {
            self.messages_pass(now);
        }
        for id in self.subs.ids() {
            let Some(sub) = self.subs.all.get_mut(&id) else { continue };
            match sub.state {
                SubState::Registering(_) => self.end_sub(now, id, Some(super::draining())),
                SubState::Active => sub.state = SubState::Draining(None, false),
                SubState::Draining(..) | SubState::Ended => {}
            }
        }
        for id in self.subs.ids() {
            if self.subs.all.get(&id).is_some_and(|sub| sub.sid.is_none()) {
                self.retired(now, id);
            }
        }
        self.advance_drain(now);
        Ok(op)
    }

    /// Goes as far in the drain as it can now. Called wherever something may have ended.
    pub(super) fn advance_drain(&mut self, now: Now) {
        let Some(step) = self.drain.as_ref().map(|d| d.step) else { return };
        let active = self.link.as_ref().is_some_and(|l| l.stage == Stage::Active);
        if !active {
            return self.drain_step(Step::Offline);
        }
        match step {
            Step::Offline => {
                self.drain_step(Step::Retiring);
                for id in self.subs.ids() {
                    let sub = self.subs.all.get(&id).filter(|s| s.live());
                    if let (Some(sid), Some(link)) = (sub.and_then(|s| s.sid), &mut self.link) {
                        crate::frame::unsubscribe(&mut link.out, sid);
                    }
                }
                if let Some(link) = &mut self.link {
                    link.ping(now.mono, Awaited::DrainRetired);
                }
            }
            Step::Finishing if self.drain_idle() => {
                self.drain_step(Step::Flushing);
                if let Some(link) = &mut self.link {
                    link.ping(now.mono, Awaited::DrainFlushed);
                }
            }
            Step::Retiring | Step::Finishing | Step::Flushing => {}
        }
    }

    fn drain_step(&mut self, step: Step) {
        if let Some(drain) = &mut self.drain {
            drain.step = step;
        }
    }

    /// Whether all accepted work is done.
    fn drain_idle(&self) -> bool {
        let refused = |id| self.vars.get(id).refused;
        let unwritten = self.vars.pending > 0
            && self.vars.ids().any(|id| self.vars.get(id).pending && !refused(id));
        self.requests == 0 && !unwritten && self.subs.all.values().all(|sub| sub.messages() == 0)
    }

    /// The server has processed the end of the subscriptions.
    pub(super) fn drain_retired(&mut self, now: Now) {
        self.drain_step(Step::Finishing);
        for id in self.subs.ids() {
            self.retired(now, id);
        }
        self.advance_drain(now);
    }

    /// The server has processed all that was written.
    pub(super) fn drain_flushed(&mut self, now: Now) {
        if let Some(shared) = self.drain.as_ref().map(|d| d.shared) {
            self.close_with(now, Some(shared));
        }
    }

    /// The drain did not end in time: report that and clean up.
    pub(super) fn drain_failed(&mut self, now: Now, shared: Op, error: Error) {
        self.finish(shared, Err(error.into()));
        self.close_with(now, None);
    }
}
