//! Ctrl-C, and roslaunch's way to end a node.
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Takes the signals that ask the node to end, also where they were ignored on start, as in the background
/// of a shell script. From its creation on they no longer kill by themselves.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Stop {
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next such signal; its name.
    pub async fn wait(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.hangup.recv() => "SIGHUP",
        }
    }
}
