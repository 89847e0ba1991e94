//! The first line a server says: read, bounded, and looked into for what connecting needs.

use posthouse_core::{Code, Error, Result};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest INFO line taken, in bytes. Clusters of hundreds of servers stay far below it.
pub const MAX_INFO_BYTES: usize = 1024 * 1024;

/// What connecting needs of INFO; the rest is the hub's business.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Info {
    pub(super) tls_required: bool,
    pub(super) tls_available: bool,
    pub(super) auth_required: bool,
    pub(super) nonce: Option<String>,
}

/// The JSON of the first line, and what came after it.
pub(super) struct Greeting {
    pub(super) json: Vec<u8>,
    pub(super) info: Info,
    pub(super) leftover: Vec<u8>,
}

/// Reads the server's first line. `server` is how messages call it.
pub(super) async fn read_greeting<S>(stream: &mut S, server: &str) -> Result<Greeting>
where
    S: AsyncRead + Unpin,
{
    let mut bytes = Vec::with_capacity(4096);
    let end = loop {
        let before = bytes.len();
        let count = stream.read_buf(&mut bytes).await.map_err(|e| super::io_error(server, &e))?;
        check_start(&bytes, server)?;
        // The end of line may be split between two reads.
        if let Some(at) = find(&bytes[before.saturating_sub(1)..], b"\r\n") {
            break before.saturating_sub(1) + at;
        }
        if count == 0 {
            return Err(Error::new(
                Code::Disconnected,
                format!("{server} closed the connection before its INFO was complete"),
            ));
        }
        if bytes.len() > MAX_INFO_BYTES {
            return Err(Error::over(
                Code::InvalidServer,
                format!("the INFO of {server} is longer than {MAX_INFO_BYTES} bytes"),
                MAX_INFO_BYTES as u64,
                bytes.len() as u64,
            ));
        }
    };
    let leftover = bytes.split_off(end + 2);
    bytes.truncate(end);
    if bytes.starts_with(b"-ERR") {
        return Err(super::server_error(server, &String::from_utf8_lossy(&bytes)));
    }
    let json = bytes.split_off(INFO.len()).trim_ascii().to_vec();
    let info = serde_json::from_slice(&json).map_err(|_| {
        // The parser's own words could repeat what it read.
        Error::new(Code::InvalidServer, format!("the INFO of {server} is not the JSON of NATS"))
    })?;
    Ok(Greeting { json, info, leftover })
}

const INFO: &[u8] = b"INFO ";

/// Refuses at the first byte that cannot begin a NATS server's first line.
fn check_start(bytes: &[u8], server: &str) -> Result<()> {
    let begins = |word: &[u8]| {
        let n = bytes.len().min(word.len());
        bytes[..n].eq_ignore_ascii_case(&word[..n])
    };
    if begins(INFO) || begins(b"-ERR ") {
        return Ok(());
    }
    // A TLS alert or handshake record: the server waits for TLS, or takes us for a TLS client.
    let hint = if matches!(bytes[0], 0x15 | 0x16) {
        "it seems to speak TLS before INFO: set tls.handshake_first"
    } else {
        "look at host and port"
    };
    Err(Error::new(
        Code::InvalidServer,
        format!("{server} does not speak NATS (its first bytes are not an INFO line); {hint}"),
    ))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(pieces: &[&[u8]]) -> Result<Greeting> {
        let (mut ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let all: Vec<Vec<u8>> = pieces.iter().map(|p| p.to_vec()).collect();
        let writer = tokio::spawn(async move {
            use tokio::io::AsyncWriteExt;
            for piece in all {
                if theirs.write_all(&piece).await.is_err() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        });
        let result = read_greeting(&mut ours, "nats://h:1").await;
        drop(ours);
        writer.await.expect("the writer");
        result
    }

    #[tokio::test]
    async fn any_split_gives_the_same() {
        let line: &[u8] =
            b"INFO {\"nonce\":\"abc\",\"tls_required\":true,\"x\":[1]} \r\nPING\r\nMS";
        let ones: Vec<&[u8]> = line.chunks(1).collect();
        for pieces in [vec![line], ones] {
            let greeting = read(&pieces).await.expect("a greeting");
            assert_eq!(greeting.json, b"{\"nonce\":\"abc\",\"tls_required\":true,\"x\":[1]}");
            assert_eq!(greeting.info.nonce.as_deref(), Some("abc"));
            assert!(greeting.info.tls_required && !greeting.info.tls_available);
            // Whatever was read past the line is a beginning of what follows.
            assert!(b"PING\r\nMS".starts_with(&greeting.leftover[..]));
        }
    }

    #[tokio::test]
    async fn strangers_are_refused() {
        for (line, code) in [
            (&b"HTTP/1.1 400 Bad Request\r\n"[..], Code::InvalidServer),
            (b"SSH-2.0-OpenSSH\r\n", Code::InvalidServer),
            (b"\x15\x03\x01\x00\x02\x02\x0a", Code::InvalidServer),
            (b"INFORMATION\r\n", Code::InvalidServer),
            (b"INFO \r\n", Code::InvalidServer),
            (b"INFO {\"a\":\r\n", Code::InvalidServer),
            (b"INFO {}", Code::Disconnected),
            (b"IN", Code::Disconnected),
            (b"", Code::Disconnected),
            (b"-ERR 'maximum connections exceeded'\r\n", Code::Disconnected),
            (b"-ERR 'Authorization Violation'\r\n", Code::AuthFailed),
        ] {
            let error = read(&[line]).await.err().expect("an error");
            assert_eq!(error.code(), code, "{error}");
        }
        let mut long = b"INFO {\"x\":\"".to_vec();
        long.resize(MAX_INFO_BYTES + 100_000, b'x');
        let error = read(&[&long]).await.err().expect("an error");
        assert_eq!((error.code(), error.limit()), (Code::InvalidServer, Some(1024 * 1024)));
    }
}
