//! The HTTP request that turns a connection into a WebSocket, and the answer to it.
//!
//! Made here rather than by the WebSocket library, whose client gives up when the answer arrives
//! in many small pieces; what bytes mean must not depend on how they are split.

use super::endpoint::Endpoint;
use posthouse_core::{Code, Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// The longest answer taken, in bytes.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// Asks for the upgrade and checks the answer. Returns the bytes that came after it.
pub(super) async fn upgrade<S>(endpoint: &Endpoint, stream: &mut S) -> Result<Vec<u8>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let server = endpoint.to_string();
    let key = generate_key();
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n",
        endpoint.path,
        endpoint.authority()
    );
    let failed = |e: std::io::Error| super::io_error(&server, &e);
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let mut answer = Vec::with_capacity(1024);
    let end = loop {
        let searched = answer.len().saturating_sub(3);
        let count = stream.read_buf(&mut answer).await.map_err(failed)?;
        let begun = answer.len().min(b"HTTP/1.1 ".len());
        if answer[..begun] != b"HTTP/1.1 "[..begun] {
            return Err(Error::new(
                Code::InvalidServer,
                format!("{server} does not speak WebSocket; look at host and port"),
            ));
        }
        if let Some(at) = answer[searched..].windows(4).position(|w| w == b"\r\n\r\n") {
            break searched + at + 4;
        }
        if count == 0 {
            return Err(Error::new(
                Code::Disconnected,
                format!("{server} closed the connection during the WebSocket upgrade"),
            ));
        }
        if answer.len() > MAX_ANSWER_BYTES {
            return Err(Error::over(
                Code::InvalidServer,
                format!("{server} answers the WebSocket upgrade with too many headers"),
                MAX_ANSWER_BYTES as u64,
                answer.len() as u64,
            ));
        }
    };
    let rest = answer.split_off(end);
    check(&String::from_utf8_lossy(&answer), &derive_accept_key(key.as_bytes())).map_err(
        |why| Error::new(Code::InvalidServer, format!("{server} {why}; look at port and path")),
    )?;
    Ok(rest)
}

/// Checks an answer's status and headers; says in a few words what is wrong with it.
fn check(answer: &str, accept: &str) -> std::result::Result<(), String> {
    let mut lines = answer.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    if status != "101" {
        // Only digits are repeated: the rest is whatever the server likes to say.
        let shown: String = status.chars().filter(char::is_ascii_digit).take(3).collect();
        return Err(format!("answers the WebSocket upgrade with HTTP status {shown}"));
    }
    let (mut upgraded, mut connection, mut accepted) = (false, false, false);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        let lists = |word| value.split(',').any(|item| item.trim().eq_ignore_ascii_case(word));
        match name.trim().to_ascii_lowercase().as_str() {
            "upgrade" => upgraded |= lists("websocket"),
            "connection" => connection |= lists("upgrade"),
            "sec-websocket-accept" => accepted |= value == accept,
            "sec-websocket-extensions" | "sec-websocket-protocol" if !value.is_empty() => {
                return Err("chooses a WebSocket extension or protocol not asked for".into());
            }
            _ => {}
        }
    }
    if upgraded && connection && accepted {
        Ok(())
    } else {
        Err("answers the WebSocket upgrade as no WebSocket server does".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_checked() {
        let good = "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n\
                    Connection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: abc=\r\n\r\n";
        check(good, "abc=").expect("a good answer");
        for bad in [
            good.replace("abc=", "abd="),
            good.replace("upgrade: WebSocket", "upgrade: h2c"),
            good.replace("Connection: keep-alive, Upgrade", "Connection: close"),
            good.replace("101", "200"),
            good.replace("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
            good.replace("101 Switching Protocols", ""),
        ] {
            check(&bad, "abc=").expect_err(&bad);
        }
    }
}
