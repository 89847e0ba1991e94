//! The task of one connection: bytes out of the machine onto the stream and back.
use super::{Shared, Sink};
use crate::net::{self, Stream};
use posthouse_core::LinkId;
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    sync::Notify,
};

/// How much is read at a time.
const READ_BYTES: usize = 64 * 1024;
/// A write buffer that has grown beyond this is given back once it is written.
const KEEP_BYTES: usize = 1 << 20;

/// How the machine's users reach a connection's task.
#[derive(Clone, Debug)]
pub(super) struct LinkHandle {
    pub id: LinkId,
    /// The task was woken and has not taken the output yet.
    pub told: bool,
    pub signal: Arc<Signal>,
}

#[derive(Debug, Default)]
pub(super) struct Signal {
    pub wake: Notify,
    closing: AtomicBool,
}

impl LinkHandle {
    pub fn new(id: LinkId) -> Self {
        Self { id, told: false, signal: Arc::default() }
    }
}

impl Signal {
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.wake.notify_one();
    }
}

/// A stream on which the server has greeted, and what it sent after that.
pub(super) struct Connection {
    pub stream: Stream,
    pub leftover: Vec<u8>,
}

/// Bytes on their way out.
#[derive(Default)]
struct Outgoing {
    buffer: Vec<u8>,
    written: usize,
    /// Something may be held back in the stream.
    unflushed: bool,
}

impl Outgoing {
    fn is_empty(&self) -> bool {
        self.written == self.buffer.len()
    }
}

pub(super) async fn run<S: Sink>(shared: &Shared<S>, handle: LinkHandle, connection: Connection) {
    let Connection { mut stream, leftover } = connection;
    if !leftover.is_empty() {
        shared.call(|hub, _, now| hub.handle_bytes(now, handle.id, &leftover));
    }
    let mut incoming = vec![0; READ_BYTES];
    let mut outgoing = Outgoing::default();
    let ended = loop {
        if handle.signal.closing.load(Ordering::Acquire) {
            break None;
        }
        if outgoing.is_empty() {
            take_output(shared, handle.id, &mut outgoing);
        }
        let read = tokio::select! {
            biased;
            step = step(&mut stream, &mut incoming, &mut outgoing) => step,
            () = handle.signal.wake.notified() => continue,
        };
        match read {
            Ok(Step::Wrote(bytes)) => {
                shared.call(|hub, _, now| hub.handle_written(now, handle.id, bytes));
            }
            Ok(Step::Read(0)) => break Some("the server closed it".to_owned()),
            Ok(Step::Read(bytes)) => {
                let bytes = incoming.get(..bytes).unwrap_or_default();
                shared.call(|hub, _, now| hub.handle_bytes(now, handle.id, bytes));
            }
            Err(error) => break Some(net::io_error("the server", &error).message().to_owned()),
        }
    };
    if let Some(why) = ended {
        shared.lock().links.retain(|link| link.id != handle.id);
        shared.call(|hub, _, now| hub.handle_disconnected(now, handle.id, &why));
    }
    // Tells a TLS or WebSocket peer of the end; one that does not take it is just dropped.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(100), stream.shutdown()).await;
}

fn take_output<S: Sink>(shared: &Shared<S>, id: LinkId, outgoing: &mut Outgoing) {
    outgoing.buffer.clear();
    if outgoing.buffer.capacity() > KEEP_BYTES {
        outgoing.buffer = Vec::new();
    }
    outgoing.written = 0;
    let mut state = shared.lock();
    state.hub.take_output(id, &mut outgoing.buffer);
    if let Some(link) = state.links.iter_mut().find(|link| link.id == id) {
        link.told = false;
    }
}

enum Step {
    /// So many bytes were handed to the system.
    Wrote(usize),
    /// So many bytes have come; 0 is the end.
    Read(usize),
}

/// Writes and reads, whichever can go on; reading never waits for writing.
async fn step(
    stream: &mut Stream,
    incoming: &mut [u8],
    outgoing: &mut Outgoing,
) -> io::Result<Step> {
    std::future::poll_fn(|cx| {
        if let Poll::Ready(result) = write(stream, outgoing, cx) {
            return Poll::Ready(result.map(Step::Wrote));
        }
        let mut buffer = ReadBuf::new(incoming);
        ready!(Pin::new(&mut *stream).poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(Step::Read(buffer.filled().len())))
    })
    .await
}

/// Pending means that there is nothing to write, or that the stream takes nothing now.
fn write(
    stream: &mut Stream,
    outgoing: &mut Outgoing,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    let rest = outgoing.buffer.get(outgoing.written..).unwrap_or_default();
    if !rest.is_empty() {
        let written = ready!(Pin::new(&mut *stream).poll_write(cx, rest))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        outgoing.written += written;
        outgoing.unflushed = true;
        return Poll::Ready(Ok(written));
    }
    if outgoing.unflushed {
        ready!(Pin::new(&mut *stream).poll_flush(cx))?;
        outgoing.unflushed = false;
    }
    Poll::Pending
}
