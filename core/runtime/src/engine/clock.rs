//! The clocks that the machine is driven by.
use posthouse_core::Now;
use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// How often the wall clock is read: it only dates what people read, and every reading costs.
const WALL_US: u64 = 100_000;

fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// The time now.
pub(super) fn now() -> Now {
    // The last reading of the wall clock, and until when it holds. Threads may overtake each other
    // between the two; a date is then off by less than a second.
    static WALL_MS: AtomicU64 = AtomicU64::new(0);
    static WALL_UNTIL: AtomicU64 = AtomicU64::new(0);
    let mono = start().elapsed().as_micros() as u64;
    if mono >= WALL_UNTIL.load(Ordering::Relaxed) {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        WALL_MS.store(unix.as_millis() as u64, Ordering::Relaxed);
        WALL_UNTIL.store(mono + WALL_US, Ordering::Relaxed);
    }
    Now { mono, unix_ms: WALL_MS.load(Ordering::Relaxed) }
}

/// When a deadline of the machine is on tokio's clock.
pub(super) fn instant(mono: u64) -> tokio::time::Instant {
    tokio::time::Instant::from_std(start() + Duration::from_micros(mono))
}
