//! A hub's subscriptions and handlers: messages, answers, ends.
use crate::{Hub, Reader, Waiting, hub::to_json};
use posthouse_core::{
    Code, Error, Headers, Progress, Result, VarId,
    hub::{Delivery, Op, SubId, SubscribeOptions, SubscriptionStatus, Token},
};

/// Bytes of the bodies of a batch, so that one that is slow to be handled does not take much memory.
const BATCH_BYTES: usize = 64 * 1024;

fn let_go() -> Error {
    Error::new(Code::Closed, "the subscription was let go of")
}

/// Subscriptions and handlers.
impl Hub {
    /// Subscribes; registered once the operation is done. Messages are announced by
    /// [`crate::Event::Ready`], and may be before that.
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `INVALID_OPTIONS`, `BUFFER_OVERFLOW`, `DISCONNECTED`, `DRAINING`, `CLOSED`,
    /// `FORKED`, `INTERNAL`; by the operation `PERMISSION_DENIED`, `TIMEOUT`.
    pub fn subscribe(&self, var: VarId, options: &SubscribeOptions) -> Result<(SubId, Op)> {
        self.engine().call(|hub, sink, now| {
            let (sub, op) = hub.subscribe(now, var, options)?;
            sink.subscribes(sub);
            sink.begins(op);
            Ok((sub, op))
        })?
    }

    /// The same with a thread that waits for the registration; messages are announced by events.
    ///
    /// # Errors
    /// As [`Hub::subscribe`].
    pub fn subscribe_waiting(
        &self,
        var: VarId,
        options: &SubscribeOptions,
    ) -> Result<(SubId, Waiting)> {
        let (sub, op, slot) = self.engine().call(|hub, sink, now| {
            let (sub, op) = hub.subscribe(now, var, options)?;
            sink.subscribes(sub);
            Ok::<_, Error>((sub, op, sink.expect(op)))
        })??;
        Ok((sub, Waiting::new(self.clone(), op, slot)))
    }

    /// The same with threads that wait for the registration and then for each message.
    ///
    /// # Errors
    /// As [`Hub::subscribe`].
    pub fn subscribe_reading(
        &self,
        var: VarId,
        options: &SubscribeOptions,
    ) -> Result<(Reader, Waiting)> {
        let (sub, bell, op, slot) = self.engine().call(|hub, sink, now| {
            let (sub, op) = hub.subscribe(now, var, options)?;
            Ok::<_, Error>((sub, sink.reads(sub), op, sink.expect(op)))
        })??;
        Ok((Reader::new(self.clone(), sub, bell), Waiting::new(self.clone(), op, slot)))
    }

    /// Gives back the oldest `count` messages and takes the next one, in one step: what a host does
    /// between two calls of a handler.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn next(&self, sub: SubId, count: usize) -> Result<Option<Delivery>> {
        self.engine().call(|hub, sink, now| {
            hub.finished(now, sub, count);
            sink.take_one(hub, sub)
        })
    }

    /// Counts what was handled of a batch and appends the next batch to `out`, oldest first: at most `max`
    /// messages, and no more once their bodies have 64 KiB. None means that [`crate::Event::Ready`] is told
    /// again. Each message handled is counted in [`Hub::progress`], without another call, or given back.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn next_batch(&self, sub: SubId, max: usize, out: &mut Vec<Delivery>) -> Result<()> {
        self.engine().call(|hub, _, now| {
            hub.finished(now, sub, 0);
            hub.take_each(sub, max, BATCH_BYTES, |delivery| out.push(delivery));
        })
    }

    /// Where a host counts what it has handled of its batches, and sees that the rest is not wanted.
    ///
    /// # Errors
    /// `CLOSED` once it was released, `FORKED`, `INTERNAL`.
    pub fn progress(&self, sub: SubId) -> Result<Progress> {
        let progress = self.engine().with(|hub, _| hub.progress(sub))?;
        progress.ok_or_else(let_go)
    }

    pub(crate) fn take_one(&self, sub: SubId) -> Result<Option<Delivery>> {
        self.engine().with(|hub, sink| sink.take_one(hub, sub))
    }

    /// Gives back the oldest `count` messages that were taken, handled or discarded.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn finished(&self, sub: SubId, count: usize) -> Result<()> {
        self.engine().call(|hub, _, now| hub.finished(now, sub, count))
    }

    /// Gives back this message.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn finished_one(&self, token: &Token) -> Result<()> {
        self.engine().call(|hub, _, now| hub.finished_one(now, token))
    }

    /// Sends a reply to a message whose handler runs.
    ///
    /// # Errors
    /// `NO_REPLY_SUBJECT`, `CLOSED` when the handler has ended, `DISCONNECTED` when the message came
    /// over an earlier connection, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`, `FORKED`, `INTERNAL`.
    pub fn reply(&self, token: &Token, body: &[u8], headers: Option<&Headers>) -> Result<()> {
        self.engine().call_through(|hub, _, _| hub.reply(token, body, headers))?
    }

    /// Sends a handler's return value; what fails is reported by the hub.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn answer(&self, token: &Token, body: &[u8], headers: Option<&Headers>) -> Result<()> {
        self.engine().call_through(|hub, _, now| hub.answer(now, token, body, headers))
    }

    /// Reports that a handler or callback ended in an error; `what` is e.g. "a message handler".
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn handler_failed(&self, what: &str, text: &str) -> Result<()> {
        self.engine().call(|hub, _, now| hub.handler_failed(now, what, text))
    }

    /// Counts, limits and phase of a subscription.
    ///
    /// # Errors
    /// `CLOSED` once it was released, `FORKED`, `INTERNAL`.
    pub fn subscription_status(&self, sub: SubId) -> Result<SubscriptionStatus> {
        let status = self.engine().call(|hub, _, now| {
            hub.count_handled(now);
            hub.subscription_status(sub)
        })?;
        status.ok_or_else(let_go)
    }

    /// [`Hub::subscription_status`] as JSON, keys in camelCase.
    ///
    /// # Errors
    /// As [`Hub::subscription_status`].
    pub fn subscription_status_json(&self, sub: SubId) -> Result<Vec<u8>> {
        to_json(&self.subscription_status(sub)?)
    }

    /// Ends a subscription at once: what waits is discarded, a running handler may finish.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn unsubscribe(&self, sub: SubId) -> Result<()> {
        self.engine().call(|hub, _, now| hub.unsubscribe(now, sub))
    }

    /// Lets go of a subscription: ends it, counts what was taken as finished, and forgets it. Nothing
    /// new is told of it; an event that is queued already may still come.
    ///
    /// # Errors
    /// `FORKED`, `INTERNAL`.
    pub fn release(&self, sub: SubId) -> Result<()> {
        self.engine().call(|hub, sink, now| {
            sink.releases(sub);
            hub.release(now, sub);
        })
    }
}
