//! Python objects to JSON bytes, in one walk and with nothing in between.
//!
//! The core's writer holds the rules for values (numbers, depth, size); this module only knows
//! which Python types stand for which JSON types, and the way to a value that has none. Types are
//! told apart by their address: exact built-in types first, subclasses on the slow side.
use posthouse_kit::json::{Fault, JsonError, Limits, Writer};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

type Object = *mut ffi::PyObject;

/// Appends the JSON text of `value` to `out`; on an error `out` is as before.
///
/// Accepted are `dict` with `str` keys, `list`, `tuple`, `str`, `int`, `float`, `bool`, `None` and
/// subclasses of them. A subclass of `dict` is asked for its `items()`.
pub(crate) fn dump(
    value: &Bound<'_, PyAny>,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<(), JsonError> {
    let mut walk = Walk { py: value.py(), writer: Writer::new(out, limits) };
    match walk.value(value.as_ptr()) {
        Ok(()) => walk.writer.finish(),
        Err(stop) => {
            let error = walk.explain(stop);
            walk.writer.rollback();
            Err(error)
        }
    }
}

/// What ended the walk, and the way there, innermost step first. Boxed: it is rare, and the
/// happy path returns a result at every node.
struct Stop(Box<(Cause, Vec<Step>)>);

enum Cause {
    Fault(Fault),
    /// A value or key that has no JSON form, as a noun phrase.
    Type(String),
}

enum Step {
    Key(String),
    Index(usize),
}

impl Stop {
    #[cold]
    fn new(cause: Cause) -> Self {
        Self(Box::new((cause, Vec::new())))
    }

    #[cold]
    fn at(mut self, step: Step) -> Self {
        self.0.1.push(step);
        self
    }
}

impl From<Fault> for Stop {
    #[cold]
    fn from(fault: Fault) -> Self {
        Self::new(Cause::Fault(fault))
    }
}

type Walked = Result<(), Stop>;

#[cold]
fn unsupported(what: String) -> Stop {
    Stop::new(Cause::Type(what))
}

struct Walk<'a, 'py> {
    py: Python<'py>,
    writer: Writer<'a>,
}

/// The address of a built-in type.
macro_rules! builtin {
    ($name:ident) => {
        &raw mut ffi::$name
    };
}

/// Whether `value` is an instance of a built-in type or of a subclass of it.
macro_rules! is_a {
    ($value:expr, $flag:ident) => {
        // SAFETY: the object is alive, so its type is; both calls only read.
        unsafe { ffi::PyType_GetFlags(ffi::Py_TYPE($value)) & ffi::$flag != 0 }
    };
}

