//! Subscriptions and handlers: setting up, delivering, ending.
use super::{
    Event, Hub, Life, Op, Outcome, SubId, messages::Token, operations::Kind, problems::Cause,
};
use crate::{
    Body, Code, Error, Progress, Result,
    headers::Headers,
    inbox::{Extras, Inbox, Waiting},
    limits,
    link::{Awaited, LinkId, Route},
    name,
    options::{DrainOptions, SubscriptionOptions},
    subject,
    subs::{Sub, SubState},
    time::Now,
    vars::VarId,
};
use alloc::{boxed::Box, collections::VecDeque, format, string::String, vec::Vec};
use serde::Serialize;

/// What a subscription is made of besides its name.
#[derive(Clone, Debug, Default)]
pub struct SubscribeOptions {
    /// Members of one queue group share the messages; no group takes them all.
    pub queue: Option<String>,
    /// A handler: takes only messages with a reply address, and answers them.
    pub requests_only: bool,
    /// Budgets and the time-out of the registration.
    pub numbers: SubscriptionOptions,
}

/// One message for a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// What a reply needs; valid while the handler runs.
    pub token: Token,
    /// The message's name, where the subscription is a pattern; else it is the variable's.
    pub topic: Option<Box<str>>,
    /// The headers as received.
    pub headers: Headers,
    /// The message's JSON, validated.
    pub payload: Body,
}

/// How far a subscription is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SubscriptionPhase {
    /// The server has not confirmed it yet.
    Registering,
    /// Messages arrive.
    Active,
    /// There is no active connection; it is set up again on the next one.
    Offline,
    /// Finishes what it has accepted.
    Draining,
    /// Nothing more comes.
    Ended,
}

/// What a subscription has to tell of itself.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionStatus {
    /// Whether messages arrive.
    pub ready: bool,
    /// How far it is in its life.
    pub phase: SubscriptionPhase,
    /// Messages queued and running.
    pub pending_messages: usize,
    /// Bytes of these.
    pub pending_bytes: usize,
    /// Handlers running: 0 or 1.
    pub in_flight_handlers: usize,
    /// Messages dropped since its start: the queue was full, or they were malformed.
    pub dropped_messages: u64,
    /// The most messages that were pending at a time.
    pub high_water_messages: usize,
    /// The most bytes that were pending at a time.
    pub high_water_bytes: usize,
    /// The queue was full and has not been empty since.
    pub slow: bool,
    /// The limits in force.
    pub limits: SubscriptionLimits,
    /// Why it ended, where it was refused.
    pub error: Option<super::Problem>,
}

/// The limits of one subscription.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionLimits {
    /// Messages that may be queued and running.
    pub pending_messages: usize,
    /// Bytes of these.
    pub pending_bytes: usize,
    /// Handlers that may run at a time: 1.
    pub in_flight_handlers: usize,
}

impl Hub {
    /// Subscribes to messages of a name or pattern. The operation is done once the server has
    /// processed it; messages may arrive before.
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `INVALID_OPTIONS`, `BUFFER_OVERFLOW` (too many subscriptions),
    /// `DISCONNECTED`, `DRAINING`, `CLOSED`; by the event also `PERMISSION_DENIED`, `TIMEOUT`.
    pub fn subscribe(
        &mut self,
        now: Now,
        var: VarId,
        options: &SubscribeOptions,
    ) -> Result<(SubId, Op)> {
        self.check_open()?;
        let name = self.vars.name(var);
        name::check_pattern(name)?;
        if let Some(queue) = &options.queue {
            name::check_queue(queue)?;
        }
        options.numbers.check()?;
        self.check_active()?;
        let limit = self.options.messaging.subscriptions;
        let live = self.subs.live();
        if live >= limit {
            return Err(Error::over(
                Code::BufferOverflow,
                format!(
                    "{live} subscriptions are open, the most allowed; end some, or raise the option subscriptions"
                ),
                limit as u64,
                live as u64 + 1,
            ));
        }
        let subject = self.names.pattern(name).into_boxed_str();
        let pattern = name.split('.').any(|segment| segment == "*" || segment == ">");
        let id = SubId(self.id());
        let op = self.timed(now, Kind::Subscribe(id), Some(options.numbers.timeout_ms));
        let sub = Sub {
            subject,
            queue: options.queue.as_ref().map(|q| self.names.queue(q).into_boxed_str()),
            pattern,
            requests_only: options.requests_only,
            max_messages: options.numbers.pending_messages,
            max_bytes: options.numbers.pending_bytes,
            state: SubState::Registering(op),
            sid: None,
            waiting: Inbox::default(),
            taken: VecDeque::new(),
            progress: Progress::default(),
            bytes: 0,
            accepted: 0,
            told: false,
            dropped: 0,
            slow: false,
            high_messages: 0,
            high_bytes: 0,
            error: None,
        };
        self.subs.all.insert(id, sub);
        self.write_sub(id);
        if let Some(link) = &mut self.link {
            link.ping(now.mono, Awaited::Registered(id));
        }
        Ok((id, op))
    }

