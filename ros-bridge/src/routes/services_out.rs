//! A handler on the hub that ROS programs call as a service. What fails is a service failure at the
//! caller, with the reason.
use super::{Context, Count, Route, text::Text};
use crate::{
    config::ServiceOut,
    ros::{Request, Serve, Server},
};
use posthouse_core::json::Limits;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::{sync::Semaphore, task::JoinSet, time::Instant};

/// How many calls may wait for their turn.
const WAITING: usize = 100;

/// Offers the service.
pub(super) fn serve(context: &Context, config: &ServiceOut) -> Result<Server, String> {
    let wanted = Serve {
        queue: WAITING,
        max_message: config.common.max_bytes,
        ..Serve::new(&config.service, &config.kind)
    };
    context.ros.serve(wanted).map_err(|error| error.to_string())
}

/// What the calls of a route share.
struct Shared {
    context: Context,
    config: ServiceOut,
    route: Arc<Route>,
    limits: Limits,
    running: Semaphore,
    layout: Arc<crate::ros::ServiceLayout>,
}

/// Runs until the node is closed.
pub(super) async fn run(
    context: Context,
    config: ServiceOut,
    mut server: Server,
    route: Arc<Route>,
    limits: Limits,
) {
    let running = Semaphore::new(config.concurrency);
    let layout = Arc::clone(server.layout());
    let shared = Arc::new(Shared { context, config, route, limits, running, layout });
    let mut calls = JoinSet::new();
    loop {
        tokio::select! {
            // Calls that have ended are let go of.
            Some(_) = calls.join_next() => {}
            request = server.recv() => match request {
                Some(request) if calls.len() < WAITING => {
                    calls.spawn(call(Arc::clone(&shared), request));
                }
                Some(request) => {
                    shared.route.add(Count::Received);
                    shared.context.fault(&shared.route, Count::DroppedQueue, "too many calls wait");
                    request.fail("the bridge has too many calls waiting");
                }
                None => return,
            },
        }
    }
}

async fn call(shared: Arc<Shared>, request: Request) {
    let Shared { context, route, .. } = &*shared;
    route.add(Count::Received);
    match answer(&shared, &request).await {
        Ok(response) => {
            request.respond(response);
            route.add(Count::Passed);
        }
        Err(why) => {
            let caller = if request.caller.is_empty() { "a program" } else { &request.caller };
            context.fault(route, Count::Failed, &format!("a call by {caller} failed: {why}"));
            request.fail(why);
        }
    }
}

async fn answer(shared: &Shared, request: &Request) -> Result<Vec<u8>, String> {
    let Shared { context, config, limits, layout, .. } = shared;
    let deadline = Instant::now() + config.timeout;
    let late = |_| {
        format!(
            "no turn within {} s: {} calls run at once",
            config.timeout.as_secs_f64(),
            config.concurrency
        )
    };
    let _turn = tokio::time::timeout_at(deadline, shared.running.acquire()).await.map_err(late)?;
    if !request.is_wanted() {
        return Err("the caller has gone".to_owned());
    }
    let rules = config.common.rules;
    let mut json = Vec::new();
    let decoded = layout
        .request
        .to_json(&request.body, rules, limits, &mut json)
        .map_err(|refusal| format!("the request has no JSON form: {refusal}"))?;
    shared.route.decoded(&decoded);
    let text = Text::new(&json).ok_or("the request has no JSON form")?;
    let channel = context.hub.var(&config.channel).map_err(|error| error.to_string())?;
    let left = deadline.saturating_duration_since(Instant::now());
    let answer: Box<RawValue> =
        channel.req_as(&text).timeout(left).await.map_err(|error| error.to_string())?;
    let mut response = Vec::new();
    // A handler that returns nothing answers null, which is the answer of a type without fields.
    let answer = if answer.get() == "null" { "{}" } else { answer.get() };
    layout.response.from_json(answer.as_bytes(), rules, &mut response).map_err(|refusal| {
        format!("the answer from {} does not fit {}: {refusal}", config.channel, layout.name())
    })?;
    if response.len() > config.common.max_bytes {
        return Err(format!(
            "the answer has {} bytes; max_bytes allows {}",
            response.len(),
            config.common.max_bytes
        ));
    }
    Ok(response)
}
