//! The settings of a queue, from the table (`api.toml`), and the arithmetic of times and attempts that follows from them.
use crate::{Code, Error, Result, generated::options::QueueSettings};

/// How a queue is served. Every number has a default and a range; 0 means nothing but 0.
pub type Settings = QueueSettings;

impl Settings {
    /// Refuses what is out of range with `INVALID_OPTIONS`, and a retry delay that is not of whole seconds.
    pub fn checked(self) -> Result<Self> {
        self.check()?;
        if !self.retry_delay_ms.is_multiple_of(1_000) {
            let given = self.retry_delay_ms;
            return Err(Error::new(
                Code::InvalidOptions,
                alloc::format!("retry_delay is {given} ms; give whole seconds, 0 to 43200"),
            ));
        }
        Ok(self)
    }

    /// The queue's own delay before a message comes back, in seconds.
    pub fn retry_delay_seconds(&self) -> u32 {
        (self.retry_delay_ms / 1_000) as u32
    }

    /// How often a message is delivered at most, before it is a dead letter.
    pub fn deliveries(&self) -> u32 {
        self.max_retries as u32 + 1
    }

    /// Whether a delivery with this number, counted from 1, is the last.
    pub fn is_last(&self, attempts: u32) -> bool {
        attempts >= self.deliveries()
    }

    /// How often a lease is renewed while the handler runs, in milliseconds: three times before it ends, so that
    /// two renewals in a row may fail.
    pub fn renew_interval_ms(&self) -> u64 {
        (self.visibility_timeout_ms / 3).max(1)
    }

    /// When a message that was sent at `timestamp_ms` is dropped.
    pub fn expires_ms(&self, timestamp_ms: i64) -> i64 {
        timestamp_ms.saturating_add_unsigned(self.retention_ms)
    }
}
