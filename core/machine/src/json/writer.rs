//! Writing JSON text piece by piece, the limits enforced while writing.
//!
//! The pieces fail with a bare [`Fault`], which costs nothing to pass up; [`Writer::error`] makes the whole
//! error of it once, and the caller adds the path on its way out ([`JsonError::under_key`]).
use super::{Limits, error::Fault, error::JsonError, escape, number, rewrite, scan};
use alloc::{string::String, vec::Vec};

/// Appends what `body` writes. On an error `out` is as before.
pub fn write(
    out: &mut Vec<u8>,
    limits: &Limits,
    body: impl FnOnce(&mut Writer<'_>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    let mut writer = Writer::new(out, limits);
    let result = body(&mut writer);
    match result {
        Ok(()) => writer.finish(),
        Err(error) => {
            let error = writer.complete(error);
            writer.rollback();
            Err(error)
        }
    }
}

/// Writes one JSON value as `JSON.stringify` spells it, commas and colons included.
///
/// The caller opens and closes containers in pairs and writes a key before every member's value; what comes
/// out of anything else is no JSON. After a fault the only thing to do is [`Writer::error`] and
/// [`Writer::rollback`]. Key order and duplicate keys are the caller's.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// The length `out` may grow to.
    end: usize,
    limits: Limits,
    nodes_left: usize,
    depth: usize,
    comma: bool,
}

impl<'a> Writer<'a> {
    /// A writer that appends to `out`.
    #[inline]
    pub fn new(out: &'a mut Vec<u8>, limits: &Limits) -> Self {
        let start = out.len();
        Self {
            start,
            end: start.saturating_add(limits.bytes),
            limits: Limits { depth: limits.levels(), ..*limits },
            nodes_left: limits.nodes,
            depth: 0,
            comma: false,
            out,
        }
    }

    /// How many bytes have been written.
    pub fn written(&self) -> usize {
        self.out.len() - self.start
    }

    /// Ends the writing; `out` is as before if the value is incomplete.
    pub fn finish(mut self) -> Result<(), JsonError> {
        if self.depth == 0 && self.comma {
            return Ok(());
        }
        let error = self.error(Fault::Syntax);
        self.rollback();
        Err(error)
    }

    /// Takes back everything written.
    pub fn rollback(&mut self) {
        self.out.truncate(self.start);
    }

    /// The whole error of a fault that just happened here, yet without a path.
    pub fn error(&self, fault: Fault) -> JsonError {
        self.complete(JsonError::new(fault, 0))
    }

    /// Fills in what an error made of a bare fault does not know.
    pub(super) fn complete(&self, error: JsonError) -> JsonError {
        if error.at != 0 {
            return error;
        }
        let (limit, at) = match error.fault {
            Fault::Depth => (self.limits.depth, self.written()),
            Fault::Nodes => (self.limits.nodes, self.written()),
            Fault::Size => (self.limits.bytes, self.written().max(self.limits.bytes + 1)),
            _ => (0, self.written()),
        };
        JsonError { at, limit, ..error }
    }

    /// The key whose writing began when `written` was as given, comma or not.
    pub(super) fn key_at(&self, written: usize) -> String {
        let text = self.out.get(self.start + written..).unwrap_or_default();
        let text = text.strip_prefix(b",").unwrap_or(text);
        let inner = text.strip_prefix(b"\"").unwrap_or(text);
        let end = scan::string_end(inner);
        let inner = core::str::from_utf8(inner.get(..end).unwrap_or_default()).unwrap_or_default();
        escape::decoded(inner).collect()
    }

    /// Before every value.
    #[inline]
    fn value(&mut self) -> Result<(), Fault> {
        if self.nodes_left == 0 {
            return Err(Fault::Nodes);
        }
        self.nodes_left -= 1;
        if self.depth > self.limits.depth {
            return Err(Fault::Depth);
        }
        if self.comma {
            self.out.push(b',');
        }
        self.comma = true;
        Ok(())
    }

    /// After every piece.
    #[inline]
    fn fits(&self) -> Result<(), Fault> {
        if self.out.len() > self.end { Err(Fault::Size) } else { Ok(()) }
    }

    /// Opens an object.
    #[inline]
    pub fn begin_object(&mut self) -> Result<(), Fault> {
        self.begin(b'{')
    }

    /// Opens an array.
    #[inline]
    pub fn begin_array(&mut self) -> Result<(), Fault> {
        self.begin(b'[')
    }

