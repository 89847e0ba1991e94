//! Who writes a file, and group commit.
//!
//! A process changes a file through one connection. Whoever has it takes whatever operations have come
//! in into one transaction, so many senders share one sync of the disk. A group without sends is not synced
//! at all: leases and acknowledgements have to survive the process, not a power cut.
//!
//! There is a thread that writes, but where nobody else does, the caller does it itself: a message would
//! otherwise wait for two threads to wake, which takes longer than SQLite. A caller only does what cannot
//! hold up its runtime: it never waits for another process, and syncs the disk only on a runtime with
//! several threads, one of them at a time, while the disk is fast. Anything else is the thread's.
use super::{
    arrivals::Arrivals,
    committer::{Committer, Retentions},
    db::{self, Db},
    lease::{Leased, Times},
    words::{closed, said},
    work::{Answer, Change, Lease, Work},
};
use crate::{Clock, StoreError, Trouble};
use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::oneshot,
};

/// So many operations share a transaction at most.
const GROUP: usize = 1_024;
/// How often messages past their retention are looked for.
const SWEEP: Duration = Duration::from_secs(30);
/// So many messages are taken or settled on a runtime with one thread, which is a tenth of a millisecond.
const LIGHT: usize = 16;

/// The way to the file. Dropped, the thread ends.
#[derive(Clone)]
pub(super) struct Writer(Arc<End>);

struct End(Arc<Engine>);

struct Engine {
    inbox: Mutex<Inbox>,
    news: Condvar,
    /// `None` once closed.
    file: Mutex<Option<Committer>>,
}

#[derive(Default)]
struct Inbox {
    works: VecDeque<Box<dyn Work>>,
    /// Another process may have written.
    hear: bool,
    tidy: bool,
    sweeps: Vec<Answer<u64>>,
    closing: Vec<oneshot::Sender<()>>,
    closed: bool,
}

impl Inbox {
    fn is_empty(&self) -> bool {
        self.works.is_empty() && !self.hear && !self.tidy && self.sweeps.is_empty() && !self.closed
    }
}

