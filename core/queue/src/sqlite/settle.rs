//! What becomes of held messages.
use super::{db::Db, lease::parts};
use crate::{Settled, Settlement, Ticket};
use rusqlite::params;

impl Db {
    /// Settles one message of `queue`, whose dead letters go to `dead`. Within a transaction.
    pub(super) fn settle(
        &mut self,
        queue: i64,
        dead: Option<i64>,
        lease: &Ticket,
        settlement: Settlement,
    ) -> rusqlite::Result<Settled> {
        let (id, due, attempts) = parts(lease);
        let key = params![queue, due, id, attempts];
        let changed = match settlement {
            Settlement::Ack => self.remove(id, key)?,
            Settlement::Retry { delay_s } => {
                let again = self.now + i64::from(delay_s) * 1_000;
                self.woken.push(queue);
                self.conn
                    .prepare_cached(
                        "UPDATE schedule SET due = ?5, held = 0
                         WHERE queue = ?1 AND due = ?2 AND id = ?3 AND held > 0 AND attempts & 65535 = ?4",
                    )?
                    .execute(params![queue, due, id, attempts, again])?
            }
            Settlement::Release => {
                self.woken.push(queue);
                self.conn
                    .prepare_cached(
                        "UPDATE schedule SET due = min(arrived, ?5), held = 0, attempts = attempts - 1
                         WHERE queue = ?1 AND due = ?2 AND id = ?3 AND held > 0 AND attempts & 65535 = ?4",
                    )?
                    .execute(params![queue, due, id, attempts, self.now])?
            }
            Settlement::DeadLetter => match dead {
                Some(dead) => {
                    self.woken.push(dead);
                    self.conn
                        .prepare_cached(
                            "UPDATE schedule SET queue = ?5, due = ?6, held = 0, attempts = 0, arrived = ?6, origin = ?1
                             WHERE queue = ?1 AND due = ?2 AND id = ?3 AND held > 0 AND attempts & 65535 = ?4",
                        )?
                        .execute(params![queue, due, id, attempts, dead, self.now])?
                }
                None => self.give_up(queue, id, key)?,
            },
            Settlement::Drop => self.give_up(queue, id, key)?,
        };
        Ok(if changed == 0 { Settled::Lost } else { Settled::Done })
    }

    fn remove(&self, id: i64, key: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<usize> {
        let gone = self
            .conn
            .prepare_cached(
                "DELETE FROM schedule
                 WHERE queue = ?1 AND due = ?2 AND id = ?3 AND held > 0 AND attempts & 65535 = ?4",
            )?
            .execute(key)?;
        if gone > 0 {
            self.conn.prepare_cached("DELETE FROM message WHERE id = ?1")?.execute([id])?;
        }
        Ok(gone)
    }

    fn give_up(
        &self,
        queue: i64,
        id: i64,
        key: &[&dyn rusqlite::ToSql],
    ) -> rusqlite::Result<usize> {
        let gone = self.remove(id, key)?;
        if gone > 0 {
            self.conn
                .prepare_cached("UPDATE queue SET dropped = dropped + 1 WHERE id = ?1")?
                .execute([queue])?;
        }
        Ok(gone)
    }
}
