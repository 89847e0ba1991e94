//! What one scenario is played on: its agents, its broker, the raw client, the proxy, the fake server,
//! and the names given so far.
use std::{
    cell::RefCell,
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant},
};

use posthouse_testkit::{FakeConnection, FakeServer, Proxy};
use serde_json::{Map, Value, json};
use tokio::{sync::oneshot, time::sleep};

use crate::{
    agent::Agent,
    broker::Broker,
    expand::expand_map,
    pattern::{Binds, matches, matches_open, short},
    raw::Raw,
    scenario::actor,
};

/// How long one step waits, unless it says `within` (milliseconds).
const PATIENCE: Duration = Duration::from_secs(10);
/// The pace at which a step with `until` asks again.
const PACE: Duration = Duration::from_millis(5);
/// Fields of a step that are the runner's and not the agent's.
const OURS: [&str; 6] = ["ok", "error", "until", "start", "within", "connect"];

/// One scenario's surroundings.
pub struct Stage {
    /// The agents by slot.
    pub agents: HashMap<char, Rc<Agent>>,
    /// The broker; shared with later scenarios unless it is the scenario's own.
    pub broker: Rc<RefCell<Broker>>,
    /// Names and their values.
    pub binds: Binds,
    pub(crate) raw: Option<Raw>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) fake: Option<FakeServer>,
    pub(crate) client: Option<FakeConnection>,
    running: HashMap<String, oneshot::Receiver<Value>>,
}

type Step = Map<String, Value>;

impl Stage {
    /// A stage on which nothing has happened.
    pub fn new(
        agents: HashMap<char, Rc<Agent>>,
        broker: Rc<RefCell<Broker>>,
        binds: Binds,
    ) -> Self {
        let mut stage = Self {
            agents,
            broker,
            binds,
            raw: None,
            proxy: None,
            fake: None,
            client: None,
            running: HashMap::new(),
        };
        stage.bind_broker();
        stage
    }

    /// Plays steps in order; the error says which one failed and why.
    pub async fn play(&mut self, steps: &[Step]) -> Result<(), String> {
        for (index, step) in steps.iter().enumerate() {
            let step =
                expand_map(step, &self.binds).map_err(|e| format!("step {}: {e}", index + 1))?;
            let played = Box::pin(self.play_one(&step)).await;
            played.map_err(|e| match step.get("steps") {
                Some(_) => format!("step {}: {e}", index + 1),
                None => format!("step {} {}: {e}", index + 1, short(&Value::Object(step))),
            })?;
        }
        Ok(())
    }

    async fn play_one(&mut self, step: &Step) -> Result<(), String> {
        if let Some(hub) = actor(step) {
            return self.hub_step(hub, step).await;
        }
        let (subject, verb) = step.iter().next().ok_or("an empty step")?;
        let name = verb.as_str().unwrap_or_default();
        match subject.as_str() {
            "each" => {
                let items = verb.as_array().cloned().ok_or("`each` needs a list")?;
                self.repeat(step, "item", items).await
            }
            "repeat" => {
                let count = verb.as_u64().ok_or("`repeat` needs a number")?;
                self.repeat(step, "i", (0..count).map(Value::from).collect()).await
            }
            "raw" => within(step, self.raw_step(name, step)).await,
            "proxy" => self.proxy_step(name, step),
            "fake" => within(step, self.fake_step(name, step)).await,
            "broker" => self.broker_step(name, step).await,
            _ => Err(format!("`{subject}` is nobody here")),
        }
    }

    async fn repeat(&mut self, step: &Step, name: &str, items: Vec<Value>) -> Result<(), String> {
        let Some(Value::Array(body)) = step.get("steps") else {
            return Err("a loop needs `steps`".into());
        };
        let body: Vec<Step> = body.iter().filter_map(|v| v.as_object().cloned()).collect();
        for item in items {
            if let Value::Object(fields) = &item {
                for (key, value) in fields {
                    self.binds.insert(format!("{name}.{key}"), value.clone());
                }
            }
            let shown = short(&item);
            self.binds.insert(name.to_owned(), item);
            self.play(&body).await.map_err(|e| format!("with {name} = {shown}: {e}"))?;
        }
        Ok(())
    }

    async fn hub_step(&mut self, hub: &str, step: &Step) -> Result<(), String> {
        let slot = hub.chars().next().unwrap_or('a');
        let agent = self.agents.get(&slot).cloned().ok_or("no agent")?;
        let verb = text(step, hub);
        let stream = text(step, "as");
        match verb {
            "expect" | "await" => {
                let pattern = pattern_of(step, hub);
                let binds = RefCell::new(std::mem::take(&mut self.binds));
                let strict = verb == "expect";
                let taken = within(step, async {
                    agent
                        .take(stream, |e| {
                            strict || matches_open(&pattern, e, &mut binds.borrow_mut()).is_ok()
                        })
                        .await
                });
                let taken = taken.await;
                self.binds = binds.into_inner();
                matches_open(&pattern, &taken?, &mut self.binds)
            }
            "none" => match agent.next_event(stream) {
                Some(event) => Err(format!("nothing was expected, got {}", short(&event))),
                None => Ok(()),
            },
            "forget" => {
                while agent.next_event(stream).is_some() {}
                Ok(())
            }
            "result" => {
                let label = text(step, "of");
                let waiting =
                    self.running.remove(label).ok_or("nothing was started under this name")?;
                let answer = within(step, async {
                    waiting.await.map_err(|_| "the agent has ended".to_owned())
                });
                let answer = answer.await?;
                self.judge(step, &answer)
            }
            "kill" => {
                agent.kill().await;
                Ok(())
            }
            _ => self.request_step(&agent, hub, verb, step).await,
        }
    }

