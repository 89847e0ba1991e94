//! The incremental decoder of what a NATS server sends.
//!
//! A chunk is decoded in place; only an unfinished frame at its end is kept. A message whose size
//! passes the limit is skipped as it streams by, so no peer can make the client hold more.
use alloc::{string::String, vec::Vec};

/// One frame from the server, borrowed from the bytes that were fed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// `INFO`, with its JSON.
    Info(&'a [u8]),
    /// `MSG` or `HMSG`.
    Message {
        /// The client's subscription number.
        sid: u64,
        /// The subject as sent.
        subject: &'a [u8],
        /// Where an answer goes, if one is wanted.
        reply: Option<&'a [u8]>,
        /// The header block, version line and closing empty line included; empty for `MSG`.
        headers: &'a [u8],
        /// The payload.
        payload: &'a [u8],
    },
    /// A message larger than the limit; its body is skipped.
    Oversize {
        /// The client's subscription number.
        sid: u64,
        /// The subject as sent.
        subject: &'a [u8],
        /// Where an answer goes, if one is wanted.
        reply: Option<&'a [u8]>,
        /// Header and payload bytes that the server announced.
        size: usize,
    },
    /// `PING`.
    Ping,
    /// `PONG`.
    Pong,
    /// `+OK`.
    Ok,
    /// `-ERR`, with its text without the quotes.
    Err(&'a [u8]),
}

/// The server sent something that is no NATS frame; the connection cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError(pub String);

/// Decodes a stream of server bytes.
#[derive(Debug)]
pub struct Decoder {
    /// The start of a frame whose end has not come yet.
    kept: Vec<u8>,
    /// How far `kept` was searched for a line end, so that a slow stream is not searched twice.
    searched: usize,
    /// How long the frame that `kept` begins is, once its line is known; else 0.
    whole: usize,
    /// Bytes of an oversize body still to be skipped.
    skip: usize,
    /// Header and payload bytes of the largest message handed out.
    limit: usize,
}

/// A buffer for unfinished frames that has grown beyond this is given back once it is empty.
const KEEP: usize = 64 * 1024;

enum Step<'a> {
    Frame(Frame<'a>, usize),
    /// The frame and what to skip after its line.
    Skip(Frame<'a>, usize, usize),
    /// The frame has so many bytes, which are not all here.
    More(usize),
}

impl Decoder {
    /// The longest line accepted: an INFO of a large cluster fits, a runaway line does not.
    pub const LINE_LIMIT: usize = 1 << 20;

    /// A decoder that hands out messages of up to `limit` bytes of headers and payload.
    pub fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), searched: 0, whole: 0, skip: 0, limit }
    }

    /// Bytes kept of an unfinished frame.
    pub fn held(&self) -> usize {
        self.kept.len()
    }

    /// Decodes `chunk`, calling `each` for every whole frame, in order, until the bytes are used
    /// up or `each` returns false (the rest is then dropped: the connection is at its end).
    ///
    /// # Errors
    /// The stream is no NATS; frames before the fault were handed out.
    pub fn feed(
        &mut self,
        mut chunk: &[u8],
        mut each: impl FnMut(Frame<'_>) -> bool,
    ) -> Result<(), ProtocolError> {
        loop {
            if self.skip > 0 {
                let n = self.skip.min(chunk.len());
                self.skip -= n;
                chunk = &chunk[n..];
            }
            if self.kept.is_empty() || chunk.is_empty() {
                break;
            }
            // Only what the unfinished frame lacks is copied; the rest is decoded where it is.
            let lacks = match self.whole {
                0 => memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1),
                whole => (whole - self.kept.len()).min(chunk.len()),
            };
            self.kept.extend_from_slice(&chunk[..lacks]);
            chunk = &chunk[lacks..];
            let mut buffer = core::mem::take(&mut self.kept);
            let Some(used) = self.run(&buffer, self.searched, &mut each)? else { return Ok(()) };
            if used == buffer.len() {
                buffer.clear();
                buffer.shrink_to(KEEP);
            }
            self.kept = buffer;
        }
        if let Some(used) = self.run(chunk, 0, &mut each)? {
            self.kept.extend_from_slice(&chunk[used..]);
        }
        Ok(())
    }

    /// Decodes as much of `bytes` as there are whole frames; the result is how much was used, or
    /// none if `each` wants no more.
    fn run(
        &mut self,
        bytes: &[u8],
        searched: usize,
        each: &mut impl FnMut(Frame<'_>) -> bool,
    ) -> Result<Option<usize>, ProtocolError> {
        if bytes.is_empty() {
            return Ok(Some(0));
        }
        let mut at = 0;
        let mut from = searched;
        (self.searched, self.whole) = (0, 0);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let Some(end) = line_end(rest, from) else {
                // A CR at the end may be that of the line's own end.
                if rest.len() > Self::LINE_LIMIT + 1 {
                    return Err(runaway());
                }
                // The last byte may be the CR of a split CRLF: search it again.
                self.searched = rest.len().saturating_sub(1);
                break;
            };
            from = 0;
            if end > Self::LINE_LIMIT {
                return Err(runaway());
            }
            match step(rest, end, self.limit)? {
                Step::Frame(frame, used) => {
                    at += used;
                    if !each(frame) {
                        return Ok(None);
                    }
                }
                Step::Skip(frame, used, size) => {
                    let here = size.min(rest.len() - used);
                    self.skip = size - here;
                    at += used + here;
                    if !each(frame) {
                        return Ok(None);
                    }
                }
                Step::More(whole) => {
                    self.whole = whole;
                    break;
                }
            }
        }
        Ok(Some(at))
    }
}

