//! A worker plays one cell after the other. It keeps its agents and brokers between cells, because
//! starting them is what takes time, and replaces what a cell has used up.
use std::{cell::RefCell, collections::HashMap, net::TcpListener, rc::Rc, time::Duration};

use serde_json::Value;
use tokio::{sync::Mutex, task::spawn_local, time::timeout};

use crate::{
    agent::Agent,
    broker::Broker,
    expand::{expand, hex},
    language::Language,
    pattern::Binds,
    plan::{Cell, Outcome, excuse},
    scenario::{OwnBroker, Scenario},
    stage::Stage,
};

/// What all workers share.
pub struct Shared {
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// The languages.
    pub languages: Vec<Language>,
    /// Held while a scenario is about the local node.
    pub local_node: Mutex<()>,
    /// Counts runs, so that each has a namespace of its own.
    pub runs: std::cell::Cell<u64>,
}

/// One worker.
pub struct Worker {
    shared: Rc<Shared>,
    agents: HashMap<(usize, char), Rc<Agent>>,
    brokers: HashMap<String, Rc<RefCell<Broker>>>,
}

impl Worker {
    /// A worker that has started nothing yet.
    pub fn new(shared: Rc<Shared>) -> Self {
        Self { shared, agents: HashMap::new(), brokers: HashMap::new() }
    }

    /// Plays a cell.
    pub async fn play(&mut self, cell: &Cell) -> Outcome {
        let shared = self.shared.clone();
        let scenario = &shared.scenarios[cell.scenario];
        if let Some(why) = excuse(scenario, &shared.languages, &cell.cast) {
            return Outcome::Skipped(why);
        }
        let _alone = if scenario.local_node { Some(shared.local_node.lock().await) } else { None };
        let stage = match self.stage(scenario, cell).await {
            Ok(stage) => stage,
            Err(why) => return Outcome::Failed(why),
        };
        let agents = stage.agents.clone();
        let outcome = perform(scenario, stage).await;
        let outcome = self.tidy(scenario, cell, &agents, outcome).await;
        match outcome {
            Ok(()) => Outcome::Passed,
            Err(why) => {
                let tails: Vec<_> = agents
                    .iter()
                    .map(|(slot, a)| format!("    agent {slot}:\n{}", a.tail()))
                    .collect();
                Outcome::Failed(format!("{why}\n{}", tails.concat()))
            }
        }
    }

    async fn stage(&mut self, scenario: &Scenario, cell: &Cell) -> Result<Stage, String> {
        let run = self.shared.runs.replace(self.shared.runs.get() + 1);
        let namespace = scenario.namespace.clone().unwrap_or_else(|| format!("run-{run}"));
        let local = if scenario.local_node { local_port() } else { LOCAL_PORT };
        let binds = Binds::from([
            ("ns".to_owned(), Value::from(hex(&namespace))),
            ("namespace".to_owned(), Value::from(namespace)),
            ("run".to_owned(), Value::from(run)),
            ("local".to_owned(), Value::from(local)),
        ]);
        let broker = self.broker(scenario, &cell.broker, &binds, local)?;
        let mut agents = HashMap::new();
        for (slot, &language) in scenario.slots().into_iter().zip(&cell.cast) {
            let agent = self.agent(scenario, language, slot, local).await?;
            let missing = scenario.needs.iter().find(|need| !agent.capabilities.contains(need));
            if let Some(need) = missing {
                let name = &self.shared.languages[language].name;
                return Err(format!(
                    "the {name} agent cannot `{need}`, and its expectations do not say why"
                ));
            }
            agent.forbid(&scenario.forbid);
            agents.insert(slot, agent);
        }
        let mut stage = Stage::new(agents, broker, binds);
        if scenario.broker.as_ref().is_some_and(|own| own.websocket) {
            let url = stage.broker.borrow().websocket();
            stage.binds.extend(url.map(|url| ("websocket".to_owned(), Value::from(url))));
        }
        Ok(stage)
    }

