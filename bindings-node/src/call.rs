//! A call from JavaScript: its arguments, its environment's state, and the way an error gets back.
//!
//! Every function that Node can call is made by [`function!`]: inside it no panic passes, and an error
//! of the core is thrown as the package's `PosthouseError`.
use crate::{
    js::{Env, Value, arguments},
    queue::QueueSlot,
    state::{Slot, State},
};
use napi_sys as sys;
use posthouse_kit::{Code, Error, Result, guard};
use std::{ptr, rc::Rc};

/// The most arguments that a function here has.
const ARGUMENTS: usize = 7;

pub(crate) struct Call<'a> {
    pub(crate) env: Env,
    pub(crate) state: &'a State,
    values: [Value; ARGUMENTS],
}

impl Call<'_> {
    /// Argument `index`; undefined where the caller gave none.
    pub(crate) fn value(&self, index: usize) -> Value {
        self.values.get(index).copied().unwrap_or_else(|| self.env.undefined())
    }

    /// The hub whose number is the first argument.
    pub(crate) fn hub(&self) -> Result<Rc<Slot>> {
        self.state.slot(self.id(0))
    }

    /// The queues whose number is the first argument.
    pub(crate) fn queues(&self) -> Result<Rc<QueueSlot>> {
        self.state.queues(self.id(0))
    }

    /// A number of the program's; not a number where it gave none.
    pub(crate) fn double(&self, index: usize) -> f64 {
        self.env.to_number(self.value(index)).unwrap_or(f64::NAN)
    }

    /// A number that JavaScript got from here.
    pub(crate) fn id(&self, index: usize) -> u64 {
        self.env.to_number(self.value(index)).map_or(u64::MAX, |number| number as u64)
    }

    pub(crate) fn flag(&self, index: usize) -> bool {
        self.env.to_flag(self.value(index)).unwrap_or(false)
    }

    /// A text that the JavaScript half has made.
    pub(crate) fn text(&self, index: usize) -> Result<String> {
        self.env.to_text(self.value(index)).ok_or_else(|| {
            Error::new(Code::Internal, format!("argument {index} of a function inside is no text"))
        })
    }

    /// Hands on the body in argument `index`: a text, or how many bytes of it the JavaScript half has
    /// written where both see them.
    pub(crate) fn with_body<R>(
        &self,
        index: usize,
        then: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<R> {
        if let Some(length) = self.env.to_number(self.value(index)) {
            let mut shared = self.state.shared.borrow_mut();
            let written = shared.as_mut().and_then(|shared| shared.written(length as usize));
            return match written {
                Some(body) => then(body),
                None => Err(Error::new(Code::Internal, "a body is longer than its buffer inside")),
            };
        }
        let mut buffer = self.state.buffer.take();
        buffer.clear();
        let read = self.env.read_string(self.value(index), &mut buffer);
        let result = if read {
            then(&buffer)
        } else {
            Err(Error::new(Code::Internal, "a body is no text inside"))
        };
        self.state.buffer.replace(buffer);
        result
    }

    pub(crate) fn undefined(&self) -> Value {
        self.env.undefined()
    }
}

/// Runs the body of a function that Node called.
///
/// # Safety
/// `env` and `info` must be those that Node has just passed, on its thread.
pub(crate) unsafe fn enter(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    body: fn(&Call<'_>) -> Result<Value>,
) -> sys::napi_value {
    // SAFETY: the caller's promise.
    let env = unsafe { Env::new(env) };
    let Some(state) = State::of(env) else {
        env.throw_text("posthouse is not set up in this environment: it is ending");
        return ptr::null_mut();
    };
    let result = guard(|| body(&Call { env, state, values: arguments::<ARGUMENTS>(env, info) }));
    match result {
        Ok(value) => value.0,
        Err(error) => {
            state.throw(env, &error);
            ptr::null_mut()
        }
    }
}

/// An entry of a table of functions: its name in JavaScript and what Node calls.
macro_rules! function {
    ($name:literal, $body:path) => {{
        unsafe extern "C" fn entry(
            env: napi_sys::napi_env,
            info: napi_sys::napi_callback_info,
        ) -> napi_sys::napi_value {
            // SAFETY: Node passes what belongs to this call.
            unsafe { $crate::call::enter(env, info, $body) }
        }
        ($name, entry as $crate::js::Entry)
    }};
}
pub(crate) use function;

/// A table of functions.
pub(crate) type Functions = &'static [(&'static std::ffi::CStr, crate::js::Entry)];
