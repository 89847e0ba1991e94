//! Callbacks where the program wants them.
use crate::{
    error::{Error, Status, borrow, boundary, quiet, refused},
    hub::Hub,
};
use posthouse_kit::{Code, refusal};

/// With POSTHOUSE_DISPATCH_FD the descriptor that is readable while `posthouse_hub_process` has something
/// to do; else -1. Only to be waited on; it is the hub's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_fd(hub: *const Hub) -> i32 {
    quiet(-1, || {
        // SAFETY: the program gives a live handle, or none.
        let fd = unsafe { hub.as_ref() }.and_then(|hub| hub.0.kit.wake_fd());
        fd.unwrap_or(-1)
    })
}

/// Runs callbacks on this thread, for at most `max` events and messages; never waits for any. `more`, which
/// may be NULL, says whether there is something left: the descriptor stays readable then, or `wake` is
/// called again. One thread at a time runs them, another one waits.
/// BLOCKING_IN_HANDLER inside a callback of this hub, UNSUPPORTED where threads of the library run
/// callbacks, FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_process(
    hub: *const Hub,
    max: usize,
    more: *mut bool,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let core = &unsafe { borrow(hub, "hub")? }.0;
        if !core.manual {
            return Err(refused(
                Code::Unsupported,
                "threads of the library run this hub's callbacks: open it with another dispatch to run them yourself",
            )
            .into());
        }
        if core.inside() {
            return Err(refusal::blocking_in_handler("process()").into());
        }
        let left = core.turn(max)?;
        // SAFETY: the program gives a place, or none.
        if let Some(more) = unsafe { more.as_mut() } {
            *more = left;
        }
        Ok(())
    })
}
