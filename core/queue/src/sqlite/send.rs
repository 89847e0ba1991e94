//! Putting messages into the file.
use super::db::Db;
use crate::NewMessage;
use rusqlite::params;

impl Db {
    /// Within a transaction.
    pub(super) fn send(&mut self, queue: i64, messages: &[NewMessage]) -> rusqlite::Result<()> {
        for message in messages {
            let id = self.next_id()?;
            let due = self.now + i64::from(message.delay_s) * 1_000;
            self.conn
                .prepare_cached("INSERT INTO message (id, sent, body) VALUES (?1, ?2, ?3)")?
                .execute(params![id, self.now, message.body])?;
            self.conn
                .prepare_cached("INSERT INTO schedule VALUES (?1, ?2, ?3, 0, 0, ?4, 0)")?
                .execute(params![queue, due, id, self.now])?;
        }
        self.woken.push(queue);
        Ok(())
    }
}
