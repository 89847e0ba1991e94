//! The queue between a hub and its host.
//!
//! Filled under the machine's lock, so in the order of the events, and emptied under its own, so that
//! a host that polls never waits for the network. Of what only says that something changed, one is
//! queued at a time; log lines are kept up to a number; everything else is bounded by the
//! machine, which has a limit on operations, subscriptions and watches.
use crate::{AskId, Event, reader::Bell, wake::Waker};
use posthouse_core::{Code, Result, hub::Level};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::oneshot;

/// Log lines that wait for the host; of more the oldest are dropped and counted.
pub(crate) const LOG_LINES: usize = 256;

pub(crate) type Asks = HashMap<AskId, oneshot::Sender<Result<String>>>;

pub(crate) struct Outbox {
    state: Mutex<State>,
    /// For hosts that wait on a thread.
    filled: Condvar,
    waker: Waker,
    asks: Mutex<Asks>,
    last_ask: AtomicU64,
    /// Its end is the hub's.
    gone: Arc<Bell>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Item>,
    /// Whether there is one in the queue.
    status: bool,
    instances: bool,
    logs: Logs,
    /// The host was told and has not polled until the queue was empty.
    raised: bool,
    /// The host is to poll although nothing may be queued.
    roused: bool,
    sleepers: usize,
}

enum Item {
    Event(Event),
    /// The place of the log lines.
    Logs,
}

#[derive(Default)]
struct Logs {
    lines: VecDeque<(Level, Option<Code>, String)>,
    lost: u64,
    queued: bool,
}

/// Whom an addition to the queue must wake.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tell {
    raise: bool,
    sleepers: bool,
}

impl Tell {
    pub fn nobody(self) -> bool {
        !self.raise && !self.sleepers
    }
}

impl Outbox {
    pub fn new(waker: Waker) -> Self {
        Self {
            state: Mutex::default(),
            filled: Condvar::new(),
            waker,
            asks: Mutex::default(),
            last_ask: AtomicU64::new(0),
            gone: Arc::default(),
        }
    }

    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds events; whom to tell is told by [`Outbox::tell`], with no lock held.
    pub fn append(&self, events: &mut Vec<Event>) -> Tell {
        if events.is_empty() {
            return Tell::default();
        }
        let mut state = self.lock();
        for event in events.drain(..) {
            state.add(event);
        }
        let raise = !std::mem::replace(&mut state.raised, true);
        Tell { raise, sleepers: state.sleepers > 0 }
    }

    pub fn tell(&self, tell: Tell) {
        if tell.sleepers {
            self.filled.notify_all();
        }
        if tell.raise {
            self.waker.raise();
        }
    }

    /// Adds one event from outside the machine's lock.
    pub fn push(&self, event: Event) {
        let tell = self.append(&mut vec![event]);
        self.tell(tell);
    }

    /// Wakes the host although nothing may be queued.
    pub fn rouse(&self) {
        let mut state = self.lock();
        state.roused = true;
        let raise = !std::mem::replace(&mut state.raised, true);
        let tell = Tell { raise, sleepers: state.sleepers > 0 };
        drop(state);
        self.tell(tell);
    }

    /// Takes a question back that nobody needs answered any more.
    pub fn withdraw(&self, ask: AskId) {
        self.asks().remove(&ask);
        let asks =
            |item: &Item| matches!(item, Item::Event(Event::Ask { ask: a, .. }) if *a == ask);
        self.lock().queue.retain(|item| !asks(item));
    }

    /// Takes up to `max` events; says whether there are more.
    pub fn poll(&self, max: usize, out: &mut Vec<Event>) -> bool {
        let end = out.len().saturating_add(max);
        let mut state = self.lock();
        state.roused = false;
        while out.len() < end {
            match state.queue.pop_front() {
                None => break,
                Some(Item::Logs) => state.take_logs(end, out),
                Some(Item::Event(event)) => {
                    match event {
                        Event::Status => state.status = false,
                        Event::Instances => state.instances = false,
                        _ => {}
                    }
                    out.push(event);
                }
            }
        }
        let more = !state.queue.is_empty();
        if more {
            drop(state);
            self.waker.again();
        } else {
            state.raised = false;
            // Under the lock: a signal for what is added after it must not be cleared with it.
            self.waker.clear();
        }
        more
    }

