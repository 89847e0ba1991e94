//! A topic's latest message as a variable's value.
use super::{Context, Count, Route, feed::RosFeed, text::Text};
use crate::{
    config::TopicRoute,
    ros::{Layout, Sample, Subscribe, Subscription, codec::Selection},
};
use posthouse::Variable;
use posthouse_core::json::Limits;
use std::sync::Arc;
use tokio::time::Instant;

/// A subscription and what becomes of its messages.
pub(super) struct TopicTask {
    context: Context,
    config: Arc<TopicRoute>,
    route: Arc<Route>,
    variable: Variable,
    subscription: Arc<Subscription>,
    /// The part that is meant, in the layout it was sought in.
    selection: Option<(Arc<Layout>, Selection)>,
    buffer: Vec<u8>,
}

impl TopicTask {
    /// Subscribes to `topic`, whose latest message `variable` is to be.
    pub fn new(
        context: &Context,
        config: &Arc<TopicRoute>,
        route: Arc<Route>,
        topic: &str,
        variable: &str,
    ) -> Result<Self, String> {
        let wanted = Subscribe {
            kind: config.kind.clone(),
            // The newest takes the place of one that waits.
            queue: 1,
            max_message: config.common.max_bytes,
            ..Subscribe::new(topic)
        };
        let subscription = context.ros.subscribe(wanted).map_err(|error| error.to_string())?;
        let subscription = Arc::new(subscription);
        route.fed_by(RosFeed::new(context, &subscription, Count::Superseded));
        let variable = context.hub.var(variable).map_err(|error| error.to_string())?;
        Ok(Self {
            context: context.clone(),
            config: Arc::clone(config),
            route,
            variable,
            subscription,
            selection: None,
            buffer: Vec::new(),
        })
    }

    /// Runs until the node is closed.
    pub async fn run(mut self) {
        let mut next = Instant::now();
        loop {
            // Waiting before taking keeps the newest for the moment when it may be sent.
            tokio::time::sleep_until(next).await;
            let Some(sample) = self.subscription.recv().await else { return };
            if let Some(interval) = self.config.interval {
                next = Instant::now() + interval;
            }
            self.take(&sample);
        }
    }

    fn take(&mut self, sample: &Sample) {
        self.buffer.clear();
        let rules = self.config.common.rules;
        let limits = &Limits::VALUE;
        let converted = match &self.config.field {
            None => sample.layout.to_json(&sample.body, rules, limits, &mut self.buffer),
            Some(field) => {
                let known = self
                    .selection
                    .as_ref()
                    .filter(|(layout, _)| Arc::ptr_eq(layout, &sample.layout));
                if known.is_none() {
                    match sample.layout.select(field) {
                        Ok(found) => self.selection = Some((Arc::clone(&sample.layout), found)),
                        Err(refusal) => return self.context.refusal(&self.route, &refusal),
                    }
                }
                let Some((layout, selection)) = &self.selection else { return };
                layout.part_to_json(selection, &sample.body, rules, limits, &mut self.buffer)
            }
        };
        match converted {
            Ok(decoded) => self.route.decoded(&decoded),
            Err(refusal) => return self.context.refusal(&self.route, &refusal),
        }
        let Some(text) = Text::new(&self.buffer) else { return };
        match self.variable.set_as(&text) {
            Ok(()) => self.route.add(Count::Passed),
            Err(error) => self.context.error(&self.route, &error),
        }
    }
}
