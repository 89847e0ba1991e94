//! A hub as the JavaScript half sees it: operations that are begun here, and one place from which
//! everything that happens is fetched.
use crate::{
    call::{Call, Functions, function},
    events,
    js::{Kind, Value},
    options::{self, JAVASCRIPT, given},
    state::give,
    wake::Wake,
};
use posthouse_kit::{
    AskId, Code, Connection, DrainSettings, Error, Event, Hub, HubSettings, Op, Operation, Result,
    refusal, settings::duration_ms,
};
use std::sync::Arc;

pub(crate) const FUNCTIONS: Functions = &[
    function!(c"open", open),
    function!(c"hold", hold),
    function!(c"namespace", namespace),
    function!(c"instanceId", instance_id),
    function!(c"state", state),
    function!(c"status", status),
    function!(c"instances", instances),
    function!(c"poll", poll),
    function!(c"connected", connected),
    function!(c"ready", ready),
    function!(c"flush", flush),
    function!(c"drain", drain),
    function!(c"close", close),
    function!(c"cancel", cancel),
    function!(c"tell", tell),
    function!(c"callbackFailed", callback_failed),
    function!(c"refuseDrain", refuse_drain),
    #[cfg(feature = "test-hooks")]
    function!(c"fail", fail),
];

/// `open(namespace, options, runtime, wake)`: the number of a new hub.
fn open(call: &Call<'_>) -> Result<Value> {
    let namespace = match call.env.kind(call.value(0)) {
        Kind::Undefined => None,
        _ => Some(call.text(0)?),
    };
    let mut settings =
        HubSettings::new(JAVASCRIPT, "javascript", call.text(2)?).namespace(namespace.as_deref());
    options::each(call, 1, |name, given| settings.set(name, given).map(drop))?;
    let wake = Arc::new(Wake::new(call.env, call.value(3))?);
    let calls = Arc::clone(&wake);
    let signal = posthouse_kit::Wake::Callback(Box::new(move || calls.call()));
    match Hub::open(settings, signal) {
        Ok(hub) => Ok(call.env.number(call.state.add(hub, wake))),
        Err(error) => {
            wake.release();
            Err(error)
        }
    }
}

/// `hold(hub, flag)`: whether the program is kept from ending by this hub.
fn hold(call: &Call<'_>) -> Result<Value> {
    call.hub()?.wake.hold(call.env, call.flag(1));
    Ok(call.undefined())
}

fn namespace(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(call.hub()?.hub.namespace().as_bytes()))
}

fn instance_id(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(call.hub()?.hub.instance_id().as_bytes()))
}

fn state(call: &Call<'_>) -> Result<Value> {
    let name = match call.hub()?.hub.connection()? {
        Connection::Starting => "starting",
        Connection::Connecting => "connecting",
        Connection::Connected => "connected",
        Connection::Offline => "offline",
        Connection::Error => "error",
        Connection::Closed => "closed",
    };
    Ok(call.env.string(name.as_bytes()))
}

/// `status(hub)`: JSON.
fn status(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(&call.hub()?.hub.status_json()?))
}

/// `instances(hub)`: JSON.
fn instances(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(&call.hub()?.hub.instances_json()?))
}

/// `poll(hub, limit)`: a batch of events as JSON, see `events`. Whether more wait, the wake tells.
fn poll(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    let mut batch = Vec::new();
    slot.hub.poll(call.id(1) as usize, &mut batch)?;
    if batch.contains(&Event::Gone) {
        slot.end();
    }
    give(call, |out| {
        events::write(out, &batch);
        Ok(())
    })
}

/// `connected(hub, timeout)`: an operation's number, as for all that end later.
fn connected(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = Some(hub_millis(call, 1)?);
    begin(call, Operation::Connected { timeout_ms })
}

fn ready(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = millis(call, 1)?;
    begin(call, Operation::Ready { var: None, timeout_ms })
}

fn flush(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = hub_millis(call, 1)?;
    begin(call, Operation::Flush { timeout_ms })
}

fn drain(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = drain_millis(call, 1)?;
    begin(call, Operation::Drain { timeout_ms })
}

/// `close(hub)`: when everything is gone, an event tells.
fn close(call: &Call<'_>) -> Result<Value> {
    call.hub()?.hub.close()?;
    Ok(call.undefined())
}

/// `cancel(hub, operation)`
fn cancel(call: &Call<'_>) -> Result<Value> {
    call.hub()?.hub.cancel(Op(call.id(1)))?;
    Ok(call.undefined())
}

/// `tell(hub, ask, credential, failure)`: without a credential, why there is none.
fn tell(call: &Call<'_>) -> Result<Value> {
    let answer = match call.env.kind(call.value(2)) {
        Kind::String => Ok(call.text(2)?),
        _ => Err(Error::new(Code::HandlerError, call.text(3)?)),
    };
    call.hub()?.hub.tell(AskId(call.id(1)), answer)?;
    Ok(call.undefined())
}

/// `callbackFailed(hub, what, message)`: reported as `HANDLER_ERROR`. Never fails.
fn callback_failed(call: &Call<'_>) -> Result<Value> {
    let _ = call.hub()?.hub.handler_failed(&call.text(1)?, &call.text(2)?);
    Ok(call.undefined())
}

/// `refuseDrain(what)`: throws the error of a drain inside a handler that it would wait for.
fn refuse_drain(call: &Call<'_>) -> Result<Value> {
    Err(refusal::drain_in_handler(&call.text(0)?))
}

/// `fail(hub, where)`: panics, 0 here, 1 in the middle of an operation, else soon on the network's thread.
#[cfg(feature = "test-hooks")]
fn fail(call: &Call<'_>) -> Result<Value> {
    use posthouse_kit::Fault;
    let fault = match call.id(1) {
        0 => Fault::Here,
        1 => Fault::UnderLock,
        _ => Fault::OnIoThread,
    };
    call.hub()?.hub.fail(fault)?;
    Ok(call.undefined())
}

/// Begins an operation and gives its number.
pub(crate) fn begin(call: &Call<'_>, operation: Operation<'_>) -> Result<Value> {
    Ok(call.env.number(call.hub()?.hub.begin(operation)?.0))
}

/// A time-out argument.
pub(crate) fn millis(call: &Call<'_>, index: usize) -> Result<Option<u64>> {
    given(call.env, call.value(index), |given| duration_ms(JAVASCRIPT, "timeout", given))
}

/// A time-out argument; undefined stands for the hub's own.
fn hub_millis(call: &Call<'_>, index: usize) -> Result<u64> {
    Ok(millis(call, index)?.unwrap_or(call.hub()?.hub.timeout_ms()))
}

/// A drain's time-out argument.
pub(crate) fn drain_millis(call: &Call<'_>, index: usize) -> Result<u64> {
    let mut settings = DrainSettings::new(JAVASCRIPT);
    given(call.env, call.value(index), |given| settings.set("timeout", given))?;
    Ok(settings.timeout_ms())
}
