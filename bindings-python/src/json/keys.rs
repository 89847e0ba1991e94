//! Object keys that were seen before, so that a stream of like messages builds its keys once.
//!
//! A direct-mapped table of a fixed size for the whole process: a newcomer takes the place of
//! whatever shares its slot. A hit saves the allocation, the decoding and the hashing of the key,
//! because a Python string remembers its hash.
use pyo3::ffi;
use pyo3::prelude::*;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

const SLOTS: usize = 1024;
/// Longer keys are rarely repeated and would make comparing dear.
const LONGEST: usize = 48;

struct Slot {
    text: [u8; LONGEST],
    len: u8,
    /// A strong reference, or none while the slot is empty.
    key: Option<NonNull<ffi::PyObject>>,
}

pub(super) struct Keys {
    slots: Vec<Slot>,
}

// SAFETY: the pointers are only followed and counted by `get`, which holds a `Python` token and so
// the interpreter's lock; any thread that has that lock may use them. The table is never dropped.
unsafe impl Send for Keys {}

static KEYS: Mutex<Keys> = Mutex::new(Keys { slots: Vec::new() });

/// The table, unless somebody is using it: a garbage collection in the middle of a `load` may run
/// Python code that loads again, and that one does without.
pub(super) fn lock() -> Option<MutexGuard<'static, Keys>> {
    let mut keys = KEYS.try_lock().ok()?;
    if keys.slots.is_empty() {
        keys.slots.resize_with(SLOTS, || Slot { text: [0; LONGEST], len: 0, key: None });
    }
    Some(keys)
}

fn hash(text: &[u8]) -> usize {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = text.len() as u64;
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = (state.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(MIX);
    }
    let mut word = [0; 8];
    let rest = chunks.remainder();
    word[..rest.len()].copy_from_slice(rest);
    state = (state.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(MIX);
    (state >> (64 - SLOTS.trailing_zeros())) as usize
}

impl Keys {
    /// The Python string for `text`, which holds no escapes and is valid UTF-8.
    pub(super) fn get<'py>(&mut self, py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        if text.len() > LONGEST {
            return string(py, text);
        }
        let slot = &mut self.slots[hash(text)];
        if let Some(key) = slot.key
            && slot.text[..slot.len as usize] == *text
        {
            // SAFETY: the slot owns a reference, so the object lives; this takes another.
            return Ok(unsafe { Bound::from_borrowed_ptr(py, key.as_ptr()) });
        }
        let key = string(py, text)?;
        slot.text[..text.len()].copy_from_slice(text);
        slot.len = text.len() as u8;
        let old = slot.key.replace(
            // SAFETY: a `Bound` is never null.
            unsafe { NonNull::new_unchecked(key.clone().into_ptr()) },
        );
        if let Some(old) = old {
            // SAFETY: the slot owned this reference and has just given it up. It is a plain
            // string, so freeing it runs no Python code that could come back here.
            drop(unsafe { Bound::from_owned_ptr(py, old.as_ptr()) });
        }
        Ok(key)
    }
}

/// A fresh Python string from UTF-8 text.
pub(super) fn string<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: pointer and length are those of a live slice. The call checks the encoding itself
    // and returns a new reference, or null with an exception set.
    unsafe {
        let made = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len().cast_signed());
        Bound::from_owned_ptr_or_err(py, made)
    }
}