    /// Writes SUB for a subscription to the current connection.
    pub(super) fn write_sub(&mut self, id: SubId) {
        let sid = self.id();
        if let (Some(link), Some(sub)) = (&mut self.link, self.subs.all.get_mut(&id)) {
            sub.sid = Some(sid);
            link.subscribe(sid, &sub.subject, sub.queue.as_deref(), Route::Subscription(id));
        }
    }

    /// The server has processed a SUB.
    pub(super) fn registered(&mut self, id: SubId) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if let SubState::Registering(op) = sub.state {
            sub.state = SubState::Active;
            let subject = sub.subject.clone();
            self.finish(op, Ok(Outcome::Unit));
            self.resolved(&Cause::Standing(subject));
        }
    }

    /// Ends a subscription: what waits is discarded, nothing new comes, a running handler may finish.
    pub fn unsubscribe(&mut self, now: Now, id: SubId) {
        self.end_sub(now, id, None);
    }

    /// The host lets go of a subscription: it is ended if it was not, what was taken counts as
    /// finished, and it is forgotten.
    pub fn release(&mut self, now: Now, id: SubId) {
        self.end_sub(now, id, None);
        self.finished(now, id, usize::MAX);
        self.subs.all.remove(&id);
    }

    /// Ends a subscription, with an error where it was not the program that wanted it.
    pub(super) fn end_sub(&mut self, now: Now, id: SubId, error: Option<Error>) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if !sub.live() {
            return;
        }
        let before = core::mem::replace(&mut sub.state, SubState::Ended);
        sub.progress.end();
        sub.error.clone_from(&error);
        let left = sub.messages() - sub.handled().0;
        let waiting = sub.waiting.len();
        let bytes = sub.waiting.bytes();
        sub.waiting.clear();
        sub.bytes -= bytes;
        self.pending.remove(waiting, bytes);
        let was_slow = core::mem::take(&mut sub.slow);
        if let Some(sid) = sub.sid.take()
            && let Some(link) = &mut self.link
        {
            link.unsubscribe(sid);
        }
        match before {
            SubState::Registering(op) => {
                let error = error.clone().unwrap_or_else(super::closed);
                self.finish(op, Err(error.into()));
            }
            SubState::Draining(Some(shared), retired) => {
                let early = (left > 0 || !retired).then(cut_short);
                let error = error.clone().or(early);
                self.finish(shared, error.map_or(Ok(Outcome::Unit), |e| Err(e.into())));
            }
            _ => {}
        }
        self.events.push_back(Event::Ended(id, error));
        self.slowness_passed(was_slow);
        self.advance_drain(now);
        self.advance_handoff(now);
    }

    /// Takes up to `max` messages for the handler, oldest first. Each must be given back by
    /// [`Hub::finished`] or [`Hub::finished_one`]. None means that the host will be told again.
    pub fn take(&mut self, id: SubId, max: usize, out: &mut Vec<Delivery>) {
        self.take_each(id, max, usize::MAX, |delivery| out.push(delivery));
    }

    /// As [`Hub::take`], one after the other, until their bodies have `bytes` together: a host that
    /// keeps them in one piece knows how much that is. The first always comes.
    pub fn take_each(
        &mut self,
        id: SubId,
        max: usize,
        bytes: usize,
        mut each: impl FnMut(Delivery),
    ) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if sub.waiting.is_empty() {
            sub.told = false;
            return;
        }
        // Accepted one after the other, so their numbers follow each other.
        let mut seq = sub.accepted - sub.waiting.len() as u64;
        let mut size = 0;
        for _ in 0..max {
            let Some(Waiting { body: payload, link, extras }) = sub.waiting.pop() else { break };
            seq += 1;
            size += payload.len();
            sub.taken.push_back((seq, payload.len()));
            let Extras { topic, reply, headers } = extras.map_or_else(Extras::default, |e| *e);
            each(Delivery { token: Token { sub: id, seq, link, reply }, topic, headers, payload });
            if size >= bytes {
                break;
            }
        }
    }

    /// What goes along with the messages that are taken; `None` once the subscription was released.
    pub fn progress(&self, id: SubId) -> Option<Progress> {
        self.subs.all.get(&id).map(|sub| sub.progress.clone())
    }

    /// The host is done with the oldest `count` messages that it took, handled or discarded, besides
    /// those that it has counted in [`Hub::progress`].
    pub fn finished(&mut self, now: Now, id: SubId, count: usize) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        let handled = sub.progress.waiting();
        sub.progress.counted(handled);
        let (count, bytes) = sub.forget_taken(handled.saturating_add(count));
        if count > 0 {
            self.pending.remove(count, bytes);
            self.gave_back(now, id);
        }
    }

    /// Counts what hosts have handled by now, for whoever asks for a status next: what is handled
    /// shows there at once, and so must what follows from an empty queue.
    pub fn count_handled(&mut self, now: Now) {
        let behind = |(id, sub): (&SubId, &Sub)| (sub.progress.waiting() > 0).then_some(*id);
        let behind: Vec<SubId> = self.subs.all.iter().filter_map(behind).collect();
        for id in behind {
            self.finished(now, id, 0);
        }
    }

    /// Whether one more message of `size` bytes is too much: for the subscription, for the hub.
    fn overfull(&self, id: SubId, size: usize) -> (bool, bool) {
        let most = &self.options.messaging;
        let over =
            |sub: &Sub| sub.messages() >= sub.max_messages || sub.bytes + size > sub.max_bytes;
        let hub = self.pending.messages >= most.pending_messages
            || self.pending.bytes + size > most.pending_bytes;
        (self.subs.all.get(&id).is_some_and(over), hub)
    }

    /// The same after counting what was handled meanwhile.
    fn still_overfull(&mut self, id: SubId, size: usize) -> (bool, bool) {
        if let Some(sub) = self.subs.all.get_mut(&id) {
            sub.count_handled(&mut self.pending);
        }
        let (full, hub_full) = self.overfull(id, size);
        if !hub_full {
            return (full, false);
        }
        for sub in self.subs.all.values_mut() {
            sub.count_handled(&mut self.pending);
        }
        self.overfull(id, size)
    }

    /// The host is done with this message, whichever others it still holds.
    pub fn finished_one(&mut self, now: Now, token: &Token) {
        let Some(sub) = self.subs.all.get_mut(&token.sub) else { return };
        let Ok(at) = sub.taken.binary_search_by_key(&token.seq, |(seq, _)| *seq) else { return };
        if at < sub.progress.waiting() {
            sub.progress.counted(1);
        }
        let bytes = sub.taken.remove(at).map_or(0, |(_, bytes)| bytes);
        sub.bytes -= bytes;
        self.pending.remove(1, bytes);
        self.gave_back(now, token.sub);
    }

    /// What follows when a subscription has fewer messages under way.
    fn gave_back(&mut self, now: Now, id: SubId) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if !sub.taken.is_empty() {
            return;
        }
        if !sub.waiting.is_empty() {
            return;
        }
        let was_slow = core::mem::take(&mut sub.slow);
        let state = sub.state;
        self.slowness_passed(was_slow);
        if let SubState::Draining(_, true) = state {
            self.end_sub(now, id, None);
        } else {
            self.advance_drain(now);
            self.advance_handoff(now);
        }
    }

    /// A queue has emptied; the flag says whether it had been full since it was empty before.
    pub(super) fn slowness_passed(&mut self, was_slow: bool) {
        // What was dropped for the hub's sake says nothing of the subscription it was meant for.
        let hub_was = self.pending.messages == 0 && core::mem::take(&mut self.pending.slow);
        if !was_slow && !hub_was {
            return;
        }
        self.status_changed = true;
        if !self.pending.slow && !self.subs.all.values().any(|sub| sub.slow) {
            self.resolved(&Cause::Slow);
        }
    }

    /// A handler ended in an error; the text is what the program said.
    pub fn handler_failed(&mut self, now: Now, what: &str, text: &str) {
        let text: String = text.chars().take(limits::REPORT_TEXT_CHARS).collect();
        let error = Error::new(Code::HandlerError, format!("{what} failed: {text}"));
        self.report(now, &error);
    }

    /// A message for a subscription has arrived.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn accept(
        &mut self,
        now: Now,
        link: LinkId,
        id: SubId,
        subject: &[u8],
        reply: Option<&[u8]>,
        headers: &[u8],
        payload: &[u8],
    ) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if !sub.live() || (sub.requests_only && reply.is_none()) {
            return;
        }
        // Before the checks: what is dropped anyway costs as little as it can.
        let size = payload.len();
        let (mut full, mut hub_full) = self.overfull(id, size);
        if full || hub_full {
            (full, hub_full) = self.still_overfull(id, size);
        }
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if full || hub_full {
            sub.dropped += 1;
            self.pending.dropped += 1;
            let (slow, whose) = if full {
                (&mut sub.slow, "a subscription's")
            } else {
                (&mut self.pending.slow, "the hub's")
            };
            if !core::mem::replace(slow, true) {
                self.report_lasting(now, Cause::Slow, &Error::new(
                    Code::SlowConsumer,
                    format!("{whose} queue of received messages is full and new ones are dropped: make the handler quicker, or raise pending_messages and pending_bytes"),
                ));
            }
            return;
        }
        let topic = if sub.pattern {
            match core::str::from_utf8(subject).ok().and_then(|s| self.names.message_topic(s)) {
                Some(topic) => Some(topic.into_boxed_str()),
                None => return self.refuse_message(now, Some(id), &non_canonical()),
            }
        } else {
            if subject != sub.subject.as_bytes() {
                return self.refuse_message(now, Some(id), &non_canonical());
            }
            None
        };
        let (headers, body) =
            match super::messages::check_incoming(headers, payload, &self.incoming) {
                Ok((_, headers, body)) => (headers, body),
                Err(error) => return self.refuse_message(now, Some(id), &error),
            };
        // It is written back as it stands, so it must not be able to end a line or a word.
        let reply = match reply.map(|r| subject::concrete(r).map(Box::from)) {
            Some(None) => return self.refuse_message(now, Some(id), &no_reply_address()),
            Some(reply) => reply,
            None => None,
        };
        sub.accepted += 1;
        sub.bytes += size;
        let plain = topic.is_none() && reply.is_none() && headers.is_empty();
        let extras = (!plain).then(|| Box::new(Extras { topic, reply, headers }));
        sub.waiting.push(body, link, extras);
        sub.high_messages = sub.high_messages.max(sub.messages());
        sub.high_bytes = sub.high_bytes.max(sub.bytes);
        self.pending.add(size);
        if !sub.told {
            sub.told = true;
            self.events.push_back(Event::Ready(id));
        }
    }

    /// Drops an incoming message that no handler may see, counts and reports it.
    pub(super) fn refuse_message(&mut self, now: Now, id: Option<SubId>, error: &Error) {
        self.pending.dropped += 1;
        if let Some(sub) = id.and_then(|id| self.subs.all.get_mut(&id)) {
            sub.dropped += 1;
        }
        self.report(now, error);
    }

    /// Ends a subscription after what it has accepted is finished, within `timeout_ms`.
    ///
    /// # Errors
    /// `CLOSED`, `INVALID_OPTIONS`; by the event `DRAIN_TIMEOUT`, or `CLOSED` when it was ended
    /// with messages that had not been handled.
    pub fn drain_subscription(&mut self, now: Now, id: SubId, timeout_ms: u64) -> Result<Op> {
        if self.life == Life::Closed {
            return Err(super::closed());
        }
        DrainOptions { timeout_ms }.check()?;
        let Some(state) = self.subs.all.get(&id).filter(|sub| sub.live()).map(|sub| sub.state)
        else {
            let op = self.timed(now, Kind::Joined, None);
            self.finish(op, Ok(Outcome::Unit));
            return Ok(op);
        };
        let (shared, retired) = match state {
            SubState::Draining(Some(shared), retired) => (shared, Some(retired)),
            SubState::Draining(None, retired) => {
                (self.shared(now, Kind::DrainSubscription(id), timeout_ms), Some(retired))
            }
            _ => (self.shared(now, Kind::DrainSubscription(id), timeout_ms), None),
        };
        let op = self.join(now, shared);
        if let Some(sub) = self.subs.all.get_mut(&id) {
            sub.state = SubState::Draining(Some(shared), retired.unwrap_or(false));
        }
        if let SubState::Registering(registering) = state {
            self.finish(registering, Err(super::closed().into()));
        }
        if retired.is_none() {
            self.retire_sub(now, id);
        }
        Ok(op)
    }

    /// Takes a draining subscription back from the server; what is on its way is still accepted.
    fn retire_sub(&mut self, now: Now, id: SubId) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        match (sub.sid, &mut self.link) {
            (Some(sid), Some(link)) => {
                crate::frame::unsubscribe(&mut link.out, sid);
                link.ping(now.mono, Awaited::Retired(id));
            }
            _ => self.retired(now, id),
        }
    }

    /// Nothing more is on its way for a draining subscription.
    pub(super) fn retired(&mut self, now: Now, id: SubId) {
        let Some(sub) = self.subs.all.get_mut(&id) else { return };
        if let (Some(sid), Some(link)) = (sub.sid.take(), &mut self.link) {
            link.routes.remove(&sid);
        }
        if let SubState::Draining(op, _) = sub.state {
            sub.state = SubState::Draining(op, true);
            if sub.messages() == 0 {
                self.end_sub(now, id, None);
            }
        }
    }

    /// The counts and limits of a subscription; `None` once it was released.
    pub fn subscription_status(&self, id: SubId) -> Option<SubscriptionStatus> {
        let sub = self.subs.all.get(&id)?;
        let phase = match sub.state {
            SubState::Registering(_) => SubscriptionPhase::Registering,
            SubState::Active if self.active_link().is_none() => SubscriptionPhase::Offline,
            SubState::Active => SubscriptionPhase::Active,
            SubState::Draining(..) => SubscriptionPhase::Draining,
            SubState::Ended => SubscriptionPhase::Ended,
        };
        let (handled, handled_bytes) = sub.handled();
        Some(SubscriptionStatus {
            ready: phase == SubscriptionPhase::Active,
            phase,
            pending_messages: sub.messages() - handled,
            pending_bytes: sub.bytes - handled_bytes,
            in_flight_handlers: usize::from(handled < sub.taken.len()),
            dropped_messages: sub.dropped,
            high_water_messages: sub.high_messages,
            high_water_bytes: sub.high_bytes,
            slow: sub.slow,
            limits: SubscriptionLimits {
                pending_messages: sub.max_messages,
                pending_bytes: sub.max_bytes,
                in_flight_handlers: 1,
            },
            error: sub.error.as_ref().map(super::Problem::undated),
        })
    }
}

fn cut_short() -> Error {
    Error::new(
        Code::Closed,
        "the subscription was ended before all it had accepted was handled; let its drain finish first",
    )
}

fn non_canonical() -> Error {
    Error::new(
        Code::InvalidMessage,
        "a message came on a subject that is not the coded form of a name; its publisher must be mended",
    )
}

fn no_reply_address() -> Error {
    Error::new(
        Code::InvalidMessage,
        "a message came with a reply address that is no subject; its publisher must be mended",
    )
}
