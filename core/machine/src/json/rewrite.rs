//! Foreign JSON text brought into the form `JSON.stringify` gives, bottom-up in one pass: every object
//! is written as it comes, and put in order where its closing brace finds it out of order.
use super::{Limits, error::Fault, error::JsonError, escape, number, order, scan};
use alloc::vec::Vec;
use core::{cmp::Ordering, ops::Range};

/// Appends `text` in canonical form: equal values give equal bytes.
///
/// That is what `JSON.stringify` gives for objects whose keys were inserted in the order of their UTF-16
/// code units: integer-like keys first by number, then the others. Of a duplicate key the last wins.
/// `limits.bytes` bounds what is written, not `text`. On an error `out` is as before.
pub fn canonical(text: &[u8], out: &mut Vec<u8>, limits: &Limits) -> Result<(), JsonError> {
    append(text, out, limits, Keys::Sorted).map(|_| ())
}

/// Appends `text` as `JSON.stringify(JSON.parse(text))` gives it: integer-like keys first by number,
/// then the others as first met. Of a duplicate key the last value wins, at the place of the first.
/// `limits.bytes` bounds what is written, not `text`. On an error `out` is as before.
pub fn normalize(text: &[u8], out: &mut Vec<u8>, limits: &Limits) -> Result<(), JsonError> {
    append(text, out, limits, Keys::AsMet).map(|_| ())
}

/// The order of keys that are not integer-like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    Sorted,
    AsMet,
}

/// Appends the rewritten text and returns how many nodes it had.
pub(super) fn append(
    text: &[u8],
    out: &mut Vec<u8>,
    limits: &Limits,
    keys: Keys,
) -> Result<usize, JsonError> {
    let start = out.len();
    let mut rewriter = Rewriter::new(text, out, keys);
    let error = match scan::scan(text, limits, &mut rewriter) {
        Ok(nodes) => {
            let written = out.len() - start;
            if written <= limits.bytes {
                return Ok(nodes);
            }
            JsonError { limit: limits.bytes, ..JsonError::new(Fault::Size, written) }
        }
        Err(stop) => stop.into_error(limits),
    };
    out.truncate(start);
    Err(error)
}

pub(super) struct Rewriter<'a> {
    text: &'a [u8],
    out: &'a mut Vec<u8>,
    keys: Keys,
    /// Whether a comma goes before the next key or value.
    comma: bool,
    /// The members of all open objects, outer ones first, each object's behind one that only remembers
    /// `first` of the object around it, as its start.
    members: Vec<Member>,
    /// Where the members of the innermost open object begin.
    first: usize,
    scratch: Vec<u8>,
    /// Whether some member took the place of another one.
    replaced: bool,
    /// Set where members are left where they are: those that were replaced, with their commas, are noted here, and
    /// taken out at the end.
    leaving: bool,
    dead: Vec<Range<usize>>,
}

/// A member as written to the output: `"key":value` at `start..end`.
#[derive(Clone, Copy, Default)]
struct Member {
    start: usize,
    /// The closing quote of the key.
    key_end: usize,
    end: usize,
    /// Its place among those without a rank.
    place: usize,
    rank: u32,
    prefix: u64,
}

