//! The session that a command has to name: new each time the hub connects, so that what somebody
//! meant for an earlier connection, or for an earlier run of the bridge, never moves the robot.
use posthouse::{Connection, Hub};
use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};
use tokio::sync::Notify;

/// The current session.
#[derive(Debug)]
pub struct Session {
    current: Mutex<Current>,
    renewed: Notify,
}

#[derive(Debug)]
struct Current {
    id: String,
    /// How often the hub had connected again when it began.
    reconnects: u64,
}

impl Session {
    /// A first session.
    pub fn new() -> Self {
        let current = Current { id: fresh(), reconnects: 0 };
        Self { current: Mutex::new(current), renewed: Notify::new() }
    }

    /// The session of the connection that the hub has now; `None` while it has none.
    ///
    /// It looks at the hub itself: a command that came with a new connection must not find the old session.
    pub fn of(&self, hub: &Hub) -> Option<String> {
        let status = hub.status().ok()?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if status.reconnects != current.reconnects {
            *current = Current { id: fresh(), reconnects: status.reconnects };
            self.renewed.notify_one();
        }
        (status.connection == Connection::Connected).then(|| current.id.clone())
    }

    /// Waits until it is renewed by somebody else than the reporter.
    pub async fn renewed(&self) {
        self.renewed.notified().await;
    }
}

/// An identity that was never used before.
fn fresh() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // The standard library seeds its hashers from the system, too, and falls back by itself.
        let half = || RandomState::new().hash_one(SystemTime::now()).to_le_bytes();
        bytes[..8].copy_from_slice(&half());
        bytes[8..].copy_from_slice(&half());
    }
    data_encoding::HEXLOWER.encode(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_differ() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| fresh()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }
}
