//! A variable as the JavaScript half sees it: the number of its hub, its own, and texts.
use crate::{
    call::{Call, Functions, function},
    headers,
    hub::{begin, millis},
    js::Value,
    options::{self, JAVASCRIPT},
    state::{Slot, give},
    subscription::Subscription,
};
use posthouse_kit::{
    Code, Group, Headers, ManySettings, Meta, Operation, RequestSettings, Result,
    SubscriptionSettings, VarId, WatchId,
    json::{self, Fault, JsonError},
    settings::check,
};

pub(crate) const FUNCTIONS: Functions = &[
    function!(c"variable", variable),
    function!(c"publish", publish),
    function!(c"checkPublish", check_publish),
    function!(c"set", set),
    function!(c"delete", delete),
    function!(c"get", get),
    function!(c"meta", meta),
    function!(c"variableReady", ready),
    function!(c"request", request),
    function!(c"requestMany", request_many),
    function!(c"subscribe", subscribe),
    function!(c"watch", watch),
    function!(c"takeWatch", take_watch),
    function!(c"unwatch", unwatch),
    function!(c"refuse", refuse),
];

fn var(call: &Call<'_>) -> VarId {
    VarId(call.id(1) as u32)
}

/// `variable(hub, name)`: its number.
fn variable(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.number(call.hub()?.hub.var(&call.text(1)?)?.0.into()))
}

/// Checks a message's body, reads its headers, and hands both on.
pub(crate) fn message<R>(
    call: &Call<'_>,
    slot: &Slot,
    body: usize,
    send: impl FnOnce(&[u8], Option<&Headers>) -> Result<R>,
) -> Result<R> {
    let headers = headers::read(call, body + 1)?;
    call.with_body(body, |body| {
        json::validate(body, &slot.hub.message_limits())
            .map_err(|error| error.into_error(Code::InvalidMessage, Code::MessageTooLarge))?;
        send(body, headers.as_ref())
    })
}

/// `publish(hub, variable, body, headers)`
fn publish(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    message(call, &slot, 2, |body, headers| slot.hub.publish(var(call), body, headers))?;
    Ok(call.undefined())
}

/// `checkPublish(options)`: refuses an option that publishing and replying do not have.
fn check_publish(call: &Call<'_>) -> Result<Value> {
    options::each(call, 0, |name, given| check(JAVASCRIPT, Group::Publish, name, given).map(drop))?;
    Ok(call.undefined())
}

/// `set(hub, variable, value)`
fn set(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    call.with_body(2, |value| slot.hub.set(var(call), value))?;
    Ok(call.undefined())
}

fn delete(call: &Call<'_>) -> Result<Value> {
    call.hub()?.hub.delete(var(call))?;
    Ok(call.undefined())
}

/// `get(hub, variable)`: JSON, or undefined where there is no value.
fn get(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    let mut buffer = call.state.buffer.take();
    let found = slot.hub.get_into(var(call), &mut buffer);
    let value = match found {
        Ok(true) => Ok(call.env.string(&buffer)),
        Ok(false) => Ok(call.undefined()),
        Err(error) => Err(error),
    };
    call.state.buffer.replace(buffer);
    value
}

/// `meta(hub, variable)`: JSON.
fn meta(call: &Call<'_>) -> Result<Value> {
    let meta = call.hub()?.hub.meta(var(call))?;
    give(call, |out| write_meta(out, &meta))
}

fn write_meta(out: &mut Vec<u8>, meta: &Meta) -> Result<()> {
    json::to_vec(meta, out, &json::Limits::VALUE)
        .map_err(|error| error.into_error(Code::Internal, Code::Internal))
}

/// `variableReady(hub, variable, timeout)`: an operation's number.
fn ready(call: &Call<'_>) -> Result<Value> {
    let timeout_ms = millis(call, 2)?;
    begin(call, Operation::Ready { var: Some(var(call)), timeout_ms })
}

