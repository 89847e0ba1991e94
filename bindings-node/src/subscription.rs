//! Messages of a subscription, in batches as one JSON text, and what the JavaScript half says of them.
//!
//! Each message of a subscription has a place: the number of those before it. A batch is taken whole and
//! given back when the next one is taken, so one call serves many messages that need no wait.
#![expect(clippy::unnecessary_wraps, reason = "all functions of a table have one form")]
use crate::{
    call::{Call, Functions, function},
    hub::{begin, drain_millis},
    js::Value,
    state::{Slot, give},
    text::{headers, list, string},
    variable::message,
};
use posthouse_kit::{Code, Delivery, Error, Operation, Progress, Result, SubId, Token};
use std::collections::VecDeque;

pub(crate) const FUNCTIONS: Functions = &[
    function!(c"take", take),
    function!(c"handled", handled),
    function!(c"settle", settle),
    function!(c"discard", discard),
    function!(c"reply", reply),
    function!(c"answer", answer),
    function!(c"handlerFailed", handler_failed),
    function!(c"subscriptionStatus", status),
    function!(c"unsubscribe", unsubscribe),
    function!(c"drainSubscription", drain),
    function!(c"release", release),
];

/// What is held of a subscription's messages.
pub(crate) struct Subscription {
    progress: Progress,
    /// What was taken and not given back, oldest first.
    held: VecDeque<Token>,
    /// The place of the oldest.
    first: u64,
    /// One that was given back: it stands for all of them, which the core refuses alike.
    given_back: Option<Token>,
    batch: Vec<Delivery>,
}

impl Subscription {
    pub(crate) fn new(progress: Progress) -> Self {
        Self { progress, held: VecDeque::new(), first: 0, given_back: None, batch: Vec::new() }
    }

    /// Counts the messages before `place` as handled: their room is free at once, and the hub counts
    /// them when it needs to.
    fn handled(&mut self, place: u64) -> usize {
        let count = (place.saturating_sub(self.first) as usize).min(self.held.len());
        if count > 0 {
            self.given_back = self.held.drain(..count).next_back();
            self.first += count as u64;
            for _ in 0..count {
                self.progress.handled();
            }
        }
        count
    }

    /// Gives back the messages before `place`. A hub that failed inside has nothing to get back.
    fn settle(&mut self, slot: &Slot, id: SubId, place: u64) {
        self.handled(place);
        let _ = slot.hub.finished(id, 0);
    }

    fn token(&self, place: u64) -> Option<&Token> {
        let at = place.checked_sub(self.first).map(|at| at as usize);
        at.and_then(|at| self.held.get(at)).or(self.given_back.as_ref())
    }
}

fn id(call: &Call<'_>) -> SubId {
    SubId(call.id(1))
}

fn with<R>(
    call: &Call<'_>,
    then: impl FnOnce(&Slot, SubId, &mut Subscription) -> Result<R>,
) -> Result<R> {
    let (slot, id) = (call.hub()?, id(call));
    let mut all = slot.subscriptions.borrow_mut();
    let subscription = all.get_mut(&id).ok_or_else(ended)?;
    then(&slot, id, subscription)
}

fn ended() -> Error {
    Error::new(Code::Closed, "the subscription has ended; subscribe again")
}

/// `take(hub, subscription, limit)`: gives back what was taken before and takes the next messages.
///
/// JSON: `[place, bodies]`, then `topics` where they differ from the subscription's name, and then
/// `headers`, each as an array or 0; undefined if there are none, or the hub is gone.
fn take(call: &Call<'_>) -> Result<Value> {
    with(call, |slot, id, subscription| {
        let limit = call.id(2) as usize;
        subscription.handled(u64::MAX);
        let mut batch = std::mem::take(&mut subscription.batch);
        let taken = slot.hub.next_batch(id, limit, &mut batch);
        let value = if taken.is_err() || batch.is_empty() {
            Ok(call.undefined())
        } else {
            give(call, |out| {
                write(out, subscription.first, &batch);
                Ok(())
            })
        };
        subscription.held.extend(batch.drain(..).map(|delivery| delivery.token));
        subscription.batch = batch;
        value
    })
}

