//! The store in a SQLite file: one machine, any number of processes.
//!
//! A message is on the disk when [`Queue::send`] returns, and nothing that was accepted is lost when
//! a process is killed at any moment. Leases and acknowledgements survive the death of the process; a
//! power cut may take back the last few of them, so a message may be delivered again, or with a count
//! of attempts that forgets its last delivery. Due times are wall clock.
//!
//! Who writes is told in [`writer`], the tables in [`schema`], the way other processes are woken in [`bell`]. A batch is kept whole or not at all.
mod admin;
mod arrivals;
mod bell;
mod committer;
mod db;
mod lease;
mod queue;
mod schema;
mod send;
mod settle;
mod words;
mod work;
mod writer;

use crate::{Clock, Queue, Store, StoreError, Task, Terms};
use arrivals::Arrivals;
use bell::{Bell, Ear};
use committer::Retentions;
use queue::SqliteQueue;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Once, PoisonError},
    thread,
    time::Duration,
};
use writer::Writer;

/// A queue file. Clones are the same open file; several may be open on one file, in one process or in many.
#[derive(Clone)]
pub struct Sqlite(Arc<Shared>);

/// What everything that belongs to one open file has in common.
struct Shared {
    path: PathBuf,
    clock: Clock,
    salt: u64,
    writer: Writer,
    arrivals: Arc<Arrivals>,
    retentions: Retentions,
    listening: Once,
}

impl Sqlite {
    /// Opens the file at `path`, which is created where it does not exist; its folder has to exist, on a
    /// local disk. Refused are files of other programs and of newer versions.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::with_clock(path, Clock::wall()).await
    }

    /// As [`Sqlite::open`], with a clock of one's own: under one moved by hand a test waits for no delay.
    pub async fn with_clock(path: impl AsRef<Path>, clock: Clock) -> Result<Self, StoreError> {
        // The working folder may change later.
        let path = std::path::absolute(path.as_ref()).unwrap_or_else(|_| path.as_ref().to_owned());
        let arrivals = Arc::new(Arrivals::default());
        let retentions = Retentions::default();
        let writer =
            Writer::start(path.clone(), clock.clone(), arrivals.clone(), retentions.clone())
                .await?;
        let salt = writer.change(false, 1, |db| Ok(db.salt)).await?;
        let listening = Once::new();
        let shared = Shared { path, clock, salt, writer, arrivals, retentions, listening };
        Ok(Self(Arc::new(shared)))
    }

    /// The clock it goes by.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Removes messages past their retention, and says how many; by itself this happens twice a
    /// minute. They are never delivered in any case.
    pub async fn sweep(&self) -> Result<u64, StoreError> {
        self.0.writer.sweep().await
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sqlite").field(&self.0.path).finish()
    }
}

impl Store for Sqlite {
    fn describe(&self) -> String {
        format!("sqlite:{}", self.0.path.display())
    }

    fn queue<'a>(&'a self, name: &'a str, terms: Terms) -> Task<'a, Arc<dyn Queue>> {
        Box::pin(async move {
            let names = (name.to_owned(), terms.dead_letter.clone());
            let find = move |db: &mut db::Db| {
                let dead = names.1.as_deref().map(|name| db.queue(name)).transpose()?;
                Ok((db.queue(&names.0)?, dead))
            };
            let (id, dead) = self.0.writer.change(true, 1, find).await?;
            let retention = i64::try_from(terms.retention.as_millis()).unwrap_or(i64::MAX);
            self.0.retentions.lock().unwrap_or_else(PoisonError::into_inner).insert(id, retention);
            let shared = self.0.clone();
            let queue = SqliteQueue { shared, id, dead, name: name.to_owned(), terms };
            Ok(Arc::new(queue) as Arc<dyn Queue>)
        })
    }

    fn close(&self) -> Task<'_, ()> {
        Box::pin(async move {
            self.0.writer.close().await;
            self.0.quiet();
            Ok(())
        })
    }
}

impl Shared {
    /// Starts the thread that hears other processes, the first time that somebody waits.
    fn listen(&self) {
        self.listening.call_once(|| {
            let (path, writer, arrivals) =
                (self.path.clone(), self.writer.clone(), self.arrivals.clone());
            let hear = move || {
                let mut ear = Ear::new(&path);
                while arrivals.until_somebody_waits() && writer.hear().is_ok() {
                    ear.listen();
                    // Others that ring without a pause are heard two thousand times a second.
                    thread::sleep(Duration::from_micros(500));
                }
            };
            let started = thread::Builder::new().name("posthouse-queue-ear".into()).spawn(hear);
            if let Err(error) = started {
                log::warn!("queue file: cannot start a thread ({error}): messages of other processes are seen within a second");
            }
        });
    }

    /// Ends that thread.
    fn quiet(&self) {
        self.arrivals.close();
        Bell::new(&self.path).ring();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.quiet();
    }
}
