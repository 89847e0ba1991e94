//! Queues as the JavaScript half sees them: numbers for the queues of a configuration, for their consumers, their batches and
//! for operations that end later, and one place from which everything that happens is fetched.
//!
//! What a handler says of a message is judged here at once, and told to the store in the background.
mod news;
mod slot;
mod thread;

pub(crate) use slot::QueueSlot;
pub(crate) use thread::shutdown;

use crate::{
    call::{Call, Functions, function},
    js::Value,
    state::give,
    wake::Wake,
};
use news::End;
use posthouse_core::queue::{Batch as Items, EVENT_KIND, no_event, not_json};
use posthouse_kit::{Code, Error, Result};
use posthouse_queue::{Config, Outcome, Queues, Refusal};
use std::{fmt::Write as _, sync::Arc};

pub(crate) const FUNCTIONS: Functions = &[
    function!(c"queueOpen", open),
    function!(c"queueHold", hold),
    function!(c"queuePoll", poll),
    function!(c"queueSend", send),
    function!(c"queueSendBatch", send_batch),
    function!(c"queueBatch", batch),
    function!(c"queueSendItems", send_items),
    function!(c"queueConsume", consume),
    function!(c"queueNext", next),
    function!(c"queueStop", stop),
    function!(c"queueRead", read),
    function!(c"queueAck", ack),
    function!(c"queueRetry", retry),
    function!(c"queueFinish", finish),
    function!(c"queueClose", close),
    function!(c"queueForget", forget),
    function!(c"queueEnd", end),
    function!(c"queueNoEvent", outside),
    function!(c"queueEventKind", event_kind),
];

/// `queueOpen(text, isFile, grants, wake)`: the number of the queues of a configuration.
fn open(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0)?;
    let config = if call.flag(1) { Config::file(text)? } else { Config::json(&text)? };
    let grants = call.value(2);
    let granted: Vec<_> = (0..call.env.length(grants))
        .filter_map(|at| call.env.to_text(call.env.element(grants, at)))
        .collect();
    let queues = Queues::open(config.grant(granted))?;
    let wake = Arc::new(Wake::new(call.env, call.value(3))?);
    Ok(call.env.number(call.state.add_queues(QueueSlot::new(queues, wake))))
}

/// `queueHold(queues, flag)`: whether the program is kept from ending by these.
fn hold(call: &Call<'_>) -> Result<Value> {
    call.queues()?.wake.hold(call.env, call.flag(1));
    Ok(call.undefined())
}

/// `queuePoll(queues, limit)`: news as JSON, see `news`. Whether more wait, the wake tells.
fn poll(call: &Call<'_>) -> Result<Value> {
    let queues = call.queues()?;
    give(call, |out| {
        queues.news(call.id(1) as usize, out);
        Ok(())
    })
}

/// `queueSend(queues, binding, text, delay)`: an operation's number, as for all that end later.
fn send(call: &Call<'_>) -> Result<Value> {
    let (slot, binding, text) = (call.queues()?, call.text(1)?, call.text(2)?);
    let delay = call.double(3);
    let queues = slot.queues.clone();
    let send = async move { queues.send_text(&binding, &text, delay).await.map(|()| End::Nothing) };
    begun(call, slot.begin(send))
}

/// `queueSendBatch(queues, binding, text)`
fn send_batch(call: &Call<'_>) -> Result<Value> {
    let (slot, binding, text) = (call.queues()?, call.text(1)?, call.text(2)?);
    let queues = slot.queues.clone();
    let send = async move { queues.send_batch_text(&binding, &text).await.map(|()| End::Nothing) };
    begun(call, slot.begin(send))
}

/// `queueBatch(queues, binding, count)`: whether so many values may be sent there.
fn batch(call: &Call<'_>) -> Result<Value> {
    let slot = call.queues()?;
    let bound = slot.queues.deployment().binding(&call.text(1)?);
    let begun = bound.and_then(|_| Ok(Items::new(call.id(2) as usize)?));
    refused(call, begun.map(|_| call.undefined()))
}

/// `queueSendItems(queues, binding, items)`: of each item its text, and whether its body is a JSON value; if not, null
/// stands for it.
fn send_items(call: &Call<'_>) -> Result<Value> {
    let (slot, binding) = (call.queues()?, call.text(1)?);
    let text = items(call)?;
    let queues = slot.queues.clone();
    let send = async move { queues.send_batch_text(&binding, &text).await.map(|()| End::Nothing) };
    begun(call, slot.begin(send))
}

