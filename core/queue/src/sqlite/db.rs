//! The writer's connection: opening, transactions, numbers of messages.
use super::{
    bell::Bell,
    schema,
    words::{self, said},
};
use crate::{Clock, StoreError};
use rusqlite::{Connection, OpenFlags, params};
use std::{cell::Cell, ops::Range, path::Path, thread, time::Duration};

/// So many numbers are reserved at a time: a page is written once for all of them.
const IDS: i64 = 4_096;
/// When the log has so many pages (of 4 KiB) it is brought into the file. More saves little.
const CHECKPOINT_PAGES: i32 = 1_500;

thread_local! {
    /// Pages in the log after this thread's last commit.
    static LOG_PAGES: Cell<i32> = const { Cell::new(0) };
}

/// The connection that writes, with what belongs to it. Lives on the writer's thread.
pub(super) struct Db {
    pub(super) conn: Connection,
    pub(super) clock: Clock,
    /// The time of the current transaction.
    pub(super) now: i64,
    /// The first half of every message's id in this file.
    pub(super) salt: u64,
    /// Queues in which something may have fallen due by the current transaction.
    pub(super) woken: Vec<i64>,
    pub(super) bell: Bell,
    ids: Range<i64>,
    synced: Option<bool>,
    version: i64,
}

/// A connection as all of ours are.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(|e| words::at(&e, path))?;
    conn.busy_handler(Some(wait_for_lock)).map_err(|e| said(&e))?;
    Ok(conn)
}

/// Waits for another process's transaction, which is over in a fraction of a millisecond or a few:
/// SQLite's own pauses would be a hundred times that. Gives up after about half a minute.
fn wait_for_lock(tries: i32) -> bool {
    let pause = match tries {
        0..20 => 20,
        20..200 => 200,
        _ => 1_000,
    };
    thread::sleep(Duration::from_micros(pause));
    tries < 28_000
}

/// A message's id for the world: that of the file, then its number.
pub(super) fn name(salt: u64, id: i64) -> String {
    format!("{salt:016x}{id:016x}")
}

impl Db {
    pub(super) fn open(path: &Path, clock: Clock) -> Result<Self, StoreError> {
        let mut conn = connect(path)?;
        schema::prepare(&mut conn, path)?;
        conn.set_prepared_statement_cache_capacity(64);
        let setup = "PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;";
        conn.execute_batch(setup).map_err(|e| said(&e))?;
        conn.wal_hook(Some(|_, pages| {
            LOG_PAGES.set(pages);
            Ok(())
        }));
        let salt: i64 = conn
            .query_row("SELECT value FROM meta WHERE key = 'salt'", [], |row| row.get(0))
            .map_err(|e| words::at(&e, path))?;
        let bell = Bell::new(path);
        let mut db = Self {
            conn,
            clock,
            now: 0,
            salt: salt.cast_unsigned(),
            woken: Vec::new(),
            bell,
            ids: 0..0,
            synced: None,
            version: 0,
        };
        db.version = db.changes_of_others()?;
        Ok(db)
    }

    /// The time by the clock, for what follows.
    pub(super) fn tick(&mut self) {
        self.now = self.clock.now_ms();
    }

    /// Runs `work` in one transaction. `durable`: it is on the disk when this returns; otherwise it
    /// survives the death of the process, and a power cut may undo it.
    pub(super) fn transact(
        &mut self,
        durable: bool,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        if self.synced != Some(durable) {
            // In WAL mode NORMAL leaves out the sync of a commit, and nothing else.
            let mode =
                if durable { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
            self.conn.execute_batch(mode)?;
            self.synced = Some(durable);
        }
        self.woken.clear();
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.tick();
        let result =
            work(self).and_then(|()| self.conn.prepare_cached("COMMIT")?.execute([]).map(|_| ()));
        if result.is_err() {
            self.woken.clear();
            self.ids = 0..0;
            if !self.conn.is_autocommit() {
                // What could not be undone now is undone when the connection closes.
                let _ = self.conn.execute_batch("ROLLBACK");
            }
        }
        result
    }

    /// The number of a new message. Never given twice, in no process.
    pub(super) fn next_id(&mut self) -> rusqlite::Result<i64> {
        if self.ids.is_empty() {
            let end: i64 = self
                .conn
                .prepare_cached(
                    "UPDATE meta SET value = value + ?1 WHERE key = 'next_id' RETURNING value",
                )?
                .query_row(params![IDS], |row| row.get(0))?;
            self.ids = end - IDS..end;
        }
        self.ids.start += 1;
        Ok(self.ids.start - 1)
    }

    /// A message's id for the world.
    pub(super) fn name(&self, id: i64) -> String {
        name(self.salt, id)
    }

    /// Whether another connection has written since this was last asked.
    pub(super) fn others_wrote(&mut self) -> bool {
        match self.changes_of_others() {
            Ok(version) if version == self.version => false,
            Ok(version) => {
                self.version = version;
                true
            }
            // Whoever looks again will meet the same error and tell it.
            Err(_) => true,
        }
    }

    fn changes_of_others(&self) -> Result<i64, StoreError> {
        let mut ask = self.conn.prepare_cached("PRAGMA data_version").map_err(|e| said(&e))?;
        ask.query_row([], |row| row.get(0)).map_err(|e| said(&e))
    }

    /// Brings the log into the file once it is long. Not in the way of anybody's commit.
    pub(super) fn tidy(&mut self) {
        if LOG_PAGES.get() >= CHECKPOINT_PAGES {
            LOG_PAGES.set(0);
            let done = self.conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            if let Err(error) = done {
                log::warn!("queue file: checkpoint: {error}");
            }
        }
    }
}
