//! One TCP connection: a single task that reads for the router and writes what the router has for
//! its client, woken by the socket, by the router or by its timer.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::shared::{Open, Shared};

/// An output buffer larger than this is given back once written.
const KEPT: usize = 1024 * 1024;
/// How long a connection that was ended may take to fetch its last bytes.
const LINGER: Duration = Duration::from_secs(1);

/// Serves the connection until either side ends it.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream, ip: IpAddr) {
    let _ = stream.set_nodelay(true);
    let open = Open::new(&shared, ip);
    let mut connection = Connection {
        open: &open,
        stream,
        output: Vec::new(),
        start: 0,
        registered: false,
        stuck: None,
        phase: Phase::Open,
        timer: Box::pin(tokio::time::sleep_until(Instant::now())),
    };
    poll_fn(|cx| connection.poll(cx)).await;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// Ended by the router: the rest is written until then.
    Flush(Instant),
    /// Written: what still comes is read and dropped, so that closing does not take the last bytes
    /// away from the client.
    Drain(Instant),
}

struct Connection<'a> {
    open: &'a Open<'a>,
    stream: TcpStream,
    output: Vec<u8>,
    /// How much of `output` is written.
    start: usize,
    registered: bool,
    /// When the write deadline passes, while the socket takes nothing.
    stuck: Option<Instant>,
    phase: Phase,
    timer: Pin<Box<Sleep>>,
}

impl Connection<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.open.shared.is_dead() {
            return Poll::Ready(());
        }
        if !self.registered {
            self.registered = true;
            self.open.shared.lock().register(self.open.id, cx.waker());
        }
        loop {
            if self.poll_timer(cx).is_ready() {
                return Poll::Ready(());
            }
            match self.poll_write(cx) {
                Poll::Ready(Ok(())) if matches!(self.phase, Phase::Flush(_)) => {
                    // On a socket this only marks the end of the stream, and at once.
                    let _ = Pin::new(&mut self.stream).poll_shutdown(cx);
                    self.phase = Phase::Drain(Instant::now() + LINGER);
                    self.arm();
                    continue;
                }
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                _ => {}
            }
            match self.poll_read(cx) {
                Poll::Ready(Some(true)) => {
                    // More may wait: others first.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(Some(false)) => {}
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Writes until nothing waits. Ready: all is written, or the connection is broken.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.start == self.output.len() && !self.refill() {
                return Poll::Ready(Ok(()));
            }
            let rest = &self.output[self.start..];
            let Poll::Ready(result) = Pin::new(&mut self.stream).poll_write(cx, rest) else {
                if self.stuck.is_none() {
                    self.stuck = Some(Instant::now() + self.open.shared.options.write_deadline);
                    self.arm();
                }
                return Poll::Pending;
            };
            let count = result?;
            self.start += count;
            self.stuck = None;
            self.open.shared.lock().router.written(self.open.id, count);
        }
    }

    /// Fetches what the router has. Learns here, too, that the connection is to end.
    fn refill(&mut self) -> bool {
        if self.output.capacity() > KEPT {
            self.output = Vec::new();
        }
        self.output.clear();
        self.start = 0;
        let mut state = self.open.shared.lock();
        let more = state.router.take_output(self.open.id, &mut self.output);
        if self.phase == Phase::Open && state.router.is_ending(self.open.id) {
            self.phase = Phase::Flush(Instant::now() + LINGER);
            drop(state);
            self.arm();
        }
        more
    }

    /// Reads once. Ready: whether the buffer was filled, or none at the end of the stream.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<bool>> {
        let mut guard = self.open.shared.lock();
        let state = &mut *guard;
        let mut buffer = ReadBuf::new(&mut state.buffer);
        match Pin::new(&mut self.stream).poll_read(cx, &mut buffer) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Err(_)) => return Poll::Ready(None),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(None),
            Poll::Ready(Ok(())) => {}
        }
        let full = buffer.remaining() == 0;
        if self.phase == Phase::Open {
            state.router.receive(self.open.id, buffer.filled());
            state.wake_others(Some(self.open.id));
        }
        Poll::Ready(Some(full))
    }

    /// Ready when the time of the connection is over.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            match self.phase {
                Phase::Drain(until) | Phase::Flush(until) if until <= now => {
                    return Poll::Ready(());
                }
                Phase::Drain(_) | Phase::Flush(_) => {}
                Phase::Open => {
                    let shared = self.open.shared;
                    let mut state = shared.lock();
                    if self.stuck.is_some_and(|until| until <= now) {
                        self.stuck = None;
                        state.router.write_stalled(self.open.id);
                    } else {
                        state.router.deadline_passed(shared.now(), self.open.id);
                    }
                    if state.router.is_ending(self.open.id) {
                        self.phase = Phase::Flush(now + LINGER);
                    }
                }
            }
            self.arm();
        }
        Poll::Pending
    }

    /// Sets the timer to whatever is due first.
    fn arm(&mut self) {
        let shared = self.open.shared;
        let next = match self.phase {
            Phase::Flush(until) | Phase::Drain(until) => until,
            Phase::Open => {
                let due = shared.instant(shared.lock().router.deadline(self.open.id));
                self.stuck.map_or(due, |stuck| stuck.min(due))
            }
        };
        self.timer.as_mut().reset(next);
    }
}
