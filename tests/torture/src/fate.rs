//! What a handler does with a message, decided by the message itself.
use crate::random::Random;

/// How often a message is delivered at most.
pub const DELIVERIES: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Handled, nothing said.
    Plain,
    /// Acknowledged in the middle, then the handler fails.
    AckThenFail,
    /// Retried by hand until the third delivery.
    Retry,
    /// Fails its batch every time.
    Poison,
    /// Takes longer than a lease.
    Slow,
}

/// The fate of a message.
pub fn of(key: &str) -> Fate {
    let seed = key.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
    match Random::new(seed).below(1_000) {
        0..20 => Fate::Poison,
        20..60 => Fate::AckThenFail,
        60..140 => Fate::Retry,
        140..142 => Fate::Slow,
        _ => Fate::Plain,
    }
}
