//! The protocol in WebSocket frames, cut and joined anyhow, and who may open one.

mod support;

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use posthouse_node::{Node, NodeOptions};
use support::{Raw, node, options, patiently, until};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

struct Web {
    socket: WebSocketStream<TcpStream>,
    subprotocol: Option<String>,
    rest: Vec<u8>,
}

impl Web {
    async fn open(
        node: &Node,
        headers: &[(header::HeaderName, &'static str)],
    ) -> Result<Self, Error> {
        let addr = node.ws_addr().expect("the node serves WebSockets");
        let stream = TcpStream::connect(addr).await.expect("the node listens");
        let mut request = format!("ws://{addr}/any/path").into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().append(name, HeaderValue::from_static(value));
        }
        let (socket, response) = patiently("a handshake", client_async(request, stream)).await?;
        let subprotocol = response.headers().get(header::SEC_WEBSOCKET_PROTOCOL);
        let subprotocol = subprotocol.map(|name| name.to_str().expect("text").to_owned());
        Ok(Self { socket, subprotocol, rest: Vec::new() })
    }

    async fn greeted(node: &Node) -> Self {
        let mut web = Self::open(node, &[]).await.expect("programs may connect");
        let line = web.line().await;
        assert!(line.starts_with("INFO {") && line.ends_with("}\r\n"), "{line}");
        web
    }

    async fn say(&mut self, bytes: &[u8]) {
        let frame = Message::Binary(Bytes::copy_from_slice(bytes));
        patiently("a write", self.socket.send(frame)).await.expect("the node reads");
    }

    async fn more(&mut self) -> bool {
        match patiently("a frame", self.socket.next()).await {
            Some(Ok(Message::Binary(bytes))) => self.rest.extend_from_slice(&bytes),
            Some(Ok(Message::Pong(_) | Message::Ping(_))) => {}
            Some(Ok(other)) => {
                assert!(matches!(other, Message::Close(_)), "{other:?}");
                return false;
            }
            Some(Err(_)) | None => return false,
        }
        true
    }

    async fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.rest.windows(2).position(|two| two == b"\r\n") {
                return String::from_utf8(self.rest.drain(..end + 2).collect()).expect("text");
            }
            assert!(self.more().await, "closed early");
        }
    }

    async fn hear(&mut self, want: &[u8]) {
        while self.rest.len() < want.len() && self.more().await {}
        let got: Vec<u8> = self.rest.drain(..want.len().min(self.rest.len())).collect();
        assert!(got == want, "{}\ninstead of\n{}", got.escape_ascii(), want.escape_ascii());
    }
}

#[tokio::test]
async fn frames_are_cut_anywhere() {
    let node = node().await;
    let mut tcp = Raw::connect(node.addr()).await;
    tcp.say(b"CONNECT {\"verbose\":false}\r\nSUB web.> 1\r\n").await;
    tcp.sync().await;
    let script: &[u8] = b"CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB tcp 1\r\nPUB web.a r 5\r\nhello\r\nHPUB web.b 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPUB none tcp 0\r\n\r\nPING\r\n";
    for size in [1, 2, 3, 7, 64, script.len()] {
        let mut web = Web::greeted(&node).await;
        for part in script.chunks(size) {
            web.say(part).await;
        }
        web.hear(b"HMSG tcp 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n").await;
        tcp.hear(b"MSG web.a 1 r 5\r\nhello\r\nMSG web.b 1 2\r\nhi\r\n").await;
        tcp.say(b"PUB tcp 2\r\nok\r\n").await;
        web.hear(b"MSG tcp 1 2\r\nok\r\n").await;
    }
}

