//! JSON written by hand: the few forms in which news cross.
use posthouse_kit::{Error, Headers, Reply};

/// A string, quoted.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0..0x20 => {
                out.extend(*b"\\u00");
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend([digit(byte >> 4), digit(byte & 15)]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

pub(crate) fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(number.to_string().as_bytes());
}

/// `[name,value,name,value…]`, or 0 where there are none.
pub(crate) fn headers(out: &mut Vec<u8>, headers: &Headers) {
    if headers.is_empty() {
        out.push(b'0');
        return;
    }
    out.push(b'[');
    list(out, headers.iter(), |out, (name, value)| {
        string(out, name);
        out.push(b',');
        string(out, value);
    });
    out.push(b']');
}

/// `[code,message,limit,actual]`
pub(crate) fn error(out: &mut Vec<u8>, error: &Error) {
    out.push(b'[');
    string(out, error.code().as_str());
    out.push(b',');
    string(out, error.message());
    for figure in [error.limit(), error.actual()] {
        out.push(b',');
        match figure {
            Some(figure) => number(out, figure),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b']');
}

/// `[data,headers]`
pub(crate) fn reply(out: &mut Vec<u8>, reply: &Reply) {
    out.push(b'[');
    out.extend_from_slice(&reply.payload);
    out.push(b',');
    headers(out, &reply.headers);
    out.push(b']');
}

/// `[[data,headers],…]`
pub(crate) fn replies(out: &mut Vec<u8>, all: &[Reply]) {
    out.push(b'[');
    list(out, all.iter(), reply);
    out.push(b']');
}

/// Items with commas between them.
pub(crate) fn list<T>(
    out: &mut Vec<u8>,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
}
