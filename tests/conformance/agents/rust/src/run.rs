//! What each request does.
use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use posthouse::{Hub, Variable};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::{
    Agent, Failure,
    handler::{handle, headers, reply},
    json_reply,
    open::open,
    tell,
};

/// A subscription or handler in the making, with the options of the request.
macro_rules! with_options {
    ($making:expr, $request:expr) => {{
        let mut making = $making;
        if let Some(queue) = $request["queue"].as_str() {
            making = making.queue(queue);
        }
        if let Some(most) = $request["pending_messages"].as_u64() {
            making = making.pending_messages(most as usize);
        }
        if let Some(most) = $request["pending_bytes"].as_u64() {
            making = making.pending_bytes(most as usize);
        }
        making
    }};
}

/// Does one request.
pub async fn run(agent: &Arc<Agent>, r: &Value) -> Result<Value, Failure> {
    let text = |key: &str| r[key].as_str().unwrap_or_default();
    let timeout = r["timeout"].as_u64().map(Duration::from_millis);
    match text("op") {
        "reset" => {
            agent.gates.with(|all| all.drain().for_each(|(_, gate)| _ = gate.send_replace(true)));
            let hubs: Vec<_> = agent.hubs.with(|all| all.drain().map(|(_, hub)| hub).collect());
            for hub in hubs {
                hub.close().await?;
            }
            agent.listeners.with(std::collections::HashMap::clear);
            agent.watches.with(std::collections::HashMap::clear);
            agent.messages.with(std::collections::HashMap::clear);
        }
        "open" => {
            let hub = open(r)?;
            agent.hubs.with(|all| all.insert(text("hub").to_owned(), hub));
        }
        "release" => agent.gates.with(|all| {
            all.entry(text("gate").to_owned()).or_default().send_replace(true);
        }),
        "cancel" => agent.cancels.get(text("target"))?.notify_one(),
        "context_reply" => {
            let message = agent.messages.get(text("context"))?;
            return reply(&message, &r["data"], &r["headers"]);
        }
        "unwatch" => drop(agent.watches.with(|all| all.remove(text("as")))),
        "unsubscribe" => agent.listeners.get(text("as"))?.unsubscribe()?,
        "drain_sub" => agent.listeners.get(text("as"))?.drain(timeout).await?,
        "sub_status" => return Ok(json!(agent.listeners.get(text("as"))?.status()?)),
        _ => {
            let hub = agent.hubs.get(text("hub"))?;
            return match r["var"].as_str() {
                None => on_hub(&hub, r, timeout).await,
                Some(name) => on_variable(agent, &hub.var(name)?, r, timeout).await,
            };
        }
    }
    Ok(Value::Null)
}

async fn on_hub(hub: &Hub, r: &Value, timeout: Option<Duration>) -> Result<Value, Failure> {
    match r["op"].as_str().unwrap_or_default() {
        "connected" => hub.connected(timeout).await?,
        "ready" => hub.ready().await?,
        "flush" => hub.flush(timeout).await?,
        "drain" => hub.drain(timeout).await?,
        "close" => hub.close().await?,
        "status" => return Ok(json!(hub.status()?)),
        "instances" => return Ok(json!(hub.instances().list()?)),
        "namespace" => return Ok(hub.namespace().into()),
        "instance_id" => return Ok(hub.instance_id().into()),
        "watch_hub" => {
            let (mut changes, stream) = (hub.watch(), r["as"].clone());
            tokio::spawn(async move {
                while let Some(status) = changes.next().await {
                    tell(&json!({"event": "status", "stream": stream, "status": status}));
                }
            });
        }
        other => return Err(Failure(json!({"code": "AGENT", "message": format!("no `{other}`")}))),
    }
    Ok(Value::Null)
}

async fn on_variable(
    agent: &Arc<Agent>,
    var: &Variable,
    r: &Value,
    timeout: Option<Duration>,
) -> Result<Value, Failure> {
    let stream = r["as"].as_str().unwrap_or_default().to_owned();
    let value = |value: Option<Value>| value.map_or_else(|| json!({}), |v| json!({"value": v}));
    let data = Data(r);
    let op = r["op"].as_str().unwrap_or_default();
    match op {
        "set" => var.set_as(&data)?,
        "delete" => var.delete()?,
        "var_ready" => var.ready().await?,
        "value" => return Ok(value(var.value()?)),
        "get" => {
            return Ok(match r.get("fallback") {
                Some(fallback) => json!({"value": var.get(fallback.clone())?}),
                None => value(var.value()?),
            });
        }
        "meta" => return Ok(json!(var.meta()?)),
        "watch" | "watch_value" => {
            let (whole, fails, name) = (op == "watch", r.get("raise").is_some(), stream.clone());
            let guard = var.watch()?.each(move |change| {
                let mut event = value(change.value());
                event["event"] = "watch".into();
                event["stream"] = name.as_str().into();
                if whole {
                    event["meta"] = json!(change.meta);
                }
                tell(&event);
                assert!(!fails, "as the scenario wants");
            });
            agent.watches.with(|all| all.insert(stream, Arc::new(guard)));
        }
        "pub" | "publish" => var.pub_as(&data, Some(&headers(&r["headers"])?))?,
        "sub" | "subscribe" | "handle" => {
            let (shared, request) = (agent.clone(), Arc::new(r.clone()));
            let listener = if op == "handle" {
                let run = move |message| handle(shared.clone(), request.clone(), message);
                with_options!(var.handle(run), r).await?
            } else {
                let run = move |message| {
                    let done = handle(shared.clone(), request.clone(), message);
                    // A subscription's handler has no result to fail with; it panics.
                    async move { drop(done.await.unwrap_or_else(|why| panic!("{why}"))) }
                };
                let subscribe = if op == "sub" { var.sub() } else { var.subscribe() };
                with_options!(subscribe, r).handler(run).await?
            };
            agent.listeners.with(|all| all.insert(stream, Arc::new(listener)));
        }
        "req" | "request" => {
            let request = if op == "req" { var.req(&data) } else { var.request(&data) };
            let request = request.headers(headers(&r["headers"])?);
            let request = match timeout {
                Some(timeout) => request.timeout(timeout),
                None => request,
            };
            if r["details"] == true {
                return Ok(json_reply(&request.detailed().await?));
            }
            return Ok(request.await?);
        }
        "request_many" => {
            let mut request = var.request_many(&data).headers(headers(&r["headers"])?);
            if let Some(timeout) = timeout {
                request = request.timeout(timeout);
            }
            if let Some(most) = r["max_replies"].as_u64() {
                request = request.max_replies(most as usize);
            }
            if let Some(most) = r["max_bytes"].as_u64() {
                request = request.max_bytes(most as usize);
            }
            if r["details"] == true {
                let result = request.detailed().await?;
                let replies: Value = result.replies.iter().map(json_reply).collect();
                return Ok(json!({"replies": replies, "reason": result.reason.as_str()}));
            }
            return Ok(Value::Array(request.await?));
        }
        other => return Err(Failure(json!({"code": "AGENT", "message": format!("no `{other}`")}))),
    }
    Ok(Value::Null)
}

/// The data of a request: JSON, or a number that JSON cannot say.
struct Data<'a>(&'a Value);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0["special"].as_str() {
            Some("nan") => f64::NAN.serialize(serializer),
            Some("inf") => f64::INFINITY.serialize(serializer),
            Some(_) => f64::NEG_INFINITY.serialize(serializer),
            None => self.0["data"].serialize(serializer),
        }
    }
}
