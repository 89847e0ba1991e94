//! A WebSocket as a plain stream of bytes: what NATS says travels in binary frames, and where a
//! frame begins or ends means nothing.

use super::endpoint::Endpoint;
use super::upgrade::upgrade;
use futures_util::{Sink, Stream};
use posthouse_core::Result;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};

/// The largest frame taken: the largest payload that any nats-server can be configured for.
const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;
/// The largest frame sent. More would only delay the first byte of what follows.
const MAX_SENT_BYTES: usize = 64 * 1024;

/// The bytes of a WebSocket's binary frames.
pub struct WebSocketBytes<S> {
    socket: WebSocketStream<S>,
    /// What is left of the frame received last.
    frame: Bytes,
    /// The server has sent its close frame: nothing follows, whatever the socket says.
    ended: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> WebSocketBytes<S> {
    /// Makes the HTTP upgrade.
    pub(super) async fn connect(endpoint: &Endpoint, mut stream: S) -> Result<Self> {
        let rest = upgrade(endpoint, &mut stream).await?;
        let config = WebSocketConfig::default()
            // Every write goes out at once; the hub has gathered it already.
            .write_buffer_size(0)
            .max_message_size(Some(MAX_FRAME_BYTES))
            .max_frame_size(Some(MAX_FRAME_BYTES));
        let socket =
            WebSocketStream::from_partially_read(stream, rest, Role::Client, Some(config)).await;
        Ok(Self { socket, frame: Bytes::new(), ended: false })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for WebSocketBytes<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.frame.is_empty() && !self.ended {
            match ready!(Pin::new(&mut self.socket).poll_next(cx)) {
                Some(Ok(Message::Binary(frame))) => self.frame = frame,
                Some(Ok(Message::Text(_))) => {
                    return Poll::Ready(Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the server sent a WebSocket text frame; NATS uses binary ones only",
                    )));
                }
                Some(Ok(Message::Close(_))) | None => self.ended = true,
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(e)) => return Poll::Ready(Err(into_io(e))),
            }
        }
        let count = self.frame.len().min(buf.remaining());
        buf.put_slice(&self.frame.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WebSocketBytes<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        // Ready means that the frame before has left: at most one waits in memory.
        ready!(Pin::new(&mut self.socket).poll_ready(cx)).map_err(into_io)?;
        let count = buf.len().min(MAX_SENT_BYTES);
        let frame = Message::Binary(Bytes::copy_from_slice(&buf[..count]));
        Pin::new(&mut self.socket).start_send(frame).map_err(into_io)?;
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx).map_err(into_io)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_close(cx).map_err(into_io)
    }
}

fn into_io(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(e) => e,
        tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed => {
            io::ErrorKind::BrokenPipe.into()
        }
        tungstenite::Error::Protocol(
            tungstenite::error::ProtocolError::ResetWithoutClosingHandshake,
        ) => io::ErrorKind::ConnectionReset.into(),
        // The library's words may repeat what the server sent.
        _ => io::Error::new(io::ErrorKind::InvalidData, "the server broke the WebSocket protocol"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    async fn pair() -> (WebSocketBytes<DuplexStream>, WebSocketStream<DuplexStream>) {
        let (ours, theirs) = tokio::io::duplex(1000);
        let client = WebSocketStream::from_raw_socket(ours, Role::Client, None).await;
        let server = WebSocketStream::from_raw_socket(theirs, Role::Server, None).await;
        (WebSocketBytes { socket: client, frame: Bytes::new(), ended: false }, server)
    }

    #[tokio::test]
    async fn frames_are_one_stream() {
        use futures_util::{SinkExt, StreamExt};
        let (mut client, mut server) = pair().await;
        let answer = tokio::spawn(async move {
            for piece in ["a", "", "bc", "def"] {
                let frame = Message::Binary(Bytes::from(piece));
                server.send(frame).await.expect("sending");
                server.send(Message::Ping(Bytes::new())).await.expect("pinging");
            }
            let mut got = Vec::new();
            while got.len() < 300_000 {
                match server.next().await.expect("more").expect("a frame") {
                    Message::Binary(frame) => got.extend_from_slice(&frame),
                    Message::Pong(_) => {}
                    other => panic!("unexpected {other:?}"),
                }
            }
            server.send(Message::Close(None)).await.expect("closing");
            got
        });
        let mut six = [0; 6];
        client.read_exact(&mut six).await.expect("six bytes");
        assert_eq!(&six, b"abcdef");
        let large: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
        client.write_all(&large).await.expect("writing");
        client.flush().await.expect("flushing");
        assert_eq!(client.read(&mut six).await.expect("an orderly end"), 0);
        assert_eq!(answer.await.expect("the server"), large);
    }

    #[tokio::test]
    async fn text_is_refused() {
        use futures_util::SinkExt;
        let (mut client, mut server) = pair().await;
        server.send(Message::text("INFO {}")).await.expect("sending");
        let error = client.read(&mut [0; 8]).await.expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
