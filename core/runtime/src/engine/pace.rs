//! How a connection's task paces itself while a program publishes without a pause.
//!
//! A program that adds a message every few microseconds pays for waking the task with nearly each of
//! them, and the task for writing it alone. Instead the task looks again by itself a little later, and
//! writes what has come together. Only a stream is paced: small writes in close succession while
//! nothing comes in. Whoever waits for something waits for what comes in.
use super::nap::Nap;
use std::{future::pending, time::Duration};

/// How much later the task looks again: about what waking a thread takes, too.
const NAP: Duration = Duration::from_micros(100);
/// As many small writes in close succession are a stream.
const STREAK: u32 = 8;
/// So much is worth a write at any time.
pub(super) const FULL_BYTES: usize = 64 * 1024;
/// Writes this many microseconds apart, or more, are not in close succession: longer than a nap and
/// the time until a woken thread runs.
pub(super) const CLOSE_US: u64 = 300;

#[derive(Debug, Default)]
pub(super) struct Pace {
    streak: u32,
    nap: Option<Nap>,
    /// The system gave no timer.
    unable: bool,
    napping: bool,
}

impl Pace {
    /// Everything was written; `stream`: it was little, and in close succession to what came before.
    pub fn wrote(&mut self, stream: bool) {
        self.streak = if stream { self.streak.saturating_add(1) } else { 0 };
    }

    /// Something has come in, or a nap was for nothing.
    pub fn reset(&mut self) {
        self.streak = 0;
    }

    /// Whether to nap now instead of looking for more to write.
    pub fn nap(&mut self) -> bool {
        self.napping = self.streak >= STREAK && self.start();
        self.napping
    }

    fn start(&mut self) -> bool {
        if self.nap.is_none() && !self.unable {
            self.nap = Nap::new().ok();
            self.unable = self.nap.is_none();
        }
        self.nap.as_ref().is_some_and(|nap| nap.start(NAP).is_ok())
    }

    /// The nap is over, or something else ended it.
    pub fn wake(&mut self) {
        self.napping = false;
    }

    /// Waits for the end of the nap; for ever, if there is none.
    pub async fn over(&self) {
        match &self.nap {
            Some(nap) if self.napping => {
                // A timer that fails ends the nap, too.
                let _ = nap.over().await;
            }
            _ => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_stream_is_paced() {
        let mut pace = Pace::default();
        for _ in 1..STREAK {
            pace.wrote(true);
            assert!(!pace.nap());
        }
        pace.wrote(true);
        let naps = cfg!(target_os = "linux");
        assert_eq!(pace.nap(), naps);
        if naps {
            pace.over().await;
        }
        pace.wake();
        pace.wrote(false);
        assert!(!pace.nap(), "a single late or large write ends the stream");
        for _ in 0..STREAK {
            pace.wrote(true);
        }
        pace.reset();
        assert!(!pace.nap(), "an answer ends it, too");
    }
}
