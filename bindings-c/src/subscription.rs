//! Handles of subscriptions.
use crate::{
    error::{Error, Status, borrow, boundary, quiet, take},
    hub::{drain_timeout, fill},
    operation::{Operation, begin},
    scope,
    slice::Buf,
    worker::Sub,
};
use posthouse_kit::{self as kit, refusal};
use std::sync::Arc;

/// A handle of a subscription or handler.
pub struct Subscription(pub(crate) Arc<Sub>);

/// Ends it at once: what waits is discarded. Outside callbacks of the hub waits until its handler does not
/// run; inside one it returns at once, and a handler that runs may finish. Any number of times. FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_subscription_unsubscribe(
    subscription: *const Subscription,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: the program gives a live handle, or none.
    boundary(error, || Ok(unsafe { borrow(subscription, "subscription")? }.0.unsubscribe()?))
}

/// Ends it in order: accepted messages are handled and their answers sent. POSTHOUSE_DEFAULT is 5,000 ms.
/// DRAIN_IN_HANDLER in its own handler; the operation ends with DRAIN_TIMEOUT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_subscription_drain(
    subscription: *const Subscription,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let sub = &unsafe { borrow(subscription, "subscription")? }.0;
        if scope::inside_handler(sub.core.key(), sub.id) {
            return Err(refusal::drain_in_handler("the subscription").into());
        }
        let timeout_ms = drain_timeout(&sub.core, timeout_ms)?;
        let drain = kit::Operation::DrainSubscription { sub: sub.id, timeout_ms };
        begin(&sub.core, "drain()", drain, operation)
    })
}

/// Counts, limits and phase, as JSON with keys in camel case. The program frees it. FORKED, INTERNAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_subscription_status(
    subscription: *const Subscription,
    json: *mut Buf,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let sub = &unsafe { borrow(subscription, "subscription")? }.0;
        Ok(fill(json, sub.core.kit.subscription_status_json(sub.id)?)?)
    })
}

/// Ends it as `posthouse_subscription_unsubscribe` does and frees the handle. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_subscription_free(subscription: *mut Subscription) {
    quiet((), || {
        // SAFETY: the program gives up its handle.
        let Some(subscription) = (unsafe { take(subscription) }) else { return };
        if kit::forked() {
            std::mem::forget(subscription);
            return;
        }
        // Only a dead hub has an error here, and its handlers have ended.
        let _ = subscription.0.unsubscribe();
    });
}