/// The position of the CR of the first CRLF at or after `from`.
fn line_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let cr = at + memchr::memchr(b'\r', bytes.get(at..)?)?;
        if bytes.get(cr + 1) == Some(&b'\n') {
            return Some(cr);
        }
        if cr + 1 >= bytes.len() {
            return None;
        }
        at = cr + 1;
    }
}

fn step(bytes: &[u8], end: usize, limit: usize) -> Result<Step<'_>, ProtocolError> {
    let line = &bytes[..end];
    let used = end + 2;
    if let Some(args) = line.strip_prefix(b"MSG ") {
        return message(bytes, args, used, false, limit);
    }
    if let Some(args) = line.strip_prefix(b"HMSG ") {
        return message(bytes, args, used, true, limit);
    }
    let split = line.iter().position(|&b| b == b' ' || b == b'\t').unwrap_or(line.len());
    let (verb, args) = (&line[..split], line[split..].trim_ascii());
    let frame = if verb.eq_ignore_ascii_case(b"PING") {
        Frame::Ping
    } else if verb.eq_ignore_ascii_case(b"PONG") {
        Frame::Pong
    } else if verb.eq_ignore_ascii_case(b"+OK") {
        Frame::Ok
    } else if verb.eq_ignore_ascii_case(b"INFO") {
        Frame::Info(args)
    } else if verb.eq_ignore_ascii_case(b"-ERR") {
        Frame::Err(args.strip_prefix(b"'").and_then(|t| t.strip_suffix(b"'")).unwrap_or(args))
    } else if verb.eq_ignore_ascii_case(b"MSG") {
        return message(bytes, args, used, false, limit);
    } else if verb.eq_ignore_ascii_case(b"HMSG") {
        return message(bytes, args, used, true, limit);
    } else {
        return Err(unknown(line));
    };
    Ok(Step::Frame(frame, used))
}

fn message<'a>(
    bytes: &'a [u8],
    args: &'a [u8],
    used: usize,
    with_headers: bool,
    limit: usize,
) -> Result<Step<'a>, ProtocolError> {
    let fault = || unknown(&bytes[..used - 2]);
    let mut words: [&[u8]; 5] = [&[]; 5];
    let mut count = 0;
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        if is_blank(*first) {
            rest = after;
            continue;
        }
        let end = rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        *words.get_mut(count).ok_or_else(fault)? = &rest[..end];
        count += 1;
        rest = &rest[end..];
    }
    let sizes = if with_headers { 2 } else { 1 };
    let reply = match count.checked_sub(2 + sizes) {
        Some(0) => None,
        Some(1) => Some(words[2]),
        _ => return Err(fault()),
    };
    let sid = number(words[1]).ok_or_else(fault)? as u64;
    let size = number(words[count - 1]).ok_or_else(fault)?;
    let header = if with_headers { number(words[count - 2]).ok_or_else(fault)? } else { 0 };
    if header > size {
        return Err(fault());
    }
    let subject = words[0];
    if size > limit {
        return Ok(Step::Skip(
            Frame::Oversize { sid, subject, reply, size },
            used,
            size.saturating_add(2),
        ));
    }
    let Some(body) = bytes.get(used..used + size + 2) else {
        return Ok(Step::More(used + size + 2));
    };
    if &body[size..] != b"\r\n" {
        return Err(fault());
    }
    let frame = Frame::Message {
        sid,
        subject,
        reply,
        headers: &body[..header],
        payload: &body[header..size],
    };
    Ok(Step::Frame(frame, used + size + 2))
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn number(word: &[u8]) -> Option<usize> {
    if word.is_empty() || word.len() > 10 {
        return None;
    }
    word.iter().try_fold(0usize, |n, &b| {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 { None } else { n.checked_mul(10)?.checked_add(digit as usize) }
    })
}