impl<'py> Walk<'_, 'py> {
    /// Writes one value. `value` must be alive for the whole call: the caller owns a reference or
    /// knows that no Python code runs meanwhile.
    fn value(&mut self, value: Object) -> Walked {
        // SAFETY: the caller keeps the object alive.
        let kind = unsafe { ffi::Py_TYPE(value) };
        if kind == builtin!(PyUnicode_Type) {
            return self.text(value);
        }
        if kind == builtin!(PyFloat_Type) {
            return self.float(value);
        }
        if kind == builtin!(PyLong_Type) {
            return self.int(value);
        }
        if kind == builtin!(PyDict_Type) {
            return self.dict(value);
        }
        if kind == builtin!(PyList_Type) {
            return self.list(value);
        }
        // SAFETY (the three below): the addresses of constants that live for ever.
        if value == unsafe { ffi::Py_None() } {
            return Ok(self.writer.null()?);
        }
        if value == unsafe { ffi::Py_True() } {
            return Ok(self.writer.bool(true)?);
        }
        if value == unsafe { ffi::Py_False() } {
            return Ok(self.writer.bool(false)?);
        }
        if kind == builtin!(PyTuple_Type) {
            return self.tuple(value);
        }
        self.subclass(value)
    }

    #[cold]
    fn subclass(&mut self, value: Object) -> Walked {
        if is_a!(value, Py_TPFLAGS_UNICODE_SUBCLASS) {
            self.text(value)
        } else if is_a!(value, Py_TPFLAGS_LONG_SUBCLASS) {
            self.int(value)
        } else if is_a!(value, Py_TPFLAGS_DICT_SUBCLASS) {
            self.items(value)
        } else if is_a!(value, Py_TPFLAGS_LIST_SUBCLASS) {
            self.list(value)
        } else if is_a!(value, Py_TPFLAGS_TUPLE_SUBCLASS) {
            self.tuple(value)
        // SAFETY: a live object and a built-in type.
        } else if unsafe { ffi::PyType_IsSubtype(ffi::Py_TYPE(value), builtin!(PyFloat_Type)) } != 0
        {
            self.float(value)
        } else {
            Err(unsupported(format!("of type {}", self.type_name(value))))
        }
    }

    fn text(&mut self, value: Object) -> Walked {
        match utf8(self.py, value) {
            Some(text) => Ok(self.writer.str(text)?),
            None => Err(Fault::Unicode.into()),
        }
    }

    fn int(&mut self, value: Object) -> Walked {
        let mut overflow: c_int = 0;
        // SAFETY: a live `int` or a subclass, for which the call reads the digits and runs no
        // Python code; so it cannot fail but by overflow.
        let number = unsafe { ffi::PyLong_AsLongLongAndOverflow(value, &raw mut overflow) };
        if overflow != 0 {
            return Err(Fault::Number.into());
        }
        Ok(self.writer.i64(number)?)
    }

    fn float(&mut self, value: Object) -> Walked {
        // SAFETY: a live `float` or a subclass, for which the call reads the number and cannot
        // fail.
        Ok(self.writer.f64(unsafe { ffi::PyFloat_AsDouble(value) })?)
    }

    fn list(&mut self, list: Object) -> Walked {
        self.writer.begin_array()?;
        let mut index = 0;
        // SAFETY: a live list; its size is asked anew each time because a subclass further in may
        // run Python code that changes it.
        while index < unsafe { ffi::PyList_Size(list) } {
            // SAFETY: the index is below the size.
            let item = unsafe { ffi::PyList_GetItem(list, index) };
            self.element(item, index as usize)?;
            index += 1;
        }
        Ok(self.writer.end_array()?)
    }

    fn tuple(&mut self, tuple: Object) -> Walked {
        self.writer.begin_array()?;
        // SAFETY: a live tuple, whose size never changes.
        for index in 0..unsafe { ffi::PyTuple_Size(tuple) } {
            // SAFETY: the index is below the size.
            let item = unsafe { ffi::PyTuple_GetItem(tuple, index) };
            self.element(item, index as usize)?;
        }
        Ok(self.writer.end_array()?)
    }

    fn element(&mut self, item: Object, index: usize) -> Walked {
        self.held(item).map_err(|stop| stop.at(Step::Index(index)))
    }

    fn dict(&mut self, dict: Object) -> Walked {
        self.writer.begin_object()?;
        let mut position = 0;
        let mut key: Object = std::ptr::null_mut();
        let mut value: Object = std::ptr::null_mut();
        // SAFETY: a live dict and four places to write to. The call stays in bounds even if Python
        // code further in has changed the dict; it then meets some entries twice or not at all,
        // and the limits of a value end the walk in any case.
        while unsafe { ffi::PyDict_Next(dict, &raw mut position, &raw mut key, &raw mut value) }
            != 0
        {
            self.member(key, value)?;
        }
        Ok(self.writer.end_object()?)
    }

    /// A subclass of `dict` may keep an order of its own or make its entries up: it is asked.
    fn items(&mut self, dict: Object) -> Walked {
        self.writer.begin_object()?;
        // SAFETY: a live object; a new reference comes back, or null with an exception set.
        let items = unsafe { Bound::from_owned_ptr_or_err(self.py, ffi::PyMapping_Items(dict)) };
        let pairs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)> = match items
            .and_then(|items| items.extract())
        {
            Ok(pairs) => pairs,
            Err(error) => {
                let name = self.type_name(dict);
                return Err(unsupported(format!("of type {name} whose items() failed: {error}")));
            }
        };
        for (key, value) in &pairs {
            self.member(key.as_ptr(), value.as_ptr())?;
        }
        Ok(self.writer.end_object()?)
    }

    fn member(&mut self, key: Object, value: Object) -> Walked {
        // SAFETY: the key is alive, see the callers.
        let exact = unsafe { ffi::Py_TYPE(key) } == builtin!(PyUnicode_Type);
        if !exact && !is_a!(key, Py_TPFLAGS_UNICODE_SUBCLASS) {
            return Err(unsupported(format!(
                "an object with a key of type {}",
                self.type_name(key)
            )));
        }
        let Some(name) = utf8(self.py, key) else { return Err(Fault::Unicode.into()) };
        self.writer.key(name)?;
        // The text of the key is read again on an error only, and a reference to the key is held
        // where Python code may run in between.
        let _keep = if leaf(value) { None } else { Some((self.own(key), self.own(value))) };
        self.value(value)
            .map_err(|stop| stop.at(Step::Key(utf8(self.py, key).unwrap_or("?").to_owned())))
    }

    /// Writes a value that somebody else owns. Containers are kept alive meanwhile: something
    /// inside them may run Python code that lets go of them.
    fn held(&mut self, value: Object) -> Walked {
        if leaf(value) {
            return self.value(value);
        }
        let _keep = self.own(value);
        self.value(value)
    }

    fn own(&self, object: Object) -> Bound<'py, PyAny> {
        // SAFETY: the object is alive; this takes a reference of our own.
        unsafe { Bound::from_borrowed_ptr(self.py, object) }
    }

    fn type_name(&self, object: Object) -> String {
        let name = self.own(object).get_type().fully_qualified_name();
        name.map_or_else(|_| "unknown".to_owned(), |name| name.to_string())
    }

    #[cold]
    fn explain(&self, stop: Stop) -> JsonError {
        let (cause, way) = *stop.0;
        let error = match cause {
            Cause::Fault(fault) => self.writer.error(fault),
            Cause::Type(what) => JsonError::unsupported(what),
        };
        way.into_iter().fold(error, |error, step| match step {
            Step::Key(key) => error.under_key(&key),
            Step::Index(index) => error.under_index(index),
        })
    }
}

/// Whether writing this value runs no Python code: it is of an exact scalar type.
fn leaf(value: Object) -> bool {
    // SAFETY: the caller keeps the object alive.
    let kind = unsafe { ffi::Py_TYPE(value) };
    kind == builtin!(PyUnicode_Type)
        || kind == builtin!(PyFloat_Type)
        || kind == builtin!(PyLong_Type)
        || kind == builtin!(PyBool_Type)
}

/// The text of a string, or `None` if it holds a lone surrogate.
///
/// The slice is Python's own copy, which lives as long as the string; the caller uses it at once.
fn utf8<'a>(py: Python<'_>, value: Object) -> Option<&'a str> {
    let mut length = 0;
    // SAFETY: a live `str` or a subclass of it, and a place for the length.
    let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(value, &raw mut length) };
    if start.is_null() {
        drop(PyErr::take(py));
        return None;
    }
    // SAFETY: the call gives that many bytes of valid UTF-8, cached in the string object.
    unsafe {
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length as usize);
        Some(std::str::from_utf8_unchecked(bytes))
    }
}