    #[inline]
    fn begin(&mut self, bracket: u8) -> Result<(), Fault> {
        self.value()?;
        self.out.push(bracket);
        self.depth += 1;
        self.comma = false;
        self.fits()
    }

    /// Closes the innermost container, an object.
    #[inline]
    pub fn end_object(&mut self) -> Result<(), Fault> {
        self.end(b'}')
    }

    /// Closes the innermost container, an array.
    #[inline]
    pub fn end_array(&mut self) -> Result<(), Fault> {
        self.end(b']')
    }

    #[inline]
    fn end(&mut self, bracket: u8) -> Result<(), Fault> {
        self.out.push(bracket);
        self.depth = self.depth.saturating_sub(1);
        self.comma = true;
        self.fits()
    }

    /// Writes the key of the member whose value follows.
    #[inline]
    pub fn key(&mut self, key: &str) -> Result<(), Fault> {
        self.quoted(key)?;
        self.out.push(b':');
        self.comma = false;
        Ok(())
    }

    /// Writes null.
    #[inline]
    pub fn null(&mut self) -> Result<(), Fault> {
        self.word("null")
    }

    /// Writes a boolean.
    #[inline]
    pub fn bool(&mut self, value: bool) -> Result<(), Fault> {
        self.word(if value { "true" } else { "false" })
    }

    #[inline]
    fn word(&mut self, word: &str) -> Result<(), Fault> {
        self.value()?;
        self.out.extend_from_slice(word.as_bytes());
        self.fits()
    }

    /// Writes an integer, which must lie within ±(2^53 − 1).
    #[inline]
    pub fn i64(&mut self, value: i64) -> Result<(), Fault> {
        self.value()?;
        number::push_i64(value, self.out)?;
        self.fits()
    }

    /// Writes an integer, which must be at most 2^53 − 1.
    #[inline]
    pub fn u64(&mut self, value: u64) -> Result<(), Fault> {
        self.i64(i64::try_from(value).map_err(|_| Fault::Number)?)
    }

    /// Writes a number, which must be finite and, if integer-valued, within ±(2^53 − 1).
    #[inline]
    pub fn f64(&mut self, value: f64) -> Result<(), Fault> {
        self.value()?;
        number::push_f64(value, self.out)?;
        self.fits()
    }

    /// Writes a single as the shortest number that reads back as the same single.
    #[inline]
    pub fn f32(&mut self, value: f32) -> Result<(), Fault> {
        self.value()?;
        number::push_f32(value, self.out)?;
        self.fits()
    }

    /// Writes a string.
    #[inline]
    pub fn str(&mut self, text: &str) -> Result<(), Fault> {
        if self.nodes_left == 0 {
            return Err(Fault::Nodes);
        }
        self.nodes_left -= 1;
        if self.depth > self.limits.depth {
            return Err(Fault::Depth);
        }
        self.quoted(text)?;
        self.comma = true;
        Ok(())
    }

    /// Writes a comma where one is due, and the quoted text.
    #[inline]
    fn quoted(&mut self, text: &str) -> Result<(), Fault> {
        // Before anything is copied: a text far too long must cost nothing.
        let needed = text.len() + 12;
        if text.len() >= self.end - self.start {
            return Err(Fault::Size);
        }
        self.out.reserve(needed);
        if self.comma {
            self.out.push(b',');
        }
        self.out.push(b'"');
        escape::push_escaped(text.as_bytes(), self.out);
        self.out.push(b'"');
        self.fits()
    }

    /// Writes foreign JSON text as one value, in the form [`super::normalize`] gives.
    pub fn raw(&mut self, text: &[u8]) -> Result<(), JsonError> {
        if self.depth > self.limits.depth {
            return Err(self.error(Fault::Depth));
        }
        if self.comma {
            self.out.push(b',');
        }
        let left = Limits {
            depth: self.limits.depth - self.depth,
            nodes: self.nodes_left,
            bytes: self.end.saturating_sub(self.out.len()),
        };
        match rewrite::append(text, self.out, &left, rewrite::Keys::AsMet) {
            Ok(nodes) => self.nodes_left -= nodes,
            // The limit that was passed is the whole value's, not what was left of it.
            Err(error) if error.limit != 0 => return Err(self.error(error.fault)),
            Err(error) => return Err(error),
        }
        self.comma = true;
        Ok(())
    }
}
