//! Messages of a topic as events: each one, in order, or counted.
use super::{Context, Count, Route, feed::RosFeed, text::Text};
use crate::{
    config::EventOut,
    ros::{Sample, Subscribe},
};
use posthouse::Variable;
use posthouse_core::json::Limits;
use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::Arc,
};

/// The most publishers whose kept messages are remembered.
const MOST_PUBLISHERS: usize = 1024;

/// Runs until the node is closed.
pub(super) async fn run(context: Context, config: EventOut, route: Arc<Route>, limits: Limits) {
    // What comes before there is a hub could not be passed on, and a latched topic says it only once.
    if !context.connected().await {
        return;
    }
    let wanted = Subscribe {
        kind: config.kind.clone(),
        queue: config.queue_size,
        max_message: config.common.max_bytes,
        ..Subscribe::new(&config.topic)
    };
    let made = (context.ros.subscribe(wanted), context.hub.var(&config.channel));
    let (subscription, channel) = match made {
        (Ok(subscription), Ok(channel)) => (Arc::new(subscription), channel),
        (Err(error), _) => return context.trouble(&route, &error.to_string()),
        (_, Err(error)) => return context.trouble(&route, &error.to_string()),
    };
    route.fed_by(RosFeed::new(&context, &subscription, Count::DroppedQueue));
    let mut task = Task {
        context,
        config,
        route,
        limits,
        channel,
        kept: HashMap::new(),
        hasher: RandomState::new(),
        buffer: Vec::new(),
    };
    while let Some(sample) = subscription.recv().await {
        task.take(&sample);
    }
}

struct Task {
    context: Context,
    config: EventOut,
    route: Arc<Route>,
    limits: Limits,
    channel: Variable,
    /// What the last message of each latching publisher hashes to, by its node.
    kept: HashMap<String, u64>,
    hasher: RandomState,
    buffer: Vec<u8>,
}

impl Task {
    fn take(&mut self, sample: &Sample) {
        if sample.source.latching && self.is_repeated(sample) {
            self.route.add(Count::Repeated);
            return;
        }
        self.buffer.clear();
        let rules = self.config.common.rules;
        match sample.layout.to_json(&sample.body, rules, &self.limits, &mut self.buffer) {
            Ok(decoded) => self.route.decoded(&decoded),
            Err(refusal) => return self.context.refusal(&self.route, &refusal),
        }
        let Some(text) = Text::new(&self.buffer) else { return };
        let headers = Some(&self.config.headers).filter(|headers| !headers.is_empty());
        match self.channel.pub_as(&text, headers) {
            Ok(()) => self.route.add(Count::Passed),
            Err(error) => self.context.error(&self.route, &error),
        }
    }

    /// Whether a latching publisher says again, on a new connection, what it said last on an earlier one.
    fn is_repeated(&mut self, sample: &Sample) -> bool {
        let publisher = &sample.source.node;
        let hash = self.hasher.hash_one(&sample.body);
        if let Some(last) = self.kept.get_mut(publisher) {
            let before = std::mem::replace(last, hash);
            return sample.number == 0 && before == hash;
        }
        if self.kept.len() == MOST_PUBLISHERS {
            self.kept.clear();
        }
        self.kept.insert(publisher.clone(), hash);
        false
    }
}
