//! What time it is: the system's clock, or one that a test moves by hand.
//!
//! Due times are wall clock, because they outlive the process. Under a clock that is moved by hand
//! hours pass in no time, and whoever waits for a moment wakes when the clock is moved past it.
use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::sync::watch;

/// A clock. Clones show the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<watch::Sender<i64>>);

impl Clock {
    /// The system's clock.
    pub fn wall() -> Self {
        Self(None)
    }

    /// A clock that stands at `now_ms`, in Unix milliseconds, until it is moved.
    pub fn manual(now_ms: i64) -> Self {
        Self(Some(watch::Sender::new(now_ms)))
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            Some(now) => *now.borrow(),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
        }
    }

    /// Milliseconds on a clock that is never set: for measuring, not for telling the time. (One that
    /// is moved by hand is both.)
    pub fn ticks_ms(&self) -> i64 {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match &self.0 {
            Some(now) => *now.borrow(),
            None => i64::try_from(START.elapsed().as_millis()).unwrap_or(i64::MAX),
        }
    }

    /// Moves a clock that is moved by hand, back where `by_ms` is negative. Does nothing to the system's.
    pub fn advance(&self, by_ms: i64) {
        if let Some(now) = &self.0 {
            now.send_modify(|now| *now = now.saturating_add(by_ms));
        }
    }

    /// Whether it is moved by hand.
    pub fn is_manual(&self) -> bool {
        self.0.is_some()
    }

    /// Ends when the clock shows `at_ms` or later, and may end earlier: look at the clock again. The
    /// system's clock can be set while this waits, so it never waits longer than a second.
    /// Cancel-safe.
    pub async fn reach(&self, at_ms: i64) {
        if let Some(now) = &self.0 {
            // The sender lives in `self`.
            let _ = now.subscribe().wait_for(|now| *now >= at_ms).await;
        } else {
            let wait = at_ms.saturating_sub(self.now_ms()).clamp(0, 1_000);
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        }
    }

    /// Ends after `time`: measured by the monotonic clock, or by the one that is moved by hand.
    /// Cancel-safe.
    pub async fn sleep(&self, time: Duration) {
        if self.is_manual() {
            let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            self.reach(self.now_ms().saturating_add(ms)).await;
        } else {
            tokio::time::sleep(time).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_moment_is_reached_when_the_clock_is_moved_past_it() {
        let clock = Clock::manual(1_000);
        let (hand, other) = (clock.clone(), clock.clone());
        let hours = tokio::spawn(async move { other.sleep(Duration::from_secs(7_200)).await });
        tokio::task::yield_now().await;
        hand.advance(3_600_000);
        clock.reach(3_601_000).await;
        assert!(!hours.is_finished());
        hand.advance(3_600_001);
        hours.await.unwrap();
        clock.advance(-7_200_001);
        assert_eq!(clock.now_ms(), 1_000);
    }
}
