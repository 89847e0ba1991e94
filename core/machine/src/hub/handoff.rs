//! The planned switch to another server: because it is better, or because ours said that it leaves.
//!
//! The next connection is made beside the current one. Once it is greeted, the business
//! subscriptions are taken back from the old one, accepted handlers get their time to finish, and
//! only then the new connection joins. Messages are refused in between; variables are not.
use super::{Action, DialId, Hub, Level, Timer, disconnected};
use crate::{
    Error, limits,
    link::{Awaited, Link, LinkId, Stage},
    pool::EndpointId,
    subs::SubState,
    time::Now,
};
use alloc::{boxed::Box, format};

#[derive(Debug)]
pub(crate) struct Handoff {
    pub endpoint: EndpointId,
    reason: &'static str,
    step: Step,
}

#[derive(Debug)]
enum Step {
    Dialling(DialId),
    Greeting(Box<Link>),
    /// The current connection is being given up.
    Retiring(Box<Link>, Retiring),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retiring {
    /// The server is taking the subscriptions back.
    Subscriptions,
    /// Accepted handlers finish.
    Handlers,
    /// The server is processing the last answers.
    Answers,
}

impl Handoff {
    pub fn link(&self) -> Option<&Link> {
        match &self.step {
            Step::Dialling(_) => None,
            Step::Greeting(link) | Step::Retiring(link, _) => Some(link),
        }
    }

    pub fn link_mut(&mut self) -> Option<&mut Link> {
        match &mut self.step {
            Step::Dialling(_) => None,
            Step::Greeting(link) | Step::Retiring(link, _) => Some(link),
        }
    }

    /// Whether messages are refused until the next connection is active.
    pub fn retiring(&self) -> bool {
        matches!(self.step, Step::Retiring(..))
    }
}

impl Hub {
    /// The current server said that it is about to stop.
    pub(super) fn server_leaves(&mut self, now: Now, endpoint: EndpointId) {
        let target = self.pool.lame_duck(endpoint);
        let text = format!("{} is about to stop", self.pool.url(endpoint));
        self.log(Level::Info, None, text);
        if let Some(target) = target {
            self.begin_switch(now, target, "lame-duck");
        }
    }

    /// A measurement of another endpoint came back.
    pub fn handle_probe(&mut self, now: Now, endpoint: EndpointId, rtt_us: Option<u64>) {
        let current = self.link.as_ref().filter(|l| l.stage == Stage::Active);
        let (Some(rtt_us), Some(current)) = (rtt_us, current.and_then(|l| l.rtt_us)) else {
            return;
        };
        let selection = self.options.selection;
        if self.pool.worth_switch(now.mono, endpoint, rtt_us, current, &selection) {
            self.begin_switch(now, endpoint, "better-server");
        }
    }

    fn begin_switch(&mut self, now: Now, endpoint: EndpointId, reason: &'static str) {
        let active = self.link.as_ref().is_some_and(|l| l.stage == Stage::Active);
        if !active || self.handoff.is_some() || self.drain.is_some() {
            return;
        }
        let dial = DialId(self.id());
        self.handoff = Some(Handoff { endpoint, reason, step: Step::Dialling(dial) });
        self.actions.push_back(Action::Dial(dial, endpoint));
        // Covers the dialling; a new one is set when the old subscriptions are retired.
        self.timers.set(now.after_ms(self.options.timeout_ms.saturating_mul(2)), Timer::Handoff);
    }

    pub(super) fn switch_endpoint(&self, dial: DialId) -> Option<EndpointId> {
        let handoff = self.handoff.as_ref()?;
        matches!(handoff.step, Step::Dialling(d) if d == dial).then_some(handoff.endpoint)
    }

    pub(super) fn switch_dial_failed(&mut self, now: Now, dial: DialId, error: &Error) -> bool {
        let Some(endpoint) = self.switch_endpoint(dial) else { return false };
        self.switch_failed(now, endpoint, error);
        true
    }

    /// The switch did not come about. A server that leaves is left all the same: try the others.
    fn switch_failed(&mut self, now: Now, tried: EndpointId, error: &Error) {
        let Some(failed) = self.handoff.take() else { return };
        let text = format!("no switch to {}: {}", self.pool.url(tried), error.message());
        self.log(Level::Info, Some(error.code()), text);
        let current = self.link.as_ref().map(|l| l.endpoint);
        if failed.reason == "lame-duck"
            && let Some(current) = current
            && let Some(other) = self.pool.alternative_after(tried, current)
            && other > tried
        {
            self.begin_switch(now, other, "lame-duck");
        }
    }

    pub(super) fn switch_connected(&mut self, link: Link) {
        if let Some(handoff) = &mut self.handoff {
            handoff.step = Step::Greeting(Box::new(link));
        }
    }

