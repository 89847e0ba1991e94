//! The little of Node-API that the addon needs, behind types that cannot be misused from within it.
//!
//! An [`Env`] exists only while Node runs one of our functions on the environment's own thread, and so do
//! the [`Value`]s made in it.
use napi_sys as sys;
use std::{
    ffi::{CStr, c_char, c_void},
    marker::PhantomData,
    ptr,
};

/// An environment, on its thread.
#[derive(Clone, Copy)]
pub(crate) struct Env {
    raw: sys::napi_env,
    /// It must not leave its thread.
    thread: PhantomData<*const ()>,
}

/// A JavaScript value, for as long as Node's call of us lasts.
#[derive(Clone, Copy)]
pub(crate) struct Value(pub(crate) sys::napi_value);

/// What kind of thing a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Function,
    Array,
    Object,
    Other(&'static str),
}

pub(crate) type Entry =
    unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

impl Env {
    /// # Safety
    /// `raw` must be live, and this its thread, for as long as the result is used.
    pub(crate) unsafe fn new(raw: sys::napi_env) -> Self {
        Self { raw, thread: PhantomData }
    }

    pub(crate) fn raw(self) -> sys::napi_env {
        self.raw
    }

    fn made(self, status: sys::napi_status, value: sys::napi_value) -> Value {
        if status == sys::Status::napi_ok { Value(value) } else { self.undefined() }
    }

    pub(crate) fn undefined(self) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: the environment is live and this is its thread, as `new` demands; so in all below.
        unsafe { sys::napi_get_undefined(self.raw, &raw mut value) };
        Value(value)
    }

    pub(crate) fn boolean(self, flag: bool) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: as in `undefined`.
        let status = unsafe { sys::napi_get_boolean(self.raw, flag, &raw mut value) };
        self.made(status, value)
    }

    pub(crate) fn number(self, number: u64) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: as in `undefined`.
        let status = unsafe { sys::napi_create_double(self.raw, number as f64, &raw mut value) };
        self.made(status, value)
    }

    /// A string of a text in UTF-8.
    pub(crate) fn string(self, text: &[u8]) -> Value {
        let mut value = ptr::null_mut();
        let (start, length) = (text.as_ptr().cast::<c_char>(), text.len().cast_signed());
        // What is ASCII needs no decoding, which is most of the cost.
        // SAFETY: as in `undefined`; `start` is readable for `length` bytes.
        let status = unsafe {
            if text.is_ascii() {
                sys::napi_create_string_latin1(self.raw, start, length, &raw mut value)
            } else {
                sys::napi_create_string_utf8(self.raw, start, length, &raw mut value)
            }
        };
        self.made(status, value)
    }

    pub(crate) fn kind(self, value: Value) -> Kind {
        let mut kind = sys::ValueType::napi_undefined;
        // SAFETY: as in `undefined`; the value belongs to this call.
        unsafe { sys::napi_typeof(self.raw, value.0, &raw mut kind) };
        match kind {
            sys::ValueType::napi_undefined => Kind::Undefined,
            sys::ValueType::napi_null => Kind::Null,
            sys::ValueType::napi_boolean => Kind::Boolean,
            sys::ValueType::napi_number => Kind::Number,
            sys::ValueType::napi_string => Kind::String,
            sys::ValueType::napi_function => Kind::Function,
            sys::ValueType::napi_symbol => Kind::Other("a symbol"),
            sys::ValueType::napi_bigint => Kind::Other("a BigInt"),
            sys::ValueType::napi_object if self.is_array(value) => Kind::Array,
            sys::ValueType::napi_object => Kind::Object,
            _ => Kind::Other("a thing of another kind"),
        }
    }

    fn is_array(self, value: Value) -> bool {
        let mut array = false;
        // SAFETY: as in `kind`.
        unsafe { sys::napi_is_array(self.raw, value.0, &raw mut array) };
        array
    }

    pub(crate) fn to_flag(self, value: Value) -> Option<bool> {
        let mut flag = false;
        // SAFETY: as in `kind`.
        let status = unsafe { sys::napi_get_value_bool(self.raw, value.0, &raw mut flag) };
        (status == sys::Status::napi_ok).then_some(flag)
    }

    pub(crate) fn to_number(self, value: Value) -> Option<f64> {
        let mut number = 0.0;
        // SAFETY: as in `kind`.
        let status = unsafe { sys::napi_get_value_double(self.raw, value.0, &raw mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    pub(crate) fn length(self, array: Value) -> u32 {
        let mut length = 0;
        // SAFETY: as in `kind`; what is no array leaves it at zero.
        unsafe { sys::napi_get_array_length(self.raw, array.0, &raw mut length) };
        length
    }

    pub(crate) fn element(self, array: Value, index: u32) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: as in `kind`.
        let status = unsafe { sys::napi_get_element(self.raw, array.0, index, &raw mut value) };
        self.made(status, value)
    }

    /// Appends a string's text to `out`, lone surrogates as U+FFFD; false if it is no string.
    pub(crate) fn read_string(self, value: Value, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if out.capacity() - start < 256 {
            out.reserve(256);
        }
        loop {
            let room = out.capacity() - start;
            let mut written = 0;
            // SAFETY: as in `kind`; `room` bytes after `start` are the vector's, and Node writes a
            // final zero within them.
            let status = unsafe {
                sys::napi_get_value_string_utf8(
                    self.raw,
                    value.0,
                    out.as_mut_ptr().add(start).cast::<c_char>(),
                    room,
                    &raw mut written,
                )
            };
            if status != sys::Status::napi_ok {
                return false;
            }
            // A character has at most four bytes, and one that does not fit is left out whole.
            if written + 5 <= room {
                // SAFETY: Node has written that many bytes.
                unsafe { out.set_len(start + written) };
                return true;
            }
            let mut needed = 0;
            // SAFETY: as above; without a buffer Node only counts.
            unsafe {
                sys::napi_get_value_string_utf8(
                    self.raw,
                    value.0,
                    ptr::null_mut(),
                    0,
                    &raw mut needed,
                );
            }
            out.reserve(needed + 8);
        }
    }

    /// The text of a string.
    pub(crate) fn to_text(self, value: Value) -> Option<String> {
        let mut text = Vec::new();
        if !self.read_string(value, &mut text) {
            return None;
        }
        Some(
            String::from_utf8(text)
                .unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned()),
        )
    }

    /// Makes a function a member of `exports`.
    pub(crate) fn export(self, exports: sys::napi_value, name: &CStr, entry: Entry) {
        let mut function = ptr::null_mut();
        // SAFETY: as in `undefined`; the name is a C string, the entry lives as long as the library,
        // which is never unloaded.
        unsafe {
            let status = sys::napi_create_function(
                self.raw,
                name.as_ptr(),
                name.to_bytes().len().cast_signed(),
                Some(entry),
                ptr::null_mut(),
                &raw mut function,
            );
            if status == sys::Status::napi_ok {
                sys::napi_set_named_property(self.raw, exports, name.as_ptr(), function);
            }
        }
    }

    /// Calls a function that gives nothing. An exception it leaves stays pending.
    pub(crate) fn call(self, function: Value) {
        // SAFETY: as in `kind`; no arguments are passed.
        unsafe {
            sys::napi_call_function(
                self.raw,
                self.undefined().0,
                function.0,
                0,
                ptr::null(),
                ptr::null_mut(),
            );
        }
    }

    /// A new object of the class.
    pub(crate) fn instance(self, class: Value, arguments: &[Value]) -> Option<Value> {
        let mut value = ptr::null_mut();
        let raw: Vec<sys::napi_value> = arguments.iter().map(|value| value.0).collect();
        // SAFETY: as in `kind`; the arguments are as many as said.
        let status = unsafe {
            sys::napi_new_instance(self.raw, class.0, raw.len(), raw.as_ptr(), &raw mut value)
        };
        (status == sys::Status::napi_ok).then_some(Value(value))
    }

    pub(crate) fn throw(self, error: Value) {
        // SAFETY: as in `kind`.
        unsafe { sys::napi_throw(self.raw, error.0) };
    }

    /// Throws a plain error, for what happens before there is a class of ours.
    pub(crate) fn throw_text(self, text: &str) {
        let mut error = ptr::null_mut();
        let text = self.string(text.as_bytes());
        // SAFETY: as in `kind`.
        unsafe {
            sys::napi_create_error(self.raw, ptr::null_mut(), text.0, &raw mut error);
            sys::napi_throw(self.raw, error);
        }
    }

    /// Keeps a value for longer than this call.
    pub(crate) fn keep(self, value: Value) -> Option<Kept> {
        let mut kept = ptr::null_mut();
        // SAFETY: as in `kind`.
        let status = unsafe { sys::napi_create_reference(self.raw, value.0, 1, &raw mut kept) };
        (status == sys::Status::napi_ok).then_some(Kept(kept))
    }

    /// The value that was kept.
    pub(crate) fn kept(self, kept: &Kept) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: as in `undefined`; a reference is only ever used in the environment that made it.
        let status = unsafe { sys::napi_get_reference_value(self.raw, kept.0, &raw mut value) };
        self.made(status, value)
    }
}

