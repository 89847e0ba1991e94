//! The tables of a queue file, their version, and how an older file is brought up to date.
//!
//! `message` never changes once written, so leasing a message of 128 kB writes some 30 bytes.
//! `schedule` says when each message is next due, in one clustered index over all queues: the
//! head of a queue is one look-up, and a message that waits, delayed or not, costs nothing. A held
//! message is one that falls due when its lease (and the retry delay) has run out.
use super::words::{self, said};
use crate::{StoreError, Trouble};
use rusqlite::{Connection, ErrorCode};
use std::{path::Path, thread, time::Duration};

/// `PRAGMA application_id` of a queue file: "PHq1".
const APPLICATION: i32 = 0x5048_7131;

/// Step `i` brings a file from version `i` to `i + 1`.
const STEPS: &[&str] = &["
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO meta VALUES ('next_id', 1), ('salt', random());
CREATE TABLE queue (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    paused  INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    expired INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE message (
    id   INTEGER PRIMARY KEY,
    sent INTEGER NOT NULL, -- Unix milliseconds
    body TEXT NOT NULL
);
CREATE TABLE schedule (
    queue    INTEGER NOT NULL,
    due      INTEGER NOT NULL, -- Unix milliseconds, as all times
    id       INTEGER NOT NULL,
    held     INTEGER NOT NULL, -- the end of the lease; 0: not held
    attempts INTEGER NOT NULL,
    arrived  INTEGER NOT NULL, -- in this queue; retention counts from here
    origin   INTEGER NOT NULL, -- the queue whose dead letter it is; 0: none
    PRIMARY KEY (queue, due, id)
) WITHOUT ROWID;
"];

/// The version this program writes.
const VERSION: i64 = {
    assert!(STEPS.len() < 1_000);
    STEPS.len().cast_signed() as i64
};

/// Brings the file up to date; creates the tables where it is empty.
pub(super) fn prepare(conn: &mut Connection, path: &Path) -> Result<(), StoreError> {
    wal(conn, path)?;
    if check(conn, path)? == VERSION {
        return Ok(());
    }
    // Somebody else may have been faster: all is looked at again under the lock.
    let change = conn
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(|e| said(&e))?;
    let found = check(&change, path)?;
    for step in &STEPS[usize::try_from(found).unwrap_or(0)..] {
        change.execute_batch(step).map_err(|e| said(&e))?;
    }
    change.pragma_update(None, "application_id", APPLICATION).map_err(|e| said(&e))?;
    change.pragma_update(None, "user_version", VERSION).map_err(|e| said(&e))?;
    change.commit().map_err(|e| said(&e))
}

/// Write-ahead logging; SQLite does not wait for other processes that switch it on at the same moment.
fn wal(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut tries = 0;
    let mode: String = loop {
        match conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)) {
            Ok(mode) => break mode,
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 3_000 =>
            {
                tries += 1;
                thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(words::at(&error, path)),
        }
    };
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    let words = format!(
        "{} is in journal mode {mode} and cannot be switched to WAL; use a file on a local disk that may be written",
        path.display()
    );
    Err(StoreError::new(Trouble::Forbidden, words))
}

/// The file's version; refuses files of other programs and of newer versions.
fn check(conn: &Connection, path: &Path) -> Result<i64, StoreError> {
    let number = |name: &str| -> Result<i64, StoreError> {
        conn.pragma_query_value(None, name, |row| row.get(0)).map_err(|e| words::at(&e, path))
    };
    let version = number("user_version")?;
    let ours = number("application_id")? == i64::from(APPLICATION);
    if !ours {
        let tables: i64 = conn
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(|e| words::at(&e, path))?;
        if tables > 0 || version != 0 {
            let words = format!(
                "{} is a SQLite database of another program; give a file of its own",
                path.display()
            );
            return Err(StoreError::new(Trouble::Mismatch, words));
        }
        return Ok(0);
    }
    if version > VERSION {
        let words = format!(
            "{} has schema version {version} and this program knows up to {VERSION}; update the program",
            path.display()
        );
        return Err(StoreError::new(Trouble::Newer, words));
    }
    Ok(version)
}
