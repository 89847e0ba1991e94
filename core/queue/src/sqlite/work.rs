//! Operations on a file, each of which waits for its transaction and is answered after it.
use super::{
    db::Db,
    lease::{Leased, Times},
    words::closed,
};
use crate::StoreError;
use tokio::sync::oneshot;

pub(super) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// An operation.
pub(super) trait Work: Send {
    /// Whether it has to be on the disk when it is answered.
    fn durable(&self) -> bool;
    /// About how many messages it touches.
    fn weight(&self) -> usize;
    /// Whether it has its result already, without a transaction.
    fn look(&mut self, _: &mut Db) -> rusqlite::Result<bool> {
        Ok(false)
    }
    /// Does it, within a transaction, and keeps the result; more than once where the transaction failed.
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()>;
    /// Gives the result, or the error.
    fn answer(self: Box<Self>, end: Result<(), StoreError>);
}

/// A change and its result.
pub(super) struct Change<T, F> {
    pub(super) durable: bool,
    pub(super) weight: usize,
    pub(super) make: F,
    pub(super) result: Option<T>,
    pub(super) answer: Answer<T>,
}

impl<T: Send, F: FnMut(&mut Db) -> rusqlite::Result<T> + Send> Work for Change<T, F> {
    fn durable(&self) -> bool {
        self.durable
    }
    fn weight(&self) -> usize {
        self.weight
    }
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()> {
        self.result = Some((self.make)(db)?);
        Ok(())
    }
    fn answer(self: Box<Self>, end: Result<(), StoreError>) {
        give(self.answer, self.result, end);
    }
}

/// Taking messages.
pub(super) struct Lease {
    pub(super) queue: i64,
    pub(super) max: usize,
    pub(super) times: Times,
    pub(super) result: Option<Leased>,
    pub(super) answer: Answer<Leased>,
}

impl Work for Lease {
    fn durable(&self) -> bool {
        false
    }
    fn weight(&self) -> usize {
        self.max
    }
    fn look(&mut self, db: &mut Db) -> rusqlite::Result<bool> {
        self.result = db.nothing_due(self.queue)?;
        Ok(self.result.is_some())
    }
    fn apply(&mut self, db: &mut Db) -> rusqlite::Result<()> {
        // Where whoever asked has gone, nobody would ever handle what it took.
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
