//! What is refused inside a handler, in the same words in every language.
use crate::Error;
use posthouse_core::Code;

/// `DRAIN_IN_HANDLER`; `what` is "the hub" or "the subscription".
pub fn drain_in_handler(what: &str) -> Error {
    Error::new(
        Code::DrainInHandler,
        format!(
            "a handler cannot drain {what} that waits for this handler to end: drain from outside, or close"
        ),
    )
}

/// `BLOCKING_IN_HANDLER`; `what` is the call as the language spells it, e.g. `request()`.
pub fn blocking_in_handler(what: &str) -> Error {
    Error::new(
        Code::BlockingInHandler,
        format!(
            "{what} would block the thread that runs this hub's handlers, and might wait for itself: call it from another thread, or after the handler has returned"
        ),
    )
}
