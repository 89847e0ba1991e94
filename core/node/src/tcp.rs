//! A TCP connection as a transport.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::link::{self, Transport};
use crate::shared::Shared;

/// Serves the connection until either side ends it.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream, ip: IpAddr) {
    // Whole buffers are written, so waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    link::serve(&shared, stream, ip).await;
}

impl Transport for TcpStream {
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(self).as_mut().poll_write(cx, bytes)
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self).poll_shutdown(cx)
    }

    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
        mut take: impl FnMut(&[u8]),
    ) -> Poll<Option<bool>> {
        let mut buffer = ReadBuf::new(buffer);
        match Pin::new(self).poll_read(cx, &mut buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                take(buffer.filled());
                Poll::Ready(Some(buffer.remaining() == 0))
            }
            Poll::Ready(_) => Poll::Ready(None),
        }
    }
}
