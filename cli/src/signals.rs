//! Ctrl-C and a polite kill.
use crate::exit::{FAILED, Failure};

/// Takes the signals that ask the process to end. From its creation on they no longer kill by
/// themselves, so it is made before the command says that it is ready.
pub struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    pub fn new() -> Result<Self, Failure> {
        let refused = |error: std::io::Error| {
            let text = format!("the system lets this process take no signals: {error}");
            Failure::new(FAILED, "INTERNAL", text)
        };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                interrupt: signal(SignalKind::interrupt()).map_err(refused)?,
                terminate: signal(SignalKind::terminate()).map_err(refused)?,
            })
        }
        #[cfg(not(unix))]
        {
            _ = refused;
            Ok(Self {})
        }
    }

    /// Waits for the next such signal.
    pub async fn wait(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
