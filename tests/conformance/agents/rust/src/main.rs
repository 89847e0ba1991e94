//! The Rust agent of the shared scenarios: requests on standard input, answers and events on standard
//! output, as the corpus' README tells. It uses the public interface of `posthouse` only.

mod handler;
mod open;
mod run;

use std::{
    collections::HashMap,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use posthouse::{CollectError, Error, Headers, Hub, Listener, Message, Reply, WatchGuard};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader, stdin},
    sync::{Notify, watch},
};

/// What requests leave behind for later ones, each under the name that it was given.
#[derive(Default)]
pub struct Agent {
    hubs: Store<Hub>,
    listeners: Store<Arc<Listener>>,
    watches: Store<Arc<WatchGuard>>,
    gates: Store<watch::Sender<bool>>,
    messages: Store<Message>,
    cancels: Store<Arc<Notify>>,
}

/// Things by name.
pub struct Store<T>(Mutex<HashMap<String, T>>);

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<T: Clone> Store<T> {
    fn with<R>(&self, work: impl FnOnce(&mut HashMap<String, T>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn get(&self, name: &str) -> Result<T, Failure> {
        let found = self.with(|all| all.get(name).cloned());
        found.ok_or_else(|| Failure(json!({"code": "AGENT", "message": format!("no `{name}`")})))
    }
}

/// An error as the answer has it.
pub struct Failure(Value);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut value = json!({"code": error.code().as_str(), "message": error.message()});
        for (key, figure) in [("limit", error.limit()), ("actual", error.actual())] {
            if let Some(figure) = figure {
                value[key] = figure.into();
            }
        }
        Self(value)
    }
}

impl From<CollectError> for Failure {
    fn from(error: CollectError) -> Self {
        let partial: Value = error.partial_replies.iter().map(json_reply).collect();
        let mut failure = Self::from(error.error);
        failure.0["partial_replies"] = partial;
        failure
    }
}

/// A reply as scenarios see it.
pub fn json_reply(reply: &Reply) -> Value {
    json!({"data": reply.data, "headers": pairs(&reply.headers)})
}

/// Headers as a list of names and values, in their order.
pub fn pairs(headers: &Headers) -> Value {
    headers.iter().map(|(name, value)| json!([name, value])).collect()
}

/// Writes one line.
pub fn tell(line: &Value) {
    let mut out = std::io::stdout().lock();
    // The runner has gone; so will this process, at the end of its input.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

async fn answer(agent: Arc<Agent>, request: Value) {
    let cancel = Arc::new(Notify::new());
    if let Some(label) = request["label"].as_str() {
        agent.cancels.with(|all| all.insert(label.to_owned(), cancel.clone()));
    }
    let done = tokio::select! {
        done = run::run(&agent, &request) => done,
        // Dropping the future is how Rust cancels.
        () = cancel.notified() => Err(Failure(json!({"code": "CANCELLED", "message": "dropped"}))),
    };
    tell(&match done {
        Ok(value) => json!({"id": request["id"], "ok": value}),
        Err(Failure(error)) => json!({"id": request["id"], "error": error}),
    });
}

fn main() -> std::io::Result<()> {
    // One thread: requests begin in the order in which they were read.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let capabilities = [
            "state", "messages", "queue", "headers", "collect", "in-handler", "context", "cancel",
            "node", "own-limits", "limit-in-errors", "instance-list", "one-connection", "websocket",
        ];
        tell(&json!({"event": "hello", "stream": "hello", "language": "rust", "capabilities": capabilities}));
        let agent = Arc::new(Agent::default());
        let mut lines = BufReader::new(stdin()).lines();
        while let Some(line) = lines.next_line().await? {
            let request = serde_json::from_str(&line)?;
            tokio::spawn(answer(agent.clone(), request));
        }
        Ok(())
    })
}