impl Member {
    fn key<'a>(&self, out: &'a [u8]) -> &'a [u8] {
        out.get(self.start + 1..self.key_end).unwrap_or_default()
    }

    #[inline]
    fn order(&self, other: &Self, out: &[u8]) -> Ordering {
        match (self.rank, self.prefix).cmp(&(other.rank, other.prefix)) {
            Ordering::Equal => order::utf16(self.key(out), other.key(out)),
            order => order,
        }
    }

    #[inline]
    fn same_key(&self, other: &Self, out: &[u8]) -> bool {
        self.prefix == other.prefix && self.key(out) == other.key(out)
    }
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(text: &'a [u8], out: &'a mut Vec<u8>, keys: Keys) -> Self {
        out.reserve(text.len());
        Self {
            text,
            out,
            keys,
            comma: false,
            members: Vec::new(),
            first: 0,
            scratch: Vec::new(),
            replaced: false,
            leaving: false,
            dead: Vec::new(),
        }
    }

    /// From now on members are left in the order in which they come, and only what was replaced is taken out: moving
    /// them costs far more than the text is long where it is nested without bounds.
    pub(super) fn leave_order(&mut self) {
        self.leaving = true;
    }

    /// Ends the text: what was replaced and is still there goes. Tells whether anything was replaced.
    pub(super) fn finish(mut self) -> bool {
        if self.dead.is_empty() {
            return self.replaced;
        }
        self.dead.sort_unstable_by_key(|range| range.start);
        let (mut from, mut to) = (0, 0);
        for range in self.dead {
            // Within one that has gone there may be others.
            if range.start >= from {
                self.out.copy_within(from..range.start, to);
                to += range.start - from;
                from = range.end;
            }
        }
        let end = self.out.len();
        self.out.copy_within(from..end, to);
        self.out.truncate(to + end - from);
        self.replaced
    }

    /// The key that was written last, escaped as `JSON.stringify` has it.
    pub(super) fn last_key(&self) -> &[u8] {
        self.members.last().map_or(b"", |member| member.key(self.out))
    }

    /// A number, which may be past every double: it stays that.
    pub(super) fn value(&mut self, value: f64) {
        self.separate();
        self.comma = true;
        if value.is_finite() {
            number::push_finite(value, self.out);
        } else {
            self.out.extend_from_slice(b"1e999");
        }
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
    }

    fn quoted(&mut self, inner: Range<usize>, escaped: bool) {
        let inner = self.text.get(inner).unwrap_or_default();
        self.out.push(b'"');
        if escaped {
            escape::push_respelled(inner, self.out);
        } else {
            self.out.extend_from_slice(inner);
        }
        self.out.push(b'"');
    }

    /// The value of the last member met ends here. (Called at the next key and at the closing brace, so
    /// a nested object has taken its own members away by then.)
    fn close_member(&mut self) {
        let end = self.out.len();
        if let Some(member) = self.members.get_mut(self.first..).and_then(<[Member]>::last_mut) {
            member.end = end;
        }
    }

    /// Puts the members from `first` on in order, the duplicates out.
    fn arrange(&mut self) {
        let out = &*self.out;
        let members = self.members.get_mut(self.first..).unwrap_or_default();
        let body = members.first().map_or(out.len(), |member| member.start);
        if members.is_sorted_by(|a, b| a.order(b, out).is_lt()) {
            return;
        }
        if self.keys == Keys::AsMet && members.iter().all(|member| member.rank == order::NAMED) {
            // Out of alphabetical order is how objects usually are: look for duplicates only.
            let twice = |(at, member): (usize, &Member)| {
                members[..at].iter().any(|other| other.same_key(member, out))
            };
            if members.len() <= 12 && !members.iter().enumerate().any(twice) {
                return;
            }
        }
        // Stable, so of equal keys the last stays last: it takes the place of the first.
        members.sort_by(|a, b| a.order(b, out));
        if self.leaving {
            for pair in members.windows(2) {
                if let [one, next] = pair
                    && one.same_key(next, out)
                {
                    self.replaced = true;
                    self.dead.push(one.start..one.end + 1);
                }
            }
            return;
        }
        let mut kept = 0;
        for at in 0..members.len() {
            let mut member = members[at];
            if kept > 0 && members[kept - 1].same_key(&member, out) {
                kept -= 1;
                self.replaced = true;
                member.place = members[kept].place;
            }
            members[kept] = member;
            kept += 1;
        }
        let members = &mut members[..kept];
        if self.keys == Keys::AsMet {
            members.sort_by_key(|member| (member.rank, member.place));
        }
        self.scratch.clear();
        for member in members.iter() {
            if !self.scratch.is_empty() {
                self.scratch.push(b',');
            }
            self.scratch.extend_from_slice(out.get(member.start..member.end).unwrap_or_default());
        }
        self.out.truncate(body);
        self.out.extend_from_slice(&self.scratch);
    }
}

impl scan::Sink for Rewriter<'_> {
    fn begin(&mut self, object: bool, _: usize) {
        self.separate();
        self.comma = false;
        if object {
            self.members.push(Member { start: self.first, ..Member::default() });
            self.first = self.members.len();
            self.out.push(b'{');
        } else {
            self.out.push(b'[');
        }
    }

    fn end(&mut self, object: bool, _: usize) {
        if object {
            self.close_member();
            self.arrange();
            self.members.truncate(self.first);
            self.first = self.members.pop().map_or(0, |around| around.start);
            self.out.push(b'}');
        } else {
            self.out.push(b']');
        }
        self.comma = true;
    }

    fn key(&mut self, inner: Range<usize>, escaped: bool) {
        self.close_member();
        self.separate();
        let start = self.out.len();
        self.quoted(inner, escaped);
        let key_end = self.out.len() - 1;
        self.out.push(b':');
        self.comma = false;
        let text = self.out.get(start + 1..key_end).unwrap_or_default();
        let (rank, prefix) = (order::rank(text), order::prefix(text, escaped));
        let place = self.members.len();
        self.members.push(Member { start, key_end, end: 0, place, rank, prefix });
    }

    fn string(&mut self, inner: Range<usize>, escaped: bool) {
        self.separate();
        self.quoted(inner, escaped);
        self.comma = true;
    }

    fn number(&mut self, text: Range<usize>, form: scan::Form) {
        self.separate();
        self.comma = true;
        let text = self.text.get(text).unwrap_or_default();
        let done = match form {
            scan::Form::Integer if text != b"-0" => {
                self.out.extend_from_slice(text);
                true
            }
            scan::Form::Decimal => number::push_decimal(text, self.out),
            _ => false,
        };
        if !done && let Some(value) = number::double(text) {
            // What is out of range is refused, by the scan or by the sink around this one.
            number::push_finite(value, self.out);
        }
    }

    fn literal(&mut self, text: &'static str, _: usize) {
        self.separate();
        self.out.extend_from_slice(text.as_bytes());
        self.comma = true;
    }
}
