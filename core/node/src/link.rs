//! One connection: a single task that reads for the router and writes what the router has for its
//! client, woken by the transport, by the router or by its timer.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::shared::{Open, Shared};

/// An output buffer larger than this is given back once written.
const KEPT: usize = 256 * 1024;
/// How long a client whose connection was ended may take to fetch its last bytes.
const FLUSH: Duration = Duration::from_secs(1);
/// How long it may then take to close its side.
const DRAIN: Duration = Duration::from_millis(250);

/// What carries the bytes of a connection.
pub(crate) trait Transport {
    /// Takes some of `bytes` and says how many.
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;

    /// Ready once everything taken has left the process.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Ready once the other side was told that nothing more comes.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Passes on what came, using `buffer` where it needs room. Ready: whether more is likely to be
    /// there already, or none at the end.
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
        take: impl FnMut(&[u8]),
    ) -> Poll<Option<bool>>;
}

/// Serves the connection until either side ends it.
pub(crate) async fn serve(shared: &Shared, transport: impl Transport, ip: IpAddr) {
    let open = Open::new(shared, ip);
    let mut connection = Connection {
        open: &open,
        transport,
        output: Vec::new(),
        start: 0,
        registered: false,
        stuck: None,
        held: None,
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

/// What the timer brought.
enum Timer {
    Over,
    Look,
}

struct Connection<'a, T> {
    open: &'a Open<'a>,
    transport: T,
    output: Vec<u8>,
    /// How much of `output` is written.
    start: usize,
    registered: bool,
    /// When the write deadline passes, while the transport takes nothing.
    stuck: Option<Instant>,
    /// Until when nothing is read, because a receiver has fallen behind.
    held: Option<Instant>,
    phase: Phase,
    timer: Pin<Box<Sleep>>,
}

impl<T: Transport> Connection<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.open.shared.is_dead() {
            return Poll::Ready(());
        }
        if !self.registered {
            self.registered = true;
            self.open.shared.lock().register(self.open.id, cx.waker());
        }
        loop {
            self.notice_end();
            match self.poll_write(cx) {
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(()))
                    if matches!(self.phase, Phase::Flush(_))
                        && self.transport.poll_close(cx).is_ready() =>
                {
                    self.phase = Phase::Drain(Instant::now() + DRAIN);
                    self.arm();
                    continue;
                }
                _ => {}
            }
            let full = match self.poll_read(cx) {
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Ready(Some(false)) => continue,
                Poll::Ready(Some(true)) => true,
                Poll::Pending => false,
            };
            // Only after reading: what has arrived while the process was stopped counts as in time.
            match self.poll_timer(cx) {
                Poll::Ready(Timer::Over) => return Poll::Ready(()),
                Poll::Ready(Timer::Look) if !full => continue,
                _ => {}
            }
            if full {
                // More may wait: others first.
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
    }

    /// Writes until nothing waits. Ready: all is written, or the connection is broken.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let all = self.start == self.output.len() && !self.refill();
            let step = if all {
                self.transport.poll_flush(cx).map_ok(|()| 0)
            } else {
                self.transport.poll_write(cx, &self.output[self.start..])
            };
            let Poll::Ready(result) = step else {
                if self.stuck.is_none() {
                    self.stuck = Some(Instant::now() + self.open.shared.options.write_deadline);
                    self.arm();
                }
                return Poll::Pending;
            };
            let count = result?;
            self.stuck = None;
            if all {
                return Poll::Ready(Ok(()));
            }
            self.start += count;
            let mut state = self.open.shared.lock();
            state.router.written(self.open.id, count);
            state.wake_others(Some(self.open.id));
        }
    }

    /// Learns that the router has ended the connection.
    fn notice_end(&mut self) {
        if self.phase == Phase::Open && self.open.shared.lock().router.is_ending(self.open.id) {
            self.phase = Phase::Flush(Instant::now() + FLUSH);
            self.arm();
        }
    }

    /// Fetches what the router has.
    fn refill(&mut self) -> bool {
        if self.output.capacity() > KEPT {
            self.output = Vec::new();
        }
        self.output.clear();
        self.start = 0;
        self.open.shared.lock().router.take_output(self.open.id, &mut self.output)
    }

    /// Reads once. Ready: whether more is likely to be there, or none at the end of the stream.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<bool>> {
        let id = self.open.id;
        let mut guard = self.open.shared.lock();
        let state = &mut *guard;
        if self.held.is_some() {
            if state.router.hold(id).is_some() {
                return Poll::Pending;
            }
            self.held = None;
        }
        let (router, open) = (&mut state.router, self.phase == Phase::Open);
        let result = self.transport.poll_read(cx, &mut state.buffer, |bytes| {
            if open {
                router.receive(id, bytes);
            }
        });
        state.wake_others(Some(id));
        if let Some(hold) = state.router.hold(id) {
            self.held = Some(Instant::now() + hold);
            drop(guard);
            self.arm();
        }
        result
    }

    /// Does what is due. Ready: the connection is over, or something may have changed.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<Timer> {
        let mut fired = false;
        while self.timer.as_mut().poll(cx).is_ready() {
            fired = true;
            let (id, now) = (self.open.id, Instant::now());
            match self.phase {
                Phase::Drain(until) | Phase::Flush(until) if until <= now => {
                    return Poll::Ready(Timer::Over);
                }
                Phase::Drain(_) | Phase::Flush(_) => {}
                Phase::Open => {
                    let shared = self.open.shared;
                    let mut state = shared.lock();
                    if self.held.is_some_and(|until| until <= now) {
                        self.held = None;
                        state.router.release(id);
                    } else if self.stuck.is_some_and(|until| until <= now) {
                        self.stuck = None;
                        state.router.write_stalled(id);
                    } else {
                        state.router.deadline_passed(shared.now(), id);
                    }
                    state.wake_others(Some(id));
                }
            }
            self.arm();
        }
        if fired { Poll::Ready(Timer::Look) } else { Poll::Pending }
    }

    /// Sets the timer to whatever is due first.
    fn arm(&mut self) {
        let shared = self.open.shared;
        let next = match self.phase {
            Phase::Flush(until) | Phase::Drain(until) => until,
            Phase::Open => {
                let due = shared.instant(shared.lock().router.deadline(self.open.id));
                [self.stuck, self.held].into_iter().flatten().fold(due, Instant::min)
            }
        };
        self.timer.as_mut().reset(next);
    }
}
