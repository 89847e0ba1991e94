//! What happened, as a hash that tells two runs apart and, if wanted, as text.
use std::fmt;

/// The trace of a run.
#[derive(Debug)]
pub(crate) struct Trace {
    hash: u64,
    lines: Option<Vec<String>>,
    buffer: String,
}

impl Trace {
    pub fn new(keep: bool) -> Self {
        Self { hash: 0xCBF2_9CE4_8422_2325, lines: keep.then(Vec::new), buffer: String::new() }
    }

    /// Notes what happened at a time in microseconds.
    pub fn note(&mut self, at: u64, what: fmt::Arguments<'_>) {
        use fmt::Write as _;
        self.buffer.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.buffer, "{:>4}.{:06} {what}", at / 1_000_000, at % 1_000_000);
        for &byte in self.buffer.as_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        if let Some(lines) = &mut self.lines {
            lines.push(self.buffer.clone());
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }
}
