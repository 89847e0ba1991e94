//! One request for messages, and what comes of it.
//!
//! A request is served once: with what there is, or, if there is nothing, with the first that comes before it
//! ends. The server then says that it has ended, or has sent as many as were wanted; so nothing
//! arrives later that nobody waits for. Only where waiting is broken off the subscription is drained.
use super::{delivery::Arrived, link::Link, refusal::Refusal, setup::nanoseconds};
use crate::Stop;
use async_nats::{Message, Subscriber};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long one waits who does not want to wait: what was confirmed to its sender reaches the consumer a moment
/// later.
pub(super) const A_MOMENT: Duration = Duration::from_millis(10);
/// How much later than agreed the server may be.
const LATE: Duration = Duration::from_secs(2);

/// What came of a request.
pub(super) struct Pulled {
    pub(super) messages: Vec<Arrived>,
    /// When it was asked for: no lease in it has begun earlier.
    pub(super) since: Instant,
    /// Waiting was broken off from our side.
    pub(super) stopped: bool,
}

/// Asks for up to `max` messages and waits up to `wait` for the first.
pub(super) async fn pull(
    link: &Link,
    stream: &str,
    consumer: &str,
    max: usize,
    wait: Duration,
    stop: &Stop,
) -> Result<Pulled, Refusal> {
    let cut = link.watch_cut();
    if !link.is_up() {
        return Err(Refusal::Silence);
    }
    let inbox = link.client.new_inbox();
    let subscribed = link.client.subscribe(inbox.clone()).await;
    let mut subscription = subscribed.map_err(|_| Refusal::Silence)?;
    let mut wish = json!({"batch": max, "no_wait": true});
    // Without one, an end of the connection between others would stay unnoticed until the wait is over.
    let heartbeat = (wait >= Duration::from_secs(4)).then(|| wait / 4);
    wish["expires"] = nanoseconds(wait).into();
    if let Some(heartbeat) = heartbeat {
        wish["idle_heartbeat"] = nanoseconds(heartbeat).into();
    }
    let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}");
    let since = Instant::now();
    let asked = link.client.publish_with_reply(subject, inbox, wish.to_string().into()).await;
    asked.map_err(|_| Refusal::Silence)?;

    let closing = link.closing.signal();
    let silence = heartbeat.unwrap_or(wait) + LATE;
    let mut pulled = Pulled { messages: Vec::new(), since, stopped: false };
    tokio::pin!(cut);
    loop {
        let next = tokio::select! {
            biased;
            () = stop.stopped() => None,
            () = closing.stopped() => None,
            () = &mut cut => {
                // What the server sent before is ours all the same.
                while let Some(Some(message)) = subscription.next().now_or_never() {
                    if matches!(kind(&message), Kind::Message) {
                        pulled.messages.extend(Arrived::read(message));
                    }
                }
                return Ok(pulled);
            }
            next = timeout(silence, subscription.next()) => Some(next),
        };
        match next {
            None => {
                pulled.stopped = true;
                rest(&mut subscription, &mut pulled.messages).await;
                return Ok(pulled);
            }
            Some(Ok(Some(message))) => match kind(&message) {
                Kind::Message => {
                    pulled.messages.extend(Arrived::read(message));
                    if pulled.messages.len() >= max {
                        return Ok(pulled);
                    }
                }
                Kind::Heartbeat => {}
                Kind::Refusal(refusal) if pulled.messages.is_empty() => return Err(refusal),
                Kind::End | Kind::Refusal(_) => return Ok(pulled),
            },
            Some(Ok(None) | Err(_)) => {
                rest(&mut subscription, &mut pulled.messages).await;
                return Ok(pulled);
            }
        }
    }
}

/// Ends the subscription and takes what is on its way.
async fn rest(subscription: &mut Subscriber, messages: &mut Vec<Arrived>) {
    if subscription.drain().await.is_err() {
        return;
    }
    while let Ok(Some(message)) = timeout(LATE, subscription.next()).await {
        if matches!(kind(&message), Kind::Message) {
            messages.extend(Arrived::read(message));
        }
    }
}

enum Kind {
    Message,
    Heartbeat,
    End,
    Refusal(Refusal),
}

fn kind(message: &Message) -> Kind {
    let Some(status) = message.status else { return Kind::Message };
    let words = message.description.clone().unwrap_or_default();
    match status.as_u16() {
        100 => Kind::Heartbeat,
        404 | 408 => Kind::End,
        503 => Kind::Refusal(Refusal::Nobody),
        409 if words.contains("Consumer Deleted") => Kind::Refusal(Refusal::Nobody),
        409 if words.contains("Leadership") || words.contains("Shutdown") => Kind::End,
        code => Kind::Refusal(Refusal::Told { code: code.into(), words }),
    }
}
