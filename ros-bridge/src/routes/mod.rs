//! The routes at work: each is one task between ROS and the hub, and counts what becomes of every
//! message.
//!
//! A route is told nothing of restarts: the hub and the ROS backend each come back by themselves, and a
//! route meanwhile drops and counts what cannot pass. [`Bridge`] starts them all and ends them in order.
mod board;
mod bridge;
mod controls;
mod counts;
mod diagnostics;
mod events_in;
mod events_out;
mod feed;
mod patterns;
mod services_in;
mod services_out;
mod session;
mod text;
mod topics;

pub use board::Board;
pub use bridge::{Bridge, own_topics, titles};
pub use counts::{Count, Route};
pub use patterns::meant;

use crate::ros::{Backend, LogLevel};
use counts::{of_error, of_refusal};
use posthouse::{Code, Hub};
use session::Session;
use std::{sync::Arc, time::Duration};

/// What every route works with. Clones are the same.
#[derive(Clone)]
struct Context {
    ros: Arc<dyn Backend>,
    hub: Hub,
    board: Arc<Board>,
    session: Arc<Session>,
}

/// The pause before something that the other side refused is tried again.
const RETRY: Duration = Duration::from_secs(5);

impl Context {
    /// Counts a fault of a route, and logs it if that was not done just now.
    fn fault(&self, route: &Route, count: Count, text: &str) {
        if route.fault(count, text) {
            self.ros.log(LogLevel::Warn, &format!("{} ({}): {text}", route.title, route.path));
        }
    }

    /// A fault that is no message's.
    fn trouble(&self, route: &Route, text: &str) {
        if route.note(text) {
            self.ros.log(LogLevel::Warn, &format!("{} ({}): {text}", route.title, route.path));
        }
    }

    fn refusal(&self, route: &Route, refusal: &crate::ros::codec::Refusal) {
        self.fault(route, of_refusal(refusal), &refusal.to_string());
    }

    fn error(&self, route: &Route, error: &posthouse::Error) {
        self.fault(route, of_error(error), &error.to_string());
    }

    /// Waits until the hub is connected; false if it never will be.
    async fn connected(&self) -> bool {
        loop {
            match self.hub.connected(Duration::from_secs(3600)).await {
                Ok(()) => return true,
                Err(error) if error.code() == Code::Closed => return false,
                // It goes on trying, and its status says why.
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}
