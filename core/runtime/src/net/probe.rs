//! How far a server is, by a connection made for the purpose.

use super::auth::AuthOptions;
use super::endpoint::Endpoint;
use super::establish::{Established, establish};
use super::tls::TlsConfigCache;
use super::{io_error, server_error};
use posthouse_core::{Code, Error, Result};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

/// The longest line taken from a server while probing, in bytes.
const MAX_LINE_BYTES: usize = super::MAX_INFO_BYTES;

/// Connects, authenticates, measures one PING to its PONG, and closes. Errors are those of
/// [`establish`], and `AUTH_FAILED` for refused credentials. All of it has to end within `timeout`.
pub async fn probe(
    endpoint: &Endpoint,
    tls: &TlsConfigCache,
    auth: &AuthOptions,
    timeout: Duration,
) -> Result<Duration> {
    let deadline = Instant::now() + timeout;
    let connection = establish(endpoint, tls, auth, timeout).await?;
    timeout_at(deadline, measure(endpoint, connection)).await.unwrap_or_else(|_| {
        Err(Error::new(
            Code::Timeout,
            format!("{endpoint} did not answer CONNECT within {} ms", timeout.as_millis()),
        ))
    })
}

async fn measure(endpoint: &Endpoint, connection: Established) -> Result<Duration> {
    let server = endpoint.to_string();
    let Established { mut stream, leftover, connect, .. } = connection;
    let mut options = serde_json::json!({
        "verbose": false, "pedantic": false, "lang": "posthouse", "protocol": 1, "echo": false,
        "version": env!("CARGO_PKG_VERSION"), "tls_required": connect.tls_required,
    });
    for (name, value) in [
        ("user", connect.user.as_ref().map(super::Secret::reveal)),
        ("pass", connect.pass.as_ref().map(super::Secret::reveal)),
        ("auth_token", connect.auth_token.as_ref().map(super::Secret::reveal)),
        ("jwt", connect.jwt.as_ref().map(super::Secret::reveal)),
        ("nkey", connect.nkey.as_deref()),
        ("sig", connect.sig.as_deref()),
    ] {
        if let Some(value) = value {
            options[name] = value.into();
        }
    }
    let mut pending = leftover;
    // The first answer includes what the server does to let us in; the second only the way.
    let hello = zeroize::Zeroizing::new(format!("CONNECT {options}\r\nPING\r\n"));
    let mut sent = hello.as_bytes();
    let mut start = Instant::now();
    for _ in 0..2 {
        start = Instant::now();
        stream.write_all(sent).await.map_err(|e| io_error(&server, &e))?;
        stream.flush().await.map_err(|e| io_error(&server, &e))?;
        await_pong(&mut stream, &mut pending, &server).await?;
        sent = b"PING\r\n";
    }
    let rtt = start.elapsed();
    // The measurement is made; how the connection ends changes nothing.
    let _ = stream.shutdown().await;
    Ok(rtt)
}

/// Reads until a PONG; `-ERR` fails, everything else a server may say here is passed over.
async fn await_pong<S>(stream: &mut S, pending: &mut Vec<u8>, server: &str) -> Result<()>
where
    S: tokio::io::AsyncRead + Unpin,
{
    loop {
        while let Some(end) = pending.iter().position(|&b| b == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            let line = line.trim_ascii();
            if line.eq_ignore_ascii_case(b"PONG") {
                return Ok(());
            }
            if line.starts_with(b"-ERR") {
                return Err(server_error(server, &String::from_utf8_lossy(line)));
            }
        }
        if pending.len() > MAX_LINE_BYTES {
            return Err(Error::new(
                Code::InvalidServer,
                format!("{server} sends no lines of NATS"),
            ));
        }
        let count = stream.read_buf(pending).await.map_err(|e| io_error(server, &e))?;
        if count == 0 {
            return Err(Error::new(
                Code::Disconnected,
                format!("{server} closed the connection after CONNECT"),
            ));
        }
    }
}
