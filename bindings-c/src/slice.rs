//! Texts and bytes across the boundary.
use crate::error::refused;
use posthouse_kit::{Code, Result};
use std::{ptr, slice, str};

/// A borrowed text or bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Str {
    pub data: *const u8,
    pub len: usize,
}

impl Str {
    pub const NONE: Self = Self { data: ptr::null(), len: 0 };

    pub fn of(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), len: bytes.len() }
    }

    pub fn is_given(&self) -> bool {
        !self.data.is_null()
    }

    /// # Safety
    /// It points at `len` bytes that stay as long as `'a`.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() || self.len == 0 {
            return &[];
        }
        // SAFETY: as the caller promises.
        unsafe { slice::from_raw_parts(self.data, self.len) }
    }

    /// The text, or `code` where it is no UTF-8; `what` names it for the message.
    ///
    /// # Safety
    /// As [`Str::bytes`].
    pub unsafe fn text<'a>(self, code: Code, what: &str) -> Result<&'a str> {
        // SAFETY: as the caller promises.
        str::from_utf8(unsafe { self.bytes() })
            .map_err(|_| refused(code, format!("{what} is not valid UTF-8; give UTF-8 text")))
    }
}

/// Owned bytes: the parts of a `Vec`.
#[repr(C)]
#[derive(Debug)]
pub struct Buf {
    pub data: *mut u8,
    pub len: usize,
    pub capacity: usize,
}

impl Buf {
    pub fn give(mut bytes: Vec<u8>) -> Self {
        let (len, capacity) = (bytes.len(), bytes.capacity());
        if capacity == 0 {
            return Self { data: ptr::null_mut(), len: 0, capacity: 0 };
        }
        let data = bytes.as_mut_ptr();
        std::mem::forget(bytes);
        Self { data, len, capacity }
    }

    /// Takes the bytes out; what is left behind is empty.
    ///
    /// # Safety
    /// It is empty, or was made by [`Buf::give`] and not taken since.
    pub unsafe fn take(&mut self) -> Vec<u8> {
        let taken = std::mem::replace(self, Self { data: ptr::null_mut(), len: 0, capacity: 0 });
        if taken.data.is_null() {
            return Vec::new();
        }
        // SAFETY: the parts of a vector that nobody else owns, as the caller promises.
        unsafe { Vec::from_raw_parts(taken.data, taken.len.min(taken.capacity), taken.capacity) }
    }
}

/// Frees bytes that the library has made, and leaves an empty buffer. NULL and empty ones are fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_buf_free(buffer: *mut Buf) {
    // SAFETY: the program gives a pointer to its buffer, or none.
    if let Some(buffer) = unsafe { buffer.as_mut() } {
        // SAFETY: buffers are made by this library only, or zeroed.
        drop(unsafe { buffer.take() });
    }
}
