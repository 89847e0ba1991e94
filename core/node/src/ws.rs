//! A WebSocket connection as a transport. The protocol's bytes are a stream: frames may be cut
//! anywhere, hold many lines or a part of one, and be binary or text.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::{Sink, Stream};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use crate::link::{self, Transport};
use crate::origin;
use crate::shared::Shared;

/// The largest frame sent, in bytes: browsers handle a frame as a whole.
const FRAME: usize = 64 * 1024;
/// What a connection sets aside for reading, in bytes.
const READ: usize = 16 * 1024;
/// The largest message taken beyond `max_payload`, in bytes, for clients that send many at once.
const BATCH: usize = 16 * 1024 * 1024;
/// How many messages are read before other connections have their turn.
const TURN: usize = 64;
/// The subprotocol that is agreed to. Clients that offer none need none.
const SUBPROTOCOL: &str = "nats";

/// Shakes hands, if the origin is allowed, and serves the connection until either side ends it.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream, ip: IpAddr) {
    let _ = stream.set_nodelay(true);
    let largest = Some(shared.options.max_payload + BATCH);
    let config = WebSocketConfig::default()
        .read_buffer_size(READ)
        .max_frame_size(largest)
        .max_message_size(largest);
    #[allow(clippy::result_large_err)] // the type is given by the handshake
    let check = |request: &Request, response| answer(request, response, &shared);
    let handshake = tokio_tungstenite::accept_hdr_async_with_config(stream, check, Some(config));
    match tokio::time::timeout(shared.options.auth_timeout, handshake).await {
        Ok(Ok(socket)) => link::serve(&shared, socket, ip).await,
        Ok(Err(error)) => log::debug!("a WebSocket handshake failed: {error}"),
        Err(_) => log::debug!("a WebSocket handshake took too long"),
    }
}

#[allow(clippy::result_large_err)] // the type is given by the handshake
fn answer(
    request: &Request,
    mut response: Response,
    shared: &Shared,
) -> Result<Response, ErrorResponse> {
    let origin = request.headers().get(header::ORIGIN);
    if !origin::is_allowed(origin.map(HeaderValue::as_bytes), &shared.options.allowed_origins) {
        log::warn!(
            "a WebSocket from the origin {origin:?} was refused; allowed_origins can list it"
        );
        let text =
            "This origin may not open a WebSocket here; the node's allowed_origins can list it.\n";
        let mut refusal = ErrorResponse::new(Some(text.to_owned()));
        *refusal.status_mut() = StatusCode::FORBIDDEN;
        return Err(refusal);
    }
    let offered = request.headers().get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    if offered
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(|name| name.trim() == SUBPROTOCOL))
    {
        let name = HeaderValue::from_static(SUBPROTOCOL);
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, name);
    }
    Ok(response)
}

fn broken(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    }
}

impl Transport for WebSocketStream<TcpStream> {
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut socket = Pin::new(self);
        if socket.as_mut().poll_ready(cx).map_err(broken)?.is_pending() {
            return Poll::Pending;
        }
        let count = bytes.len().min(FRAME);
        let frame = Message::Binary(Bytes::copy_from_slice(&bytes[..count]));
        Poll::Ready(socket.start_send(frame).map(|()| count).map_err(broken))
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self).poll_flush(cx).map_err(broken)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self).poll_close(cx).map_err(broken)
    }

    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        _: &mut [u8],
        mut take: impl FnMut(&[u8]),
    ) -> Poll<Option<bool>> {
        for turn in 0..TURN {
            match Pin::new(&mut *self).poll_next(cx) {
                Poll::Pending if turn == 0 => return Poll::Pending,
                // What the messages caused is written before the socket is asked again.
                Poll::Pending => return Poll::Ready(Some(false)),
                Poll::Ready(Some(Ok(Message::Binary(bytes)))) => take(&bytes),
                Poll::Ready(Some(Ok(Message::Text(text)))) => take(text.as_bytes()),
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(true))
    }
}
