//! Ctrl-C and a polite kill.
use std::io;

/// Waits until the person presses Ctrl-C or the system asks the process to end. To be called once
/// for each signal that is to be taken; from the first call on, signals no longer kill by themselves.
pub async fn stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
