//! What handlers do, as the scenario says.
use std::{pin::Pin, sync::Arc};

use posthouse::{Answer, Headers, Message};
use serde_json::{Value, json};

use crate::{Agent, Failure, pairs, run::run, tell};

/// A handler at work.
pub type Handled = Pin<Box<dyn Future<Output = Result<Answer<Value>, String>> + Send>>;

/// Headers from a request: a key has one text or several.
pub fn headers(given: &Value) -> Result<Headers, Failure> {
    let mut headers = Headers::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        match value {
            Value::Array(values) => {
                for value in values {
                    headers.append(name, value.as_str().unwrap_or_default())?;
                }
            }
            value => headers.append(name, value.as_str().unwrap_or_default())?,
        }
    }
    Ok(headers)
}

/// Tells of a message, does what the scenario says, and gives the answer; an error is a failure of
/// the handler.
pub fn handle(agent: Arc<Agent>, request: Arc<Value>, message: Message) -> Handled {
    // Boxed: what a handler does may be a request, which may be to make a handler.
    Box::pin(act(agent, request, message))
}

async fn act(
    agent: Arc<Agent>,
    request: Arc<Value>,
    message: Message,
) -> Result<Answer<Value>, String> {
    let stream = request["as"].as_str().unwrap_or_default();
    let mut event = json!({"event": "message", "stream": stream, "data": message.data(),
        "topic": message.topic(), "headers": pairs(message.headers())});
    for name in request["look"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let all: Vec<_> = message.headers().get_all(name).collect();
        event["got"][name] = json!({"get": message.headers().get(name), "all": all});
    }
    tell(&event);
    let (mut result, mut reply_headers) = (Value::Null, Headers::new());
    for action in request["do"].as_array().into_iter().flatten() {
        let Some((verb, value)) = action.as_object().and_then(|action| action.iter().next()) else {
            continue;
        };
        match verb.as_str() {
            "echo" => result = message.data(),
            "return" => result = value.clone(),
            "wait" => open_gate(&agent, value.as_str().unwrap_or_default()).await,
            "reply_headers" => reply_headers = headers(value).map_err(|f| f.0.to_string())?,
            "keep" => {
                let name = value.as_str().unwrap_or_default().to_owned();
                agent.messages.with(|all| all.insert(name, message.clone()));
            }
            "reply" => called(stream, reply(&message, value, &action["headers"])),
            "call" => called(stream, Box::pin(run(&agent, value)).await),
            _ => return Err(value.to_string()),
        }
    }
    tell(&json!({"event": "done", "stream": format!("{stream}.done")}));
    Ok(Answer::new(result).with_headers(reply_headers))
}

/// Replies to a message.
pub fn reply(message: &Message, data: &Value, given: &Value) -> Result<Value, Failure> {
    message.reply_with(data, &headers(given)?)?;
    Ok(Value::Null)
}

fn called(stream: &str, done: Result<Value, Failure>) {
    let stream = format!("{stream}.calls");
    tell(&match done {
        Ok(value) => json!({"event": "call", "stream": stream, "ok": value}),
        Err(Failure(error)) => json!({"event": "call", "stream": stream, "error": error}),
    });
}

async fn open_gate(agent: &Agent, name: &str) {
    let mut gate = agent.gates.with(|all| all.entry(name.to_owned()).or_default().subscribe());
    // An error means that the scenario is over.
    let _ = gate.wait_for(|open| *open).await;
}
