//! What happened to the messages of one route. Every message is counted exactly once where it ends, so that
//! `received` is the sum of the rest and of what waits.
use crate::ros::codec::{Decoded, Reason, Refusal};
use posthouse::Code;
use serde_json::{Map, Value};
use std::{
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A counter of a route.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Count { $($(#[$doc])* $name,)* }

        impl Count {
            /// All of them, in the order of the status variable.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the status variable.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

counts! {
    /// Messages or calls that came in.
    Received = "received",
    /// What was passed on.
    Passed = "passed",
    /// Samples that a newer one replaced before they were sent.
    Superseded = "superseded",
    /// What found the route's queue full.
    DroppedQueue = "dropped_queue",
    /// What found the hub's budget full.
    DroppedBudget = "dropped_budget",
    /// Events that came while the hub was not connected.
    DroppedOffline = "dropped_offline",
    /// Kept messages of latched topics that had been passed on before.
    Repeated = "repeated",
    /// Messages that could not be converted.
    Refused = "refused",
    /// Messages left out for a float that is not finite.
    SkippedNonFinite = "skipped_non_finite",
    /// Messages left out for an integer past what JSON can carry.
    UnsafeInteger = "unsafe_integer",
    /// Messages larger than a limit.
    TooLarge = "too_large",
    /// Values of a control that were of another session or form.
    Rejected = "rejected",
    /// Calls that failed.
    Failed = "failed",
    /// Floats that are not finite, in messages that were passed on.
    NonFinite = "non_finite",
    /// Texts that were no UTF-8, in messages that were passed on.
    BadText = "bad_text",
}

impl Count {
    /// Whether a message ends there without being passed on and without anybody wanting that.
    const fn is_fault(self) -> bool {
        !matches!(
            self,
            Self::Received
                | Self::Passed
                | Self::Superseded
                | Self::Repeated
                | Self::NonFinite
                | Self::BadText
        )
    }
}

/// One route at work.
#[derive(Debug)]
pub struct Route {
    /// Its way in the configuration, as in `topics[0]`; of a pattern's topic with the topic's name.
    pub path: String,
    /// What it joins, for people.
    pub title: String,
    counts: [AtomicU64; Count::ALL.len()],
    notes: Mutex<Notes>,
    /// Asked before every report, where somebody else counts, too.
    feed: OnceLock<Box<dyn Feed>>,
}

/// Somebody else who counts for a route.
pub trait Feed: Send + Sync + std::fmt::Debug {
    /// Takes over what was counted since it was asked last.
    fn refresh(&self, route: &Route);
}

#[derive(Debug, Default)]
struct Notes {
    last_error: Option<String>,
    logged: Option<Instant>,
    /// Faults that a report has told already.
    told: u64,
}

/// The least time between two log lines of one route, in seconds.
const LOG_PAUSE: u64 = 10;

impl Route {
    /// A route that did nothing yet.
    pub fn new(path: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            title: title.into(),
            counts: [const { AtomicU64::new(0) }; Count::ALL.len()],
            notes: Mutex::default(),
            feed: OnceLock::new(),
        }
    }

    /// Has `feed` asked before every report. Only the first one is kept.
    pub fn fed_by(&self, feed: impl Feed + 'static) {
        // A route has one.
        let _ = self.feed.set(Box::new(feed));
    }

    /// Takes over what others have counted.
    pub fn refresh(&self) {
        if let Some(feed) = self.feed.get() {
            feed.refresh(self);
        }
    }

    /// Counts one.
    pub fn add(&self, count: Count) {
        self.add_many(count, 1);
    }

    /// Counts several.
    pub fn add_many(&self, count: Count, number: u64) {
        self.counts[count as usize].fetch_add(number, Ordering::Relaxed);
    }

    /// Counts what the codec had to change in a message.
    pub fn decoded(&self, decoded: &Decoded) {
        self.add_many(Count::NonFinite, decoded.floats);
        self.add_many(Count::BadText, decoded.texts);
    }

    /// Sets a counter that somebody else keeps.
    pub fn set(&self, count: Count, number: u64) {
        self.counts[count as usize].store(number, Ordering::Relaxed);
    }

    /// A counter's number.
    pub fn get(&self, count: Count) -> u64 {
        self.counts[count as usize].load(Ordering::Relaxed)
    }

    /// Counts a fault and keeps its text. True if it should be logged: not every one is, for thousands
    /// may come in a second.
    pub fn fault(&self, count: Count, text: &str) -> bool {
        self.add(count);
        self.note(text)
    }

    /// Keeps the text of a fault that is counted elsewhere. True if it should be logged.
    pub fn note(&self, text: &str) -> bool {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.last_error = Some(text.to_owned());
        let due = notes.logged.is_none_or(|last| last.elapsed().as_secs() >= LOG_PAUSE);
        if due {
            notes.logged = Some(Instant::now());
        }
        due
    }

    /// Whether faults were counted since this was asked last.
    pub fn has_new_faults(&self) -> bool {
        self.refresh();
        let faults = Count::ALL.iter().filter(|count| count.is_fault()).map(|c| self.get(*c)).sum();
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut notes.told, faults) < faults
    }

    /// What the status variable says of it: all that is not 0.
    pub fn report(&self) -> Value {
        self.refresh();
        let mut report = Map::new();
        report.insert("route".to_owned(), self.title.as_str().into());
        for count in Count::ALL {
            let number = self.get(*count);
            if number > 0 || matches!(count, Count::Received | Count::Passed) {
                report.insert(count.name().to_owned(), number.into());
            }
        }
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = &notes.last_error {
            report.insert("last_error".to_owned(), text.as_str().into());
        }
        Value::Object(report)
    }
}

/// Where a message that the codec refused is counted.
pub fn of_refusal(refusal: &Refusal) -> Count {
    match refusal.reason {
        Reason::NonFinite => Count::SkippedNonFinite,
        Reason::UnsafeInteger => Count::UnsafeInteger,
        Reason::TooLarge => Count::TooLarge,
        _ => Count::Refused,
    }
}

/// Where a message that the hub refused is counted.
pub fn of_error(error: &posthouse::Error) -> Count {
    match error.code() {
        Code::MessageTooLarge | Code::ValueTooLarge => Count::TooLarge,
        Code::BufferOverflow | Code::MemoryFull => Count::DroppedBudget,
        Code::Disconnected | Code::Draining | Code::Closed => Count::DroppedOffline,
        _ => Count::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_what_happened() {
        let route = Route::new("topics[0]", "/a → a");
        route.add(Count::Received);
        assert!(!route.has_new_faults());
        assert!(route.fault(Count::Refused, "one"), "the first fault is logged");
        assert!(!route.fault(Count::Refused, "two"), "the next is not, so soon");
        assert!(route.has_new_faults());
        assert!(!route.has_new_faults());
        let report = route.report();
        assert_eq!(report["refused"], 2);
        assert_eq!(report["passed"], 0);
        assert_eq!(report["last_error"], "two");
        assert!(report.get("failed").is_none());
    }
}
