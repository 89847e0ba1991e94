//! A delay as a program gives it.
use std::time::Duration;

/// A delay in seconds: [`Duration`]s and numbers turn into one. What is not whole or out of range is refused where it
/// is used, with the contract's words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delay(f64);

impl Delay {
    /// At once; of a retry: the queue's own delay.
    pub const NONE: Self = Self(0.0);

    /// The seconds.
    pub fn seconds(self) -> f64 {
        self.0
    }
}

impl From<Duration> for Delay {
    fn from(time: Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl From<f64> for Delay {
    fn from(seconds: f64) -> Self {
        Self(seconds)
    }
}

impl From<i32> for Delay {
    fn from(seconds: i32) -> Self {
        Self(seconds.into())
    }
}

impl From<u32> for Delay {
    fn from(seconds: u32) -> Self {
        Self(seconds.into())
    }
}
