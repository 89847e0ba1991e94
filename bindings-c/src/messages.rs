//! Variables: events, requests, subscriptions.
use crate::{
    callback::Closure,
    core::Core,
    error::{Error, Failure, Status, borrow, boundary, put},
    generated::{RequestManyOptions, RequestOptions, SubscriptionOptions},
    headers::Headers,
    hub::{dialect, spelled},
    message::{MessageClosure, MessageFn, checked},
    operation::{Operation, begin},
    options,
    slice::Str,
    subscription::Subscription,
    variable::Variable,
    worker::Sub,
};
use posthouse_kit::{self as kit, Given, ManySettings, RequestSettings, Set, SubscriptionSettings};
use std::sync::Arc;

/// Sends an event to whoever is subscribed now; done when the bounded transport has taken it. `body` NULL is
/// JSON null, `headers` may be NULL. Never blocks.
/// INVALID_TOPIC, INVALID_MESSAGE, MESSAGE_TOO_LARGE, BUFFER_OVERFLOW, DISCONNECTED, DRAINING, CLOSED, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_publish(
    variable: *const Variable,
    body: Str,
    headers: *const Headers,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives live handles, or none.
        let (variable, headers) =
            unsafe { (borrow(variable, "variable")?, Headers::given(headers)) };
        let body = checked(&variable.core, body)?;
        Ok(variable.core.kit.publish(variable.id, &body, headers)?)
    })
}

fn set_all(
    core: &Core,
    given: &impl options::Sized,
    mut set: impl FnMut(&str, Given<'_>) -> kit::Result<Set>,
) -> kit::Result<()> {
    given.each(&mut |name, given| set(&spelled(name, core.camel_case), given).map(drop))
}

/// Asks; the operation gives the first answer. `body` NULL is JSON null, `options` may be NULL. Nothing is
/// ever sent twice; giving up undoes nothing on the other side.
/// As `posthouse_variable_publish`; the operation ends with TIMEOUT, NO_RESPONDERS, INVALID_MESSAGE,
/// DISCONNECTED, CANCELLED, BUFFER_OVERFLOW, PERMISSION_DENIED, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_request(
    variable: *const Variable,
    body: Str,
    options: *const RequestOptions,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle and a structure for the call, or none.
        let (variable, given) = unsafe { (borrow(variable, "variable")?, options::read(options)?) };
        let core = &variable.core;
        let mut settings = RequestSettings::new(dialect(core.camel_case), &core.kit);
        set_all(core, &given, |name, given| settings.set(name, given))?;
        let request = kit::Operation::Request {
            var: variable.id,
            body: &checked(core, body)?,
            // SAFETY: the program gives live headers, or none.
            headers: unsafe { Headers::given(given.headers()) },
            timeout_ms: settings.timeout_ms,
            collect: None,
        };
        begin(core, "request()", request, operation)
    })
}

/// Asks, and collects answers until the window closes or enough have come. A failure carries the answers
/// until then. As `posthouse_variable_request`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_request_many(
    variable: *const Variable,
    body: Str,
    options: *const RequestManyOptions,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle and a structure for the call, or none.
        let (variable, given) = unsafe { (borrow(variable, "variable")?, options::read(options)?) };
        let core = &variable.core;
        let mut settings = ManySettings::new(dialect(core.camel_case));
        set_all(core, &given, |name, given| settings.set(name, given))?;
        let request = kit::Operation::Request {
            var: variable.id,
            body: &checked(core, body)?,
            // SAFETY: the program gives live headers, or none.
            headers: unsafe { Headers::given(given.headers()) },
            timeout_ms: settings.timeout_ms(),
            collect: Some(settings.collect()),
        };
        begin(core, "requestMany()", request, operation)
    })
}

fn subscribe(
    variable: *const Variable,
    options: *const SubscriptionOptions,
    answering: bool,
    closure: Closure<MessageFn>,
    subscription: *mut *mut Subscription,
    operation: *mut *mut Operation,
) -> Result<(), Failure> {
    // SAFETY: the program gives a live handle and a structure for the call, or none.
    let (variable, given) = unsafe { (borrow(variable, "variable")?, options::read(options)?) };
    let core = &variable.core;
    let mut settings = SubscriptionSettings::new(dialect(core.camel_case));
    set_all(core, &given, |name, given| settings.set(name, given))?;
    let options = settings.options(answering);
    let (sub, waiting) = if core.manual {
        // No event comes between.
        let mut tables = core.tables();
        let (id, waiting) = core.kit.subscribe_waiting(variable.id, &options)?;
        let sub = Sub::new(core, id, &variable.name, answering, closure, None);
        tables.subs.insert(id, sub.weak());
        (sub, waiting)
    } else {
        let (reader, waiting) = core.kit.subscribe_reading(variable.id, &options)?;
        let id = reader.sub();
        let sub = Sub::new(core, id, &variable.name, answering, closure, Some(reader));
        core.tables().subs.insert(id, sub.weak());
        sub.start()?;
        (sub, waiting)
    };
    let what = if answering { "handle()" } else { "subscribe()" };
    let waiting = Operation::new(core, what, waiting);
    // SAFETY: the program gives places, or none.
    unsafe {
        put(subscription, Subscription(Arc::clone(&sub)))?;
        put(operation, waiting)?;
    }
    Ok(())
}

/// Receives events and requests, once the broker has taken the subscription: when the operation has ended.
/// `closure` is called with one message after the other. `options` may be NULL. Free both handles; freeing
/// the subscription ends it.
/// INVALID_TOPIC, INVALID_OPTIONS, BUFFER_OVERFLOW, DISCONNECTED, DRAINING, CLOSED, FORKED; the operation
/// ends with PERMISSION_DENIED, TIMEOUT, DISCONNECTED, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_subscribe(
    variable: *const Variable,
    options: *const SubscriptionOptions,
    closure: MessageClosure,
    subscription: *mut *mut Subscription,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    let closure = Closure::new(closure);
    boundary(error, move || subscribe(variable, options, false, closure, subscription, operation))
}

/// Handles requests: `closure` answers each with `posthouse_message_answer`, defers it, or fails. One that
/// returns without any of these has answered JSON null. As `posthouse_variable_subscribe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_variable_handle(
    variable: *const Variable,
    options: *const SubscriptionOptions,
    closure: MessageClosure,
    subscription: *mut *mut Subscription,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    let closure = Closure::new(closure);
    boundary(error, move || subscribe(variable, options, true, closure, subscription, operation))
}