    /// The next server has accepted us: retire the business subscriptions of the current one.
    pub(super) fn switch_greeted(&mut self, now: Now, id: LinkId) {
        let Some(mut handoff) = self.handoff.take() else { return };
        let Step::Greeting(mut link) = handoff.step else {
            self.handoff = Some(handoff);
            return;
        };
        if link.id != id || link.info.ldm {
            self.actions.push_back(Action::Close(link.id));
            let error = Error::new(crate::Code::Disconnected, "that server is about to stop, too");
            handoff.step = Step::Greeting(link);
            let endpoint = handoff.endpoint;
            self.handoff = Some(handoff);
            return self.switch_failed(now, endpoint, &error);
        }
        link.stage = Stage::Waiting;
        handoff.step = Step::Retiring(link, Retiring::Subscriptions);
        self.handoff = Some(handoff);
        self.fail_requests(&disconnected(), |_| true);
        for id in self.subs.ids() {
            let Some(sub) = self.subs.all.get_mut(&id).filter(|sub| sub.live()) else { continue };
            match sub.state {
                SubState::Registering(_) => self.end_sub(now, id, Some(disconnected())),
                // A draining one is being taken back already.
                SubState::Draining(..) | SubState::Ended => {}
                SubState::Active => {
                    if let (Some(sid), Some(link)) = (sub.sid, &mut self.link) {
                        crate::frame::unsubscribe(&mut link.out, sid);
                    }
                }
            }
        }
        if let Some(link) = &mut self.link {
            link.ping(now.mono, Awaited::HandedOff);
        }
        self.timers.set(now.after_ms(limits::SWITCH_DRAIN_MS), Timer::Handoff);
        self.all_changed();
        self.status_changed = true;
    }

    /// The old server has processed the end of the subscriptions: nothing more comes from it.
    pub(super) fn handed_off(&mut self, now: Now) {
        self.retiring_step(Retiring::Subscriptions, Retiring::Handlers);
        self.advance_handoff(now);
    }

    /// Goes on with the switch if the accepted handlers have finished.
    pub(super) fn advance_handoff(&mut self, now: Now) {
        if self.handoff.is_some()
            && self.subs.all.values().all(|sub| sub.messages() == 0)
            && self.retiring_step(Retiring::Handlers, Retiring::Answers)
            && let Some(link) = &mut self.link
        {
            // Their answers wait to be written; closing now would lose them.
            link.ping(now.mono, Awaited::HandedOver);
        }
    }

    /// The old server has processed the last answers.
    pub(super) fn handed_over(&mut self, now: Now) {
        if let Some(Handoff { step: Step::Retiring(_, Retiring::Answers), .. }) = &self.handoff {
            self.complete_switch(now);
        }
    }

    fn retiring_step(&mut self, from: Retiring, to: Retiring) -> bool {
        match &mut self.handoff {
            Some(Handoff { step: Step::Retiring(_, step), .. }) if *step == from => {
                *step = to;
                true
            }
            _ => false,
        }
    }

    pub(super) fn handoff_timed_out(&mut self, now: Now) {
        match &self.handoff {
            Some(handoff) if handoff.retiring() => self.complete_switch(now),
            Some(handoff) => {
                let endpoint = handoff.endpoint;
                if let Some(link) = handoff.link() {
                    self.actions.push_back(Action::Close(link.id));
                } else if let Step::Dialling(dial) = handoff.step {
                    self.actions.push_back(Action::Abandon(dial));
                }
                let error = Error::new(crate::Code::Timeout, "it did not answer in time");
                self.switch_failed(now, endpoint, &error);
            }
            None => {}
        }
    }

    fn complete_switch(&mut self, now: Now) {
        if let Some(old) = self.link.take() {
            self.actions.push_back(Action::Close(old.id));
            self.forget_link(now, &disconnected());
        }
        self.adopt_switch(now);
    }

    /// Makes the next connection the current one, if it is ready for that.
    pub(super) fn adopt_switch(&mut self, now: Now) -> bool {
        let Some(handoff) = self.handoff.take() else { return false };
        match handoff.step {
            Step::Dialling(dial) => {
                self.actions.push_back(Action::Abandon(dial));
                false
            }
            Step::Greeting(link) => {
                // Its greeting goes on as that of the current connection.
                self.switch_reason = handoff.reason;
                self.link = Some(*link);
                self.schedule_alive(now);
                true
            }
            Step::Retiring(link, _) => {
                self.switch_reason = handoff.reason;
                self.pool.switched(now.mono);
                self.link = Some(*link);
                self.schedule_alive(now);
                self.greeted(now);
                true
            }
        }
    }

    /// The next connection was lost before it was used: stay where we are.
    pub(super) fn switch_link_lost(&mut self, now: Now, id: LinkId, error: &Error) -> bool {
        let Some(handoff) = &self.handoff else { return false };
        let Some(link) = handoff.link().filter(|link| link.id == id) else { return false };
        self.actions.push_back(Action::Close(link.id));
        let (endpoint, retiring) = (handoff.endpoint, handoff.retiring());
        if retiring {
            for id in self.subs.ids() {
                if self.subs.all.get(&id).is_some_and(|s| s.state == SubState::Active) {
                    self.forget_sid(id);
                    self.write_sub(id);
                }
            }
        }
        self.switch_failed(now, endpoint, error);
        if retiring {
            self.all_changed();
            self.status_changed = true;
        }
        true
    }

    fn forget_sid(&mut self, id: super::SubId) {
        if let Some(sub) = self.subs.all.get_mut(&id)
            && let (Some(sid), Some(link)) = (sub.sid.take(), &mut self.link)
        {
            link.routes.remove(&sid);
        }
    }

    pub(super) fn abandon_switch(&mut self) {
        if let Some(handoff) = self.handoff.take() {
            match handoff.step {
                Step::Dialling(dial) => self.actions.push_back(Action::Abandon(dial)),
                Step::Greeting(link) | Step::Retiring(link, _) => {
                    self.actions.push_back(Action::Close(link.id));
                }
            }
        }
    }
}
