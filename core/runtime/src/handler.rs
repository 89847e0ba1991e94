//! Knowing, inside a handler, whose handler it is: drains are refused there, for they would wait
//! for the very handler that called them.
use crate::Hub;
use posthouse_core::hub::SubId;
use std::sync::Arc;

tokio::task_local! {
    static RUNNING: (usize, Option<SubId>);
}

fn identity(hub: &Hub) -> usize {
    Arc::as_ptr(&hub.inner) as usize
}

/// Runs a handler or callback of a hub, of this subscription if it is one.
pub(crate) async fn scope<F: Future>(hub: &Hub, sub: Option<SubId>, handler: F) -> F::Output {
    RUNNING.scope((identity(hub), sub), handler).await
}

/// Whether the caller is inside a handler or callback of this hub.
pub(crate) fn inside(hub: &Hub) -> bool {
    RUNNING.try_with(|(running, _)| *running == identity(hub)).unwrap_or(false)
}

/// Whether the caller is inside a handler of this subscription.
pub(crate) fn inside_sub(hub: &Hub, sub: SubId) -> bool {
    RUNNING.try_with(|running| *running == (identity(hub), Some(sub))).unwrap_or(false)
}
