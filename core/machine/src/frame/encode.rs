//! What the client writes, appended to one growing buffer.
use super::ConnectFields;
use crate::headers::Headers;
use alloc::vec::Vec;

/// Appends `CONNECT`.
pub fn connect(out: &mut Vec<u8>, fields: &ConnectFields<'_>) {
    out.extend_from_slice(b"CONNECT ");
    // Serialising plain strings and booleans into a vector cannot fail.
    if let Ok(json) = serde_json::to_vec(fields) {
        out.extend_from_slice(&json);
    }
    out.extend_from_slice(b"\r\n");
}

/// Appends `PING`.
pub fn ping(out: &mut Vec<u8>) {
    out.extend_from_slice(b"PING\r\n");
}

/// Appends `PONG`.
pub fn pong(out: &mut Vec<u8>) {
    out.extend_from_slice(b"PONG\r\n");
}

/// Appends `SUB`.
pub fn subscribe(out: &mut Vec<u8>, subject: &str, queue: Option<&str>, sid: u64) {
    out.extend_from_slice(b"SUB ");
    out.extend_from_slice(subject.as_bytes());
    if let Some(queue) = queue {
        out.push(b' ');
        out.extend_from_slice(queue.as_bytes());
    }
    out.push(b' ');
    decimal(out, sid);
    out.extend_from_slice(b"\r\n");
}

/// Appends `UNSUB`.
pub fn unsubscribe(out: &mut Vec<u8>, sid: u64) {
    out.extend_from_slice(b"UNSUB ");
    decimal(out, sid);
    out.extend_from_slice(b"\r\n");
}

/// Appends `PUB`, or `HPUB` where there are headers.
pub fn publish(
    out: &mut Vec<u8>,
    subject: &str,
    reply: Option<&str>,
    headers: Option<&Headers>,
    payload: &[u8],
) {
    let headers = headers.filter(|h| !h.is_empty());
    out.reserve(subject.len() + payload.len() + 64);
    out.extend_from_slice(if headers.is_some() { b"HPUB " } else { b"PUB " });
    out.extend_from_slice(subject.as_bytes());
    out.push(b' ');
    if let Some(reply) = reply {
        out.extend_from_slice(reply.as_bytes());
        out.push(b' ');
    }
    let header_len = headers.map_or(0, Headers::encoded_len);
    if header_len > 0 {
        decimal(out, header_len as u64);
        out.push(b' ');
    }
    decimal(out, (header_len + payload.len()) as u64);
    out.extend_from_slice(b"\r\n");
    if let Some(headers) = headers {
        headers.encode(out);
    }
    out.extend_from_slice(payload);
    out.extend_from_slice(b"\r\n");
}

fn decimal(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}