    /// Waits until there are events, at most `slice`; says whether there are.
    pub fn wait(&self, slice: Duration) -> bool {
        let mut state = self.lock();
        state.sleepers += 1;
        let idle = |state: &mut State| state.queue.is_empty() && !state.roused;
        let waited = self.filled.wait_timeout_while(state, slice, idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.sleepers -= 1;
        !idle(&mut state)
    }

    pub fn gone(&self) -> &Arc<Bell> {
        &self.gone
    }

    pub fn next_ask(&self) -> AskId {
        AskId(self.last_ask.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub fn asks(&self) -> MutexGuard<'_, Asks> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, event: Event) {
        match event {
            Event::Status if std::mem::replace(&mut self.status, true) => {}
            Event::Instances if std::mem::replace(&mut self.instances, true) => {}
            Event::Log { level, code, message } => {
                if self.logs.lines.len() >= LOG_LINES {
                    self.logs.lines.pop_front();
                    self.logs.lost += 1;
                }
                self.logs.lines.push_back((level, code, message));
                if !std::mem::replace(&mut self.logs.queued, true) {
                    self.queue.push_back(Item::Logs);
                }
            }
            event => self.queue.push_back(Item::Event(event)),
        }
    }

    fn take_logs(&mut self, end: usize, out: &mut Vec<Event>) {
        if self.logs.lost > 0 {
            out.push(Event::LogsLost { count: std::mem::take(&mut self.logs.lost) });
        }
        while out.len() < end {
            let Some((level, code, message)) = self.logs.lines.pop_front() else { break };
            out.push(Event::Log { level, code, message });
        }
        self.logs.queued = !self.logs.lines.is_empty();
        if self.logs.queued {
            self.queue.push_front(Item::Logs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wake;
    use std::sync::atomic::AtomicUsize;

    fn outbox() -> (Outbox, Arc<AtomicUsize>) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&calls);
        let count = Box::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let waker = Waker::new(Wake::Callback(count)).expect("a waker");
        (Outbox::new(waker), calls)
    }

    fn log(n: usize) -> Event {
        Event::Log { level: Level::Warning, code: None, message: n.to_string() }
    }

    #[test]
    fn one_wake_a_batch() {
        let (outbox, calls) = outbox();
        let mut out = Vec::new();
        for _ in 0..3 {
            outbox.push(Event::Closed);
        }
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        assert!(outbox.poll(2, &mut out), "one is left");
        assert_eq!(calls.load(Ordering::Relaxed), 2, "called again for what is left");
        outbox.push(Event::Gone);
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        assert!(!outbox.poll(9, &mut out));
        assert_eq!(out, [Event::Closed, Event::Closed, Event::Closed, Event::Gone]);
        outbox.push(Event::Gone);
        assert_eq!(calls.load(Ordering::Relaxed), 3);
        outbox.waker().stop();
        outbox.poll(9, &mut out);
        outbox.push(Event::Gone);
        assert_eq!(calls.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn changes_are_queued_once() {
        let (outbox, _) = outbox();
        let mut out = Vec::new();
        for _ in 0..1000 {
            outbox.push(Event::Status);
            outbox.push(Event::Instances);
        }
        assert!(!outbox.poll(9, &mut out));
        assert_eq!(out, [Event::Status, Event::Instances]);
        outbox.push(Event::Status);
        assert!(!outbox.poll(9, &mut out));
        assert_eq!(out.len(), 3);
    }

    #[test]
    fn of_too_many_log_lines_the_oldest_are_dropped_and_counted() {
        let (outbox, _) = outbox();
        for n in 0..LOG_LINES + 44 {
            outbox.push(log(n));
        }
        outbox.push(Event::Closed);
        let mut out = Vec::new();
        while outbox.poll(10, &mut out) {
            assert!(out.len().is_multiple_of(10));
        }
        assert_eq!(out.len(), 1 + LOG_LINES + 1);
        assert_eq!(out.first(), Some(&Event::LogsLost { count: 44 }));
        assert_eq!(out.get(1), Some(&log(44)));
        assert_eq!(out.last(), Some(&Event::Closed));
        out.clear();
        outbox.push(log(1));
        outbox.poll(10, &mut out);
        assert_eq!(out, [log(1)]);
    }

    #[test]
    fn a_host_can_be_roused_with_nothing_queued() {
        let (outbox, calls) = outbox();
        outbox.rouse();
        outbox.rouse();
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        assert!(outbox.wait(Duration::ZERO));
        assert!(!outbox.poll(9, &mut Vec::new()));
        assert!(!outbox.wait(Duration::ZERO));
        outbox.rouse();
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let (outbox, _) = outbox();
        assert!(!outbox.wait(Duration::ZERO));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| outbox.wait(Duration::from_secs(20)));
            outbox.push(Event::Closed);
            assert!(waits.join().expect("no panic"));
        });
    }
}
