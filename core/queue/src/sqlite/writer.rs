//! The thread that writes, and its group commit.
//!
//! Every change of a file by one process goes through one thread. It takes whatever has come in
//! while it was busy into one transaction, so many senders share one sync of the disk, and one alone
//! waits for nothing but its own. A group without sends is not synced at all: leases and
//! acknowledgements have to survive the process, not a power cut.
use super::{
    arrivals::Arrivals,
    db::Db,
    lease::{Leased, Times},
    words::{closed, said},
};
use crate::{Clock, StoreError};
use rusqlite::ErrorCode;
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// So many operations share a transaction at most.
const GROUP: usize = 1_024;
/// How often messages past their retention are looked for.
const SWEEP: Duration = Duration::from_secs(30);
/// So many of them are removed in one transaction.
const SWEEP_ROWS: i64 = 1_000;

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// An operation that waits for its transaction.
trait Work: Send {
    /// Whether it has to be on the disk when it is answered.
    fn durable(&self) -> bool;
    /// Whether it is answered already, without a transaction.
    fn look(&mut self, _: &mut Db) -> rusqlite::Result<bool> {
        Ok(false)
    }
    /// Does it, within a transaction, and keeps the result; more than once where the transaction failed.
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()>;
    /// Gives the result, or the error.
    fn answer(self: Box<Self>, end: Result<(), StoreError>);
}

struct Change<T, F> {
    durable: bool,
    make: F,
    result: Option<T>,
    answer: Answer<T>,
}

impl<T: Send, F: FnMut(&mut Db) -> rusqlite::Result<T> + Send> Work for Change<T, F> {
    fn durable(&self) -> bool {
        self.durable
    }
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()> {
        self.result = Some((self.make)(db)?);
        Ok(())
    }
    fn answer(self: Box<Self>, end: Result<(), StoreError>) {
        give(self.answer, self.result, end);
    }
}

struct Lease {
    queue: i64,
    max: usize,
    times: Times,
    result: Option<Leased>,
    answer: Answer<Leased>,
}

impl Work for Lease {
    fn durable(&self) -> bool {
        false
    }
    fn look(&mut self, db: &mut Db) -> rusqlite::Result<bool> {
        self.result = db.nothing_due(self.queue)?;
        Ok(self.result.is_some())
    }
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()> {
        // Whoever asked has gone: nobody would ever handle what it took.
        self.result = Some(if self.answer.is_closed() {
            Leased::default()
        } else {
            db.lease(self.queue, self.max, self.times)?
        });
        Ok(())
    }
    fn answer(self: Box<Self>, end: Result<(), StoreError>) {
        give(self.answer, self.result, end);
    }
}

fn give<T>(answer: Answer<T>, result: Option<T>, end: Result<(), StoreError>) {
    // Nobody waits any more: the future was dropped.
    let _ = answer.send(end.and_then(|()| result.ok_or_else(closed)));
}

enum Order {
    Work(Box<dyn Work>),
    /// Another process may have written.
    Look,
    Sweep(Answer<u64>),
    /// The file is closed, then this is dropped.
    Close(oneshot::Sender<()>),
}

/// The other end of the thread. Dropped, it lets the thread end.
#[derive(Clone)]
pub(super) struct Writer {
    orders: mpsc::Sender<Order>,
}

/// Retention of each queue that was opened, in milliseconds.
pub(super) type Retentions = Arc<Mutex<HashMap<i64, i64>>>;

impl Writer {
    /// Starts the thread and opens the file on it.
    pub(super) async fn start(
        path: PathBuf,
        clock: Clock,
        arrivals: Arc<Arrivals>,
        retentions: Retentions,
    ) -> Result<Self, StoreError> {
        let (orders, inbox) = mpsc::channel();
        let (opened, open) = oneshot::channel();
        let body = move || {
            let db = match Db::open(&path, clock) {
                Ok(db) => db,
                Err(error) => return drop(opened.send(Err(error))),
            };
            let _ = opened.send(Ok(()));
            Thread { db, inbox, arrivals, retentions, swept: Instant::now() }.run();
        };
        thread::Builder::new().name("posthouse-queue".into()).spawn(body).map_err(|error| {
            StoreError::new(crate::Trouble::Other, format!("cannot start a thread: {error}"))
        })?;
        open.await.unwrap_or_else(|_| Err(closed()))?;
        Ok(Self { orders })
    }

