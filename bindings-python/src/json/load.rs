//! Checked JSON bytes to Python objects, in one pass.
//!
//! The core has checked every payload before it hands it out: grammar, Unicode, numbers, depth
//! and size. This reader leans on that for speed, not for safety: a text that breaks the rules
//! after all gives an `INTERNAL` error.
use super::keys::{self, Keys};
use super::number::{self, Number};
use crate::error::raise;
use posthouse_kit::{Code, Error};
use pyo3::ffi;
use pyo3::prelude::*;

/// Twice what the core lets through; keeps the stack bounded whatever comes.
const DEPTH: usize = 64;

/// Builds the Python value of a checked JSON text.
pub(crate) fn load<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut keys = keys::lock();
    let mut reader =
        Reader { py, text, at: 0, keys: keys.as_deref_mut(), scratch: Vec::new(), depth: 0 };
    let value = reader.value()?;
    reader.space();
    if reader.at == text.len() { Ok(value) } else { Err(reader.broken()) }
}

struct Reader<'a, 'py> {
    py: Python<'py>,
    text: &'a [u8],
    at: usize,
    keys: Option<&'a mut Keys>,
    /// Strings with escapes are put together here.
    scratch: Vec<u8>,
    depth: usize,
}

impl<'py> Reader<'_, 'py> {
    fn value(&mut self) -> PyResult<Bound<'py, PyAny>> {
        self.space();
        match self.text.get(self.at) {
            Some(b'"') => {
                self.at += 1;
                self.string(false)
            }
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            // SAFETY (the three below): the constants live for ever; this takes a new reference.
            Some(b't') => self.word(b"true", unsafe { ffi::Py_True() }),
            Some(b'f') => self.word(b"false", unsafe { ffi::Py_False() }),
            Some(b'n') => self.word(b"null", unsafe { ffi::Py_None() }),
            _ => self.number(),
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.depth == DEPTH {
            return Err(self.broken());
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &[u8], value: *mut ffi::PyObject) -> PyResult<Bound<'py, PyAny>> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.broken());
        }
        self.at += word.len();
        // SAFETY: `value` is one of the interpreter's constants.
        Ok(unsafe { Bound::from_borrowed_ptr(self.py, value) })
    }

    fn number(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let Some((number, length)) = number::scan(&self.text[self.at..]) else {
            return Err(self.broken());
        };
        self.at += length;
        // SAFETY: both calls return a new reference, or null with an exception set.
        unsafe {
            let made = match number {
                Number::Int(value) => ffi::PyLong_FromLongLong(value),
                Number::Float(value) => ffi::PyFloat_FromDouble(value),
            };
            Bound::from_owned_ptr_or_err(self.py, made)
        }
    }

    fn object(&mut self) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: a new reference, or null with an exception set.
        let dict = unsafe { Bound::from_owned_ptr_or_err(self.py, ffi::PyDict_New())? };
        self.space();
        if self.eat(b'}') {
            return Ok(dict);
        }
        loop {
            self.space();
            self.want(b'"')?;
            let key = self.string(true)?;
            self.space();
            self.want(b':')?;
            let value = self.value()?;
            // SAFETY: three live objects, the first a dict that nobody else has seen, the second
            // a plain string. The call takes references of its own.
            if unsafe { ffi::PyDict_SetItem(dict.as_ptr(), key.as_ptr(), value.as_ptr()) } != 0 {
                return Err(PyErr::fetch(self.py));
            }
            self.space();
            if !self.eat(b',') {
                self.want(b'}')?;
                return Ok(dict);
            }
        }
    }

    fn array(&mut self) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: a new reference, or null with an exception set.
        let list = unsafe { Bound::from_owned_ptr_or_err(self.py, ffi::PyList_New(0))? };
        self.space();
        if self.eat(b']') {
            return Ok(list);
        }
        loop {
            let value = self.value()?;
            // SAFETY: two live objects, the first a list that nobody else has seen. The call
            // takes a reference of its own.
            if unsafe { ffi::PyList_Append(list.as_ptr(), value.as_ptr()) } != 0 {
                return Err(PyErr::fetch(self.py));
            }
            self.space();
            if !self.eat(b',') {
                self.want(b']')?;
                return Ok(list);
            }
        }
    }

    /// The rest of a string whose opening quote has been read.
    fn string(&mut self, key: bool) -> PyResult<Bound<'py, PyAny>> {
        let start = self.at;
        let end = plain(self.text, start);
        if self.text.get(end) == Some(&b'"') {
            self.at = end + 1;
            let text = &self.text[start..end];
            return match &mut self.keys {
                Some(keys) if key => keys.get(self.py, text),
                _ => keys::string(self.py, text),
            };
        }
        self.escaped(start, end)
    }

    fn escaped(&mut self, mut start: usize, mut end: usize) -> PyResult<Bound<'py, PyAny>> {
        self.scratch.clear();
        loop {
            self.scratch.extend_from_slice(&self.text[start..end]);
            match self.text.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return keys::string(self.py, &self.scratch);
                }
                Some(b'\\') => self.at = end + 1,
                _ => return Err(self.broken()),
            }
            let plain_byte = match self.text.get(self.at) {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'u') => 0,
                Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
                _ => return Err(self.broken()),
            };
            self.at += 1;
            if plain_byte == 0 {
                let letter = self.unicode()?;
                let mut encoded = [0; 4];
                self.scratch.extend_from_slice(letter.encode_utf8(&mut encoded).as_bytes());
            } else {
                self.scratch.push(plain_byte);
            }
            start = self.at;
            end = plain(self.text, start);
        }
    }

    /// The character of a `\u` escape, or of a pair of them; the `\u` has been read.
    fn unicode(&mut self) -> PyResult<char> {
        let first = self.hex()?;
        if let Some(letter) = char::from_u32(first) {
            return Ok(letter);
        }
        if self.text.get(self.at..self.at + 2) != Some(b"\\u".as_slice()) {
            return Err(self.broken());
        }
        self.at += 2;
        let second = self.hex()?;
        let pair = char::decode_utf16([first as u16, second as u16]).next();
        pair.and_then(Result::ok).ok_or_else(|| self.broken())
    }

    fn hex(&mut self) -> PyResult<u32> {
        let digits = self.text.get(self.at..self.at + 4);
        let value = digits.and_then(|digits| {
            digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + (*digit as char).to_digit(16)?))
        });
        self.at += 4;
        value.ok_or_else(|| self.broken())
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn want(&mut self, byte: u8) -> PyResult<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.broken()) }
    }

    #[cold]
    fn broken(&self) -> PyErr {
        let message = format!(
            "a payload that was checked is not JSON at byte {} after all; please report this",
            self.at
        );
        raise(self.py, &Error::new(Code::Internal, message))
    }
}

/// The place of the first quote or backslash from `at` on, or the end of the text.
fn plain(text: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    while let Some(chunk) = text.get(at..at + 8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        // A byte that was turned to zero borrows into its top bit; lower bytes are exact, so the
        // first hit is.
        let quote = word ^ (ONES * b'"' as u64);
        let slash = word ^ (ONES * b'\\' as u64);
        let hits =
            ((quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash)) & HIGHS;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = text.get(at) {
        if matches!(byte, b'"' | b'\\') {
            break;
        }
        at += 1;
    }
    at
}
