//! The one wake of a hub: a threadsafe function, weak unless the program waits for something.
//!
//! The core signals once a batch (it keeps the armed flag), on any thread. Two things must never
//! happen: a call after the environment has ended, and a use of the handle after Node has said that
//! it is closing. Both are kept by one lock around the handle: whoever takes it out ends it.
use crate::js::{Env, Value};
use napi_sys as sys;
use posthouse_kit::{Code, Error, Result};
use std::{
    ffi::c_void,
    ptr,
    sync::{Mutex, PoisonError},
};

pub(crate) struct Wake(Mutex<Option<Handle>>);

struct Handle(sys::napi_threadsafe_function);

// SAFETY: Node allows threadsafe functions to be called on every thread; everything else that is done
// with the handle is done on the environment's thread, which holds an `Env`.
unsafe impl Send for Handle {}

impl Wake {
    /// A wake that calls `function`, without arguments and on the environment's thread.
    pub(crate) fn new(env: Env, function: Value) -> Result<Self> {
        let mut handle = ptr::null_mut();
        let name = env.string(b"posthouse");
        // SAFETY: the environment is live; one thread count is ours, given back in `release` or
        // by Node when it says that it closes.
        let status = unsafe {
            let status = sys::napi_create_threadsafe_function(
                env.raw(),
                function.0,
                ptr::null_mut(),
                name.0,
                0,
                1,
                ptr::null_mut(),
                None,
                ptr::null_mut(),
                Some(wake),
                &raw mut handle,
            );
            if status == sys::Status::napi_ok {
                sys::napi_unref_threadsafe_function(env.raw(), handle);
            }
            status
        };
        if status != sys::Status::napi_ok {
            return Err(Error::new(Code::Internal, "Node gives no threadsafe function"));
        }
        Ok(Self(Mutex::new(Some(Handle(handle)))))
    }

    /// Wakes the event loop. On any thread.
    pub(crate) fn call(&self) {
        let mut handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Handle(raw)) = *handle else { return };
        // SAFETY: the handle is in its place, so it has not been released.
        let status = unsafe {
            sys::napi_call_threadsafe_function(
                raw,
                ptr::null_mut(),
                sys::ThreadsafeFunctionCallMode::nonblocking,
            )
        };
        if status == sys::Status::napi_closing {
            // With that answer Node has taken our count back.
            *handle = None;
        }
    }

    /// Whether the program is kept from ending by this.
    pub(crate) fn hold(&self, env: Env, hold: bool) {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Handle(raw)) = *handle else { return };
        // SAFETY: as in `call`, and this is the environment's thread.
        unsafe {
            if hold {
                sys::napi_ref_threadsafe_function(env.raw(), raw);
            } else {
                sys::napi_unref_threadsafe_function(env.raw(), raw);
            }
        }
    }

    /// No call from here on.
    pub(crate) fn release(&self) {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Handle(raw)) = handle {
            // SAFETY: taken out of its place: nobody uses it after this.
            unsafe {
                sys::napi_release_threadsafe_function(
                    raw,
                    sys::ThreadsafeFunctionReleaseMode::release,
                );
            }
        }
    }
}

/// What Node runs on the environment's thread.
unsafe extern "C" fn wake(
    env: sys::napi_env,
    function: sys::napi_value,
    _context: *mut c_void,
    _data: *mut c_void,
) {
    // Without an environment it is ending, and JavaScript must not be called.
    if env.is_null() || function.is_null() {
        return;
    }
    // SAFETY: Node calls this on the environment's thread.
    unsafe { Env::new(env) }.call(Value(function));
}