#[tokio::test]
async fn text_frames_pings_and_empty_frames() {
    let node = node().await;
    let mut web = Web::greeted(&node).await;
    for frame in [
        Message::text("CONNECT {\"verbose\":false}\r\nSU"),
        Message::Ping(Bytes::from_static(b"p")),
        Message::binary(&b""[..]),
        Message::text("B a 1\r\nPUB a 2\r\nh"),
        Message::binary(&b"i\r\n"[..]),
    ] {
        web.socket.send(frame).await.expect("the node reads");
    }
    web.hear(b"MSG a 1 2\r\nhi\r\n").await;
    let mut web = Web::greeted(&node).await;
    web.socket.send(Message::Ping(Bytes::from_static(b"p"))).await.expect("the node reads");
    let pong = patiently("a pong", web.socket.next()).await;
    assert_eq!(pong.expect("open").expect("fine"), Message::Pong(Bytes::from_static(b"p")));
}

#[tokio::test]
async fn large_messages_both_ways() {
    let node = node().await;
    let mut web = Web::greeted(&node).await;
    let payload = vec![b'x'; 1024 * 1024];
    let frame =
        [b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPUB a 1048576\r\n", &payload[..], b"\r\n"];
    web.say(&frame.concat()).await;
    web.hear(&[b"MSG a 1 1048576\r\n", &payload[..], b"\r\n"].concat()).await;
}

#[tokio::test]
async fn errors_are_told_before_the_close() {
    let node = node().await;
    let mut web = Web::greeted(&node).await;
    web.say(b"NONSENSE\r\n").await;
    web.hear(b"-ERR 'Unknown Protocol Operation'\r\n").await;
    assert!(!web.more().await, "closed");
}

#[tokio::test]
async fn a_close_frame_is_answered_and_forgets_the_client() {
    let node = node().await;
    let mut web = Web::greeted(&node).await;
    web.say(b"CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n").await;
    web.hear(b"PONG\r\n").await;
    assert_eq!(node.stats().subscriptions, 1);
    web.socket.close(None).await.expect("the node reads");
    while web.more().await {}
    until("the client to be forgotten", || node.stats().connections == 0).await;
    assert_eq!(node.stats().subscriptions, 0);
}

#[tokio::test]
async fn pages_of_elsewhere_are_refused() {
    let node = node().await;
    for local in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:8080"] {
        assert!(Web::open(&node, &[(header::ORIGIN, local)]).await.is_ok(), "{local}");
    }
    for foreign in ["https://example.com", "null", "http://localhost.example.com", "file://"] {
        match Web::open(&node, &[(header::ORIGIN, foreign)]).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), StatusCode::FORBIDDEN),
            Err(other) => panic!("{foreign}: {other}"),
            Ok(_) => panic!("{foreign} was let in"),
        }
    }
    let listed = NodeOptions { allowed_origins: vec!["https://example.com".into()], ..options() };
    let node = Node::bind(listed).await.expect("a free port");
    assert!(Web::open(&node, &[(header::ORIGIN, "https://example.com")]).await.is_ok());
    assert!(Web::open(&node, &[(header::ORIGIN, "https://example.org")]).await.is_err());
}

#[tokio::test]
async fn the_subprotocol_is_agreed_to_when_offered() {
    let node = node().await;
    let offered = (header::SEC_WEBSOCKET_PROTOCOL, "mqtt, nats");
    let web = Web::open(&node, &[offered]).await.expect("let in");
    assert_eq!(web.subprotocol.as_deref(), Some("nats"));
    let web = Web::open(&node, &[]).await.expect("let in");
    assert_eq!(web.subprotocol, None);
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_dropped() {
    let hasty = NodeOptions { auth_timeout: Duration::from_millis(20), ..options() };
    let node = Node::bind(hasty).await.expect("a free port");
    let stream = TcpStream::connect(node.ws_addr().expect("served")).await.expect("listening");
    let mut byte = [0];
    let end = patiently("the end", async {
        stream.readable().await.expect("a socket");
        stream.try_read(&mut byte)
    });
    assert!(matches!(end.await, Ok(0) | Err(_)));
}
