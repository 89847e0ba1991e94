//! The task of one connection: bytes out of the machine onto the stream and back.
use super::{
    Alarm, Shared, Sink, State,
    clock::now,
    pace::{CLOSE_US, FULL_BYTES, Pace},
    wire::Wire,
};
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
/// How much of each buffer is kept while there is nothing to write: a hub that rests costs little,
/// whatever it had to send before.
const REST_BYTES: usize = FULL_BYTES;

/// How the machine's users reach a connection's task.
#[derive(Debug)]
pub(super) struct LinkHandle {
    pub id: LinkId,
    pub signal: Arc<Signal>,
    turn: Turn,
    /// When bytes were last taken to be written, on the machine's clock.
    wrote_at: Option<u64>,
    /// The connection itself, where an operation's caller may write while the task rests.
    direct: Option<Arc<TcpStream>>,
    /// What such a write left over: it goes out before anything else.
    rest: Vec<u8>,
}

/// What the task is about, and so who takes the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It rests until it is woken.
    Rest,
    /// It looks again by itself in a moment, and is woken only for much.
    Nap,
    /// It was woken, or is writing: it comes and takes the output by itself.
    Busy,
}

#[derive(Debug, Default)]
pub(super) struct Signal {
    pub wake: Notify,
    closing: AtomicBool,
}

impl LinkHandle {
    pub fn new(id: LinkId, direct: Option<Arc<TcpStream>>) -> Self {
        let signal = Arc::default();
        Self { id, signal, turn: Turn::Rest, wrote_at: None, direct, rest: Vec::new() }
    }

    /// Sees to the output after an operation: its caller writes it, or the task is to come, which is
    /// returned. Written by the caller, which spares waking the task, is only what somebody waits for
    /// (`urgent`) and what is no part of a stream; and only where this connection is `alone`.
    pub fn settle(
        &mut self,
        hub: &mut Hub,
        alone: bool,
        urgent: bool,
        buffer: &mut Vec<u8>,
    ) -> bool {
        let bytes = hub.output_bytes(self.id);
        let due = match self.turn {
            Turn::Rest => bytes > 0,
            Turn::Nap => bytes >= FULL_BYTES || (urgent && bytes > 0),
            Turn::Busy => false,
        };
        if !due {
            return false;
        }
        let now = now();
        let direct = alone && (urgent || !self.is_close(now));
        let come = !(direct && self.write_through(hub, now, buffer));
        if come {
            self.turn = Turn::Busy;
        }
        come
    }

    /// Whether a write now comes in close succession to the last one.
    fn is_close(&self, now: Now) -> bool {
        self.wrote_at.is_some_and(|at| now.mono.saturating_sub(at) < CLOSE_US)
    }

    /// Writes what waits for the connection from the caller's thread. Only while the task
    /// does not write, so nothing is overtaken. Returns whether that was all there is to do.
    fn write_through(&mut self, hub: &mut Hub, now: Now, buffer: &mut Vec<u8>) -> bool {
        let Some(tcp) = &self.direct else { return false };
        hub.take_output(self.id, buffer);
        // A connection that is broken or full: its task finds out by itself.
        let written = tcp.try_write(buffer).unwrap_or(0);
        self.wrote_at = Some(now.mono);
        hub.handle_written(now, self.id, written);
        let left = buffer.get(written..).unwrap_or_default();
        self.rest.extend_from_slice(left);
        let all = left.is_empty();
        buffer.clear();
        buffer.shrink_to(REST_BYTES);
        all && !hub.has_output(self.id)
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

    /// Takes what there is to write. Where that is nothing, this buffer and the machine's, which
    /// change places, are both small afterwards.
    fn refill(&mut self, hub: &mut Hub, link: &mut LinkHandle) {
        if !link.rest.is_empty() {
            self.buffer = std::mem::take(&mut link.rest);
            return;
        }
        if !hub.has_output(link.id) {
            self.buffer.shrink_to(REST_BYTES);
        }
        hub.take_output(link.id, &mut self.buffer);
        if self.is_empty() {
            self.buffer.shrink_to(REST_BYTES);
        }
    }
}

pub(super) async fn run<S: Sink>(shared: &Shared<S>, connection: Connection) {
    let Connection { id, signal, mut stream, leftover } = connection;
    let mut outgoing = Outgoing::default();
    let mut pace = Pace::default();
    exchange(shared, id, &mut outgoing, &mut pace, 0, &leftover);
    let mut incoming = vec![0; READ_BYTES];
    let ended = loop {
        if signal.closing.load(Ordering::Acquire) {
            break None;
        }
        let step = tokio::select! {
            biased;
            step = step(&mut stream, &mut incoming, &mut outgoing) => step,
            () = signal.wake.notified() => Ok(Step::default()),
            () = pace.over() => Ok(Step::default()),
        };
        pace.wake();
        match step {
            Ok(Step { end: true, .. }) => break Some(closed_by_server()),
            Ok(Step { wrote, read, .. }) => {
                let bytes = incoming.get(..read).unwrap_or_default();
                exchange(shared, id, &mut outgoing, &mut pace, wrote, bytes);
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
    pace: &mut Pace,
    wrote: usize,
    mut bytes: &[u8],
) {
    let _alarm = Alarm(&shared.wake);
    let now = now();
    let answered = !bytes.is_empty();
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
        let little = outgoing.buffer.len() < FULL_BYTES;
        outgoing.clear();
        let State { hub, links, .. } = &mut *state;
        if let Some(link) = links.iter_mut().find(|link| link.id == id) {
            let more = !link.rest.is_empty() || hub.output_bytes(id) >= FULL_BYTES;
            if answered {
                pace.reset();
            } else if wrote > 0 {
                pace.wrote(little && link.is_close(now));
            }
            if wrote > 0 {
                link.wrote_at = Some(now.mono);
            }
            if wrote > 0 && !more && pace.nap() {
                link.turn = Turn::Nap;
            } else {
                outgoing.refill(hub, link);
                // Once it is written this task comes back by itself.
                link.turn = if outgoing.is_empty() { Turn::Rest } else { Turn::Busy };
                if wrote == 0 && outgoing.is_empty() {
                    pace.reset();
                }
            }
        }
    }
    let settled = state.settle(false);
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
