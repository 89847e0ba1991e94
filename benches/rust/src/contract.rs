//! What every Rust program of the benches has in common: its arguments, the payload, what it counts
//! and how it prints. Also part of the program that runs async-nats.
use serde::{Deserialize, Serialize};
use std::{
    fmt::Display,
    io::{Read, Write},
    str::FromStr,
    time::Instant,
};

/// Any error: the program says it and ends.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The first number in a payload's `seq`, so that all payloads are equally long.
pub const FIRST: i64 = 1_000_000;

/// Requests that are not measured: connections and caches get warm.
pub const WARM_UP: i64 = 200;

/// The payload, 128 bytes as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reading {
    /// [`FIRST`] + the number of the message.
    pub seq: i64,
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
    /// Builds the payload of message `i` afresh.
    pub fn new(i: i64) -> Self {
        Self {
            seq: FIRST + i,
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

/// The command line: `MODE URL SUBJECT NUMBERS…`.
#[derive(Debug)]
pub struct Arguments {
    /// What to do.
    pub mode: String,
    /// The server.
    pub url: String,
    /// The name to use.
    pub subject: String,
    numbers: Vec<String>,
}

impl Arguments {
    /// Reads the command line.
    pub fn read() -> Result<Self, Failure> {
        let mut words = std::env::args().skip(1);
        let mut next = |what: &str| words.next().ok_or(format!("{what} is missing"));
        let (mode, url, subject) = (next("MODE")?, next("URL")?, next("SUBJECT")?);
        Ok(Self { mode, url, subject, numbers: words.collect() })
    }

    /// The number at this place after the subject.
    pub fn number<T: FromStr<Err: Display>>(&self, at: usize) -> Result<T, Failure> {
        let word = self.numbers.get(at).ok_or(format!("number {} is missing", at + 1))?;
        word.parse().map_err(|e| format!("{word:?} is not a number: {e}").into())
    }
}

/// Seconds of processor time that this process has used, all threads, user and system.
pub fn cpu() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the struct that it is given; it fails only for an unknown `who`.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// CLOCK_MONOTONIC in nanoseconds, the same for all processes of a machine.
pub fn monotonic_ns() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime fills the struct; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Kilobytes of memory that this process has in use.
pub fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Prints one object as a line.
pub fn say(value: &serde_json::Value) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}

/// Waits until whoever started this program closes its standard input.
pub async fn until_stdin_ends() -> Result<(), Failure> {
    let wait = || std::io::stdin().read_to_end(&mut Vec::new()).map(drop);
    Ok(tokio::task::spawn_blocking(wait).await??)
}

/// The value below which this share of the values lies.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}

/// Time and processor time since it was started.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    began: Instant,
    cpu: f64,
}

impl Watch {
    /// Starts it.
    pub fn start() -> Self {
        Self { began: Instant::now(), cpu: cpu() }
    }

    /// Seconds until now, and of processor time.
    pub fn stop(self) -> (f64, f64) {
        let elapsed = self.began.elapsed().as_secs_f64();
        (elapsed, cpu() - self.cpu)
    }
}

/// Counts what a subscriber gets.
#[derive(Debug)]
pub struct Receipt {
    wanted: i64,
    /// Messages so far.
    pub received: i64,
    sum: i64,
    first: Option<(Instant, f64)>,
    last: Option<Instant>,
    cpu_at_end: Option<f64>,
}

impl Receipt {
    /// For so many messages.
    pub fn new(wanted: i64) -> Self {
        Self { wanted, received: 0, sum: 0, first: None, last: None, cpu_at_end: None }
    }

    /// Counts one; true for the last that is wanted.
    pub fn take(&mut self, reading: &Reading) -> bool {
        let now = Instant::now();
        if self.first.is_none() {
            self.first = Some((now, cpu()));
        }
        self.received += 1;
        self.sum += reading.seq;
        self.last = Some(now);
        let all = self.received == self.wanted;
        if all {
            self.cpu_at_end = Some(cpu());
        }
        all
    }

    /// What the program prints about it.
    pub fn report(&self) -> serde_json::Value {
        let (began, cpu_began) = self.first.unwrap_or((Instant::now(), cpu()));
        let elapsed = self.last.map_or(0.0, |last| (last - began).as_secs_f64());
        serde_json::json!({
            "n": self.wanted,
            "received": self.received,
            "elapsed_s": elapsed,
            "cpu_s": self.cpu_at_end.unwrap_or_else(cpu) - cpu_began,
            "check": self.sum,
        })
    }
}
