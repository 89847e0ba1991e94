//! A raw client for tests: bytes out, bytes in, nothing understood but where INFO ends.
#![allow(dead_code)] // every test file uses its part

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use posthouse_node::{Node, NodeOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// After this a test that waits for something has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Any free ports.
pub fn options() -> NodeOptions {
    NodeOptions { port: 0, ws_port: Some(0), ..NodeOptions::default() }
}

pub async fn node() -> Node {
    Node::bind(options()).await.expect("a free port is there")
}

pub async fn patiently<T>(what: &str, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, work).await;
    done.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Lets the node work until the condition holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    patiently(what, async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

pub struct Raw {
    stream: TcpStream,
    /// The JSON of the first INFO.
    pub info: String,
    rest: Vec<u8>,
}

impl Raw {
    pub async fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).await.expect("the node listens");
        Self::greet(stream).await
    }

    /// With a receive buffer of about this many bytes, so that little is in flight.
    pub async fn narrow(addr: SocketAddr, bytes: u32) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(bytes).expect("a small buffer");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port");
        Self::greet(socket.connect(addr).await.expect("the node listens")).await
    }

    async fn greet(stream: TcpStream) -> Self {
        stream.set_nodelay(true).expect("an option of TCP");
        let mut raw = Self { stream, info: String::new(), rest: Vec::new() };
        let line = raw.line().await;
        let json = line.strip_prefix("INFO ").expect("INFO comes first");
        json.trim_end().clone_into(&mut raw.info);
        raw
    }

    pub async fn say(&mut self, bytes: &[u8]) {
        patiently("a write", self.stream.write_all(bytes)).await.expect("the node reads");
    }

    /// A write whose failure does not matter, because the node may have closed already.
    pub async fn try_say(&mut self, bytes: &[u8]) -> bool {
        patiently("a write", self.stream.write_all(bytes)).await.is_ok()
    }

    async fn more(&mut self) -> bool {
        let read = patiently("bytes", self.stream.read_buf(&mut self.rest)).await;
        matches!(read, Ok(count) if count > 0)
    }

    pub async fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.rest.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = self.rest.drain(..end + 2).collect();
                return String::from_utf8(line).expect("lines are text here");
            }
            assert!(self.more().await, "closed after {:?}", self.rest.escape_ascii().to_string());
        }
    }

    /// Exactly these bytes come next.
    pub async fn hear(&mut self, want: &[u8]) {
        while self.rest.len() < want.len() && self.rest == want[..self.rest.len()] {
            if !self.more().await {
                break;
            }
        }
        let got: Vec<u8> = self.rest.drain(..want.len().min(self.rest.len())).collect();
        assert!(got == want, "{}\ninstead of\n{}", got.escape_ascii(), want.escape_ascii());
    }

    /// PING and PONG: what was said before has been dealt with, and nothing else came.
    pub async fn sync(&mut self) {
        self.say(b"PING\r\n").await;
        self.hear(b"PONG\r\n").await;
    }

    /// As [`Self::sync`] for a client that has sent no CONNECT and so hears +OK.
    pub async fn sync_verbose(&mut self) {
        self.say(b"UNSUB none\r\nPING\r\n").await;
        self.hear(b"+OK\r\nPONG\r\n").await;
    }

    /// Nothing more comes, and the connection ends.
    pub async fn hear_end(&mut self) {
        assert!(!self.more().await, "more came: {}", self.rest.escape_ascii());
    }

    /// Everything until `pongs` PONGs came or the connection ended, and whether it ended.
    pub async fn hear_all(&mut self, pongs: usize) -> (Vec<u8>, bool) {
        loop {
            if pongs > 0 && self.rest.ends_with(b"PONG\r\n") {
                let count = self.rest.windows(6).filter(|six| six == b"PONG\r\n").count();
                if count == pongs {
                    return (std::mem::take(&mut self.rest), false);
                }
            }
            if !self.more().await {
                return (std::mem::take(&mut self.rest), true);
            }
        }
    }
}
