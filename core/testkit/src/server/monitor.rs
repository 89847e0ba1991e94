//! The server's monitoring pages: what it knows of its clients.

use super::NatsServer;
use crate::PATIENCE;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

impl NatsServer {
    /// A monitoring page as JSON, for example `/connz?subs=1` or `/varz`.
    pub fn monitor(&self, page: &str) -> Value {
        let fetch = || -> std::io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.monitor_port()))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            // HTTP/1.0: the body ends where the connection does.
            write!(stream, "GET {page} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer = fetch().unwrap_or_else(|e| panic!("cannot read {page} of nats-server: {e}"));
        let body = answer
            .windows(4)
            .position(|w| w == b"\r\n\r\n")
            .map_or(&answer[..], |end| &answer[end + 4..]);
        serde_json::from_slice(body).unwrap_or_else(|e| {
            panic!("{page} of nats-server is no JSON ({e}): {}", String::from_utf8_lossy(&answer))
        })
    }

    /// What the server says first to every client, as JSON. Not for servers that begin with TLS.
    pub fn greeting(&self) -> Value {
        let read = || -> std::io::Result<String> {
            let stream = TcpStream::connect((self.settings.host.as_str(), self.port()))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line)?;
            Ok(line)
        };
        let line = read().unwrap_or_else(|e| panic!("nats-server does not greet: {e}"));
        let info = line.strip_prefix("INFO ").unwrap_or_default();
        serde_json::from_str(info)
            .unwrap_or_else(|e| panic!("the greeting of nats-server is no INFO ({e}): {line}"))
    }

    /// The clients connected now, with their subscriptions: the `connections` of `/connz?subs=1`.
    pub fn connections(&self) -> Vec<Value> {
        match self.monitor("/connz?subs=1")["connections"].take() {
            Value::Array(connections) => connections,
            _ => Vec::new(),
        }
    }

    /// The subjects subscribed by all clients together, sorted; the server's own are left out.
    pub fn subscriptions(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .connections()
            .iter()
            .flat_map(|c| c["subscriptions_list"].as_array().cloned().unwrap_or_default())
            .filter_map(|subject| subject.as_str().map(str::to_owned))
            .collect();
        all.sort();
        all
    }
}
