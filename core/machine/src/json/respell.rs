//! Text that a program has written itself, as it goes out: untouched where it is spelled as `JSON.stringify` spells,
//! which most is, and rewritten otherwise.
use super::{Limits, error::Fault, error::JsonError, number, order, rewrite, scan};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// Checks `text` as [`super::validate`] does and gives it in the spelling of [`super::normalize`]. A text without white
/// space, escapes, odd numbers and integer-like keys is given back as it is, repeated keys included.
/// `limits.bytes` bounds what comes out.
pub fn respelled<'a>(text: &'a [u8], limits: &Limits) -> Result<Cow<'a, [u8]>, JsonError> {
    let mut seen = Seen { text, comma: false, length: 0, odd: false };
    scan::scan(text, limits, &mut seen).map_err(|stop| stop.into_error(limits))?;
    if seen.odd || seen.length != text.len() {
        let mut out = Vec::new();
        rewrite::normalize(text, &mut out, limits)?;
        return Ok(Cow::Owned(out));
    }
    if text.len() > limits.bytes {
        return Err(JsonError { limit: limits.bytes, ..JsonError::new(Fault::Size, text.len()) });
    }
    Ok(Cow::Borrowed(text))
}

/// Adds up how long the text would be without white space, and looks for what has another spelling.
struct Seen<'a> {
    text: &'a [u8],
    /// Whether a comma goes before the next key or value.
    comma: bool,
    length: usize,
    odd: bool,
}

impl Seen<'_> {
    #[inline]
    fn part(&mut self, length: usize) {
        self.length += length + usize::from(self.comma);
        self.comma = true;
    }
}

impl scan::Sink for Seen<'_> {
    #[inline]
    fn begin(&mut self, _: bool, _: usize) {
        self.part(1);
        self.comma = false;
    }

    #[inline]
    fn end(&mut self, _: bool, _: usize) {
        self.length += 1;
        self.comma = true;
    }

    #[inline]
    fn key(&mut self, inner: Range<usize>, escaped: bool) {
        self.part(inner.len() + 3);
        self.comma = false;
        self.odd |=
            escaped || order::rank(self.text.get(inner).unwrap_or_default()) != order::NAMED;
    }

    #[inline]
    fn string(&mut self, inner: Range<usize>, escaped: bool) {
        self.part(inner.len() + 2);
        self.odd |= escaped;
    }

    #[inline]
    fn number(&mut self, text: Range<usize>, form: scan::Form) {
        self.part(text.len());
        let text = self.text.get(text).unwrap_or_default();
        self.odd |= match form {
            scan::Form::Integer => text == b"-0",
            scan::Form::Decimal => !number::is_short(text),
            scan::Form::Other => true,
        };
    }

    #[inline]
    fn literal(&mut self, text: &'static str, _: usize) {
        self.part(text.len());
    }
}
