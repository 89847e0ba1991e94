//! One frame of a client, read in place: a control line and, for PUB and HPUB, its payload.

use memchr::{memchr, memchr2};

use crate::violation::Violation;

/// The longest run of arguments after a verb, in bytes.
pub(crate) const MAX_CONTROL_LINE: usize = 4096;

/// What a client said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    Connect(&'a [u8]),
    Ping,
    Pong,
    /// `+OK` or INFO, which mean nothing here.
    Nothing,
    /// `-ERR`: the client gives up.
    Failed,
    Publish(Publish<'a>),
    Subscribe {
        subject: &'a [u8],
        queue: Option<&'a [u8]>,
        sid: &'a [u8],
    },
    Unsubscribe {
        sid: &'a [u8],
        max: u64,
    },
}

/// A message to route. `tail` is everything of the frame from the blank after the subject to the
/// final line end, when it is written exactly as MSG or HMSG would write it: it can be forwarded as
/// it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Publish<'a> {
    pub subject: &'a [u8],
    /// Empty without a reply subject.
    pub reply: &'a [u8],
    /// The length of the header block; `None` for PUB.
    pub header: Option<usize>,
    /// Headers and payload.
    pub body: &'a [u8],
    pub tail: Option<&'a [u8]>,
}

/// The result of looking for a frame at the start of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scan<'a> {
    /// A frame and how many bytes it took.
    Frame(Frame<'a>, usize),
    /// The line is not complete yet.
    Line,
    /// The line is complete, the payload is not: the frame takes that many bytes in all.
    Payload(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Pub,
    Hpub,
    Sub,
    Unsub,
    Ping,
    Pong,
    Connect,
    Info,
    Ok,
    Err,
}

impl Verb {
    const ALL: [(&'static [u8], Self); 10] = [
        (b"PUB", Self::Pub),
        (b"HPUB", Self::Hpub),
        (b"SUB", Self::Sub),
        (b"UNSUB", Self::Unsub),
        (b"PING", Self::Ping),
        (b"PONG", Self::Pong),
        (b"CONNECT", Self::Connect),
        (b"INFO", Self::Info),
        (b"+OK", Self::Ok),
        (b"-ERR", Self::Err),
    ];

    /// Whether a blank must follow.
    fn wants_blank(self) -> bool {
        matches!(self, Self::Pub | Self::Hpub | Self::Sub | Self::Unsub | Self::Err)
    }

    /// Whether whatever follows on the line is passed over.
    fn ignores_rest(self) -> bool {
        matches!(self, Self::Ping | Self::Pong | Self::Ok)
    }
}

/// The verb at the start of the line and its length; `None` while it may still become one.
fn verb(line: &[u8]) -> Result<Option<(Verb, usize)>, Violation> {
    let mut may_become = false;
    for (text, verb) in Verb::ALL {
        let common = text.len().min(line.len());
        if !text[..common].eq_ignore_ascii_case(&line[..common]) {
            continue;
        }
        if common < text.len() {
            may_become = true;
            continue;
        }
        return match line.get(common) {
            Some(b) if verb.wants_blank() && !is_blank(*b) => Err(Violation::UnknownOperation),
            None if verb.wants_blank() => Ok(None),
            _ => Ok(Some((verb, common))),
        };
    }
    if may_become { Ok(None) } else { Err(Violation::UnknownOperation) }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| !is_blank(*b)).unwrap_or(bytes.len());
    &bytes[start..]
}

/// Looks for a frame at the start of `bytes`, which must not be empty.
#[inline]
pub(crate) fn scan(bytes: &[u8], max_payload: usize) -> Result<Scan<'_>, Violation> {
    let Some(end) = memchr(b'\n', bytes) else {
        return unfinished(bytes);
    };
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let (verb, length) = if line.starts_with(b"PUB ") {
        (Verb::Pub, 3)
    } else {
        verb(line)?.ok_or(Violation::UnknownOperation)?
    };
    let args = &line[length..];
    if verb.ignores_rest() {
        return Ok(Scan::Frame(
            match verb {
                Verb::Ping => Frame::Ping,
                Verb::Pong => Frame::Pong,
                _ => Frame::Nothing,
            },
            end + 1,
        ));
    }
    if args.len() > MAX_CONTROL_LINE && skip_blanks(args).len() > MAX_CONTROL_LINE {
        return Err(Violation::ControlLine);
    }
    let frame = match verb {
        Verb::Pub | Verb::Hpub => {
            return publish(bytes, length, line.len(), end + 1, verb == Verb::Hpub, max_payload);
        }
        Verb::Sub => subscribe(args)?,
        Verb::Unsub => unsubscribe(args)?,
        Verb::Connect => Frame::Connect(skip_blanks(args)),
        Verb::Err => Frame::Failed,
        Verb::Info | Verb::Ping | Verb::Pong | Verb::Ok => Frame::Nothing,
    };
    Ok(Scan::Frame(frame, end + 1))
}

