//! What has an end: waiting for it, being told of it, what it gave.
use crate::{
    callback::{Closure, Raw},
    core::{Core, LONG},
    error::{Error, Failure, Status, borrow, boundary, put, quiet, refused, take},
    headers::Headers,
    slice::Str,
};
use posthouse_kit::{self as kit, Code, EndReason, Op, OpResult, Reply, Waiting, refusal};
use std::{
    ffi::c_void,
    ptr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

pub type DoneFn = unsafe extern "C" fn(*mut c_void, *mut Outcome, *mut Error);
pub type DoneClosure = Raw<DoneFn>;

/// A handle of an operation.
pub struct Operation {
    core: Arc<Core>,
    op: Op,
    what: &'static str,
    /// Gone once its end is told by a callback.
    waiting: Mutex<Option<Arc<Waiting>>>,
}

/// What an operation gave.
pub struct Outcome {
    replies: Vec<Reply>,
    reason: u32,
}

impl Operation {
    pub fn new(core: &Arc<Core>, what: &'static str, waiting: Waiting) -> Self {
        let op = waiting.op();
        Self { core: Arc::clone(core), op, what, waiting: Mutex::new(Some(Arc::new(waiting))) }
    }

    fn waiting(&self) -> Option<Arc<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Begins an operation and puts its handle where the program wants it.
pub fn begin(
    core: &Arc<Core>,
    what: &'static str,
    operation: kit::Operation<'_>,
    place: *mut *mut Operation,
) -> Result<(), Failure> {
    let waiting = core.kit.begin_waiting(operation)?;
    // SAFETY: the program gives a place, or none.
    Ok(unsafe { put(place, Operation::new(core, what, waiting))? })
}

fn outcome(outcome: kit::Outcome) -> Option<Outcome> {
    match outcome {
        kit::Outcome::Unit => None,
        kit::Outcome::Reply(reply) => Some(Outcome { replies: vec![reply], reason: 0 }),
        kit::Outcome::Replies(replies, reason) => {
            let reason = match reason {
                EndReason::Deadline => 1,
                EndReason::MaxReplies => 2,
            };
            Some(Outcome { replies, reason })
        }
    }
}

fn handle(outcome: Option<Outcome>) -> *mut Outcome {
    outcome.map_or(ptr::null_mut(), |outcome| Box::into_raw(Box::new(outcome)))
}

/// Calls the program's function with an end.
pub fn tell(closure: &Closure<DoneFn>, result: OpResult) {
    let (result, error) = match result {
        Ok(good) => (handle(outcome(good)), ptr::null_mut()),
        Err(failure) => (ptr::null_mut(), Box::into_raw(Box::new(Error(failure)))),
    };
    // SAFETY: the program's function, with its context and handles that are its own from here on.
    closure.call(|call, context| unsafe { call(context, result, error) });
}

/// Waits for the end, at most `timeout_ms`; negative: as long as it takes; 0: looks only. `ended` says
/// whether it has come, and then the code and `error` are the operation's. The end comes out once.
/// `result`, which may be NULL, is NULL where there is nothing but success.
/// BLOCKING_IN_HANDLER in a callback of the hub, but for 0; CLOSED where the end was given out already, or
/// goes to a callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_operation_wait(
    operation: *const Operation,
    timeout_ms: i64,
    ended: *mut bool,
    result: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle and places, or none.
        let (operation, ended, place) =
            unsafe { (borrow(operation, "operation")?, ended.as_mut(), result.as_mut()) };
        let mut unused = false;
        let ended = ended.unwrap_or(&mut unused);
        *ended = false;
        if timeout_ms != 0 && operation.core.inside() {
            return Err(refusal::blocking_in_handler(operation.what).into());
        }
        let waiting = operation.waiting().ok_or_else(|| {
            refused(Code::Closed, "the end of this operation was given out, or goes to a callback")
        })?;
        let limit = u64::try_from(timeout_ms).map_or(Duration::MAX, Duration::from_millis);
        let until = Instant::now().checked_add(limit);
        loop {
            let left = until.map_or(LONG, |until| until.saturating_duration_since(Instant::now()));
            if let Some(end) = waiting.wait(left.min(LONG))? {
                *ended = true;
                operation.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
                let good = outcome(end?);
                if let Some(place) = place {
                    *place = handle(good);
                }
                return Ok(());
            }
            if left.is_zero() {
                return Ok(());
            }
        }
    })
}

