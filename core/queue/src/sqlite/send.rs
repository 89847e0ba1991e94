//! Putting messages into the file.
use super::db::Db;
use crate::NewMessage;
use rusqlite::params;

impl Db {
    /// Within a transaction.
    pub(super) fn send(&mut self, queue: i64, messages: &[NewMessage]) -> rusqlite::Result<()> {
        let first = self.new_ids(messages.len())?;
        let last = first + i64::try_from(messages.len()).unwrap_or(0) - 1;
        let mut keep =
            self.conn.prepare_cached("INSERT INTO message (id, sent, body) VALUES (?1, ?2, ?3)")?;
        for (id, message) in (first..).zip(messages) {
            keep.execute(params![id, self.now, message.body])?;
        }
        let due = |message: &NewMessage| self.now + i64::from(message.delay_s) * 1_000;
        if messages.len() > 1 && messages.iter().all(|m| m.delay_s == messages[0].delay_s) {
            // Half the cost of one by one.
            self.conn
                .prepare_cached(
                    "INSERT INTO schedule SELECT ?1, ?2, id, 0, 0, ?3, 0 FROM message WHERE id BETWEEN ?4 AND ?5",
                )?
                .execute(params![queue, due(&messages[0]), self.now, first, last])?;
        } else {
            let mut plan = self
                .conn
                .prepare_cached("INSERT INTO schedule VALUES (?1, ?2, ?3, 0, 0, ?4, 0)")?;
            for (id, message) in (first..).zip(messages) {
                plan.execute(params![queue, due(message), id, self.now])?;
            }
        }
        self.woken.push(queue);
        Ok(())
    }
}
