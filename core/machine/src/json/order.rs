//! The order of an object's keys: integer-like ones first by number, then either by UTF-16 code unit
//! or as inserted. Keys are compared in the escaped form of `JSON.stringify`, which is one-to-one.
use super::escape;
use core::cmp::Ordering;

/// The rank of a key that is not integer-like: behind all that are.
pub(super) const NAMED: u32 = u32::MAX;

/// The number of an integer-like key, which is a canonical decimal up to 2^32 − 2, else [`NAMED`].
#[inline]
pub(super) fn rank(key: &[u8]) -> u32 {
    match key {
        [b'0'] => 0,
        [b'1'..=b'9', rest @ ..] if rest.len() < 10 && rest.iter().all(u8::is_ascii_digit) => {
            let number = key.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
            u32::try_from(number).unwrap_or(NAMED)
        }
        _ => NAMED,
    }
}

/// UTF-8 sorts by code point. That differs from UTF-16 where one character is past U+FFFF (lead byte F0 and
/// up) and the other in U+E000–U+FFFF (EE, EF): these weights put the latter last.
const fn weight(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0.. => byte - 2,
        _ => byte,
    }
}

/// The beginning of a key as a number: keys sort as these do, or [`utf16`] tells.
#[inline]
pub(super) fn prefix(key: &[u8], escaped: bool) -> u64 {
    let word = match key.first_chunk::<8>() {
        _ if escaped => return prefix_escaped(key),
        Some(word) => u64::from_be_bytes(*word),
        None => escape::short_word(key).swap_bytes(),
    };
    if word & 0x8080_8080_8080_8080 == 0 {
        return word;
    }
    u64::from_be_bytes(word.to_be_bytes().map(weight))
}

#[cold]
fn prefix_escaped(key: &[u8]) -> u64 {
    let mut word = [0; 8];
    let text = core::str::from_utf8(key).unwrap_or_default();
    let mut bytes = word.iter_mut();
    'full: for c in escape::decoded(text) {
        for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
            let Some(place) = bytes.next() else { break 'full };
            *place = weight(byte);
        }
    }
    u64::from_be_bytes(word)
}

/// Compares two escaped keys by the UTF-16 code units they stand for.
pub(super) fn utf16(a: &[u8], b: &[u8]) -> Ordering {
    let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else {
        // One begins with the other; a shared backslash is shared whole, so no escape is cut.
        return a.len().cmp(&b.len());
    };
    if a.contains(&b'\\') || b.contains(&b'\\') {
        return utf16_escaped(a, b);
    }
    weight(a[at]).cmp(&weight(b[at]))
}

#[cold]
fn utf16_escaped(a: &[u8], b: &[u8]) -> Ordering {
    let units = |key| {
        let text = core::str::from_utf8(key).unwrap_or_default();
        escape::decoded(text).flat_map(|c| {
            let mut units = [0; 2];
            let count = c.encode_utf16(&mut units).len();
            units.into_iter().take(count)
        })
    };
    units(a).cmp(units(b))
}
