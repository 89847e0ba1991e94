//! Where the Rust SDK takes the machine's events: futures to complete, streams to wake, log lines.
use crate::engine::Sink;
use futures_util::task::AtomicWaker;
use posthouse_core::{
    Error, WatchId,
    hub::{Event, Failure, Hub, Level, Op, Outcome, SubId},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{oneshot, watch};

/// Wakes the one consumer of a subscription or watch.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    pub waker: AtomicWaker,
    ended: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Signal {
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Why it ended, where the program did not want it.
    pub fn error(&self) -> Option<Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn end(&self, error: Option<Error>) {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        self.ended.store(true, Ordering::Release);
    }
}

pub(crate) type OpResult = Result<Outcome, Failure>;

/// What to do once the machine's lock is released.
enum Deed {
    Complete(oneshot::Sender<OpResult>, OpResult),
    Wake(Arc<Signal>),
    Status,
    Instances,
}

/// The Rust SDK's side of the events.
pub(crate) struct SdkSink {
    operations: HashMap<Op, oneshot::Sender<OpResult>>,
    subscriptions: HashMap<SubId, Arc<Signal>>,
    watches: HashMap<WatchId, Arc<Signal>>,
    /// Counts changes of the status and of the instances.
    changes: Arc<Changes>,
    deeds: Vec<Deed>,
}

/// What the watchers of status and instances wait on.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub status: watch::Sender<u64>,
    pub instances: watch::Sender<u64>,
}

impl SdkSink {
    pub fn new(changes: Arc<Changes>) -> Self {
        Self {
            operations: HashMap::new(),
            subscriptions: HashMap::new(),
            watches: HashMap::new(),
            changes,
            deeds: Vec::new(),
        }
    }

    /// Notes who waits for an operation.
    pub fn expect(&mut self, op: Op) -> oneshot::Receiver<OpResult> {
        let (sender, receiver) = oneshot::channel();
        self.operations.insert(op, sender);
        receiver
    }

    pub fn subscribed(&mut self, sub: SubId) -> Arc<Signal> {
        let signal = Arc::<Signal>::default();
        self.subscriptions.insert(sub, Arc::clone(&signal));
        signal
    }

    pub fn watched(&mut self, watch: WatchId) -> Arc<Signal> {
        let signal = Arc::<Signal>::default();
        self.watches.insert(watch, Arc::clone(&signal));
        signal
    }

    pub fn unwatched(&mut self, watch: WatchId) {
        self.watches.remove(&watch);
    }

    /// The hub is closed: no watch gets news any more.
    fn end_watches(&mut self) {
        for (_, signal) in self.watches.drain() {
            signal.end(None);
            self.deeds.push(Deed::Wake(signal));
        }
    }
}

impl Sink for SdkSink {
    type After = Box<dyn FnOnce() + Send>;

    fn event(&mut self, hub: &mut Hub, event: Event) {
        match event {
            Event::Done(op, result) => {
                if let Some(sender) = self.operations.remove(&op) {
                    self.deeds.push(Deed::Complete(sender, result));
                }
            }
            Event::Ready(sub) => {
                if let Some(signal) = self.subscriptions.get(&sub) {
                    self.deeds.push(Deed::Wake(Arc::clone(signal)));
                }
            }
            Event::Ended(sub, error) => {
                if let Some(signal) = self.subscriptions.remove(&sub) {
                    signal.end(error);
                    self.deeds.push(Deed::Wake(signal));
                }
            }
            Event::Watch(watch) => {
                if let Some(signal) = self.watches.get(&watch) {
                    self.deeds.push(Deed::Wake(Arc::clone(signal)));
                }
            }
            Event::Status => {
                if hub.is_closed() {
                    self.end_watches();
                }
                self.deeds.push(Deed::Status);
            }
            Event::Instances => self.deeds.push(Deed::Instances),
            Event::Log(level, code, text) => crate::logging::line(level, code, &text),
        }
    }

    fn after(&mut self) -> Option<Self::After> {
        if self.deeds.is_empty() {
            return None;
        }
        let deeds = std::mem::take(&mut self.deeds);
        let changes = Arc::clone(&self.changes);
        Some(Box::new(move || {
            for deed in deeds {
                match deed {
                    // Whoever waited may have given up.
                    Deed::Complete(sender, result) => drop(sender.send(result)),
                    Deed::Wake(signal) => signal.waker.wake(),
                    Deed::Status => changes.status.send_modify(|n| *n += 1),
                    Deed::Instances => changes.instances.send_modify(|n| *n += 1),
                }
            }
        }))
    }
}

/// The levels of the machine in words of the `log` crate.
pub(crate) const fn level(level: Level) -> log::Level {
    match level {
        Level::Debug => log::Level::Debug,
        Level::Info => log::Level::Info,
        Level::Warning => log::Level::Warn,
    }
}