    fn broker(
        &mut self,
        scenario: &Scenario,
        kind: &str,
        binds: &Binds,
        local: u16,
    ) -> Result<Rc<RefCell<Broker>>, String> {
        if let Some(own) = &scenario.broker {
            if own.absent {
                return Ok(Rc::new(RefCell::new(Broker::Absent)));
            }
            let config = expand(&Value::from(own.config.as_str()), binds)?;
            let mut broker = Broker::start(kind, own, config.as_str().unwrap_or_default(), local)?;
            if own.later {
                broker.act("kill", 0, "")?;
            }
            return Ok(Rc::new(RefCell::new(broker)));
        }
        if let Some(running) = self.brokers.get(kind) {
            return Ok(running.clone());
        }
        let started = Rc::new(RefCell::new(Broker::start(kind, &OwnBroker::default(), "", local)?));
        self.brokers.insert(kind.to_owned(), started.clone());
        Ok(started)
    }

    async fn agent(
        &mut self,
        scenario: &Scenario,
        language: usize,
        slot: char,
        local: u16,
    ) -> Result<Rc<Agent>, String> {
        if let (false, Some(running)) = (fresh(scenario), self.agents.get(&(language, slot))) {
            return Ok(running.clone());
        }
        let started = Rc::new(Agent::start(&self.shared.languages[language], local).await?);
        if !fresh(scenario) {
            self.agents.insert((language, slot), started.clone());
        }
        Ok(started)
    }

    /// Closes the scenario's hubs. An agent that does not manage that is replaced, and has failed.
    async fn tidy(
        &mut self,
        scenario: &Scenario,
        cell: &Cell,
        agents: &HashMap<char, Rc<Agent>>,
        outcome: Result<(), String>,
    ) -> Result<(), String> {
        let mut result = outcome;
        for (slot, &language) in scenario.slots().into_iter().zip(&cell.cast) {
            let Some(agent) = agents.get(&slot) else { continue };
            if let Some(line) = agent.leaked() {
                result = result.and(Err(format!("agent {slot} told a secret: {line}")));
            }
            if fresh(scenario) {
                agent.kill().await;
            } else if result.is_err() {
                // Its last lines are part of the report; a new process takes its place.
                agent.kill().await;
                self.agents.remove(&(language, slot));
            } else if !agent.reset().await {
                agent.kill().await;
                self.agents.remove(&(language, slot));
                result = Err(format!("agent {slot} does not close its hubs at the end"));
            }
        }
        result
    }
}

/// The local node's port, unless another program has it.
const LOCAL_PORT: u16 = 4222;
/// The local node's WebSocket port.
const LOCAL_WEBSOCKET_PORT: u16 = 9222;

/// Where the local node can be on this machine now: a developer may have a server of his own.
fn local_port() -> u16 {
    let free = |port| TcpListener::bind(("127.0.0.1", port));
    match (free(LOCAL_PORT), free(LOCAL_WEBSOCKET_PORT)) {
        (Ok(_), Ok(_)) => LOCAL_PORT,
        _ => free(0).and_then(|l| l.local_addr()).map_or(LOCAL_PORT, |address| address.port()),
    }
}

fn fresh(scenario: &Scenario) -> bool {
    scenario.fresh || scenario.local_node
}

/// Plays the steps, in a task of their own so that neither a panic nor a hang gets further.
async fn perform(scenario: &Scenario, mut stage: Stage) -> Result<(), String> {
    let steps = scenario.steps.clone();
    let task = spawn_local(async move { stage.play(&steps).await });
    let abort = task.abort_handle();
    match timeout(Duration::from_secs(scenario.deadline), task).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(format!("the surroundings failed: {}", reason(panic))),
        Err(_) => {
            abort.abort();
            Err(format!("not done within {} s", scenario.deadline))
        }
    }
}

fn reason(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (_, Some(text)) => (*text).to_owned(),
            _ => "a panic".to_owned(),
        },
        Err(error) => error.to_string(),
    }
}