fn runaway() -> ProtocolError {
    ProtocolError("a line of over 1 MiB".into())
}

fn unknown(line: &[u8]) -> ProtocolError {
    let shown = &line[..line.len().min(40)];
    ProtocolError(alloc::format!("the line `{}` is no NATS frame", shown.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::ToString, vec, vec::Vec};

    fn show(frame: Frame<'_>) -> String {
        match frame {
            Frame::Message { sid, subject, reply, headers, payload } => format!(
                "msg {sid} {} {:?} {}|{}",
                subject.escape_ascii(),
                reply.map(|r| r.escape_ascii().to_string()),
                headers.escape_ascii(),
                payload.escape_ascii()
            ),
            Frame::Info(json) => format!("info {}", json.escape_ascii()),
            Frame::Err(text) => format!("err {}", text.escape_ascii()),
            Frame::Oversize { sid, size, .. } => format!("oversize {sid} {size}"),
            other => format!("{other:?}"),
        }
    }

    const STREAM: &[u8] = b"INFO {\"a\":1} \r\n+OK\r\nPING\r\nMSG a.b 7 5\r\nhe\r\no\r\npong\r\n\
        MSG x 18446744 _INBOX.1 0\r\n\r\nHMSG h 3 r 12 14\r\nNATS/1.0\r\n\r\nok\r\n\
        MSG big 9 40\r\n0123456789012345678901234567890123456789\r\n-ERR 'Stale Connection'\r\nmsg\tt 1  1\r\nz\r\n";

    fn decode(chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::new(32);
        let mut frames = Vec::new();
        for chunk in chunks {
            decoder
                .feed(chunk, |frame| {
                    frames.push(show(frame));
                    true
                })
                .unwrap();
        }
        frames
    }

    #[test]
    fn any_split_gives_the_same_frames() {
        let whole = decode(&[STREAM]);
        assert_eq!(
            whole,
            vec![
                "info {\\\"a\\\":1}",
                "Ok",
                "Ping",
                "msg 7 a.b None |he\\r\\no",
                "Pong",
                "msg 18446744 x Some(\"_INBOX.1\") |",
                "msg 3 h Some(\"r\") NATS/1.0\\r\\n\\r\\n|ok",
                "oversize 9 40",
                "err Stale Connection",
                "msg 1 t None |z",
            ]
        );
        for cut in 0..STREAM.len() {
            assert_eq!(decode(&[&STREAM[..cut], &STREAM[cut..]]), whole, "cut at {cut}");
        }
        for size in 1..20 {
            assert_eq!(decode(&STREAM.chunks(size).collect::<Vec<_>>()), whole, "pieces of {size}");
        }
    }

    #[test]
    fn a_line_is_too_long_however_it_comes() {
        for (length, fine) in [(Decoder::LINE_LIMIT, true), (Decoder::LINE_LIMIT + 1, false)] {
            let mut text = b"INFO ".to_vec();
            text.resize(length, b'x');
            text.extend_from_slice(b"\r\n");
            for cut in [1, length - 1, length, length + 1, length + 2] {
                let mut decoder = Decoder::new(32);
                let (first, second) = text.split_at(cut);
                let fed =
                    decoder.feed(first, |_| true).and_then(|()| decoder.feed(second, |_| true));
                assert_eq!(fed.is_ok(), fine, "{length} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_nats_is_refused() {
        for bad in [
            &b"HTTP/1.1 400 Bad Request\r\n"[..],
            b"MSG a\r\n",
            b"MSG a b 1\r\n",
            b"MSG a 1 r x 5\r\n",
            b"HMSG a 1 9 3\r\nabc\r\n",
            b"MSG a 1 1\r\nabc\r\n",
            b"MSG a 1 99999999999\r\n",
            b"\r\n",
        ] {
            let mut decoder = Decoder::new(32);
            assert!(decoder.feed(bad, |_| true).is_err(), "{}", bad.escape_ascii());
        }
        let mut decoder = Decoder::new(32);
        assert!(decoder.feed(&vec![b'a'; Decoder::LINE_LIMIT + 2], |_| true).is_err());
    }
}
