//! HTTP/1.1 messages with a body, bounded.
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The longest head, in bytes.
const MAX_HEAD: u64 = 16 << 10;

/// What was read.
pub(super) struct Message {
    /// The first line.
    pub(super) start: String,
    /// The body, as text.
    pub(super) body: String,
    /// Whether the sender is willing to use the connection again.
    pub(super) keep: bool,
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Reads one message whose body has at most `max_body` bytes; `None` where the connection ends before it starts.
pub(super) async fn read<R: AsyncBufRead + Unpin>(
    stream: &mut R,
    max_body: usize,
) -> io::Result<Option<Message>> {
    let mut head = (&mut *stream).take(MAX_HEAD);
    let mut start = String::new();
    let mut line = Vec::new();
    let (mut length, mut keep) = (None, true);
    loop {
        line.clear();
        head.read_until(b'\n', &mut line).await?;
        if !line.ends_with(b"\n") {
            if line.is_empty() && start.is_empty() {
                return Ok(None);
            }
            return Err(wrong("a head that is too long or has no end"));
        }
        let text = std::str::from_utf8(&line).map_err(|_| wrong("a head that is no text"))?.trim();
        if start.is_empty() {
            if !text.is_empty() {
                keep = !text.contains("HTTP/1.0");
                text.clone_into(&mut start);
            }
            continue;
        }
        if text.is_empty() {
            break;
        }
        let Some((name, value)) = text.split_once(':') else {
            return Err(wrong("a header without a colon"));
        };
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => {
                length = Some(value.parse().map_err(|_| wrong("a length that is no number"))?);
            }
            "connection" => keep = !value.eq_ignore_ascii_case("close"),
            "transfer-encoding" if !value.eq_ignore_ascii_case("identity") => {
                return Err(wrong("a body in pieces"));
            }
            _ => {}
        }
    }
    if length.is_some_and(|length: usize| length > max_body) {
        return Err(wrong("a body that is too large"));
    }
    // Without a length the body goes to the end of the connection.
    let limit = length.unwrap_or(max_body + 1) as u64;
    let mut body = Vec::new();
    stream.take(limit).read_to_end(&mut body).await?;
    if length.is_none() {
        keep = false;
    }
    if length.is_some_and(|length| body.len() < length) {
        return Err(wrong("a body that is cut off"));
    }
    if body.len() > max_body {
        return Err(wrong("a body that is too large"));
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Message { start, body, keep }))
}