impl Writer {
    /// Opens the file and starts the thread.
    pub(super) async fn start(
        path: PathBuf,
        clock: Clock,
        arrivals: Arc<Arrivals>,
        retentions: Retentions,
    ) -> Result<Self, StoreError> {
        let (opened, open) = oneshot::channel();
        let body = move || {
            let db = match Db::open(&path, clock) {
                Ok(db) => db,
                Err(error) => return drop(opened.send(Err(error))),
            };
            let file = Mutex::new(Some(Committer { db, arrivals, retentions }));
            let engine = Arc::new(Engine { inbox: Mutex::default(), news: Condvar::new(), file });
            let writer = Self(Arc::new(End(engine.clone())));
            drop(opened.send(Ok(writer)));
            engine.run();
        };
        thread::Builder::new().name("posthouse-queue".into()).spawn(body).map_err(|error| {
            StoreError::new(Trouble::Other, format!("cannot start a thread: {error}"))
        })?;
        open.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Makes a change to about `weight` messages in a transaction.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        durable: bool,
        weight: usize,
        make: impl FnMut(&mut Db) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, end) = oneshot::channel();
        self.submit(Box::new(Change { durable, weight, make, result: None, answer }))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) async fn lease(
        &self,
        queue: i64,
        max: usize,
        times: Times,
    ) -> Result<Leased, StoreError> {
        let (answer, end) = oneshot::channel();
        self.submit(Box::new(Lease { queue, max, times, result: None, answer }))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Wakes who waits if another process has written.
    pub(super) fn hear(&self) -> Result<(), StoreError> {
        self.order(|inbox| inbox.hear = true)
    }

    pub(super) async fn sweep(&self) -> Result<u64, StoreError> {
        let (answer, end) = oneshot::channel();
        self.order(|inbox| inbox.sweeps.push(answer))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Does what was asked for before, then closes the file.
    pub(super) async fn close(&self) {
        let (done, end) = oneshot::channel();
        let asked = self.order(|inbox| {
            inbox.closed = true;
            inbox.closing.push(done);
        });
        if asked.is_ok() {
            let _ = end.await;
        }
    }

    fn order(&self, order: impl FnOnce(&mut Inbox)) -> Result<(), StoreError> {
        let mut inbox = self.0.0.inbox();
        if inbox.closed {
            return Err(closed());
        }
        order(&mut inbox);
        drop(inbox);
        self.0.0.news.notify_one();
        Ok(())
    }

    fn submit(&self, work: Box<dyn Work>) -> Result<(), StoreError> {
        let engine = &*self.0.0;
        let leads = Engine::may_lead(&*work);
        let durable = work.durable();
        let mut inbox = engine.inbox();
        if inbox.closed {
            return Err(closed());
        }
        inbox.works.push_back(work);
        drop(inbox);
        if !leads {
            engine.news.notify_one();
            return Ok(());
        }
        let mut file = match engine.file.try_lock() {
            Ok(file) => file,
            Err(TryLockError::Poisoned(file)) => file.into_inner(),
            // Whoever has it looks into the inbox after letting go.
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        engine.lead(&mut file, durable);
        drop(file);
        if !engine.inbox().is_empty() {
            engine.news.notify_one();
        }
        Ok(())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.inbox().closed = true;
        self.0.news.notify_one();
    }
}

impl Engine {
    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller may do this itself, if nobody else writes.
    fn may_lead(work: &dyn Work) -> bool {
        let Ok(runtime) = Handle::try_current() else { return true };
        let several = runtime.runtime_flavor() == RuntimeFlavor::MultiThread
            && runtime.metrics().num_workers() > 1;
        match (work.durable(), several) {
            (true, several) => several && db::disk_is_fast(),
            (false, several) => several || work.weight() <= LIGHT,
        }
    }

    /// Does what waits, on a caller's thread.
    fn lead(&self, file: &mut Option<Committer>, durable: bool) {
        let Some(committer) = file else { return };
        let mut inbox = self.inbox();
        if inbox.works.len() > GROUP || !durable && inbox.works.iter().any(|work| work.durable()) {
            return;
        }
        let mut group: Vec<_> = inbox.works.drain(..).collect();
        drop(inbox);
        db::impatiently(|| committer.commit(&mut group));
        let tidy = committer.db.log_is_long();
        if tidy || !group.is_empty() {
            let mut inbox = self.inbox();
            inbox.tidy |= tidy;
            for work in group.into_iter().rev() {
                inbox.works.push_front(work);
            }
        }
    }

    /// The thread.
    fn run(&self) {
        let mut swept = Instant::now();
        let closing = loop {
            let waiting = self
                .news
                .wait_timeout_while(self.inbox(), SWEEP, |inbox| inbox.is_empty())
                .unwrap_or_else(PoisonError::into_inner);
            drop(waiting);
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(committer) = &mut *file else { return };
            let mut inbox = self.inbox();
            let count = inbox.works.len().min(GROUP);
            let mut group: Vec<_> = inbox.works.drain(..count).collect();
            let hear = std::mem::take(&mut inbox.hear);
            inbox.tidy = false;
            let sweeps = std::mem::take(&mut inbox.sweeps);
            let over = inbox.closed && inbox.works.is_empty();
            drop(inbox);
            if hear {
                committer.hear();
            }
            committer.commit(&mut group);
            committer.db.tidy();
            if swept.elapsed() >= SWEEP || !sweeps.is_empty() {
                swept = Instant::now();
                let end = committer.sweep().map_err(|error| said(&error));
                if let Err(error) = &end {
                    log::warn!("queue file: removing what is past its retention: {error}");
                }
                for answer in sweeps {
                    let _ = answer.send(end.clone());
                }
            }
            if over {
                *file = None;
                break std::mem::take(&mut self.inbox().closing);
            }
        };
        // Told by being dropped.
        drop(closing);
    }
}