    async fn request_step(
        &mut self,
        agent: &Agent,
        hub: &str,
        verb: &str,
        step: &Step,
    ) -> Result<(), String> {
        let mut request: Step = step
            .iter()
            .filter(|(key, _)| *key != hub && !OURS.contains(&key.as_str()))
            .map(clone)
            .collect();
        request.insert("op".into(), verb.into());
        request.insert("hub".into(), hub.into());
        if verb == "open" {
            self.complete_open(&mut request);
        }
        if let Some(Value::String(label)) = step.get("start") {
            request.insert("label".into(), label.as_str().into());
            let waiting = agent.send(request).await?;
            self.running.insert(label.clone(), waiting);
            return Ok(());
        }
        let until = step.get("until") == Some(&Value::Bool(true));
        let begun = Instant::now();
        loop {
            let answer = ask(agent, request.clone(), step).await?;
            match self.judge(step, &answer) {
                Err(_) if until && begun.elapsed() < patience(step) => sleep(PACE).await,
                judged => {
                    judged?;
                    break;
                }
            }
        }
        if verb == "open"
            && step.get("connect") != Some(&Value::Bool(false))
            && !step.contains_key("error")
        {
            let connected = json!({"op": "connected", "hub": hub, "timeout": 10_000});
            let answer =
                ask(agent, connected.as_object().cloned().unwrap_or_default(), step).await?;
            if let Some(error) = answer.get("error") {
                return Err(format!("the hub does not connect: {error}"));
            }
        }
        Ok(())
    }

    /// Puts in the namespace and the broker, where a scenario leaves them out.
    fn complete_open(&self, request: &mut Step) {
        let mut options =
            request.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        if let (false, Some(url)) = (options.contains_key("servers"), self.binds.get("broker")) {
            options.insert("servers".into(), json!([url]));
        }
        if options.get("servers") == Some(&json!("default")) {
            options.remove("servers");
        }
        request.insert("options".into(), options.into());
        if let (false, Some(namespace)) =
            (request.contains_key("namespace"), self.binds.get("namespace"))
        {
            request.insert("namespace".into(), namespace.clone());
        }
        if request.get("namespace") == Some(&json!("default")) {
            request.remove("namespace");
        }
    }

    fn judge(&mut self, step: &Step, answer: &Value) -> Result<(), String> {
        let failed = answer.get("error");
        match (step.get("ok"), step.get("error"), failed) {
            (_, Some(code @ Value::String(_)), Some(got)) => {
                matches(code, &got["code"], &mut self.binds, "code")
            }
            (_, Some(Value::Object(pattern)), Some(got)) => {
                matches_open(pattern, got, &mut self.binds)
            }
            (_, Some(wanted), _) => {
                Err(format!("the error {wanted} was expected, got {}", short(answer)))
            }
            (_, None, Some(got)) => Err(format!("it failed: {}", short(got))),
            (Some(pattern), None, None) => matches(pattern, &answer["ok"], &mut self.binds, "ok"),
            (None, None, None) => Ok(()),
        }
    }

    async fn broker_step(&mut self, verb: &str, step: &Step) -> Result<(), String> {
        let server = step.get("server").and_then(Value::as_u64).unwrap_or(0) as usize;
        let begun = Instant::now();
        loop {
            let found = self.broker.borrow_mut().act(verb, server, text(step, "config"))?;
            let judged = match step.get("ok") {
                Some(pattern) => matches(pattern, &found, &mut self.binds, "ok"),
                None => Ok(()),
            };
            match judged {
                Err(_) if step.contains_key("until") && begun.elapsed() < patience(step) => {
                    sleep(PACE).await;
                }
                judged => return judged,
            }
        }
    }

    fn bind_broker(&mut self) {
        for (index, port) in self.broker.borrow().ports().into_iter().enumerate() {
            let name = if index == 0 { String::new() } else { (index + 1).to_string() };
            self.binds.insert(format!("broker{name}"), format!("nats://127.0.0.1:{port}").into());
            self.binds.insert(format!("port{name}"), port.into());
        }
    }

    /// Compares what came with the fields of a step that are not the runner's.
    pub(crate) fn compare(
        &mut self,
        step: &Step,
        subject: &str,
        got: &Value,
    ) -> Result<(), String> {
        matches_open(&pattern_of(step, subject), got, &mut self.binds)
    }
}

async fn ask(agent: &Agent, request: Step, step: &Step) -> Result<Value, String> {
    let waiting = agent.send(request).await?;
    within(step, async { waiting.await.map_err(|_| "the agent has ended".to_owned()) }).await
}

fn clone((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// A step's field as text; empty where it is not one.
pub fn text<'a>(step: &'a Step, key: &str) -> &'a str {
    step.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn pattern_of(step: &Step, subject: &str) -> Step {
    step.iter()
        .filter(|(key, _)| *key != subject && *key != "as" && *key != "within")
        .map(clone)
        .collect()
}

fn patience(step: &Step) -> Duration {
    step.get("within").and_then(Value::as_u64).map_or(PATIENCE, Duration::from_millis)
}

async fn within<T>(
    step: &Step,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let limit = patience(step);
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result,
        Err(_) => Err(format!("nothing happened within {} ms", limit.as_millis())),
    }
}
