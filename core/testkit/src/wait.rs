//! Waiting for what will be true soon, without guessing how long soon is.

use crate::PATIENCE;
use std::time::{Duration, Instant};

/// Between two looks. Not a synchronisation: only the condition ends the wait.
const PAUSE: Duration = Duration::from_millis(3);

/// Blocks until `condition` holds; panics with `what` after [`PATIENCE`]. Blocks the thread: in a
/// test on one tokio thread use [`until_async`].
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "waited {PATIENCE:?} in vain until {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Waits until `condition` holds; panics with `what` after [`PATIENCE`]. Lets other tasks run.
pub async fn until_async(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "waited {PATIENCE:?} in vain until {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
