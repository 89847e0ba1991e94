//! Deadlines, ordered. Whoever sets one keeps its key and takes it back when it is no longer wanted.
use alloc::collections::BTreeMap;

/// Names one deadline: its time in microseconds and a number that makes it unique.
pub(crate) type TimerKey = (u64, u64);

#[derive(Debug)]
pub(crate) struct Timers<T> {
    due: BTreeMap<TimerKey, T>,
    count: u64,
}

impl<T> Timers<T> {
    pub fn new() -> Self {
        Self { due: BTreeMap::new(), count: 0 }
    }

    pub fn set(&mut self, at: u64, what: T) -> TimerKey {
        self.count += 1;
        let key = (at, self.count);
        self.due.insert(key, what);
        key
    }

    pub fn cancel(&mut self, key: TimerKey) {
        self.due.remove(&key);
    }

    pub fn next(&self) -> Option<u64> {
        self.due.keys().next().map(|key| key.0)
    }

    /// Takes the earliest deadline if it has passed.
    pub fn expired(&mut self, now: u64) -> Option<T> {
        let entry = self.due.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }

    #[cfg(any(test, feature = "audit"))]
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.due.values()
    }

    pub fn clear(&mut self) {
        self.due.clear();
    }
}
