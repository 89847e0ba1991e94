//! The decoder of what a server sends: any split of the bytes gives the same frames and the same end, no
//! more is kept than an unfinished frame, and what was written as a frame is read as that frame.
use crate::input::{Input, pieces};
use posthouse_core::frame::{Decoder, Frame, ProtocolError};

#[derive(Debug, PartialEq)]
enum Seen {
    Info(Vec<u8>),
    Message {
        sid: u64,
        subject: Vec<u8>,
        reply: Option<Vec<u8>>,
        headers: Vec<u8>,
        payload: Vec<u8>,
    },
    Oversize {
        sid: u64,
        subject: Vec<u8>,
        reply: Option<Vec<u8>>,
        size: usize,
    },
    Ping,
    Pong,
    Ok,
    Err(Vec<u8>),
    Broken(ProtocolError),
}

impl From<Frame<'_>> for Seen {
    fn from(frame: Frame<'_>) -> Self {
        match frame {
            Frame::Info(json) => Self::Info(json.into()),
            Frame::Message { sid, subject, reply, headers, payload } => Self::Message {
                sid,
                subject: subject.into(),
                reply: reply.map(Into::into),
                headers: headers.into(),
                payload: payload.into(),
            },
            Frame::Oversize { sid, subject, reply, size } => {
                Self::Oversize { sid, subject: subject.into(), reply: reply.map(Into::into), size }
            }
            Frame::Ping => Self::Ping,
            Frame::Pong => Self::Pong,
            Frame::Ok => Self::Ok,
            Frame::Err(text) => Self::Err(text.into()),
        }
    }
}

fn decode(chunks: &[&[u8]], limit: usize) -> Vec<Seen> {
    let mut decoder = Decoder::new(limit);
    let mut seen = Vec::new();
    for chunk in chunks {
        let fed = decoder.feed(chunk, |frame| {
            seen.push(frame.into());
            true
        });
        if let Err(error) = fed {
            seen.push(Seen::Broken(error));
            break;
        }
        assert!(decoder.held() <= Decoder::LINE_LIMIT + limit + 4, "holds {}", decoder.held());
    }
    seen
}

/// A frame out of choices, as a server writes it, and what is to be read of it.
fn frame(input: &mut Input<'_>, limit: usize, out: &mut Vec<u8>) -> Seen {
    let word = |bytes: &[u8]| -> Vec<u8> {
        let plain = bytes.iter().filter(|b| **b > b' ').copied();
        b"x".iter().copied().chain(plain).collect()
    };
    let line = |bytes: &[u8]| -> Vec<u8> {
        let plain =
            bytes.iter().filter(|b| !matches!(b, b'\r' | b'\n')).copied().collect::<Vec<u8>>();
        plain.trim_ascii().to_vec()
    };
    let blank = input.pick(&[" ", "\t", "  ", " \t "]);
    match input.below(9) {
        0 => {
            out.extend_from_slice(input.pick(&[&b"PING\r\n"[..], b"ping\r\n", b"PING \t\r\n"]));
            Seen::Ping
        }
        1 => {
            out.extend_from_slice(input.pick(&[&b"PONG\r\n"[..], b"PoNG\r\n"]));
            Seen::Pong
        }
        2 => {
            out.extend_from_slice(b"+OK\r\n");
            Seen::Ok
        }
        3 => {
            let text = line(input.some());
            out.extend_from_slice(&[b"INFO ", &text[..], b"\r\n"].concat());
            Seen::Info(text)
        }
        4 => {
            let text = line(input.some());
            out.extend_from_slice(&[b"-ERR '", &text[..], b"'\r\n"].concat());
            Seen::Err(text)
        }
        kind => {
            let subject = word(input.take(3));
            let reply = (kind % 2 == 0).then(|| word(input.take(2)));
            let sid = input.u64() % 10_000_000_000;
            let headers = if kind >= 7 { input.some() } else { b"" };
            let payload = input.some();
            let size = headers.len() + payload.len();
            out.extend_from_slice(if kind >= 7 { b"HMSG" } else { b"MSG" });
            out.extend_from_slice(blank.as_bytes());
            out.extend_from_slice(&subject);
            out.extend_from_slice(format!(" {sid}").as_bytes());
            if let Some(part) = &reply {
                out.push(b' ');
                out.extend_from_slice(part);
            }
            if kind >= 7 {
                out.extend_from_slice(format!(" {}", headers.len()).as_bytes());
            }
            out.extend_from_slice(format!("{blank}{size}\r\n").as_bytes());
            out.extend_from_slice(headers);
            out.extend_from_slice(payload);
            out.extend_from_slice(b"\r\n");
            if size > limit {
                return Seen::Oversize { sid, subject, reply, size };
            }
            let (headers, payload) = (headers.to_vec(), payload.to_vec());
            Seen::Message { sid, subject, reply, headers, payload }
        }
    }
}

/// First byte: the message limit and whether frames are made or the bytes taken as they are. Four bytes:
/// the lengths of the pieces. Then the bytes or the choices.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte();
    let limit = usize::from(mode >> 1);
    let lengths = input.take(4);
    let mut made = Vec::new();
    let mut wanted = None;
    let bytes = if mode & 1 == 0 {
        input.0
    } else {
        let mut frames = Vec::new();
        while !input.0.is_empty() {
            frames.push(frame(&mut input, limit, &mut made));
        }
        wanted = Some(frames);
        &made
    };
    let whole = decode(&[bytes], limit);
    if let Some(wanted) = wanted {
        assert_eq!(whole, wanted);
    }
    assert_eq!(decode(&pieces(bytes, lengths), limit), whole);
    assert_eq!(decode(&pieces(bytes, &[1]), limit), whole);
}
