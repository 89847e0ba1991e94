//! A ROS service that programs on the hub call. What fails gets no answer: the caller runs into its own
//! time-out, and the reason is counted and told here.
use super::{Context, Count, RETRY, Route, text::Text};
use crate::{config::ServiceIn, ros::Call};
use futures_util::StreamExt;
use posthouse::{Message, Subscription};
use posthouse_core::json::Limits;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::{sync::Semaphore, task::JoinSet, time::Instant};

/// What the calls of a route share.
struct Shared {
    context: Context,
    config: ServiceIn,
    route: Arc<Route>,
    limits: Limits,
    running: Semaphore,
    /// The client, once the type is known.
    client: Mutex<Option<Arc<dyn Call>>>,
}

impl Shared {
    /// Has the next call ask for the type again.
    fn forget(&self) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Runs until the hub is closed.
pub(super) async fn run(context: Context, config: ServiceIn, route: Arc<Route>, limits: Limits) {
    let running = Semaphore::new(config.concurrency);
    let shared =
        Arc::new(Shared { context, config, route, limits, running, client: Mutex::default() });
    while shared.context.connected().await {
        let made = async {
            let config = &shared.config;
            let mut wanted = shared.context.hub.var(&config.channel)?.subscribe();
            if let Some(queue) = &config.queue {
                wanted = wanted.queue(queue);
            }
            wanted.await
        };
        let ended = match made.await {
            Ok(stream) => listen(&shared, stream).await,
            Err(error) => Some(error),
        };
        if let Some(error) = ended {
            shared.context.trouble(&shared.route, &error.to_string());
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Serves requests until the subscription ends; gives why it did.
async fn listen(shared: &Arc<Shared>, mut stream: Subscription) -> Option<posthouse::Error> {
    let mut calls = JoinSet::new();
    loop {
        tokio::select! {
            // Calls that have ended are let go of.
            Some(_) = calls.join_next() => {}
            message = stream.next() => match message {
                // An event has nobody who waits for an answer.
                Some(message) if !message.is_request() => {}
                Some(message) => {
                    // As many as the subscription lets wait: each task holds its message.
                    calls.spawn(call(Arc::clone(shared), message));
                }
                None => return stream.error(),
            },
        }
    }
}

async fn call(shared: Arc<Shared>, message: Message) {
    shared.route.add(Count::Received);
    let Shared { context, route, config, .. } = &*shared;
    match answer(&shared, &message).await {
        Ok(json) => {
            let Some(text) = Text::new(&json) else { return };
            match message.reply_as(&text, None) {
                Ok(()) => route.add(Count::Passed),
                Err(error) => context.fault(route, Count::Failed, &error.to_string()),
            }
        }
        Err(why) => {
            let text = format!(
                "a call of {} failed, and its caller gets no answer: {why}",
                config.service
            );
            context.fault(route, Count::Failed, &text);
        }
    }
}

async fn answer(shared: &Shared, message: &Message) -> Result<Vec<u8>, String> {
    let Shared { config, limits, .. } = shared;
    let deadline = Instant::now() + config.timeout;
    let late = |_| format!("no answer within {} s", config.timeout.as_secs_f64());
    let _turn = tokio::time::timeout_at(deadline, shared.running.acquire()).await.map_err(late)?;
    let rules = config.common.rules;
    let (client, request) =
        tokio::time::timeout_at(deadline, request(shared, message)).await.map_err(late)??;
    let layout = client.layout();
    if request.len() > config.common.max_bytes {
        return Err(format!(
            "the request has {} bytes; max_bytes allows {}",
            request.len(),
            config.common.max_bytes
        ));
    }
    let left = deadline.saturating_duration_since(Instant::now());
    let response = client.call(request, left).await.map_err(|error| {
        // Another type may be offered under the name by now.
        shared.forget();
        error.to_string()
    })?;
    let mut json = Vec::new();
    let decoded = layout
        .response
        .to_json(&response, rules, limits, &mut json)
        .map_err(|refusal| format!("the answer has no JSON form: {refusal}"))?;
    shared.route.decoded(&decoded);
    Ok(json)
}

/// The client, and the request as its type has it.
async fn request(shared: &Shared, message: &Message) -> Result<(Arc<dyn Call>, Vec<u8>), String> {
    // A request without a body is the request of a type without fields.
    let payload = if message.payload() == b"null" { b"{}" } else { message.payload() };
    let known = shared.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut again = known.is_some() && shared.config.kind.is_none();
    let mut client = match known {
        Some(client) => client,
        None => find(shared).await?,
    };
    loop {
        let (layout, mut body) = (client.layout(), Vec::new());
        match layout.request.from_json(payload, shared.config.common.rules, &mut body) {
            Ok(()) => return Ok((client, body)),
            // It may fit what is offered under the name by now; nothing was called yet.
            Err(_) if again => {
                again = false;
                client = find(shared).await?;
            }
            Err(refusal) => {
                return Err(format!("the request does not fit {}: {refusal}", layout.name()));
            }
        }
    }
}

/// A client of the type that is offered now, kept for the next call.
async fn find(shared: &Shared) -> Result<Arc<dyn Call>, String> {
    let Shared { context, config, .. } = shared;
    let kind = match &config.kind {
        Some(kind) => kind.clone(),
        None => {
            context.ros.type_of_service(&config.service).await.map_err(|error| error.to_string())?
        }
    };
    let client =
        context.ros.client(&config.service, &kind, false).map_err(|error| error.to_string())?;
    *shared.client.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&client));
    Ok(client)
}