/// A value kept in its environment, until that ends.
pub(crate) struct Kept(sys::napi_ref);

/// Memory of JavaScript's that both halves see: written there, read here.
pub(crate) struct Shared {
    start: *const u8,
    length: usize,
    /// Keeps it from being collected; it is never detached, for only the package has it.
    _kept: Kept,
}

impl Shared {
    /// The first bytes. JavaScript cannot write while the result lives: it waits for this call.
    pub(crate) fn written(&mut self, length: usize) -> Option<&[u8]> {
        // SAFETY: the memory stays where it is for as long as it is kept, and this is its thread.
        (length <= self.length).then(|| unsafe { std::slice::from_raw_parts(self.start, length) })
    }
}

impl Env {
    /// The memory of an `ArrayBuffer`.
    pub(crate) fn shared(self, buffer: Value) -> Option<Shared> {
        let (mut start, mut length) = (ptr::null_mut(), 0);
        // SAFETY: as in `kind`.
        let status = unsafe {
            sys::napi_get_arraybuffer_info(self.raw, buffer.0, &raw mut start, &raw mut length)
        };
        if status != sys::Status::napi_ok || start.is_null() {
            return None;
        }
        Some(Shared { start: start.cast(), length, _kept: self.keep(buffer)? })
    }
}

/// The arguments of a call, and what it was given to know its environment's state.
pub(crate) fn arguments<const N: usize>(env: Env, info: sys::napi_callback_info) -> [Value; N] {
    let mut values = [ptr::null_mut(); N];
    let mut count = N;
    // SAFETY: the info is that of the running call; `count` says how many fit. Missing ones become
    // undefined.
    unsafe {
        sys::napi_get_cb_info(
            env.raw,
            info,
            &raw mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut::<*mut c_void>(),
        );
    }
    values.map(Value)
}
