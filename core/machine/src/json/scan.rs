//! One pass over JSON text: grammar, Unicode, numbers and limits, without recursion. A [`Sink`] hears
//! what is found; [`validate`] has none, which leaves the bare check.
use super::{Limits, error::Fault, error::JsonError, escape, number};
use alloc::vec::Vec;
use core::ops::Range;

/// Hears the parts of a text in order. Ranges and places are offsets in the text, strings without their quotes.
pub(crate) trait Sink {
    /// Takes what a JavaScript engine takes: any number, any depth, and lone surrogates where they are
    /// escaped. What of that is wrong is then for the sink to say.
    const LOOSE: bool = false;
    fn begin(&mut self, object: bool, at: usize);
    /// `at` is behind the closing brace or bracket.
    fn end(&mut self, object: bool, at: usize);
    fn key(&mut self, inner: Range<usize>, escaped: bool);
    fn string(&mut self, inner: Range<usize>, escaped: bool);
    fn number(&mut self, text: Range<usize>, form: Form);
    fn literal(&mut self, text: &'static str, at: usize);
    /// The string that comes next has a lone surrogate.
    fn lone(&mut self) {}
}

/// What is known of a number without reading its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An integer of at most 15 digits.
    Integer,
    /// A fraction of at most 15 digits in all, without an exponent.
    Decimal,
    Other,
}

struct Nothing;

impl Sink for Nothing {
    #[inline]
    fn begin(&mut self, _: bool, _: usize) {}
    #[inline]
    fn end(&mut self, _: bool, _: usize) {}
    #[inline]
    fn key(&mut self, _: Range<usize>, _: bool) {}
    #[inline]
    fn string(&mut self, _: Range<usize>, _: bool) {}
    #[inline]
    fn number(&mut self, _: Range<usize>, _: Form) {}
    #[inline]
    fn literal(&mut self, _: &'static str, _: usize) {}
}

/// The open containers: a bit each, set for an object, the innermost lowest.
#[derive(Default)]
struct Open {
    bits: u64,
    depth: usize,
    /// What does not fit into the word; only loose texts go so deep.
    outer: Vec<u64>,
}

impl Open {
    #[inline]
    fn push(&mut self, object: bool) {
        if self.depth.is_multiple_of(64) && self.depth > 0 {
            self.outer.push(self.bits);
        }
        self.depth += 1;
        self.bits = self.bits << 1 | u64::from(object);
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.bits >>= 1;
        if self.depth.is_multiple_of(64) && self.depth > 0 {
            self.bits = self.outer.pop().unwrap_or_default();
        }
    }
}

/// Checks that `text` is one JSON value within the limits: RFC 8259 grammar, valid UTF-8, no escape of
/// a lone surrogate, every number finite and, if integer-valued, within ±(2^53 − 1).
pub fn validate(text: &[u8], limits: &Limits) -> Result<(), JsonError> {
    validated(text, limits).map(|_| ())
}

/// Checks a text and gives it back, known to be Unicode.
pub(crate) fn validated<'a>(text: &'a [u8], limits: &Limits) -> Result<&'a str, JsonError> {
    if text.len() > limits.bytes {
        return Err(JsonError { limit: limits.bytes, ..JsonError::new(Fault::Size, text.len()) });
    }
    unicode(text)
        .and_then(|valid| scan_unicode(text, limits, &mut Nothing).map(|_| valid))
        .map_err(|stop| stop.into_error(limits))
}

/// Where a scan stopped and why.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    pub(super) fault: Fault,
    pub(super) at: usize,
}

impl Stop {
    pub(super) fn into_error(self, limits: &Limits) -> JsonError {
        let limit = match self.fault {
            Fault::Depth => limits.levels(),
            Fault::Nodes => limits.nodes,
            _ => 0,
        };
        JsonError { limit, ..JsonError::new(self.fault, self.at) }
    }
}

const fn stop<T>(fault: Fault, at: usize) -> Result<T, Stop> {
    Err(Stop { fault, at })
}

/// The byte at `at`; past the end a NUL, which no JSON token starts with.
#[inline]
fn peek(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// Skips white space and returns the byte that follows.
#[inline]
fn token(text: &[u8], at: &mut usize) -> u8 {
    loop {
        let byte = peek(text, *at);
        if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            return byte;
        }
        *at += 1;
    }
}

/// Scans the whole text and returns how many nodes it has. The number of bytes is not checked.
pub(super) fn scan<S: Sink>(text: &[u8], limits: &Limits, sink: &mut S) -> Result<usize, Stop> {
    unicode(text)?;
    scan_unicode(text, limits, sink)
}

/// Scans a text for a sink that takes what is loose, and that is known to be Unicode. Whatever stops it is a fault of grammar.
pub(crate) fn loose<S: Sink>(text: &[u8], sink: &mut S) -> Result<(), ()> {
    const NONE: Limits = Limits { depth: usize::MAX, nodes: usize::MAX, bytes: usize::MAX };
    scan_unicode(text, &NONE, sink).map(drop).map_err(drop)
}

fn unicode(text: &[u8]) -> Result<&str, Stop> {
    core::str::from_utf8(text).map_err(|e| Stop { fault: Fault::Unicode, at: e.valid_up_to() })
}

