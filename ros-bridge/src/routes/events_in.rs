//! Events of the hub as messages of a topic.
use super::{Context, Count, RETRY, Route, counts::of_refusal};
use crate::{
    config::EventIn,
    ros::{Advertise, Publish},
};
use futures_util::StreamExt;
use posthouse::{Message, Subscription};
use std::{sync::Arc, time::Duration};

/// How often the hub's own drops are taken over.
const SETTLE: Duration = Duration::from_millis(500);

/// Offers the topic, so that it is known before the first event.
pub(super) fn advertise(context: &Context, config: &EventIn) -> Result<Arc<dyn Publish>, String> {
    let wanted = Advertise {
        latch: config.latch,
        queue: config.queue_size,
        ..Advertise::new(&config.topic, &config.kind)
    };
    context.ros.advertise(wanted).map_err(|error| error.to_string())
}

/// Runs until the hub is closed. A subscription that the server refuses is tried again.
pub(super) async fn run(
    context: Context,
    config: EventIn,
    topic: Arc<dyn Publish>,
    route: Arc<Route>,
) {
    while context.connected().await {
        let made = async {
            let mut wanted =
                context.hub.var(&config.channel)?.subscribe().pending_messages(config.queue_size);
            if let Some(queue) = &config.queue {
                wanted = wanted.queue(queue);
            }
            wanted.await
        };
        match made.await {
            Ok(stream) => {
                let why = listen(&context, &config, &*topic, &route, stream).await;
                if let Some(error) = why {
                    context.trouble(&route, &error.to_string());
                }
            }
            Err(error) => context.trouble(&route, &error.to_string()),
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Passes events on until the subscription ends; gives why it did.
async fn listen(
    context: &Context,
    config: &EventIn,
    topic: &dyn Publish,
    route: &Route,
    mut stream: Subscription,
) -> Option<posthouse::Error> {
    let mut settle = tokio::time::interval(SETTLE);
    let mut dropped = 0;
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            _ = settle.tick() => {
                if let Ok(status) = stream.status() {
                    // What the queue had no room for was received all the same.
                    let more = status.dropped_messages.saturating_sub(dropped);
                    dropped = status.dropped_messages;
                    route.add_many(Count::Received, more);
                    route.add_many(Count::DroppedQueue, more);
                }
                continue;
            }
        };
        match message {
            Some(message) => take(context, config, topic, route, &message),
            None => return stream.error(),
        }
    }
}

fn take(
    context: &Context,
    config: &EventIn,
    topic: &dyn Publish,
    route: &Route,
    message: &Message,
) {
    route.add(Count::Received);
    let mut body = Vec::new();
    if let Err(refusal) =
        topic.layout().from_json(message.payload(), config.common.rules, &mut body)
    {
        let text =
            format!("an event on {} does not fit {}: {refusal}", message.topic(), config.kind);
        return context.fault(route, of_refusal(&refusal), &text);
    }
    if body.len() > config.common.max_bytes {
        let text = format!(
            "an event has {} bytes as a ROS message; max_bytes allows {}",
            body.len(),
            config.common.max_bytes
        );
        return context.fault(route, Count::TooLarge, &text);
    }
    match topic.publish(body) {
        Ok(()) => route.add(Count::Passed),
        Err(error) => context.fault(route, Count::Failed, &error.to_string()),
    }
}
