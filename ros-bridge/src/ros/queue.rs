//! The messages of a subscription between the connections that read them and the program that takes them.
//!
//! Bounded in number and bytes. When there is no room the oldest goes, and every message that was read from a
//! socket is counted: `received = taken + dropped + waiting`, at any moment.
use super::Layout;
use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::sync::Notify;

/// One message of a topic.
#[derive(Clone)]
pub struct Sample {
    /// The encoded message.
    pub body: Vec<u8>,
    /// What it looks like, as its publisher says.
    pub layout: Arc<Layout>,
    /// Where it came from.
    pub source: Arc<Source>,
    /// How many came over that connection before it. The first one (0) of a latching source may be one kept
    /// from before the subscription.
    pub number: u64,
    /// When it was read.
    pub received: Instant,
}

impl fmt::Debug for Sample {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Sample")
            .field("bytes", &self.body.len())
            .field("kind", &self.layout.name())
            .field("source", &self.source)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// A connection to a publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Full name of the publishing node, by its own account.
    pub node: String,
    /// Whether it keeps its last message for those who subscribe later.
    pub latching: bool,
    /// Number of the connection, never used twice in a process.
    pub connection: u64,
}

/// What happened to the messages of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Whole messages read from sockets.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Messages taken by the program.
    pub taken: u64,
    /// Messages dropped because the queue was full.
    pub dropped: u64,
    /// Messages that wait.
    pub waiting: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
    /// Messages larger than allowed; not among those received.
    pub oversize: u64,
    /// Connections to publishers now.
    pub publishers: u64,
    /// Publishers that could not be used (another type, no definition), since the beginning.
    pub refused: u64,
}

/// A subscription: the program's end of its queue. Dropping it unsubscribes.
pub struct Subscription {
    queue: Arc<Queue>,
    topic: String,
    /// Ends the subscription.
    _end: Box<dyn Send + Sync>,
}

impl Subscription {
    /// A subscription fed through `queue`; `end` is dropped with it.
    pub(crate) fn new(topic: String, queue: Arc<Queue>, end: Box<dyn Send + Sync>) -> Self {
        Self { queue, topic, _end: end }
    }

    /// Full name of the topic.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Waits for the next message; `None` once the node is closed and nothing waits. Safe to be cancelled; for one
    /// task at a time.
    pub async fn recv(&self) -> Option<Sample> {
        loop {
            let news = self.queue.news.notified();
            {
                let mut inner = self.queue.lock();
                if let Some(sample) = inner.pop() {
                    return Some(sample);
                }
                if inner.closed {
                    return None;
                }
            }
            news.await;
        }
    }

    /// The next message if one waits.
    pub fn try_recv(&self) -> Option<Sample> {
        self.queue.lock().pop()
    }

    /// What happened so far.
    pub fn counts(&self) -> Counts {
        self.queue.counts()
    }

    /// Why a publisher could last not be used, if ever.
    pub fn last_refusal(&self) -> Option<String> {
        self.queue.lock().refusal.clone()
    }
}

/// The queue itself; the connections' end of it.
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    news: Notify,
    most: usize,
    most_bytes: usize,
    /// How many connections feed it.
    publishers: Arc<AtomicU64>,
}

#[derive(Default)]
struct Inner {
    samples: VecDeque<Sample>,
    counts: Counts,
    refusal: Option<String>,
    closed: bool,
}

impl Inner {
    fn pop(&mut self) -> Option<Sample> {
        let sample = self.samples.pop_front()?;
        self.counts.taken += 1;
        self.left(&sample);
        Some(sample)
    }

    fn left(&mut self, sample: &Sample) {
        self.counts.waiting -= 1;
        self.counts.waiting_bytes -= sample.body.len() as u64;
    }
}

impl Queue {
    pub(crate) fn new(most: usize, most_bytes: usize, publishers: Arc<AtomicU64>) -> Self {
        let (inner, news) = (Mutex::default(), Notify::new());
        Self { inner, news, most: most.max(1), most_bytes, publishers }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn counts(&self) -> Counts {
        let publishers = self.publishers.load(Ordering::Relaxed);
        Counts { publishers, ..self.lock().counts }
    }

    /// Takes a message that was read.
    pub(crate) fn push(&self, sample: Sample) {
        let size = sample.body.len() as u64;
        let mut inner = self.lock();
        inner.counts.received += 1;
        inner.counts.received_bytes += size;
        while inner.samples.len() >= self.most
            || (inner.counts.waiting_bytes + size > self.most_bytes as u64
                && !inner.samples.is_empty())
        {
            let Some(oldest) = inner.samples.pop_front() else { break };
            inner.left(&oldest);
            inner.counts.dropped += 1;
        }
        inner.counts.waiting += 1;
        inner.counts.waiting_bytes += size;
        inner.samples.push_back(sample);
        drop(inner);
        self.news.notify_one();
    }

    pub(crate) fn oversize(&self) {
        self.lock().counts.oversize += 1;
    }

    pub(crate) fn refused(&self, why: String) {
        let mut inner = self.lock();
        inner.counts.refused += 1;
        inner.refusal = Some(why);
    }

    /// What waits can still be taken; nothing more comes.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.news.notify_one();
    }
}
