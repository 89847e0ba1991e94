//! What every mode needs: the payload, the clocks, percentiles.
use serde::{Deserialize, Serialize};

/// The object of the benches: 128 bytes as JSON.
#[derive(Serialize, Deserialize)]
pub struct Reading {
    pub seq: u64,
    ts: f64,
    name: String,
    x: f64,
    y: f64,
    z: f64,
    ok: bool,
    unit: String,
    tags: Vec<String>,
}

impl Reading {
    pub fn new(i: u64) -> Self {
        Self {
            seq: 1_000_000 + i,
            ts: 1_764_500_000.125,
            name: "sensor/front".into(),
            x: 0.125,
            y: -1.5,
            z: 9.8125,
            ok: true,
            unit: "m/s2".into(),
            tags: vec!["a".into(), "b".into()],
        }
    }
}

/// Seconds of processor time that this process has used, all threads.
pub fn cpu() -> f64 {
    // SAFETY: all bytes zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writing.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Nanoseconds of the monotonic clock that all processes of a machine share.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The value below which this part of all lie.
pub fn percentile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * part) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or_default()
}

/// Returns when the standard input ends.
pub async fn stdin_ended() {
    let read = || std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    let _ = tokio::task::spawn_blocking(read).await;
}
