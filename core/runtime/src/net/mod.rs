//! From a server's address to a stream on which the hub can speak: TCP, TLS, WebSocket, the
//! server's greeting, and the credentials that its CONNECT needs.
//!
//! `establish` does everything up to, but not including, CONNECT: that line and all that follows
//! is the machine's. `probe` goes one step further to measure a server. Nothing here retries,
//! keeps state between attempts (but for [`TlsConfigCache`]) or runs on its own.

mod auth;
mod creds;
mod endpoint;
mod establish;
mod info;
mod probe;
mod secret;
mod stream;
mod tls;
mod upgrade;
mod websocket;

pub use auth::{AsyncCallback, AuthOptions, BlockingCallback, ConnectFields, Credential};
pub use endpoint::{Endpoint, Scheme, UserInfo};
pub use establish::{Established, establish};
pub use info::MAX_INFO_BYTES;
pub use probe::probe;
pub use secret::Secret;
pub use stream::Stream;
pub use tls::{TlsConfigCache, TlsOptions};
pub use websocket::WebSocketBytes;

use posthouse_core::{Code, Error};
use std::io;

/// The error of a broken connection, also after `establish`: TLS 1.3 servers refuse a client's
/// certificate only then. `AUTH_FAILED` if the server refuses our certificate, `INVALID_SERVER` if
/// it breaks a protocol, else `DISCONNECTED`. `server` is how the message calls the server.
pub fn io_error(server: &str, error: &io::Error) -> Error {
    if let Some(explained) = tls::explain(server, error) {
        return explained;
    }
    match error.kind() {
        io::ErrorKind::InvalidData => Error::new(Code::InvalidServer, format!("{server}: {error}")),
        io::ErrorKind::ConnectionRefused => Error::new(
            Code::Disconnected,
            format!("nothing listens at {server}; start the server or look at host and port"),
        ),
        kind => {
            Error::new(Code::Disconnected, format!("the connection to {server} failed: {kind}"))
        }
    }
}

/// What servers say when they refuse a connection, and the code it stands for. Only these words are
/// repeated: a server that puts its client's credentials into its errors must not get them into
/// our logs.
const REFUSALS: [(&str, Code); 15] = [
    ("authorization violation", Code::AuthFailed),
    ("authorization timeout", Code::AuthFailed),
    ("authentication timeout", Code::AuthFailed),
    ("authentication expired", Code::AuthFailed),
    ("authentication revoked", Code::AuthFailed),
    ("user authentication expired", Code::AuthFailed),
    ("user authentication revoked", Code::AuthFailed),
    ("account authentication expired", Code::AuthFailed),
    ("maximum connections exceeded", Code::Disconnected),
    ("maximum account active connections exceeded", Code::Disconnected),
    ("connection throttling is active", Code::Disconnected),
    ("secure connection - tls required", Code::InvalidServer),
    ("attempted to connect to route port", Code::InvalidServer),
    ("attempted to connect to gateway port", Code::InvalidServer),
    ("attempted to connect to leafnode port", Code::InvalidServer),
];

/// The error that a server's `-ERR` line stands for before the hub is connected.
pub(crate) fn server_error(server: &str, line: &str) -> Error {
    let text = line.trim_start_matches("-ERR").trim().trim_matches('\'').to_ascii_lowercase();
    match REFUSALS.iter().find(|(words, _)| text.starts_with(words)) {
        Some((words, code)) => {
            Error::new(*code, format!("{server} refuses the connection: {words}"))
        }
        None => Error::new(
            Code::Disconnected,
            format!("{server} refuses the connection; its own log says why"),
        ),
    }
}
