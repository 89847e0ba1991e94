//! What a subscription of ROS counts by itself, for the route that it feeds.
use super::{Context, Count, Route, counts::Feed};
use crate::ros::{LogLevel, Subscription};
use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

/// The counts of a subscription.
pub struct RosFeed {
    context: Context,
    subscription: Weak<Subscription>,
    /// Where a message goes that the queue had no room for.
    full: Count,
    oversize: AtomicU64,
    refused: AtomicU64,
}

impl fmt::Debug for RosFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RosFeed").finish_non_exhaustive()
    }
}

impl RosFeed {
    /// A feed from a subscription, for as long as that lasts.
    pub fn new(context: &Context, subscription: &Arc<Subscription>, full: Count) -> Self {
        Self {
            context: context.clone(),
            subscription: Arc::downgrade(subscription),
            full,
            oversize: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl Feed for RosFeed {
    fn refresh(&self, route: &Route) {
        let Some(subscription) = self.subscription.upgrade() else { return };
        let counts = subscription.counts();
        // What was too large to be kept was read all the same.
        route.set(Count::Received, counts.received + counts.oversize);
        route.set(self.full, counts.dropped);
        let before = self.oversize.swap(counts.oversize, Ordering::Relaxed);
        if counts.oversize > before {
            route.add_many(Count::TooLarge, counts.oversize - before);
            self.context.trouble(route, "a message is larger than max_bytes");
        }
        let before = self.refused.swap(counts.refused, Ordering::Relaxed);
        if counts.refused > before
            && let Some(why) = subscription.last_refusal()
            && route.note(&why)
        {
            let text = format!("{} ({}): {why}", route.title, route.path);
            self.context.ros.log(LogLevel::Warn, &text);
        }
    }
}