fn scan_unicode<S: Sink>(text: &[u8], limits: &Limits, sink: &mut S) -> Result<usize, Stop> {
    let levels = limits.levels();
    let mut at = 0;
    let mut nodes = 0;
    let mut open = Open::default();
    loop {
        let byte = token(text, &mut at);
        nodes += 1;
        if nodes > limits.nodes {
            return stop(Fault::Nodes, at);
        }
        match byte {
            b'"' => {
                let (end, escaped) = string(text, at + 1, sink)?;
                sink.string(at + 1..end, escaped);
                at = end + 1;
            }
            b'{' | b'[' => {
                let object = byte == b'{';
                sink.begin(object, at);
                at += 1;
                let next = token(text, &mut at);
                // The closing character is two past the opening one, in both pairs.
                if next == byte + 2 {
                    at += 1;
                    sink.end(object, at);
                } else {
                    if !S::LOOSE && open.depth == levels {
                        return stop(Fault::Depth, at);
                    }
                    open.push(object);
                    if object {
                        at = key(text, at, next, sink)?;
                    }
                    continue;
                }
            }
            b'-' | b'0'..=b'9' => {
                let (end, form) = number::<S>(text, at)?;
                sink.number(at..end, form);
                at = end;
            }
            b't' => at = literal(text, at, "true", sink)?,
            b'f' => at = literal(text, at, "false", sink)?,
            b'n' => at = literal(text, at, "null", sink)?,
            _ => return stop(Fault::Syntax, at),
        }
        // A value ended: on to the next one, or out of the containers that end with it.
        loop {
            if open.depth == 0 {
                token(text, &mut at);
                return if at == text.len() { Ok(nodes) } else { stop(Fault::Syntax, at) };
            }
            let object = open.bits & 1 == 1;
            let byte = token(text, &mut at);
            if byte == b',' {
                at += 1;
                if object {
                    let next = token(text, &mut at);
                    at = key(text, at, next, sink)?;
                }
                break;
            }
            if byte != if object { b'}' } else { b']' } {
                return stop(Fault::Syntax, at);
            }
            at += 1;
            sink.end(object, at);
            open.pop();
        }
    }
}

/// Reads a key and its colon; `first` is the byte at `at`.
#[inline]
fn key<S: Sink>(text: &[u8], at: usize, first: u8, sink: &mut S) -> Result<usize, Stop> {
    if first != b'"' {
        return stop(Fault::Syntax, at);
    }
    let (end, escaped) = string(text, at + 1, sink)?;
    sink.key(at + 1..end, escaped);
    let mut at = end + 1;
    if token(text, &mut at) != b':' {
        return stop(Fault::Syntax, at);
    }
    Ok(at + 1)
}

/// Where a string ends that begins, without a quote, at the text's first byte.
pub(super) fn string_end(text: &[u8]) -> usize {
    string(text, 0, &mut Nothing).map_or(0, |(end, _)| end)
}

/// Reads a string from behind its opening quote to the closing one; also whether it has escapes.
#[inline]
fn string<S: Sink>(text: &[u8], at: usize, sink: &mut S) -> Result<(usize, bool), Stop> {
    let end = escape::plain_end(text, at);
    if peek(text, end) == b'"' { Ok((end, false)) } else { string_with_escapes(text, end, sink) }
}

fn string_with_escapes<S: Sink>(
    text: &[u8],
    mut at: usize,
    sink: &mut S,
) -> Result<(usize, bool), Stop> {
    loop {
        match text.get(at) {
            Some(b'"') => return Ok((at, true)),
            Some(b'\\') => match escape::read_escape(text, at) {
                Ok((_, next)) => at = escape::plain_end(text, next),
                Err((Fault::Unicode, lone)) if S::LOOSE => {
                    sink.lone();
                    at = escape::plain_end(text, lone + escape::UNIT);
                }
                Err((fault, at)) => return stop(fault, at),
            },
            _ => return stop(Fault::Syntax, at),
        }
    }
}

#[inline]
fn digits(text: &[u8], mut at: usize) -> usize {
    while peek(text, at).is_ascii_digit() {
        at += 1;
    }
    at
}

/// Reads a number: where it ends and its form.
#[inline]
fn number<S: Sink>(text: &[u8], start: usize) -> Result<(usize, Form), Stop> {
    let first = start + usize::from(peek(text, start) == b'-');
    let mut at = match peek(text, first) {
        b'0' => first + 1,
        b'1'..=b'9' => digits(text, first + 1),
        _ => return stop(Fault::Syntax, first),
    };
    let mut form = if at - first <= number::SAFE_DIGITS { Form::Integer } else { Form::Other };
    let mut safe = form == Form::Integer;
    if peek(text, at) == b'.' {
        let end = digits(text, at + 1);
        if end == at + 1 {
            return stop(Fault::Syntax, end);
        }
        at = end;
        form = if at - first <= number::SAFE_DIGITS + 1 { Form::Decimal } else { Form::Other };
    }
    if matches!(peek(text, at), b'e' | b'E') {
        let from = at + 1 + usize::from(matches!(peek(text, at + 1), b'+' | b'-'));
        at = digits(text, from);
        if at == from {
            return stop(Fault::Syntax, at);
        }
        form = Form::Other;
        safe = false;
    }
    if !S::LOOSE && !safe && number::parse(text.get(start..at).unwrap_or_default()).is_err() {
        return stop(Fault::Number, start);
    }
    Ok((at, form))
}

#[inline]
fn literal<S: Sink>(
    text: &[u8],
    at: usize,
    word: &'static str,
    sink: &mut S,
) -> Result<usize, Stop> {
    let end = at + word.len();
    if text.get(at..end) != Some(word.as_bytes()) {
        return stop(Fault::Syntax, at);
    }
    sink.literal(word, at);
    Ok(end)
}