fn write(out: &mut Vec<u8>, place: u64, batch: &[Delivery]) {
    out.push(b'[');
    crate::text::number(out, place);
    out.extend_from_slice(b",[");
    list(out, batch.iter(), |out, delivery| out.extend_from_slice(&delivery.payload));
    out.push(b']');
    let topics = batch.iter().any(|delivery| delivery.topic.is_some());
    let with_headers = batch.iter().any(|delivery| !delivery.headers.is_empty());
    if topics {
        out.extend_from_slice(b",[");
        list(out, batch.iter(), |out, delivery| match &delivery.topic {
            Some(topic) => string(out, topic),
            None => out.push(b'0'),
        });
        out.push(b']');
    } else if with_headers {
        out.extend_from_slice(b",0");
    }
    if with_headers {
        out.extend_from_slice(b",[");
        list(out, batch.iter(), |out, delivery| headers(out, &delivery.headers));
        out.push(b']');
    }
    out.push(b']');
}

/// `handled(hub, subscription, place)`: those before that place are handled. Gives whether the rest is not to be
/// handled any more; cheap enough to be called now and then within a batch.
fn handled(call: &Call<'_>) -> Result<Value> {
    let ended = with(call, |_, _, subscription| {
        subscription.handled(call.id(2));
        Ok(subscription.progress.ended())
    });
    Ok(call.env.boolean(ended.unwrap_or(true)))
}

/// `settle(hub, subscription, place)`: the messages before that place are done with. Never fails, for it
/// is called when all sorts of things end; nor do the next and `handlerFailed`.
fn settle(call: &Call<'_>) -> Result<Value> {
    let _ = with(call, |slot, id, subscription| {
        subscription.settle(slot, id, call.id(2));
        Ok(())
    });
    Ok(call.undefined())
}

/// `discard(hub, subscription, place)`: nobody will handle those from that place on.
fn discard(call: &Call<'_>) -> Result<Value> {
    let _ = with(call, |slot, _, subscription| {
        let keep = call.id(2).saturating_sub(subscription.first) as usize;
        while subscription.held.len() > keep {
            if let Some(token) = subscription.held.pop_back() {
                let _ = slot.hub.finished_one(&token);
            }
        }
        Ok(())
    });
    Ok(call.undefined())
}

/// `reply(hub, subscription, place, body, headers)`
fn reply(call: &Call<'_>) -> Result<Value> {
    with(call, |slot, _, subscription| {
        let token = subscription.token(call.id(2)).ok_or_else(ended)?;
        message(call, slot, 3, |body, headers| slot.hub.reply(token, body, headers))
    })?;
    Ok(call.undefined())
}

/// `answer(hub, subscription, place, body, headers)`: what cannot be JSON is an error here; what cannot be
/// sent is reported, for nobody waits for it.
fn answer(call: &Call<'_>) -> Result<Value> {
    with(call, |slot, _, subscription| {
        let Some(token) = subscription.token(call.id(2)) else { return Ok(()) };
        message(call, slot, 3, |body, headers| slot.hub.answer(token, body, headers))
    })?;
    Ok(call.undefined())
}

/// `handlerFailed(hub, name, message)`: reported as `HANDLER_ERROR`.
fn handler_failed(call: &Call<'_>) -> Result<Value> {
    let what = format!("the handler of {:?}", call.text(1)?);
    let _ = call.hub()?.hub.handler_failed(&what, &call.text(2)?);
    Ok(call.undefined())
}

/// `subscriptionStatus(hub, subscription)`: JSON.
fn status(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(&call.hub()?.hub.subscription_status_json(id(call))?))
}

fn unsubscribe(call: &Call<'_>) -> Result<Value> {
    call.hub()?.hub.unsubscribe(id(call))?;
    Ok(call.undefined())
}

/// `drainSubscription(hub, subscription, timeout)`: an operation's number.
fn drain(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = drain_millis(call, 2)?;
    begin(call, Operation::DrainSubscription { sub: id(call), timeout_ms })
}

/// `release(hub, subscription)`: nobody has it any more.
fn release(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    slot.subscriptions.borrow_mut().remove(&id(call));
    slot.hub.release(id(call))?;
    Ok(call.undefined())
}
