//! One attempt to reach a server, up to the moment when CONNECT is due.

use super::auth::{AuthOptions, ConnectFields};
use super::endpoint::{Endpoint, Scheme};
use super::info::{Greeting, read_greeting};
use super::io_error;
use super::stream::Stream;
use super::tls::TlsConfigCache;
use super::websocket::WebSocketBytes;
use posthouse_core::{Code, Error, Result};
use std::future::Future;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// A connection on which the server has greeted and waits for CONNECT.
#[derive(Debug)]
pub struct Established {
    /// The connection.
    pub stream: Stream,
    /// The JSON of the server's INFO.
    pub info: Vec<u8>,
    /// Bytes that came after INFO and belong to what follows.
    pub leftover: Vec<u8>,
    /// What CONNECT has to say about us.
    pub connect: ConnectFields,
    /// The socket address that was reached, as `ip:port`.
    pub peer: String,
}

/// Connects to a server, encrypts where asked for, and reads its greeting. All of it, callbacks
/// included, has to end within `timeout`. Runs on a tokio runtime with I/O and time.
///
/// TLS is used if the URL, the options, or the server ask for it, and also if this server has
/// required it before; where it cannot be had then, the attempt fails. Errors: `DISCONNECTED` for
/// a server that cannot be reached or closes, `TIMEOUT` for a silent one, `INVALID_SERVER` for one
/// that speaks something else or whose certificate or lack of TLS is not acceptable, `AUTH_FAILED`
/// for refused client certificates, `INVALID_OPTIONS` for files and credentials that are unusable,
/// and whatever a credentials callback fails with. Refused credentials show later, in the server's
/// answer to CONNECT.
pub async fn establish(
    endpoint: &Endpoint,
    tls: &TlsConfigCache,
    auth: &AuthOptions,
    timeout: Duration,
) -> Result<Established> {
    auth.validate()?;
    if endpoint.scheme == Scheme::Ws && tls.demanded(endpoint) {
        return Err(Error::new(
            Code::InvalidServer,
            format!("{endpoint} cannot be encrypted, but TLS is asked for; write wss://"),
        ));
    }
    let attempt = Attempt { endpoint, deadline: Instant::now() + timeout, timeout };
    let tcp = attempt.dial().await?;
    let peer = tcp.peer_addr().map(|a| a.to_string()).unwrap_or_default();
    let (stream, greeting, encrypted) = match endpoint.scheme {
        Scheme::Tcp | Scheme::Tls => attempt.greet(tcp, tls).await?,
        Scheme::Ws => {
            let mut ws = attempt.within(UPGRADE, WebSocketBytes::connect(endpoint, tcp)).await?;
            let greeting = attempt.greeting(&mut ws).await?;
            (Stream::Ws(Box::new(ws)), greeting, false)
        }
        Scheme::Wss => {
            let secure = attempt.within(HANDSHAKE, tls.connect(endpoint, tcp)).await?;
            let mut ws = attempt.within(UPGRADE, WebSocketBytes::connect(endpoint, secure)).await?;
            let greeting = attempt.greeting(&mut ws).await?;
            (Stream::Wss(Box::new(ws)), greeting, true)
        }
    };
    let mut connect = attempt
        .within("telling the credentials", auth.connect_fields(endpoint, &greeting.info))
        .await?;
    connect.tls_required = encrypted;
    Ok(Established { stream, info: greeting.json, leftover: greeting.leftover, connect, peer })
}

const HANDSHAKE: &str = "the TLS handshake";
const UPGRADE: &str = "the WebSocket upgrade";

/// One attempt and its deadline.
struct Attempt<'a> {
    endpoint: &'a Endpoint,
    deadline: Instant,
    timeout: Duration,
}

