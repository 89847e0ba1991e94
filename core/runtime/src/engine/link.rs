//! The task of one connection: bytes out of the machine onto the stream and back.
use super::{Alarm, Shared, Sink, State, clock::now, wire::Wire};
use crate::net;
use posthouse_core::{Code, Error, LinkId, Now, hub::Hub};
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::TcpStream,
    sync::Notify,
};

/// How much is read at a time.
const READ_BYTES: usize = 64 * 1024;
/// How much of it is handled at a time: between two parts whoever handles the messages gets at them,
/// instead of waiting until the queue that they come from is full.
const PART_BYTES: usize = 16 * 1024;
/// A write buffer that has grown beyond this is given back once it is written.
const KEEP_BYTES: usize = 1 << 20;

/// How the machine's users reach a connection's task.
#[derive(Debug)]
pub(super) struct LinkHandle {
    pub id: LinkId,
    /// The task was woken, or is busy writing: it comes and takes the output by itself.
    pub told: bool,
    pub signal: Arc<Signal>,
    /// The connection itself, where whoever has something urgent may write while the task rests.
    pub direct: Option<Arc<TcpStream>>,
    /// What such a write left over: it goes out before anything else.
    pub rest: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Signal {
    pub wake: Notify,
    closing: AtomicBool,
}

impl LinkHandle {
    pub fn new(id: LinkId) -> Self {
        Self { id, told: false, signal: Arc::default(), direct: None, rest: Vec::new() }
    }

    /// Writes what waits for the connection from the caller's thread, which spares waking the task.
    /// Only while the task rests, so nothing is overtaken. Returns whether the task must go on.
    pub fn write_through(&mut self, hub: &mut Hub, now: Now, buffer: &mut Vec<u8>) -> bool {
        let Some(tcp) = self.direct.as_ref().filter(|_| !self.told) else { return false };
        buffer.clear();
        hub.take_output(self.id, buffer);
        if buffer.is_empty() {
            return false;
        }
        // A connection that is broken or full: its task finds out by itself.
        let written = tcp.try_write(buffer).unwrap_or(0);
        hub.handle_written(now, self.id, written);
        if written < buffer.len() {
            self.rest.extend_from_slice(buffer.get(written..).unwrap_or_default());
            self.told = true;
        }
        self.told
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
    pub id: LinkId,
    pub signal: Arc<Signal>,
    pub stream: Wire,
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
    /// Whether everything was handed over.
    fn is_empty(&self) -> bool {
        self.written == self.buffer.len()
    }

    fn clear(&mut self) {
        self.written = 0;
        self.buffer.clear();
        if self.buffer.capacity() > KEEP_BYTES {
            self.buffer = Vec::new();
        }
    }
}

pub(super) async fn run<S: Sink>(shared: &Shared<S>, connection: Connection) {
    let Connection { id, signal, mut stream, leftover } = connection;
    let mut outgoing = Outgoing::default();
    exchange(shared, id, &mut outgoing, 0, &leftover);
    let mut incoming = vec![0; READ_BYTES];
    let ended = loop {
        if signal.closing.load(Ordering::Acquire) {
            break None;
        }
        let step = tokio::select! {
            biased;
            step = step(&mut stream, &mut incoming, &mut outgoing) => step,
            () = signal.wake.notified() => {
                if outgoing.is_empty() {
                    exchange(shared, id, &mut outgoing, 0, &[]);
                }
                continue;
            }
        };
        match step {
            Ok(Step { end: true, .. }) => break Some(closed_by_server()),
            Ok(Step { wrote, read, .. }) => {
                let bytes = incoming.get(..read).unwrap_or_default();
                exchange(shared, id, &mut outgoing, wrote, bytes);
            }
            Err(error) => break Some(net::io_error("the server", &error)),
        }
    };
    if let Some(error) = ended {
        shared.lock().links.retain(|link| link.id != id);
        shared.call(|hub, _, now| hub.handle_broken(now, id, &error));
    }
    // Tells a TLS or WebSocket peer of the end; one that does not take it is just dropped.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(100), stream.shutdown()).await;
}

fn closed_by_server() -> Error {
    Error::new(Code::Disconnected, "the connection was lost: the server closed it")
}

/// Tells the machine what was written and what has come, and takes what it has to write now.
fn exchange<S: Sink>(
    shared: &Shared<S>,
    id: LinkId,
    outgoing: &mut Outgoing,
    wrote: usize,
    mut bytes: &[u8],
) {
    let _alarm = Alarm(&shared.wake);
    let now = now();
    while bytes.len() > PART_BYTES {
        let (part, rest) = bytes.split_at(PART_BYTES);
        shared.with(|hub, _| hub.handle_bytes(now, id, part));
        bytes = rest;
    }
    let mut state = shared.lock();
    if wrote > 0 {
        state.hub.handle_written(now, id, wrote);
    }
    if !bytes.is_empty() {
        state.hub.handle_bytes(now, id, bytes);
    }
    if outgoing.is_empty() {
        outgoing.clear();
        let State { hub, links, .. } = &mut *state;
        if let Some(link) = links.iter_mut().find(|link| link.id == id) {
            std::mem::swap(&mut link.rest, &mut outgoing.buffer);
            if outgoing.is_empty() {
                hub.take_output(id, &mut outgoing.buffer);
            }
            // Once it is written this task comes back by itself.
            link.told = !outgoing.is_empty();
        }
    }
    let settled = state.settle();
    drop(state);
    shared.wake_up(settled);
}

/// What one step did: so many bytes were handed to the system, so many have come.
#[derive(Default)]
struct Step {
    wrote: usize,
    read: usize,
    /// Nothing more will come.
    end: bool,
}

/// Writes and reads, whichever can go on. Neither waits for the other, and each gets its turn: a
/// program that publishes without a pause must not keep answers unread.
async fn step(stream: &mut Wire, incoming: &mut [u8], outgoing: &mut Outgoing) -> io::Result<Step> {
    std::future::poll_fn(|cx| {
        let mut step = Step { wrote: write(stream, outgoing, cx)?, ..Step::default() };
        let mut buffer = ReadBuf::new(incoming);
        if Pin::new(&mut *stream).poll_read(cx, &mut buffer)?.is_ready() {
            step.read = buffer.filled().len();
            step.end = step.read == 0;
        } else if step.wrote == 0 {
            return Poll::Pending;
        }
        Poll::Ready(Ok(step))
    })
    .await
}

/// Hands over as much as the stream takes now.
fn write(stream: &mut Wire, outgoing: &mut Outgoing, cx: &mut Context<'_>) -> io::Result<usize> {
    let before = outgoing.written;
    while !outgoing.is_empty() {
        let rest = outgoing.buffer.get(outgoing.written..).unwrap_or_default();
        match Pin::new(&mut *stream).poll_write(cx, rest)? {
            Poll::Ready(0) => return Err(io::ErrorKind::WriteZero.into()),
            Poll::Ready(written) => {
                outgoing.written += written;
                outgoing.unflushed = true;
            }
            Poll::Pending => break,
        }
    }
    if outgoing.unflushed && outgoing.is_empty() {
        outgoing.unflushed = Pin::new(&mut *stream).poll_flush(cx)?.is_pending();
    }
    Ok(outgoing.written - before)
}
