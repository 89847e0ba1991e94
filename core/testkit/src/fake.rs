//! A server whose every byte the test writes: for what a real one never says.

use crate::PATIENCE;
use std::future::Future;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Listens on loopback and does nothing on its own.
#[derive(Debug)]
pub struct FakeServer {
    listener: TcpListener,
    port: u16,
}

/// One accepted client. Every wait ends after [`PATIENCE`] with a panic that tells what had come.
#[derive(Debug)]
pub struct FakeConnection {
    stream: TcpStream,
    /// Received and not yet asked for.
    pending: Vec<u8>,
    /// Everything received so far.
    seen: Vec<u8>,
}

impl FakeServer {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    /// Listens on this port of 127.0.0.1; 0 is a free one.
    pub async fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the loopback port");
        let port = listener.local_addr().expect("the address of a listener").port();
        Self { listener, port }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `nats://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A plain INFO line of this server, with `extra` members (`"a":1,"b":2`, or nothing) added.
    pub fn info(&self, extra: &str) -> String {
        let comma = if extra.is_empty() { "" } else { "," };
        format!(
            "INFO {{\"server_id\":\"FAKE\",\"server_name\":\"fake\",\"version\":\"2.12.0\",\"proto\":1,\
             \"host\":\"127.0.0.1\",\"port\":{},\"headers\":true,\"max_payload\":1048576,\
             \"client_id\":1{comma}{extra}}}\r\n",
            self.port
        )
    }

    /// Waits for the next client. Says nothing to it.
    pub async fn accept(&self) -> FakeConnection {
        let (stream, _) = within("a client to connect", self.listener.accept())
            .await
            .expect("accepting on loopback");
        stream.set_nodelay(true).expect("TCP_NODELAY on a fresh socket");
        FakeConnection { stream, pending: Vec::new(), seen: Vec::new() }
    }

    /// Waits for the next client and greets it: sends [`FakeServer::info`] with `extra`, takes its
    /// CONNECT and the PING after it, answers PONG. Returns the connection and CONNECT's JSON.
    pub async fn accept_ready(&self, extra: &str) -> (FakeConnection, String) {
        let mut client = self.accept().await;
        client.send(self.info(extra)).await;
        let connect = client.expect_line("CONNECT ").await;
        client.expect_line("PING").await;
        client.send("PONG\r\n").await;
        (client, connect["CONNECT ".len()..].to_owned())
    }
}

impl FakeConnection {
    /// Sends these bytes as they are.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        within("the client to take bytes", self.stream.write_all(bytes.as_ref()))
            .await
            .unwrap_or_else(|e| panic!("the client does not take bytes: {e}\n{}", self.story()));
    }

    /// Reads the next line (without its CR LF) and insists on how it begins.
    pub async fn expect_line(&mut self, prefix: &str) -> String {
        let line = self.line().await.unwrap_or_else(|| {
            panic!("the client left where a line {prefix:?} was due\n{}", self.story())
        });
        assert!(
            line.starts_with(prefix),
            "expected a line {prefix:?}…, got {line:?}\n{}",
            self.story()
        );
        line
    }

    /// Skips lines until one begins with `prefix`, and returns that one.
    pub async fn skip_to(&mut self, prefix: &str) -> String {
        loop {
            let line = self.line().await.unwrap_or_else(|| {
                panic!("the client left before a line {prefix:?} came\n{}", self.story())
            });
            if line.starts_with(prefix) {
                return line;
            }
        }
    }

    /// The next line without its CR LF, or `None` once the client has closed.
    pub async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.pending.windows(2).position(|w| w == b"\r\n") {
                let mut line: Vec<u8> = self.pending.drain(..end + 2).collect();
                line.truncate(end);
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    /// Reads exactly `count` bytes.
    pub async fn expect_bytes(&mut self, count: usize) -> Vec<u8> {
        while self.pending.len() < count {
            assert!(self.fill().await, "the client left early\n{}", self.story());
        }
        self.pending.drain(..count).collect()
    }

    /// Waits until the client has closed; whatever it still sends is passed over.
    pub async fn expect_end(&mut self) {
        while self.fill().await {}
    }

    /// Everything the client has sent, as far as it was read.
    pub fn seen(&self) -> &[u8] {
        &self.seen
    }

    /// Closes in order: the client reads what was sent, then the end of the stream.
    pub async fn close(mut self) {
        // The client may be gone already; then there is nothing left to close.
        let _ = self.stream.shutdown().await;
    }

    /// Breaks off: the client's next read fails with a reset.
    pub fn reset(self) {
        self.stream.set_zero_linger().expect("SO_LINGER on an open socket");
    }

    /// Reads some more; `false` at the end of the stream.
    async fn fill(&mut self) -> bool {
        let mut chunk = vec![0; 16 * 1024];
        let Ok(read) = timeout(PATIENCE, self.stream.read(&mut chunk)).await else {
            panic!("nothing came from the client for {PATIENCE:?}\n{}", self.story());
        };
        // A reset is an end too.
        let count = read.unwrap_or(0);
        self.pending.extend_from_slice(&chunk[..count]);
        self.seen.extend_from_slice(&chunk[..count]);
        count > 0
    }

    fn story(&self) -> String {
        format!("received so far: {:?}", String::from_utf8_lossy(&self.seen))
    }
}

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let Ok(value) = timeout(PATIENCE, future).await else {
        panic!("waited {PATIENCE:?} in vain for {what}");
    };
    value
}