impl Attempt<'_> {
    /// Runs one step; past the deadline the error names it.
    async fn within<T>(&self, step: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
        timeout_at(self.deadline, work).await.unwrap_or_else(|_| Err(self.late(step, "")))
    }

    fn late(&self, step: &str, hint: &str) -> Error {
        Error::new(
            Code::Timeout,
            format!(
                "connecting to {} took longer than {} ms; {step} was not done{hint}",
                self.endpoint,
                self.timeout.as_millis()
            ),
        )
    }

    /// Opens the TCP connection. Each address of the host gets its share of the time left, so a
    /// first address that swallows everything does not hide the second.
    async fn dial(&self) -> Result<TcpStream> {
        let host = (self.endpoint.host.as_str(), self.endpoint.port);
        let lookup = async {
            tokio::net::lookup_host(host).await.map_err(|_| {
                Error::new(
                    Code::Disconnected,
                    format!("the host of {} is unknown (no address found)", self.endpoint),
                )
            })
        };
        let addresses: Vec<_> = self.within("looking up the host", lookup).await?.collect();
        let mut last = self.late("opening the connection", "");
        for (index, address) in addresses.iter().enumerate() {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(addresses.len() - index).unwrap_or(1);
            match tokio::time::timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Latency matters more than segments; the hub gathers what it writes.
                    stream.set_nodelay(true).map_err(|e| self.broken(&e))?;
                    return Ok(stream);
                }
                Ok(Err(e)) => last = self.broken(&e),
                Err(_) => last = self.late("opening the connection", ""),
            }
        }
        Err(last)
    }

    /// The greeting over TCP, with TLS before or after INFO.
    async fn greet(
        &self,
        mut tcp: TcpStream,
        tls: &TlsConfigCache,
    ) -> Result<(Stream, Greeting, bool)> {
        if tls.options().handshake_first {
            let mut secure = self.within(HANDSHAKE, tls.connect(self.endpoint, tcp)).await?;
            let greeting = self.greeting(&mut secure).await?;
            return Ok((Stream::Tls(Box::new(secure)), greeting, true));
        }
        let demanded = tls.demanded(self.endpoint);
        let greeting = self.greeting(&mut tcp).await?;
        let info = &greeting.info;
        if !demanded && !info.tls_required {
            return Ok((Stream::Tcp(tcp), greeting, false));
        }
        if !info.tls_required && !info.tls_available {
            return Err(Error::new(
                Code::InvalidServer,
                format!(
                    "{} offers no TLS, but TLS is asked for (by tls://, a tls option, or because \
                     this server has required it before); nothing was sent",
                    self.endpoint
                ),
            ));
        }
        // A server says nothing between INFO and the handshake. Whatever is there was not
        // encrypted and could be anybody's.
        if !greeting.leftover.is_empty() {
            let text = String::from_utf8_lossy(&greeting.leftover);
            return Err(match text.lines().next().filter(|line| line.starts_with("-ERR")) {
                Some(line) => super::server_error(&self.endpoint.to_string(), line),
                None => Error::new(
                    Code::InvalidServer,
                    format!("{} goes on unencrypted where TLS is due", self.endpoint),
                ),
            });
        }
        if info.tls_required {
            tls.remember_required(self.endpoint);
        }
        let secure = self.within(HANDSHAKE, tls.connect(self.endpoint, tcp)).await?;
        Ok((Stream::Tls(Box::new(secure)), greeting, true))
    }

    async fn greeting<S>(&self, stream: &mut S) -> Result<Greeting>
    where
        S: tokio::io::AsyncRead + Unpin,
    {
        let server = self.endpoint.to_string();
        match timeout_at(self.deadline, read_greeting(stream, &server)).await {
            Ok(greeting) => greeting,
            Err(_) => Err(self.late(
                "the INFO of a NATS server",
                "; is it one? If it speaks TLS first, set tls.handshake_first",
            )),
        }
    }

    fn broken(&self, error: &std::io::Error) -> Error {
        io_error(&self.endpoint.to_string(), error)
    }
}