/// Judges values one by one: the whole has no text of its own, so none whose size could count.
fn items(call: &Call<'_>) -> Result<String> {
    let list = call.value(2);
    let count = call.env.length(list) / 2;
    let mut items = Items::new(count as usize)?;
    for at in 0..count {
        let text = call.env.to_text(call.env.element(list, 2 * at)).unwrap_or_default();
        let whole = call.env.to_flag(call.env.element(list, 2 * at + 1)).unwrap_or(false);
        let pushed = items.push_item(text.as_bytes());
        let shape = |error: &Error| error.code() == Code::QueueBatchItem;
        if !whole && !pushed.as_ref().is_err_and(shape) {
            return Err(not_json().at_index(at as usize));
        }
        pushed?;
    }
    let mut text = String::from("[");
    for message in items.finish()? {
        let comma = if text.len() > 1 { "," } else { "" };
        // Writing into a text does not fail.
        let _ = write!(
            text,
            "{comma}{{\"body\":{},\"delaySeconds\":{}}}",
            message.body, message.delay_seconds
        );
    }
    text.push(']');
    Ok(text)
}

/// `queueConsume(queues, name)`: gives the number of a consumer.
fn consume(call: &Call<'_>) -> Result<Value> {
    let (slot, name) = (call.queues()?, call.text(1)?);
    let queues = slot.queues.clone();
    let open = async move { Ok(End::Consumer(Box::new(queues.consumer(&name).await?))) };
    begun(call, slot.begin(open))
}

/// `queueNext(queues, consumer)`: gives the number of a batch, or null once the consumer was stopped.
fn next(call: &Call<'_>) -> Result<Value> {
    let next = call.queues()?.next(call.id(1));
    begun(call, next)
}

/// `queueStop(queues, consumer)`: it takes no more batches.
fn stop(call: &Call<'_>) -> Result<Value> {
    call.queues()?.consumer(call.id(1))?.stop();
    Ok(call.undefined())
}

/// `queueRead(queues, batch)`: its text.
fn read(call: &Call<'_>) -> Result<Value> {
    let text = call.queues()?.batch(call.id(1))?.read_batch_text();
    refused(call, text.map(|text| call.env.string(text.as_bytes())))
}

/// `queueAck(queues, batch, index)`
fn ack(call: &Call<'_>) -> Result<Value> {
    let (slot, index) = (call.queues()?, call.double(2));
    let batch = slot.batch(call.id(1))?;
    batch.check(index, 0.0)?;
    begun(call, slot.begin(async move { Ok(batch.ack(index).await.map(|()| End::Nothing)?) }))
}

/// `queueRetry(queues, batch, index, delay)`
fn retry(call: &Call<'_>) -> Result<Value> {
    let (slot, index, delay) = (call.queues()?, call.double(2), call.double(3));
    let batch = slot.batch(call.id(1))?;
    batch.check(index, delay)?;
    begun(
        call,
        slot.begin(async move { Ok(batch.retry(index, delay).await.map(|()| End::Nothing)?) }),
    )
}

/// `queueFinish(queues, batch, success)`: the handler has ended.
fn finish(call: &Call<'_>) -> Result<Value> {
    let slot = call.queues()?;
    let batch = slot.release(call.id(1));
    let outcome = if call.flag(2) { Outcome::Success } else { Outcome::Failure };
    let finish = async move {
        if let Some(batch) = batch {
            batch.finish(outcome).await;
        }
        Ok(End::Nothing)
    };
    begun(call, slot.begin(finish))
}

/// `queueClose(queues)`: closes the stores.
fn close(call: &Call<'_>) -> Result<Value> {
    let slot = call.queues()?;
    let queues = slot.queues.clone();
    let close = async move {
        let closed = queues.close().await;
        closed.map_err(|error| Error::new(Code::QueueStore, error.words()))?;
        Ok(End::Nothing)
    };
    begun(call, slot.begin(close))
}

/// `queueForget(queues)`: JavaScript has no use for them any more.
#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one form")]
fn forget(call: &Call<'_>) -> Result<Value> {
    call.state.forget_queues(call.id(0));
    Ok(call.undefined())
}

/// `queueEnd()`: the environment is about to end. Node tells the addon of that only where it does not exit in the middle.
#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one form")]
fn end(call: &Call<'_>) -> Result<Value> {
    call.state.end_queues();
    Ok(call.undefined())
}

/// `queueNoEvent()`: throws the error of an operation outside of an event.
fn outside(_: &Call<'_>) -> Result<Value> {
    Err(no_event())
}

/// `queueEventKind()`: what it is inside of one.
#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one form")]
fn event_kind(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(EVENT_KIND.as_bytes()))
}

fn begun(call: &Call<'_>, operation: Result<u64, Refusal>) -> Result<Value> {
    refused(call, operation.map(|number| call.env.number(number)))
}

/// Throws a fault as what it is.
fn refused(call: &Call<'_>, result: Result<Value, Refusal>) -> Result<Value> {
    match result {
        Ok(value) => Ok(value),
        Err(Refusal::Error(error)) => Err(error),
        Err(Refusal::Fault(fault)) => {
            call.state.throw_fault(call.env, &fault);
            Ok(call.undefined())
        }
    }
}
