//! What becomes of held messages.
use super::{db::Db, lease::parts};
use crate::{Settled, Settlement, Ticket};
use rusqlite::{CachedStatement, params};

/// The row of a lease.
macro_rules! of_lease {
    ($change:literal) => {
        concat!(
            $change,
            " WHERE queue = ?1 AND due = ?2 AND id = ?3 AND held > 0 AND attempts & 65535 = ?4"
        )
    };
}

impl Db {
    /// Settles messages of `queue`, whose dead letters go to `dead`. Within a transaction.
    pub(super) fn settle(
        &mut self,
        queue: i64,
        dead: Option<i64>,
        messages: &[(Ticket, Settlement)],
    ) -> rusqlite::Result<Vec<Settled>> {
        let mut settled = Vec::with_capacity(messages.len());
        let mut woken = Vec::new();
        let mut remove = self.conn.prepare_cached(of_lease!("DELETE FROM schedule"))?;
        let mut forget = self.conn.prepare_cached("DELETE FROM message WHERE id = ?1")?;
        for (lease, settlement) in messages {
            let (id, due, attempts) = parts(lease);
            let changed = match (settlement, dead) {
                (Settlement::Ack, _) => {
                    let gone = remove.execute(params![queue, due, id, attempts])?;
                    if gone > 0 {
                        forget.execute([id])?;
                    }
                    gone
                }
                (Settlement::Retry { delay_s }, _) => {
                    woken.push(queue);
                    let again = self.now + i64::from(*delay_s) * 1_000;
                    self.conn
                        .prepare_cached(of_lease!("UPDATE schedule SET due = ?5, held = 0"))?
                        .execute(params![queue, due, id, attempts, again])?
                }
                (Settlement::Release, _) => {
                    woken.push(queue);
                    self.conn
                        .prepare_cached(of_lease!(
                            "UPDATE schedule SET due = min(arrived, ?5), held = 0, attempts = attempts - 1"
                        ))?
                        .execute(params![queue, due, id, attempts, self.now])?
                }
                (Settlement::DeadLetter, Some(dead)) => {
                    woken.push(dead);
                    self.conn
                        .prepare_cached(of_lease!(
                            "UPDATE schedule SET queue = ?5, due = ?6, held = 0, attempts = 0, arrived = ?6, origin = ?1"
                        ))?
                        .execute(params![queue, due, id, attempts, dead, self.now])?
                }
                (Settlement::DeadLetter | Settlement::Drop, _) => {
                    let gone = remove.execute(params![queue, due, id, attempts])?;
                    if gone > 0 {
                        self.drop_one(&mut forget, queue, id)?;
                    }
                    gone
                }
            };
            settled.push(if changed == 0 { Settled::Lost } else { Settled::Done });
        }
        drop((remove, forget));
        self.woken.append(&mut woken);
        Ok(settled)
    }

    fn drop_one(
        &self,
        forget: &mut CachedStatement<'_>,
        queue: i64,
        id: i64,
    ) -> rusqlite::Result<()> {
        forget.execute([id])?;
        self.conn
            .prepare_cached("UPDATE queue SET dropped = dropped + 1 WHERE id = ?1")?
            .execute([queue])
            .map(drop)
    }
}