/// `request(hub, variable, body, headers, options)`: an operation's number.
fn request(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    let mut settings = RequestSettings::new(JAVASCRIPT, &slot.hub);
    options::each(call, 4, |name, given| settings.set(name, given).map(drop))?;
    let (var, timeout_ms) = (var(call), settings.timeout_ms);
    let op = message(call, &slot, 2, |body, headers| {
        slot.hub.begin(Operation::Request { var, body, headers, timeout_ms, collect: None })
    })?;
    Ok(call.env.number(op.0))
}

/// `requestMany(hub, variable, body, headers, options)`: an operation's number.
fn request_many(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    let mut settings = ManySettings::new(JAVASCRIPT);
    options::each(call, 4, |name, given| settings.set(name, given).map(drop))?;
    let (var, timeout_ms) = (var(call), settings.timeout_ms());
    let collect = Some(settings.collect());
    let op = message(call, &slot, 2, |body, headers| {
        slot.hub.begin(Operation::Request { var, body, headers, timeout_ms, collect })
    })?;
    Ok(call.env.number(op.0))
}

/// `subscribe(hub, variable, answering, options)`: the numbers of subscription and operation, as JSON.
fn subscribe(call: &Call<'_>) -> Result<Value> {
    let slot = call.hub()?;
    let mut settings = SubscriptionSettings::new(JAVASCRIPT);
    options::each(call, 3, |name, given| settings.set(name, given).map(drop))?;
    let (sub, op) = slot.hub.subscribe(var(call), &settings.options(call.flag(2)))?;
    let subscription = Subscription::new(slot.hub.progress(sub)?);
    slot.subscriptions.borrow_mut().insert(sub, subscription);
    Ok(call.env.string(format!("[{},{}]", sub.0, op.0).as_bytes()))
}

/// `watch(hub, variable)`: the watch's number.
fn watch(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.number(call.hub()?.hub.watch(var(call))?.0))
}

/// `takeWatch(hub, watch)`: `[meta]` or `[meta,value]` as JSON; undefined once it was stopped, or the hub
/// is gone.
fn take_watch(call: &Call<'_>) -> Result<Value> {
    let Ok(Some(view)) = call.hub()?.hub.take_watch(WatchId(call.id(1))) else {
        return Ok(call.undefined());
    };
    give(call, |out| {
        out.push(b'[');
        write_meta(out, &view.meta)?;
        if let Some(value) = &view.value {
            out.push(b',');
            out.extend_from_slice(value);
        }
        out.push(b']');
        Ok(())
    })
}

/// `unwatch(hub, watch)`
fn unwatch(call: &Call<'_>) -> Result<Value> {
    let _ = call.hub()?.hub.unwatch(WatchId(call.id(1)));
    Ok(call.undefined())
}

/// `refuse(state, fault, path, detail)`: throws the refusal of a value that no JSON text can stand for.
/// The path is an array of keys and indices.
fn refuse(call: &Call<'_>) -> Result<Value> {
    let fault = match call.text(1)?.as_str() {
        "number" => Fault::Number,
        "unicode" => Fault::Unicode,
        "depth" => Fault::Depth,
        _ => Fault::Type,
    };
    let (env, path) = (call.env, call.value(2));
    let mut error = JsonError { limit: json::Limits::VALUE.depth, ..JsonError::new(fault, 0) };
    if fault == Fault::Type {
        error.detail = Some(call.text(3)?);
    }
    for at in (0..env.length(path)).rev() {
        let step = env.element(path, at);
        error = match env.to_number(step) {
            Some(index) => error.under_index(index as usize),
            None => error.under_key(&env.to_text(step).unwrap_or_default()),
        };
    }
    Err(if call.flag(0) {
        error.into_error(Code::InvalidValue, Code::ValueTooLarge)
    } else {
        error.into_error(Code::InvalidMessage, Code::MessageTooLarge)
    })
}
