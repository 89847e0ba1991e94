//! Errors as handles, and the boundary that no panic passes.
use crate::{generated::number, headers::Headers, slice::Str};
use posthouse_kit::{self as kit, Code, Reply, guard};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

/// A code; 0 is success.
pub type Status = u32;

/// Everything of a failure.
#[derive(Debug)]
pub struct Error(pub(crate) Failure);

/// What an export's body fails with.
pub(crate) type Failure = posthouse_kit::Failure;

pub(crate) fn refused(code: Code, text: impl Into<String>) -> kit::Error {
    kit::Error::new(code, text)
}

/// Runs the body of an export that can fail, and fills what the caller gave for the error.
pub(crate) fn boundary(out: *mut *mut Error, body: impl FnOnce() -> Result<(), Failure>) -> Status {
    let done = guard(|| Ok(body())).unwrap_or_else(|panic| Err(panic.into()));
    match done {
        Ok(()) => {
            // SAFETY: the program gives a place for a pointer, or none.
            if let Some(out) = unsafe { out.as_mut() } {
                *out = ptr::null_mut();
            }
            0
        }
        Err(failure) => {
            let code = number(failure.error.code());
            // SAFETY: as above.
            if let Some(out) = unsafe { out.as_mut() } {
                *out = Box::into_raw(Box::new(Error(failure)));
            }
            code
        }
    }
}

/// Runs the body of an export that cannot say that it failed.
pub(crate) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// What a handle points at; `what` names it for the message.
///
/// # Safety
/// It is NULL, or a handle of this library that stays as long as `'a`.
pub(crate) unsafe fn borrow<'a, T>(handle: *const T, what: &str) -> kit::Result<&'a T> {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.ok_or_else(|| {
        refused(Code::InvalidOptions, format!("the argument `{what}` is NULL; give a handle"))
    })
}

/// Puts a new handle where the program wants it.
///
/// # Safety
/// `out` is NULL or a place for a pointer.
pub(crate) unsafe fn put<T>(out: *mut *mut T, value: T) -> kit::Result<()> {
    // SAFETY: as the caller promises.
    let out = unsafe { out.as_mut() }.ok_or_else(|| {
        refused(Code::InvalidOptions, "the argument for the result is NULL; give a place for it")
    })?;
    *out = Box::into_raw(Box::new(value));
    Ok(())
}

/// Takes a handle back, to drop it.
///
/// # Safety
/// It is NULL, or was made by [`put`] and not freed since.
pub(crate) unsafe fn take<T>(handle: *mut T) -> Option<Box<T>> {
    if handle.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { Box::from_raw(handle) })
}

/// What went wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_code(error: *const Error) -> Status {
    // SAFETY: the program gives a live handle, or none.
    unsafe { error.as_ref() }.map_or(0, |error| number(error.0.error.code()))
}

/// What was given, what is allowed and what to do; never a secret. Borrowed from the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_message(error: *const Error) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { error.as_ref() }.map_or(Str::NONE, |error| Str::of(error.0.error.message().as_bytes()))
}

/// The limit that was passed, or -1 where the error is not about one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_limit(error: *const Error) -> i64 {
    // SAFETY: the program gives a live handle, or none.
    let limit = unsafe { error.as_ref() }.and_then(|error| error.0.error.limit());
    limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

/// What was measured against the limit, or -1 where the error is not about one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_actual(error: *const Error) -> i64 {
    // SAFETY: the program gives a live handle, or none.
    let actual = unsafe { error.as_ref() }.and_then(|error| error.0.error.actual());
    actual.map_or(-1, |actual| i64::try_from(actual).unwrap_or(i64::MAX))
}

/// How many answers a collection had before it failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_partial_count(error: *const Error) -> usize {
    // SAFETY: the program gives a live handle, or none.
    unsafe { error.as_ref() }.map_or(0, |error| error.0.partial.len())
}

fn partial<'a>(error: *const Error, index: usize) -> Option<&'a Reply> {
    // SAFETY: the program gives a live handle, or none, and keeps it while it uses what is borrowed.
    unsafe { error.as_ref() }.and_then(|error| error.0.partial.get(index))
}

/// The JSON of one of these answers, borrowed from the error; NULL past the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_partial_body(error: *const Error, index: usize) -> Str {
    partial(error, index).map_or(Str::NONE, |reply| Str::of(&reply.payload))
}

/// The headers of one of these answers, borrowed from the error; NULL past the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_partial_headers(
    error: *const Error,
    index: usize,
) -> *const Headers {
    partial(error, index).map_or(ptr::null(), |reply| Headers::view(&reply.headers))
}

/// Frees an error. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_error_free(error: *mut Error) {
    // SAFETY: the program gives up its handle.
    quiet((), || drop(unsafe { take(error) }));
}
