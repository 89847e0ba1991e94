//! Looking at queues, and what an administrator does to them.
use super::db::Db;
use crate::{Peeked, Stats};
use rusqlite::{Connection, OptionalExtension as _, params, types::ValueRef};

impl Db {
    /// The number of a queue, which is created where it does not exist. Within a transaction.
    pub(super) fn queue(&self, name: &str) -> rusqlite::Result<i64> {
        let found = self
            .conn
            .prepare_cached("SELECT id FROM queue WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        match found {
            Some(id) => Ok(id),
            None => self
                .conn
                .prepare_cached("INSERT INTO queue (name) VALUES (?1) RETURNING id")?
                .query_row([name], |row| row.get(0)),
        }
    }

    /// Removes up to `max` messages that nobody holds; says how many. Within a transaction.
    pub(super) fn purge(&self, queue: i64, max: i64) -> rusqlite::Result<u64> {
        let rows = self.unheld(
            "SELECT due, id FROM schedule WHERE queue = ?1 AND held <= ?2 LIMIT ?3",
            params![queue, self.now, max],
        )?;
        for (due, id) in &rows {
            self.conn
                .prepare_cached("DELETE FROM schedule WHERE queue = ?1 AND due = ?2 AND id = ?3")?
                .execute(params![queue, due, id])?;
            self.conn.prepare_cached("DELETE FROM message WHERE id = ?1")?.execute([id])?;
        }
        Ok(rows.len() as u64)
    }

    /// Brings up to `max` dead letters of `queue` back from `dead`; says how many. Within a transaction.
    pub(super) fn redrive(&mut self, queue: i64, dead: i64, max: i64) -> rusqlite::Result<u64> {
        let rows = self.unheld(
            "SELECT due, id FROM schedule WHERE queue = ?1 AND held <= ?2 AND origin = ?4 LIMIT ?3",
            params![dead, self.now, max, queue],
        )?;
        for (due, id) in &rows {
            self.conn
                .prepare_cached(
                    "UPDATE schedule SET queue = ?1, due = ?2, held = 0, attempts = 0, arrived = ?2, origin = 0
                     WHERE queue = ?3 AND due = ?4 AND id = ?5",
                )?
                .execute(params![queue, self.now, dead, due, id])?;
        }
        self.woken.push(queue);
        Ok(rows.len() as u64)
    }

    fn unheld(
        &self,
        select: &str,
        with: &[&dyn rusqlite::ToSql],
    ) -> rusqlite::Result<Vec<(i64, i64)>> {
        let mut select = self.conn.prepare_cached(select)?;
        select.query_map(with, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// Pauses a queue or ends the pause. Within a transaction.
    pub(super) fn set_paused(&mut self, queue: i64, paused: bool) -> rusqlite::Result<()> {
        self.woken.push(queue);
        self.conn
            .prepare_cached("UPDATE queue SET paused = ?2 WHERE id = ?1")?
            .execute(params![queue, paused])
            .map(|_| ())
    }

    /// Messages that are due and surely past their retention. One that is given out again and again, or
    /// still delayed, is looked at when it is due.
    pub(super) fn expired(
        &mut self,
        queue: i64,
        retention: i64,
        max: i64,
    ) -> rusqlite::Result<Vec<(i64, i64)>> {
        self.tick();
        self.unheld(
            "SELECT due, id FROM schedule WHERE queue = ?1 AND due <= ?2 AND arrived <= ?2 LIMIT ?3",
            params![queue, self.now.saturating_sub(retention), max],
        )
    }
}

/// Figures of a queue. They cost a walk over its schedule: some 50 ms for a million messages.
pub(super) fn stats(
    conn: &Connection,
    queue: i64,
    dead: Option<i64>,
    retention: i64,
    now: i64,
) -> rusqlite::Result<Stats> {
    let count = |n: i64| n.unsigned_abs();
    let mut stats = conn.query_row(
        "SELECT count(*) FILTER (WHERE due <= ?2),
                count(*) FILTER (WHERE due > ?2 AND held <= ?2),
                count(*) FILTER (WHERE held > ?2),
                min(arrived) FILTER (WHERE due <= ?2)
         FROM schedule WHERE queue = ?1 AND (arrived > ?3 OR held > ?2)",
        params![queue, now, now.saturating_sub(retention)],
        |row| {
            Ok(Stats {
                ready: count(row.get(0)?),
                delayed: count(row.get(1)?),
                in_flight: count(row.get(2)?),
                oldest_ms: row
                    .get::<_, Option<i64>>(3)?
                    .map(|at| count(now.saturating_sub(at).max(0))),
                ..Stats::default()
            })
        },
    )?;
    conn.query_row("SELECT paused, dropped, expired FROM queue WHERE id = ?1", [queue], |row| {
        stats.paused = row.get(0)?;
        stats.dropped = count(row.get(1)?);
        stats.expired = count(row.get(2)?);
        Ok(())
    })?;
    if let Some(dead) = dead {
        let letters: i64 =
            conn.query_row("SELECT count(*) FROM schedule WHERE queue = ?1", [dead], |row| {
                row.get(0)
            })?;
        stats.dead = Some(count(letters));
    }
    Ok(stats)
}

/// The first messages of a queue, without taking them.
pub(super) fn peek(
    conn: &Connection,
    queue: i64,
    max: usize,
    now: i64,
    name: impl Fn(i64) -> String,
) -> rusqlite::Result<Vec<Peeked>> {
    let mut select = conn.prepare(
        "SELECT s.id, s.attempts, m.sent, s.due, s.held, m.body
         FROM schedule s JOIN message m ON m.id = s.id
         WHERE s.queue = ?1 ORDER BY s.due, s.id LIMIT ?2",
    )?;
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    let rows = select.query_map(params![queue, max], |row| {
        let (due, held): (i64, i64) = (row.get(3)?, row.get(4)?);
        let in_flight = held > now;
        Ok(Peeked {
            id: name(row.get(0)?),
            attempts: row.get(1)?,
            timestamp_ms: row.get(2)?,
            due_ms: if in_flight { held } else { due },
            in_flight,
            body: match row.get_ref(5)? {
                ValueRef::Text(text) | ValueRef::Blob(text) => text.to_vec(),
                _ => Vec::new(),
            },
        })
    })?;
    rows.collect()
}
