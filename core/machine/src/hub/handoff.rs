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
    timers::TimerKey,
};
use alloc::{boxed::Box, format, vec, vec::Vec};

#[derive(Debug)]
pub(crate) struct Handoff {
    reason: Reason,
    /// The endpoints tried in this switch; the last one is being tried.
    tried: Vec<EndpointId>,
    step: Step,
    timer: TimerKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    LameDuck,
    BetterServer,
}

impl Reason {
    const fn as_str(self) -> &'static str {
        match self {
            Self::LameDuck => "lame-duck",
            Self::BetterServer => "better-server",
        }
    }
}

#[derive(Debug)]
enum Step {
    Dialling(DialId),
    Greeting(Box<Link>),
    /// The old subscriptions are being retired.
    Retiring(Box<Link>, Retiring),
    /// The next connection was lost after that: the server is setting them up again on the current
    /// one.
    Restoring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retiring {
    /// The server is processing their end; what is on its way is still accepted.
    Subscriptions,
    /// Accepted messages are being handled.
    Handlers,
    /// The server is processing the last replies.
    Replies,
}

impl Handoff {
    pub fn link(&self) -> Option<&Link> {
        match &self.step {
            Step::Dialling(_) | Step::Restoring => None,
            Step::Greeting(link) | Step::Retiring(link, _) => Some(link),
        }
    }

    pub fn link_mut(&mut self) -> Option<&mut Link> {
        match &mut self.step {
            Step::Dialling(_) | Step::Restoring => None,
            Step::Greeting(link) | Step::Retiring(link, _) => Some(link),
        }
    }

    /// Whether messages are refused: until the next connection is active, or the current one again.
    pub fn retiring(&self) -> bool {
        matches!(self.step, Step::Retiring(..) | Step::Restoring)
    }

    fn endpoint(&self) -> Option<EndpointId> {
        self.tried.last().copied()
    }
}

impl Hub {
    /// The current server said that it is about to stop.
    pub(super) fn server_leaves(&mut self, now: Now, endpoint: EndpointId) {
        self.pool.lame_duck(endpoint);
        let text = format!("{} is about to stop", self.pool.url(endpoint));
        self.log(Level::Info, None, text);
        if let Some(target) = self.pool.alternative(endpoint, &[]) {
            self.begin_switch(now, Reason::LameDuck, vec![target]);
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
            self.begin_switch(now, Reason::BetterServer, vec![endpoint]);
        }
    }

    fn begin_switch(&mut self, now: Now, reason: Reason, tried: Vec<EndpointId>) {
        let current = self.link.as_ref().filter(|l| l.stage == Stage::Active);
        let (Some(current), Some(&endpoint)) = (current, tried.last()) else { return };
        if self.handoff.is_some() || self.drain.is_some() || current.endpoint == endpoint {
            return;
        }
        let dial = DialId(self.id());
        // Covers dialling and greeting; another one is set when the old subscriptions are retired.
        let at = now.after_ms(self.options.timeout_ms.saturating_mul(2));
        let timer = self.timers.set(at, Timer::Handoff);
        self.handoff = Some(Handoff { reason, tried, step: Step::Dialling(dial), timer });
        self.actions.push_back(Action::Dial(dial, endpoint));
    }

    pub(super) fn switch_endpoint(&self, dial: DialId) -> Option<EndpointId> {
        let handoff = self.handoff.as_ref()?;
        matches!(handoff.step, Step::Dialling(d) if d == dial).then(|| handoff.endpoint()).flatten()
    }

    pub(super) fn switch_dial_failed(&mut self, now: Now, dial: DialId, error: &Error) -> bool {
        let ours = self.switch_endpoint(dial).is_some();
        if ours {
            self.switch_failed(now, error);
        }
        ours
    }

    /// The switch did not come about: messages go on over the current connection.
    fn switch_failed(&mut self, now: Now, error: &Error) {
        let Some(mut failed) = self.handoff.take() else { return };
        self.timers.cancel(failed.timer);
        let tried = failed.endpoint().map_or("", |endpoint| self.pool.url(endpoint));
        let text = format!("no switch to {tried}: {}", error.message());
        self.log(Level::Info, Some(error.code()), text);
        if !failed.retiring() {
            return self.try_others(now, failed);
        }
        self.restore_subscriptions();
        if let Some(link) = &mut self.link {
            link.ping(now.mono, Awaited::Restored);
            failed.step = Step::Restoring;
            self.handoff = Some(failed);
        }
    }

    /// The current server has set the subscriptions up again.
    pub(super) fn restored(&mut self, now: Now) {
        if let Some(failed) = self.handoff.take_if(|h| matches!(h.step, Step::Restoring)) {
            self.messages_pass(now);
            self.try_others(now, failed);
        }
    }

    /// A server that leaves is left all the same, for the next that was not tried.
    fn try_others(&mut self, now: Now, failed: Handoff) {
        let Some(current) = &self.link else { return };
        if failed.reason == Reason::LameDuck || current.info.ldm {
            let mut tried = failed.tried;
            if let Some(other) = self.pool.alternative(current.endpoint, &tried) {
                tried.push(other);
                self.begin_switch(now, Reason::LameDuck, tried);
            }
        }
    }

