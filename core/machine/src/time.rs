//! Time as the driver hands it in.

/// One reading of the driver's clocks. The machine keeps no clock of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Microseconds on a monotonic clock, from any fixed start.
    pub mono: u64,
    /// Milliseconds since the Unix epoch, for the time stamps that people read. Never used for deadlines.
    pub unix_ms: u64,
}

impl Now {
    /// The monotonic time `ms` milliseconds from here, saturating.
    pub const fn after_ms(self, ms: u64) -> u64 {
        self.mono.saturating_add(ms.saturating_mul(1000))
    }
}
