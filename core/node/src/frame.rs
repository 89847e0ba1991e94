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

/// A message to route: its frame and where the parts lie in it. Small and plain, because it is handed
/// on for every message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Publish<'a> {
    /// From the verb to the final line end.
    frame: &'a [u8],
    subject: Span,
    reply: Span,
    /// Where headers, or the payload if there are none, begin.
    body: u32,
    /// How long the headers are; [`NO_HEADERS`] for PUB.
    header: u32,
    /// The arguments are written exactly as MSG or HMSG would write them.
    canonical: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    const NONE: Self = Self { start: 0, end: 0 };
}

const NO_HEADERS: u32 = u32::MAX;

impl<'a> Publish<'a> {
    #[inline]
    fn part(&self, span: Span) -> &'a [u8] {
        &self.frame[span.start as usize..span.end as usize]
    }

    #[inline]
    pub fn subject(&self) -> &'a [u8] {
        self.part(self.subject)
    }

    /// Empty without a reply subject.
    #[inline]
    pub fn reply(&self) -> &'a [u8] {
        self.part(self.reply)
    }

    /// Headers and payload.
    #[inline]
    pub fn body(&self) -> &'a [u8] {
        &self.frame[self.body as usize..self.frame.len() - 2]
    }

    /// The length of the headers; `None` for PUB.
    #[inline]
    pub fn header(&self) -> Option<usize> {
        (self.header != NO_HEADERS).then_some(self.header as usize)
    }

    /// Everything from the blank after the subject to the final line end, when it can be forwarded
    /// as it is.
    #[inline]
    pub fn tail(&self) -> Option<&'a [u8]> {
        self.canonical.then(|| &self.frame[self.subject.end as usize..])
    }
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
        Verb::Sub => subscribe(line, length)?,
        Verb::Unsub => unsubscribe(line, length)?,
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

/// Notes in `found` where the arguments lie in `line` from `start` on. Returns how many there are and
/// whether exactly one space stands before each.
#[inline]
fn arguments(line: &[u8], start: usize, found: &mut [Span]) -> Result<(usize, bool), Violation> {
    let (mut count, mut canonical, mut at) = (0, true, start);
    // Every argument follows a blank, which `verb` has made sure of for the first one.
    while at < line.len() {
        canonical &= line[at] == b' ';
        at += 1;
        let length = memchr2(b' ', b'\t', &line[at..]).unwrap_or(line.len() - at);
        canonical &= length > 0;
        if length > 0 {
            *found.get_mut(count).ok_or(Violation::Parser)? =
                Span { start: at as u32, end: (at + length) as u32 };
            count += 1;
        }
        at += length;
    }
    Ok((count, canonical))
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
    let line = &bytes[..line];
    let mut found = [Span::NONE; 4];
    let (count, mut canonical) = arguments(line, verb, &mut found)?;
    let numbers = 1 + usize::from(headers);
    let reply = match count.checked_sub(numbers) {
        Some(1) => Span::NONE,
        Some(2) => found[1],
        _ => return Err(Violation::Parser),
    };
    let read = |span: Span| number(&line[span.start as usize..span.end as usize]);
    let size = read(found[count - 1]).ok_or(Violation::Parser)?;
    let header =
        if headers { read(found[count - 2]).ok_or(Violation::Parser)? as u32 } else { NO_HEADERS };
    if size > max_payload {
        return Err(Violation::MaxPayload);
    }
    if headers && header as usize > size {
        return Err(Violation::Parser);
    }
    let (end, total) = (start + size, start + size + 2);
    if bytes.len() < total {
        if bytes.get(end).is_some_and(|b| *b != b'\r') {
            return Err(Violation::UnknownOperation);
        }
        return Ok(Scan::Payload(total));
    }
    if bytes[end..total] != *b"\r\n" {
        return Err(Violation::UnknownOperation);
    }
    canonical &= line.len() + 2 == start;
    let message = Publish {
        frame: &bytes[..total],
        subject: found[0],
        reply,
        body: start as u32,
        header,
        canonical,
    };
    Ok(Scan::Frame(Frame::Publish(message), total))
}

fn subscribe(line: &[u8], start: usize) -> Result<Frame<'_>, Violation> {
    let mut found = [Span::NONE; 3];
    let (count, _) = arguments(line, start, &mut found)?;
    let [subject, second, third] = found.map(|span| &line[span.start as usize..span.end as usize]);
    match count {
        2 => Ok(Frame::Subscribe { subject, queue: None, sid: second }),
        3 => Ok(Frame::Subscribe { subject, queue: Some(second), sid: third }),
        _ => Err(Violation::Parser),
    }
}

fn unsubscribe(line: &[u8], start: usize) -> Result<Frame<'_>, Violation> {
    let mut found = [Span::NONE; 2];
    let (count, _) = arguments(line, start, &mut found)?;
    let [sid, max] = found.map(|span| &line[span.start as usize..span.end as usize]);
    match count {
        1 => Ok(Frame::Unsubscribe { sid, max: 0 }),
        // What is no number ends the subscription at once, as with nats-server.
        2 => Ok(Frame::Unsubscribe { sid, max: number(max).unwrap_or(0) as u64 }),
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

    fn message(bytes: &[u8]) -> Publish<'_> {
        match frame(bytes) {
            Frame::Publish(message) => message,
            other => panic!("{other:?}"),
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
            let message = message(text);
            assert_eq!((message.subject(), message.reply()), (&b"a"[..], &b"r"[..]));
            assert_eq!((message.header(), message.body()), (None, &b"hi"[..]));
            assert_eq!(message.tail(), tail);
        }
        let message = message(b"HPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\n");
        assert_eq!((message.subject(), message.reply()), (&b"a"[..], &b""[..]));
        assert_eq!((message.header(), message.body()), (Some(12), &b"NATS/1.0\r\n\r\nhi"[..]));
        assert_eq!(message.tail(), Some(&b" 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"[..]));
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