/// A line without its end: refused as soon as nothing can make it right.
fn unfinished(bytes: &[u8]) -> Result<Scan<'_>, Violation> {
    if let Some((verb, length)) = verb(bytes)? {
        let args = bytes[length..].strip_suffix(b"\r").unwrap_or(&bytes[length..]);
        if !verb.ignores_rest() && skip_blanks(args).len() > MAX_CONTROL_LINE {
            return Err(Violation::ControlLine);
        }
    }
    Ok(Scan::Line)
}

/// How much of an unfinished line must be kept to read the rest of it: blanks before the arguments
/// and text that is passed over may go, so that they take no memory.
pub(crate) fn needed(line: &[u8]) -> usize {
    match verb(line) {
        Ok(Some((verb, length))) if verb.ignores_rest() => length,
        Ok(Some((_, length))) if skip_blanks(&line[length..]).is_empty() => {
            line.len().min(length + 1)
        }
        _ => line.len(),
    }
}

/// Up to `N` arguments, how many there are, and whether exactly one space stands before each.
#[inline]
fn arguments<const N: usize>(args: &[u8]) -> Result<([&[u8]; N], usize, bool), Violation> {
    let mut found: [&[u8]; N] = [b""; N];
    let (mut count, mut canonical, mut rest) = (0, true, args);
    // Every argument follows a blank, which `verb` has made sure of for the first one.
    while let [blank, tail @ ..] = rest {
        let end = memchr2(b' ', b'\t', tail).unwrap_or(tail.len());
        canonical &= *blank == b' ' && end > 0;
        if end > 0 {
            *found.get_mut(count).ok_or(Violation::Parser)? = &tail[..end];
            count += 1;
        }
        rest = &tail[end..];
    }
    Ok((found, count, canonical))
}

/// A length as the protocol writes it: one to nine digits.
#[inline]
fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |sum, d| d.is_ascii_digit().then(|| sum * 10 + usize::from(d - b'0')))
}

#[inline]
fn publish(
    bytes: &[u8],
    verb: usize,
    line: usize,
    start: usize,
    headers: bool,
    max_payload: usize,
) -> Result<Scan<'_>, Violation> {
    let (found, count, mut canonical) = arguments::<4>(&bytes[verb..line])?;
    let numbers = 1 + usize::from(headers);
    let reply: &[u8] = match count.checked_sub(numbers) {
        Some(1) => b"",
        Some(2) => found[1],
        _ => return Err(Violation::Parser),
    };
    let size = number(found[count - 1]).ok_or(Violation::Parser)?;
    let header = headers.then(|| number(found[count - 2]).ok_or(Violation::Parser)).transpose()?;
    if size > max_payload {
        return Err(Violation::MaxPayload);
    }
    if header.is_some_and(|header| header > size) {
        return Err(Violation::Parser);
    }
    let (end, total) = (start + size, start + size + 2);
    if bytes.get(end).is_some_and(|b| *b != b'\r')
        || bytes.get(end + 1).is_some_and(|b| *b != b'\n')
    {
        return Err(Violation::UnknownOperation);
    }
    if bytes.len() < total {
        return Ok(Scan::Payload(total));
    }
    canonical &= line + 2 == start;
    let subject = found[0];
    let message = Publish {
        subject,
        reply,
        header,
        body: &bytes[start..end],
        tail: canonical.then(|| &bytes[verb + 1 + subject.len()..total]),
    };
    Ok(Scan::Frame(Frame::Publish(message), total))
}