/// Waits as long as it takes and frees the operation: the blocking form of everything.
/// The operation's own error, or BLOCKING_IN_HANDLER, which gives it up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_operation_finish(
    operation: *mut Operation,
    result: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: as for the two functions that it calls.
    unsafe {
        let code = posthouse_operation_wait(operation, -1, ptr::null_mut(), result, error);
        posthouse_operation_free(operation);
        code
    }
}

/// Has `done` called with the end, once, also where it has come already. The operation goes on when
/// its handle is freed.
/// CLOSED where the end was given out already, or another thread waits for it; FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_operation_then(
    operation: *const Operation,
    done: DoneClosure,
    error: *mut *mut Error,
) -> Status {
    let done = Closure::new(done);
    boundary(error, move || {
        // SAFETY: the program gives a live handle, or none.
        let operation = unsafe { borrow(operation, "operation")? };
        let waiting = operation.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let waiting =
            waiting.and_then(|waiting| Arc::try_unwrap(waiting).ok()).ok_or_else(|| {
                refused(
                    Code::Closed,
                    "the end of this operation was given out, or a thread waits for it",
                )
            })?;
        // The handle may be freed by whoever is told, as soon as the lock is let go of.
        let (core, op) = (Arc::clone(&operation.core), operation.op);
        let mut tables = core.tables();
        if tables.gone {
            drop(tables);
            // Nobody dispatches any more; the end is there.
            let end = waiting.wait(LONG)?;
            let _inside = crate::scope::enter(core.key(), None);
            if let Some(end) = end {
                tell(&done, end);
            }
            return Ok(());
        }
        tables.operations.insert(op, done);
        if let Err(refused) = waiting.into_event() {
            let done = tables.operations.remove(&op);
            drop(tables);
            drop(done);
            return Err(refused.into());
        }
        Ok(())
    })
}

/// Gives the operation up. Its end comes all the same, with CANCELLED unless it has ended already; what was
/// sent is not undone. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_operation_cancel(operation: *const Operation) {
    quiet((), || {
        // SAFETY: the program gives a live handle, or none.
        if let Some(operation) = unsafe { operation.as_ref() } {
            // Only a child or a dead hub has an error here, and there nothing goes on.
            let _ = operation.core.kit.cancel(operation.op);
        }
    });
}

/// Frees the handle; gives the operation up if its end has not come and goes to no callback. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_operation_free(operation: *mut Operation) {
    quiet((), || {
        // SAFETY: the program gives up its handle.
        let operation = unsafe { take(operation) };
        if kit::forked() {
            std::mem::forget(operation);
        }
    });
}

fn reply<'a>(result: *const Outcome, index: usize) -> Option<&'a Reply> {
    // SAFETY: the program gives a live handle, or none, and keeps it while it uses what is borrowed.
    unsafe { result.as_ref() }.and_then(|result| result.replies.get(index))
}

/// How many answers there are: 1 for a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_result_count(result: *const Outcome) -> usize {
    // SAFETY: the program gives a live handle, or none.
    unsafe { result.as_ref() }.map_or(0, |result| result.replies.len())
}

/// The JSON of an answer. Borrowed from the result; NULL past the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_result_body(result: *const Outcome, index: usize) -> Str {
    reply(result, index).map_or(Str::NONE, |reply| Str::of(&reply.payload))
}

/// The headers of an answer. Borrowed from the result; NULL past the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_result_headers(
    result: *const Outcome,
    index: usize,
) -> *const Headers {
    reply(result, index).map_or(ptr::null(), |reply| Headers::view(&reply.headers))
}

/// Why a collection ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_result_reason(result: *const Outcome) -> Reason {
    // SAFETY: the program gives a live handle, or none.
    match unsafe { result.as_ref() }.map_or(0, |result| result.reason) {
        1 => Reason::Deadline,
        2 => Reason::MaxReplies,
        _ => Reason::None,
    }
}

/// Why a collection ended, as C sees it.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    None = 0,
    Deadline = 1,
    MaxReplies = 2,
}

/// Frees a result. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_result_free(result: *mut Outcome) {
    // SAFETY: the program gives up its handle.
    quiet((), || drop(unsafe { take(result) }));
}
