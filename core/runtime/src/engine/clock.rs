//! The clocks that the machine is driven by.
use posthouse_core::Now;
use std::{
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// The time now.
pub(super) fn now() -> Now {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Now { mono: start().elapsed().as_micros() as u64, unix_ms: unix.as_millis() as u64 }
}

/// When a deadline of the machine is on tokio's clock.
pub(super) fn instant(mono: u64) -> tokio::time::Instant {
    tokio::time::Instant::from_std(start() + Duration::from_micros(mono))
}