fn subscribe(args: &[u8]) -> Result<Frame<'_>, Violation> {
    let (found, count, _) = arguments::<3>(args)?;
    match count {
        2 => Ok(Frame::Subscribe { subject: found[0], queue: None, sid: found[1] }),
        3 => Ok(Frame::Subscribe { subject: found[0], queue: Some(found[1]), sid: found[2] }),
        _ => Err(Violation::Parser),
    }
}

fn unsubscribe(args: &[u8]) -> Result<Frame<'_>, Violation> {
    let (found, count, _) = arguments::<2>(args)?;
    match count {
        1 => Ok(Frame::Unsubscribe { sid: found[0], max: 0 }),
        // What is no number ends the subscription at once, as with nats-server.
        2 => Ok(Frame::Unsubscribe { sid: found[0], max: number(found[1]).unwrap_or(0) as u64 }),
        _ => Err(Violation::Parser),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &[u8]) -> Frame<'_> {
        match scan(bytes, 1000) {
            Ok(Scan::Frame(frame, used)) if used == bytes.len() => frame,
            other => panic!("{:?} for {:?}", other, bytes.escape_ascii().to_string()),
        }
    }

    #[test]
    fn publish_forms() {
        for (text, tail) in [
            (&b"PUB a r 2\r\nhi\r\n"[..], Some(&b" r 2\r\nhi\r\n"[..])),
            (b"pub\ta\tr\t2\r\nhi\r\n", None),
            (b"PUB  a r 2\r\nhi\r\n", None),
            (b"PUB a r 2 \r\nhi\r\n", None),
            (b"PUB a r 2\nhi\r\n", None),
        ] {
            let want = Publish { subject: b"a", reply: b"r", header: None, body: b"hi", tail };
            assert_eq!(frame(text), Frame::Publish(want));
        }
        let want = Publish {
            subject: b"a",
            reply: b"",
            header: Some(12),
            body: b"NATS/1.0\r\n\r\nhi",
            tail: Some(b" 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"),
        };
        assert_eq!(frame(b"HPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"), Frame::Publish(want));
    }

    #[test]
    fn refusals() {
        use Violation::*;
        let long = [b"SUB ", &[b'a'; MAX_CONTROL_LINE - 1][..], b" 1"].concat();
        for (text, want) in [
            (&b"FOO"[..], UnknownOperation),
            (b"PUX", UnknownOperation),
            (b"\r\n", UnknownOperation),
            (b"PUB\r\n", UnknownOperation),
            (b"SUBx", UnknownOperation),
            (b"PUB \r\n", Parser),
            (b"PUB a\r\n", Parser),
            (b"PUB a b c 1\r\n", Parser),
            (b"PUB a -1\r\n", Parser),
            (b"PUB a 1234567890\r\n", Parser),
            (b"PUB a 1001\r\n", MaxPayload),
            (b"PUB a 1\r\nxy", UnknownOperation),
            (b"PUB a 1\r\nx\ry", UnknownOperation),
            (b"HPUB a 1\r\n", Parser),
            (b"HPUB a 3 2\r\n", Parser),
            (b"SUB a\r\n", Parser),
            (b"SUB a b c d\r\n", Parser),
            (b"UNSUB a b c\r\n", Parser),
            (&long, ControlLine),
        ] {
            assert_eq!(scan(text, 1000), Err(want), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn unfinished_lines_keep_only_what_they_need() {
        assert_eq!(scan(b"P", 10), Ok(Scan::Line));
        assert_eq!(scan(b"PUB a 3\r\nx", 10), Ok(Scan::Payload(14)));
        assert_eq!(needed(b"PING and more"), 4);
        assert_eq!(needed(b"SUB      "), 4);
        assert_eq!(needed(b"SUB   a"), 7);
    }
}
