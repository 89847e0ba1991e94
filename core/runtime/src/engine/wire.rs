//! A connection as its task reads and writes it. Plain TCP is shared with those who write through.
use crate::net::Stream;
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

#[derive(Debug)]
pub(super) enum Wire {
    Shared(Arc<TcpStream>),
    Own(Stream),
}

impl From<Stream> for Wire {
    fn from(stream: Stream) -> Self {
        match stream {
            Stream::Tcp(tcp) => Self::Shared(Arc::new(tcp)),
            other => Self::Own(other),
        }
    }
}

impl Wire {
    pub fn shared(&self) -> Option<Arc<TcpStream>> {
        match self {
            Self::Shared(tcp) => Some(Arc::clone(tcp)),
            Self::Own(_) => None,
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Own(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Shared(tcp) => loop {
                ready!(tcp.poll_read_ready(cx))?;
                match tcp.try_read(buffer.initialize_unfilled()) {
                    Ok(count) => {
                        buffer.advance(count);
                        return Poll::Ready(Ok(()));
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            },
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Own(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Shared(tcp) => loop {
                ready!(tcp.poll_write_ready(cx))?;
                match tcp.try_write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    result => return Poll::Ready(result),
                }
            },
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Own(stream) => Pin::new(stream).poll_flush(cx),
            Self::Shared(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Own(stream) => Pin::new(stream).poll_shutdown(cx),
            // Closed when the last holder lets go of it, which the end of its task is.
            Self::Shared(_) => Poll::Ready(Ok(())),
        }
    }
}