    /// Makes a change in a transaction.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        durable: bool,
        make: impl FnMut(&mut Db) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, end) = oneshot::channel();
        self.order(Order::Work(Box::new(Change { durable, make, result: None, answer })))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) async fn lease(
        &self,
        queue: i64,
        max: usize,
        times: Times,
    ) -> Result<Leased, StoreError> {
        let (answer, end) = oneshot::channel();
        self.order(Order::Work(Box::new(Lease { queue, max, times, result: None, answer })))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Wakes who waits if another process has written.
    pub(super) fn look(&self) -> Result<(), StoreError> {
        self.order(Order::Look)
    }

    pub(super) async fn sweep(&self) -> Result<u64, StoreError> {
        let (answer, end) = oneshot::channel();
        self.order(Order::Sweep(answer))?;
        end.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) async fn close(&self) {
        let (done, end) = oneshot::channel();
        if self.order(Order::Close(done)).is_ok() {
            let _ = end.await;
        }
    }

    fn order(&self, order: Order) -> Result<(), StoreError> {
        self.orders.send(order).map_err(|_| closed())
    }
}

struct Thread {
    db: Db,
    inbox: mpsc::Receiver<Order>,
    arrivals: Arc<Arrivals>,
    retentions: Retentions,
    swept: Instant,
}

impl Thread {
    fn run(mut self) {
        let mut group = Vec::new();
        let closing = loop {
            let mut next = match self.inbox.recv_timeout(SWEEP) {
                Ok(order) => Some(order),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break None,
            };
            let mut closing = None;
            while let Some(order) = next {
                match order {
                    Order::Work(work) => group.push(work),
                    Order::Look => {
                        if self.db.others_wrote() {
                            self.arrivals.tell_all();
                        }
                    }
                    Order::Sweep(answer) => {
                        let _ = answer.send(self.sweep().map_err(|error| said(&error)));
                    }
                    Order::Close(done) => closing = Some(done),
                }
                if closing.is_some() || group.len() >= GROUP {
                    break;
                }
                next = self.inbox.try_recv().ok();
            }
            self.commit(&mut group);
            self.db.tidy();
            if let Some(done) = closing {
                break Some(done);
            }
            if self.swept.elapsed() >= SWEEP {
                self.swept = Instant::now();
                if let Err(error) = self.sweep() {
                    log::warn!("queue file: removing what is past its retention: {error}");
                }
            }
        };
        drop(self);
        drop(closing);
    }

    fn commit(&mut self, group: &mut Vec<Box<dyn Work>>) {
        if group.iter().all(|work| !work.durable()) {
            // Nobody is disturbed for a look at an empty queue.
            let mut kept = Vec::with_capacity(group.len());
            for mut work in group.drain(..) {
                match work.look(&mut self.db) {
                    Ok(false) => kept.push(work),
                    Ok(true) => work.answer(Ok(())),
                    Err(error) => work.answer(Err(said(&error))),
                }
            }
            *group = kept;
        }
        if group.is_empty() {
            return;
        }
        match self.transact(group) {
            Ok(()) => group.drain(..).for_each(|work| work.answer(Ok(()))),
            Err(error) if group.len() == 1 || busy(&error) => {
                let error = said(&error);
                group.drain(..).for_each(|work| work.answer(Err(error.clone())));
            }
            // One spoils it for all: each gets its own answer.
            Err(_) => {
                for work in group.drain(..) {
                    let mut alone = [work];
                    let end = self.transact(&mut alone).map_err(|error| said(&error));
                    let [work] = alone;
                    work.answer(end);
                }
            }
        }
    }

    fn transact(&mut self, group: &mut [Box<dyn Work>]) -> rusqlite::Result<()> {
        let durable = group.iter().any(|work| work.durable());
        self.db.transact(durable, |db| group.iter_mut().try_for_each(|work| work.apply(db)))?;
        if !self.db.woken.is_empty() {
            self.db.bell.ring();
            for queue in self.db.woken.drain(..) {
                self.arrivals.tell(queue);
            }
        }
        Ok(())
    }

    fn sweep(&mut self) -> rusqlite::Result<u64> {
        let retentions = self.retentions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut removed = 0;
        for (queue, retention) in retentions {
            loop {
                let rows = self.db.expired(queue, retention, SWEEP_ROWS)?;
                if rows.is_empty() {
                    break;
                }
                removed += rows.len() as u64;
                self.db.transact(false, |db| {
                    rows.iter().try_for_each(|(due, id)| db.remove_expired(queue, *due, *id))
                })?;
            }
        }
        Ok(removed)
    }
}

fn busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
