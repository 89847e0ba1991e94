//! Taking messages, and keeping them.
//!
//! A lease is known by the message, the moment it falls due again and how often it was delivered. It
//! has ended once the message was given to somebody else, or moved: then that row is not there any
//! more. So a holder that comes a little late while nobody else has taken the message still counts.
use super::db::Db;
use crate::{Delivery, Renewed, Ticket};
use rusqlite::{OptionalExtension as _, params, types::ValueRef};

/// What taking gave.
#[derive(Debug, Default)]
pub(super) struct Leased {
    pub(super) deliveries: Vec<Delivery>,
    /// Where there was none: when the next message falls due. `None`: nothing to wait for but a change.
    pub(super) next: Option<i64>,
}

/// How long messages are held and kept, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) visibility: i64,
    pub(super) retry_delay: i64,
    pub(super) retention: i64,
}

struct Row {
    due: i64,
    id: i64,
    attempts: u32,
    arrived: i64,
    sent: i64,
    /// `None`: somebody removed the message and left its row here.
    body: Option<Vec<u8>>,
}

/// A lease in one number.
pub(super) fn ticket(id: i64, due: i64, attempts: u32) -> Ticket {
    let lease = due.cast_unsigned() << 16 | u64::from(attempts & 0xffff);
    Ticket { message: id.cast_unsigned(), lease, address: None }
}

/// Message, due time and the low bits of its attempts.
pub(super) fn parts(ticket: &Ticket) -> (i64, i64, i64) {
    let due = (ticket.lease >> 16).cast_signed();
    (ticket.message.cast_signed(), due, (ticket.lease & 0xffff).cast_signed())
}

impl Db {
    /// Whether there is surely nothing to take now, and then what [`Db::lease`] would give. Needs
    /// no transaction.
    pub(super) fn nothing_due(&mut self, queue: i64) -> rusqlite::Result<Option<Leased>> {
        self.tick();
        if self.paused(queue)? {
            return Ok(Some(Leased::default()));
        }
        let next = self.next_due(queue)?;
        let waits = next.is_none_or(|due| due > self.now);
        Ok(waits.then(|| Leased { deliveries: Vec::new(), next }))
    }

    /// Takes up to `max` messages. Within a transaction.
    pub(super) fn lease(
        &mut self,
        queue: i64,
        max: usize,
        times: Times,
    ) -> rusqlite::Result<Leased> {
        let mut leased = Leased::default();
        if self.paused(queue)? {
            return Ok(leased);
        }
        let held = self.now + times.visibility;
        let due = held + times.retry_delay;
        while leased.deliveries.len() < max {
            let rows = self.due(queue, max - leased.deliveries.len())?;
            if rows.is_empty() {
                break;
            }
            let mut hold = self.conn.prepare_cached(
                "UPDATE schedule SET due = ?1, held = ?2, attempts = ?3 WHERE queue = ?4 AND due = ?5 AND id = ?6",
            )?;
            for row in rows {
                let expired = row.arrived.saturating_add(times.retention) <= self.now;
                let Some(body) = row.body.filter(|_| !expired) else {
                    self.remove_expired(queue, row.due, row.id)?;
                    continue;
                };
                let attempts = row.attempts.saturating_add(1);
                hold.execute(params![due, held, attempts, queue, row.due, row.id])?;
                leased.deliveries.push(Delivery {
                    id: self.name(row.id),
                    attempts,
                    timestamp_ms: row.sent,
                    body,
                    ticket: ticket(row.id, due, attempts),
                });
            }
        }
        if leased.deliveries.is_empty() {
            leased.next = self.next_due(queue)?;
        }
        Ok(leased)
    }

    fn due(&self, queue: i64, max: usize) -> rusqlite::Result<Vec<Row>> {
        let mut select = self.conn.prepare_cached(
            "SELECT s.due, s.id, s.attempts, s.arrived, m.sent, m.body
             FROM schedule s LEFT JOIN message m ON m.id = s.id
             WHERE s.queue = ?1 AND s.due <= ?2 ORDER BY s.due, s.id LIMIT ?3",
        )?;
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        let rows = select.query_map(params![queue, self.now, max], |row| {
            Ok(Row {
                due: row.get(0)?,
                id: row.get(1)?,
                attempts: row.get(2)?,
                arrived: row.get(3)?,
                sent: row.get::<_, Option<i64>>(4)?.unwrap_or(0),
                body: match row.get_ref(5)? {
                    ValueRef::Text(text) | ValueRef::Blob(text) => Some(text.to_vec()),
                    _ => None,
                },
            })
        })?;
        rows.collect()
    }

    fn paused(&self, queue: i64) -> rusqlite::Result<bool> {
        self.conn
            .prepare_cached("SELECT paused FROM queue WHERE id = ?1")?
            .query_row([queue], |row| row.get(0))
    }

    fn next_due(&self, queue: i64) -> rusqlite::Result<Option<i64>> {
        self.conn
            .prepare_cached("SELECT due FROM schedule WHERE queue = ?1 ORDER BY due LIMIT 1")?
            .query_row([queue], |row| row.get(0))
            .optional()
    }

    /// Extends one lease. Within a transaction.
    pub(super) fn renew(
        &mut self,
        queue: i64,
        lease: &Ticket,
        times: Times,
    ) -> rusqlite::Result<Renewed> {
        let (id, due, attempts) = parts(lease);
        let held = self.now + times.visibility;
        let until = held + times.retry_delay;
        let changed = self
            .conn
            .prepare_cached(
                "UPDATE schedule SET due = ?1, held = ?2
                 WHERE queue = ?3 AND due = ?4 AND id = ?5 AND held > 0 AND attempts & 65535 = ?6",
            )?
            .execute(params![until, held, queue, due, id, attempts])?;
        // Only the low bits of the attempts are in a ticket, and only they are compared.
        let kept = (lease.lease & 0xffff) as u32;
        Ok(if changed == 0 { Renewed::Lost } else { Renewed::Until(ticket(id, until, kept)) })
    }

    /// Removes what nobody may be given any more. Within a transaction.
    pub(super) fn remove_expired(&self, queue: i64, due: i64, id: i64) -> rusqlite::Result<()> {
        self.conn
            .prepare_cached("DELETE FROM schedule WHERE queue = ?1 AND due = ?2 AND id = ?3")?
            .execute(params![queue, due, id])?;
        self.conn.prepare_cached("DELETE FROM message WHERE id = ?1")?.execute([id])?;
        self.conn
            .prepare_cached("UPDATE queue SET expired = expired + 1 WHERE id = ?1")?
            .execute([queue])?;
        Ok(())
    }
}