    /// Sets the subscriptions that were being retired up again on the connection they were on.
    fn restore_subscriptions(&mut self) {
        for id in self.subs.ids() {
            let Some(sub) = self.subs.all.get_mut(&id) else { continue };
            if sub.state == SubState::Active {
                if let (Some(sid), Some(link)) = (sub.sid.take(), &mut self.link) {
                    link.routes.remove(&sid);
                }
                self.write_sub(id);
            }
        }
    }

    pub(super) fn switch_connected(&mut self, link: Link) {
        if let Some(handoff) = &mut self.handoff {
            handoff.step = Step::Greeting(Box::new(link));
        }
    }

    /// The next server has accepted us: retire the business subscriptions of the current one.
    pub(super) fn switch_greeted(&mut self, now: Now, next: LinkId) {
        let Some(mut handoff) = self.handoff.take() else { return };
        let Step::Greeting(mut link) = handoff.step else {
            self.handoff = Some(handoff);
            return;
        };
        if link.info.ldm {
            self.actions.push_back(Action::Close(link.id));
            handoff.step = Step::Greeting(link);
            self.handoff = Some(handoff);
            let text = "that server is about to stop, too";
            return self.switch_failed(now, &Error::new(crate::Code::Disconnected, text));
        }
        link.stage = Stage::Waiting;
        handoff.step = Step::Retiring(link, Retiring::Subscriptions);
        self.timers.cancel(handoff.timer);
        handoff.timer = self.timers.set(now.after_ms(limits::SWITCH_DRAIN_MS), Timer::Handoff);
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
            link.ping(now.mono, Awaited::HandedOff(next));
        }
        self.all_changed();
        self.presence_changed();
        self.status_changed = true;
    }

    /// The current server has processed what it was to process before the switch to `next` goes on.
    pub(super) fn handed_off(&mut self, now: Now, next: LinkId) {
        if let Some(Handoff { step: Step::Retiring(link, step), .. }) = &mut self.handoff
            && link.id == next
        {
            match step {
                Retiring::Replies => return self.complete_switch(now),
                Retiring::Subscriptions => *step = Retiring::Handlers,
                Retiring::Handlers => {}
            }
        }
        self.advance_handoff(now);
    }

    /// Goes on with the switch if the accepted handlers have finished.
    pub(super) fn advance_handoff(&mut self, now: Now) {
        let idle = self.subs.all.values().all(|sub| sub.messages() == 0);
        if let Some(Handoff { step: Step::Retiring(next, step), .. }) = &mut self.handoff
            && *step == Retiring::Handlers
            && idle
        {
            *step = Retiring::Replies;
            let next = next.id;
            if let Some(link) = &mut self.link {
                link.ping(now.mono, Awaited::HandedOff(next));
            }
        }
    }

    pub(super) fn handoff_timed_out(&mut self, now: Now) {
        let Some(handoff) = &self.handoff else { return };
        if matches!(handoff.step, Step::Retiring(..)) {
            return self.complete_switch(now);
        }
        if let Some(link) = handoff.link() {
            self.actions.push_back(Action::Close(link.id));
        } else if let Step::Dialling(dial) = handoff.step {
            self.actions.push_back(Action::Abandon(dial));
        }
        self.switch_failed(now, &Error::new(crate::Code::Timeout, "it did not answer in time"));
    }

    fn complete_switch(&mut self, now: Now) {
        let Some(handoff) = self.handoff.take() else { return };
        if let Some(old) = self.link.take() {
            self.actions.push_back(Action::Close(old.id));
            self.forget_link(now, &disconnected());
        }
        self.adopt_switch(now, handoff);
    }

    /// Makes the next connection the current one, if it is far enough for that.
    pub(super) fn adopt_switch(&mut self, now: Now, handoff: Handoff) -> bool {
        self.timers.cancel(handoff.timer);
        let (link, accepted) = match handoff.step {
            Step::Dialling(dial) => {
                self.actions.push_back(Action::Abandon(dial));
                return false;
            }
            Step::Restoring => return false,
            // Its greeting goes on as that of the current connection.
            Step::Greeting(link) => (link, false),
            Step::Retiring(link, _) => (link, true),
        };
        self.switch_reason = handoff.reason.as_str();
        self.pool.switched(now.mono);
        self.link = Some(*link);
        self.schedule_alive(now);
        if accepted {
            self.greeted(now);
        }
        true
    }

    /// The next connection was lost before it was used: stay where we are.
    pub(super) fn switch_link_lost(&mut self, now: Now, id: LinkId, error: &Error) -> bool {
        let ours = self.handoff.as_ref().and_then(Handoff::link).is_some_and(|l| l.id == id);
        if ours {
            self.actions.push_back(Action::Close(id));
            self.switch_failed(now, error);
        }
        ours
    }

    /// Gives a switch up that is under way; the current connection is kept as it is.
    pub(super) fn abandon_switch(&mut self) {
        if let Some(handoff) = self.handoff.take() {
            self.timers.cancel(handoff.timer);
            match handoff.step {
                Step::Restoring => {}
                Step::Dialling(dial) => self.actions.push_back(Action::Abandon(dial)),
                Step::Greeting(link) | Step::Retiring(link, _) => {
                    self.actions.push_back(Action::Close(link.id));
                }
            }
        }
    }
}
