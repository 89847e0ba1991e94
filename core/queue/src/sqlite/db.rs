//! The writer's connection: opening, transactions, numbers of messages.
use super::{
    bell::Bell,
    schema,
    words::{self, said},
};
use crate::{Clock, StoreError};
use rusqlite::{Connection, OpenFlags, params};
use std::{
    cell::Cell,
    ops::Range,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// So many numbers are reserved at a time: a page is written once for all of them.
const IDS: i64 = 4_096;
/// When the log has so many pages (of 4 KiB) it is brought into the file. More saves little.
const CHECKPOINT_PAGES: i32 = 1_500;

thread_local! {
    /// Pages in the log after this thread's last commit.
    static LOG_PAGES: Cell<i32> = const { Cell::new(0) };
    /// Whether this thread waits for other processes.
    static PATIENT: Cell<bool> = const { Cell::new(true) };
}

/// Whether the last sync of a file took less than [`FAST`].
static DISK_IS_FAST: AtomicBool = AtomicBool::new(false);
const FAST: Duration = Duration::from_millis(1);

/// Whether a sync is short enough for a caller's thread.
pub(super) fn disk_is_fast() -> bool {
    DISK_IS_FAST.load(Ordering::Relaxed)
}

/// Runs `work` without waiting for other processes: where it would, it fails at once as busy.
pub(super) fn impatiently(work: impl FnOnce()) {
    PATIENT.set(false);
    work();
    PATIENT.set(true);
}

/// Whether this thread waits for other processes.
pub(super) fn is_patient() -> bool {
    PATIENT.get()
}

/// The connection that writes, with what belongs to it.
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
    log_pages: i32,
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
    if !is_patient() {
        return false;
    }
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
            log_pages: 0,
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
        if !self.conn.is_autocommit() {
            // A panic has left it open.
            self.conn.execute_batch("ROLLBACK")?;
        }
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.tick();
        let result = work(self).and_then(|()| self.commit(durable));
        if result.is_err() {
            self.woken.clear();
            self.ids = 0..0;
            if !self.conn.is_autocommit() {
                // What cannot be undone now is undone before the next one.
                let _ = self.conn.execute_batch("ROLLBACK");
            }
        }
        result
    }

    fn commit(&mut self, durable: bool) -> rusqlite::Result<()> {
        let start = Instant::now();
        self.conn.prepare_cached("COMMIT")?.execute([])?;
        if durable {
            DISK_IS_FAST.store(start.elapsed() < FAST, Ordering::Relaxed);
        }
        self.log_pages = LOG_PAGES.get();
        Ok(())
    }

    /// Numbers for `count` new messages, one after the other; the first is given. Never given twice,
    /// in no process. Within a transaction.
    pub(super) fn new_ids(&mut self, count: usize) -> rusqlite::Result<i64> {
        let count = i64::try_from(count).unwrap_or(IDS).min(IDS);
        if self.ids.end - self.ids.start < count {
            let end: i64 = self
                .conn
                .prepare_cached(
                    "UPDATE meta SET value = value + ?1 WHERE key = 'next_id' RETURNING value",
                )?
                .query_row(params![IDS], |row| row.get(0))?;
            self.ids = end - IDS..end;
        }
        self.ids.start += count;
        Ok(self.ids.start - count)
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

    /// Whether it is time for [`Db::tidy`].
    pub(super) fn log_is_long(&self) -> bool {
        self.log_pages >= CHECKPOINT_PAGES
    }

    /// Brings the log into the file once it is long. Not in the way of anybody's answer.
    pub(super) fn tidy(&mut self) {
        if self.log_is_long() {
            self.log_pages = 0;
            let done = self.conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            if let Err(error) = done {
                log::warn!("queue file: checkpoint: {error}");
            }
        }
    }
}
