//! Strings: finding what needs attention eight bytes at a time, escaping as `JSON.stringify`, and
//! reading escapes.
use super::error::Fault;
use alloc::vec::Vec;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The lowest set bit marks the first byte of the little-endian `word` that is a quote, a backslash
/// or a control character. (Bits above it may be false: a borrow runs upwards only.)
const fn specials(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = word ^ (ONES * b'"' as u64);
    let quote = quote.wrapping_sub(ONES) & !quote;
    let slash = word ^ (ONES * b'\\' as u64);
    let slash = slash.wrapping_sub(ONES) & !slash;
    (control | quote | slash) & HIGH
}

pub(super) const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Where the run of ordinary string bytes that starts at `at` ends.
#[inline]
pub(super) fn plain_end(text: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let hit = specials(u64::from_le_bytes(*chunk));
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    // What is left is usually clean, which the last word tells at once, seen bytes included.
    if text.last_chunk::<8>().is_some_and(|last| specials(u64::from_le_bytes(*last)) == 0) {
        return text.len();
    }
    while let Some(&byte) = text.get(at) {
        if is_special(byte) {
            break;
        }
        at += 1;
    }
    at
}

/// Up to seven bytes as a little-endian word, filled up with zeros.
#[inline]
pub(super) fn short_word(text: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        // The two overlap in equal bytes.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << ((8 * text.len() - 32) & 63);
    }
    text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Appends `text` with every character escaped that must be, without the quotes.
#[inline]
pub(crate) fn push_escaped(text: &[u8], out: &mut Vec<u8>) {
    // A store of known size, cut afterwards, is for short texts far cheaper than a copy of unknown size.
    if text.len() < 8 {
        let word = short_word(text);
        if specials(word | (ONES * b' ' as u64) << (8 * text.len())) == 0 {
            let end = out.len() + text.len();
            out.extend_from_slice(&word.to_le_bytes());
            out.truncate(end);
            return;
        }
    }
    let end = plain_end(text, 0);
    if end == text.len() {
        out.extend_from_slice(text);
    } else {
        push_mixed(text, end, out);
    }
}

#[cold]
fn push_mixed(text: &[u8], mut end: usize, out: &mut Vec<u8>) {
    let mut from = 0;
    loop {
        out.extend_from_slice(text.get(from..end).unwrap_or_default());
        let Some(&byte) = text.get(end) else { return };
        push_special(byte, out);
        from = end + 1;
        end = plain_end(text, from);
    }
}

fn push_special(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[(byte >> 4) as usize]);
            out.push(HEX[(byte & 15) as usize]);
            return;
        }
    };
    out.push(b'\\');
    out.push(short);
}

/// How long an escape of one UTF-16 unit is.
pub(super) const UNIT: usize = r"\u0000".len();

/// Reads the escape whose backslash is at `at`: the character and where the escape ends, or the
/// fault and where it is.
pub(super) fn read_escape(text: &[u8], at: usize) -> Result<(char, usize), (Fault, usize)> {
    let syntax = (Fault::Syntax, at);
    let c = match text.get(at + 1).ok_or(syntax)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = hex4(text, at + 2).ok_or(syntax)?;
            if !(0xD800..0xE000).contains(&first) {
                return Ok((char::from_u32(first).ok_or(syntax)?, at + 6));
            }
            let lone = (Fault::Unicode, at);
            if first >= 0xDC00 || text.get(at + 6..at + 8) != Some(b"\\u") {
                return Err(lone);
            }
            let second = hex4(text, at + 8).ok_or((Fault::Syntax, at + 6))?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(lone);
            }
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            return Ok((char::from_u32(code).ok_or(lone)?, at + 12));
        }
        _ => return Err(syntax),
    };
    Ok((c, at + 2))
}

fn hex4(text: &[u8], at: usize) -> Option<u32> {
    let mut code = 0;
    for &byte in text.get(at..at + 4)? {
        code = code << 4 | (byte as char).to_digit(16)?;
    }
    Some(code)
}

/// Appends the inside of a checked JSON string, each escape in the one form `JSON.stringify` uses, lone surrogates
/// included.
pub(crate) fn push_respelled(inner: &[u8], out: &mut Vec<u8>) {
    let mut from = 0;
    loop {
        let end = plain_end(inner, from);
        out.extend_from_slice(inner.get(from..end).unwrap_or_default());
        let (c, next) = match read_escape(inner, end) {
            Ok(read) => read,
            Err((Fault::Unicode, lone)) => {
                let unit = inner.get(lone..lone + UNIT).unwrap_or_default();
                out.extend(unit.iter().map(u8::to_ascii_lowercase));
                from = lone + UNIT;
                continue;
            }
            Err(_) => return,
        };
        if c.is_ascii() && is_special(c as u8) {
            push_special(c as u8, out);
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        from = next;
    }
}

/// The characters that the inside of a checked JSON string stands for.
pub(super) fn decoded(inner: &str) -> impl Iterator<Item = char> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        let c = inner.get(at..)?.chars().next()?;
        if c != '\\' {
            at += c.len_utf8();
            return Some(c);
        }
        let (c, next) = read_escape(inner.as_bytes(), at).ok()?;
        at = next;
        Some(c)
    })
}
