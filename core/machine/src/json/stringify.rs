//! What ECMAScript's `JSON.stringify(JSON.parse(text))` gives, for any JSON text: any finite number, any depth. A text
//! is read to its end whatever is wrong in it besides its grammar, so that the caller's rules decide what counts first.
use super::{
    number,
    rewrite::{Keys, Rewriter},
    scan::{self, Form, Sink},
};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// What a text that is JSON by its grammar holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The bytes of the normalised text.
    pub size: usize,
    /// How many arrays and objects are open at the deepest place.
    pub depth: usize,
    /// Some number is past every double.
    pub overflow: bool,
    /// Some string or key has a lone surrogate.
    pub lone: bool,
    /// Some object has one of the reserved keys.
    pub reserved: bool,
}

/// Appends what ECMAScript makes of `text` and tells what is in that value, or gives nothing where the text is not JSON.
///
/// Where the value is nested deeper than `deepest`, its objects may be out of order. A number past every double and a
/// lone surrogate stay such. `reserved` are keys that need no escape.
pub(crate) fn stringify(
    text: &[u8],
    out: &mut Vec<u8>,
    deepest: usize,
    reserved: &[&str],
) -> Option<Reading> {
    let start = out.len();
    let (text, lone) = whole(text)?;
    let Some((mut reading, replaced)) = Surveyor::survey(&text, out, deepest, reserved) else {
        out.truncate(start);
        return None;
    };
    if replaced && (reading.overflow || reading.lone || reading.reserved || reading.depth > deepest)
    {
        // It may have been in what was replaced, which is no part of the value.
        let value = out.split_off(start);
        (reading, _) = Surveyor::survey(&value, out, deepest, reserved)?;
    }
    reading.lone |= lone;
    Some(Reading { size: out.len() - start, ..reading })
}

/// A text as Unicode, and whether lone surrogates had to be replaced for that: some languages hold them in their
/// texts and write them as if they were characters. Replacements are as long as what they replace.
pub(crate) fn whole(text: &[u8]) -> Option<(Cow<'_, [u8]>, bool)> {
    let Err(error) = core::str::from_utf8(text) else { return Some((Cow::Borrowed(text), false)) };
    let mut copy = text.to_vec();
    let mut at = error.valid_up_to();
    loop {
        let place = copy.get_mut(at..)?.first_chunk_mut::<3>()?;
        if !matches!(place, [0xED, 0xA0..=0xBF, 0x80..=0xBF]) {
            return None;
        }
        *place = [0xEF, 0xBF, 0xBD];
        at += 3;
        match core::str::from_utf8(copy.get(at..).unwrap_or_default()) {
            Ok(_) => return Some((Cow::Owned(copy), true)),
            Err(error) => at += error.valid_up_to(),
        }
    }
}

struct Surveyor<'a> {
    text: &'a [u8],
    rewriter: Rewriter<'a>,
    reserved: &'a [&'a str],
    deepest: usize,
    depth: usize,
    reading: Reading,
}

impl<'a> Surveyor<'a> {
    /// Rewrites a text; also tells whether some member took the place of another one.
    fn survey(
        text: &'a [u8],
        out: &'a mut Vec<u8>,
        deepest: usize,
        reserved: &'a [&'a str],
    ) -> Option<(Reading, bool)> {
        let rewriter = Rewriter::new(text, out, Keys::AsMet);
        let reading = Reading::default();
        let mut sink = Self { text, rewriter, reserved, deepest, depth: 0, reading };
        scan::loose(text, &mut sink).ok()?;
        Some((sink.reading, sink.rewriter.finish()))
    }
}

impl Sink for Surveyor<'_> {
    const LOOSE: bool = true;

    fn begin(&mut self, object: bool, at: usize) {
        self.depth += 1;
        if self.depth > self.reading.depth {
            self.reading.depth = self.depth;
            if self.depth > self.deepest {
                self.rewriter.leave_order();
            }
        }
        self.rewriter.begin(object, at);
    }

    fn end(&mut self, object: bool, at: usize) {
        self.depth -= 1;
        self.rewriter.end(object, at);
    }

    fn key(&mut self, inner: Range<usize>, escaped: bool) {
        self.rewriter.key(inner, escaped);
        let key = self.rewriter.last_key();
        if self.reserved.iter().any(|reserved| key == reserved.as_bytes()) {
            self.reading.reserved = true;
        }
    }

    fn string(&mut self, inner: Range<usize>, escaped: bool) {
        self.rewriter.string(inner, escaped);
    }

    fn number(&mut self, text: Range<usize>, form: Form) {
        if form == Form::Other {
            let text = self.text.get(text).unwrap_or_default();
            let value = number::double(text).unwrap_or(f64::INFINITY);
            self.reading.overflow |= !value.is_finite();
            self.rewriter.value(value);
        } else {
            self.rewriter.number(text, form);
        }
    }

    fn literal(&mut self, text: &'static str, at: usize) {
        self.rewriter.literal(text, at);
    }

    fn lone(&mut self) {
        self.reading.lone = true;
    }
}
