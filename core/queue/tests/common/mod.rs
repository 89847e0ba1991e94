//! What the tests of the store share.
#![allow(dead_code, missing_docs)]
use posthouse_queue::{
    Clock, Delivery, NewMessage, Queue, Settled, Settlement, Sqlite, Stop, Store as _, Terms,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// Where virtual time begins: some day in 2026.
pub const START: i64 = 1_790_000_000_000;

/// A folder of its own that goes away.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("posthouse-queue-{}-{count}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
    pub fn file(&self) -> PathBuf {
        self.0.join("queue.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn terms() -> Terms {
    Terms {
        visibility: Duration::from_secs(30),
        retry_delay: Duration::ZERO,
        retention: Duration::from_secs(4 * 86_400),
        dead_letter: Some("dead".into()),
        in_flight: 10,
    }
}

/// A file under a clock that is moved by hand, and the queue "work" in it.
pub struct Bench {
    pub folder: Folder,
    pub clock: Clock,
    pub store: Sqlite,
    pub queue: Arc<dyn Queue>,
}

impl Bench {
    pub async fn new(terms: Terms) -> Self {
        Self::on(Folder::new(), Clock::manual(START), terms).await
    }
    pub async fn on(folder: Folder, clock: Clock, terms: Terms) -> Self {
        let store = Sqlite::with_clock(folder.file(), clock.clone()).await.unwrap();
        let queue = store.queue("work", terms).await.unwrap();
        Self { folder, clock, store, queue }
    }
    /// Closes the file and opens it again.
    pub async fn restart(self) -> Self {
        let terms = self.queue.terms().clone();
        self.store.close().await.unwrap();
        drop((self.store, self.queue));
        Self::on(self.folder, self.clock, terms).await
    }
    pub fn seconds(&self, seconds: i64) {
        self.clock.advance(seconds * 1_000);
    }
    pub async fn send(&self, bodies: &[&str]) {
        self.queue.send(bodies.iter().map(|body| message(body, 0)).collect()).await.unwrap();
    }
    pub async fn take(&self, max: usize) -> Vec<Delivery> {
        take(&self.queue, max).await
    }
    pub async fn settle(&self, delivery: &Delivery, what: Settlement) -> Settled {
        settle(&self.queue, delivery, what).await
    }
}

pub fn message(body: &str, delay_s: u32) -> NewMessage {
    NewMessage { body: body.into(), delay_s }
}

/// Whatever is due now.
pub async fn take(queue: &Arc<dyn Queue>, max: usize) -> Vec<Delivery> {
    queue.lease(max, Duration::ZERO, &Stop::never()).await.unwrap()
}

pub async fn settle(queue: &Arc<dyn Queue>, delivery: &Delivery, what: Settlement) -> Settled {
    queue.settle(&[(delivery.ticket.clone(), what)]).await.unwrap()[0]
}

pub fn bodies(deliveries: &[Delivery]) -> Vec<&str> {
    deliveries.iter().map(|delivery| std::str::from_utf8(&delivery.body).unwrap()).collect()
}
