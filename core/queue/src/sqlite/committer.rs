//! Groups of operations, each in one transaction.
use super::{arrivals::Arrivals, db::Db, words::said, work::Work};
use rusqlite::ErrorCode;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// So many messages past their retention are removed in one transaction.
const SWEEP_ROWS: i64 = 1_000;

/// Retention of each queue that was opened, in milliseconds.
pub(super) type Retentions = Arc<Mutex<HashMap<i64, i64>>>;

/// An open file, in the hands of whoever commits.
pub(super) struct Committer {
    pub(super) db: Db,
    pub(super) arrivals: Arc<Arrivals>,
    pub(super) retentions: Retentions,
}

impl Committer {
    /// Does the operations and answers them. What it leaves in `group` could not be done now
    /// because another process writes; only where the thread does not wait for that.
    pub(super) fn commit(&mut self, group: &mut Vec<Box<dyn Work>>) {
        if group.iter().all(|work| !work.durable()) {
            self.look(group);
        }
        if group.is_empty() {
            return;
        }
        match self.transact(group) {
            Ok(()) => group.drain(..).for_each(|work| work.answer(Ok(()))),
            Err(error) if busy(&error) && !super::db::is_patient() => (),
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

    /// Nobody is disturbed for a look at an empty queue.
    fn look(&mut self, group: &mut Vec<Box<dyn Work>>) {
        for mut work in std::mem::take(group) {
            // An error is told by the transaction.
            if work.look(&mut self.db).unwrap_or(false) {
                work.answer(Ok(()));
            } else {
                group.push(work);
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

    /// Wakes who waits here if another process has written.
    pub(super) fn hear(&mut self) {
        if self.db.others_wrote() {
            self.arrivals.tell_all();
        }
    }

    /// Removes what is past its retention.
    pub(super) fn sweep(&mut self) -> rusqlite::Result<u64> {
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
