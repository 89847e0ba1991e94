//! What the bridge tells of itself: the status variable, and the session that commands have to name.
use super::{Context, Route};
use crate::ros::MasterState;
use posthouse::{Connection, Variable};
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;

/// How often the status variable is written at most, if only counters changed.
const PAUSE: Duration = Duration::from_secs(1);
/// How much of it the routes may take; the hub's values have at most 64 KiB.
const ROUTES_BYTES: usize = 48 << 10;

/// The routes at work, and word of what should be told at once.
#[derive(Debug, Default)]
pub struct Board {
    routes: Mutex<Vec<Arc<Route>>>,
    news: Notify,
}

impl Board {
    /// Adds a route.
    pub fn add(&self, route: Arc<Route>) {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner).push(route);
        self.news.notify_one();
    }

    /// The routes now.
    pub fn routes(&self) -> Vec<Arc<Route>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something happened that the status variable should tell at once.
    pub fn tell(&self) {
        self.news.notify_one();
    }

    async fn news(&self) {
        self.news.notified().await;
    }
}

/// Keeps the status variable up to date until it is aborted.
pub(super) async fn report(context: Context, variable: Variable, source: String) {
    let mut told = Value::Null;
    loop {
        if !context.connected().await {
            return;
        }
        // None if the connection went just now; then nothing is written, for it would be old on return.
        if let Some(session) = context.session.of(&context.hub) {
            let status = status(&context, Some(&session), "running", &source);
            if status != told {
                match variable.set(&status) {
                    Ok(()) => told = status,
                    Err(error) => {
                        let text = format!("the status variable cannot be written: {error}");
                        context.ros.log(crate::ros::LogLevel::Warn, &text);
                    }
                }
            }
        }
        tokio::select! {
            () = context.board.news() => {}
            () = context.session.renewed() => {}
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// All of it, as the status variable holds it.
pub(super) fn status(context: &Context, session: Option<&str>, state: &str, source: &str) -> Value {
    let hub = context.hub.status().ok();
    let connection = hub.as_ref().map_or(Connection::Closed, |status| status.connection);
    let mut routes = Map::new();
    let (mut bytes, mut left_out) = (0, 0);
    for route in context.board.routes() {
        let report = route.report();
        bytes += report.to_string().len() + route.path.len();
        if bytes > ROUTES_BYTES {
            left_out += 1;
        } else {
            routes.insert(route.path.clone(), report);
        }
    }
    let mut status = json!({
        "control_session": session,
        "state": state,
        "node": context.ros.node_name(),
        "version": env!("CARGO_PKG_VERSION"),
        "config": source,
        "master": master(context.ros.master()),
        "hub": {
            "connected": connection == Connection::Connected,
            "reconnects": hub.as_ref().map_or(0, |status| status.reconnects),
        },
        "routes": routes,
    });
    if left_out > 0 {
        status["routes_left_out"] = left_out.into();
    }
    if let Some(problem) = hub.and_then(|status| status.current_error) {
        status["hub"]["error"] = json!({"code": problem.code, "message": problem.message});
    }
    status
}

/// The state of the master in a word.
pub(super) const fn master(state: MasterState) -> &'static str {
    match state {
        MasterState::Awaited => "awaited",
        MasterState::Found => "found",
        MasterState::Lost => "lost",
    }
}
