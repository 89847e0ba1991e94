//! A scenario: its file, read and checked.
//!
//! The file's stem is the scenario's name. Steps stay JSON: the runner reads of each what it needs.
use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file of `scenarios/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The file's stem.
    #[serde(skip)]
    pub name: String,
    /// One sentence: what is shown.
    pub title: String,
    /// The rules of `docs/contract.md` that this shows.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Capabilities an agent has to announce.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The kinds of broker it runs on: `node`, `nats-2.9`, `nats`; all where it says nothing.
    #[serde(default = "every_broker")]
    pub brokers: Vec<String>,
    /// Set where the scenario stops, restarts or configures its broker: it then gets one of its own.
    #[serde(default)]
    pub broker: Option<OwnBroker>,
    /// The namespace, where it is not a fresh one.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Starts new agent processes for it and ends them after it.
    #[serde(default)]
    pub fresh: bool,
    /// Is about the local node: no other such scenario runs at the same time, and its agents are
    /// fresh, because the node's port is part of their environment where 4222 is taken.
    #[serde(default)]
    pub local_node: bool,
    /// Texts that no agent may write anywhere, on standard output or standard error.
    #[serde(default)]
    pub forbid: Vec<String>,
    /// Seconds after which it has failed.
    #[serde(default = "deadline")]
    pub deadline: u64,
    /// What happens, in order.
    pub steps: Vec<Map<String, Value>>,
}

/// A broker for one scenario alone.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnBroker {
    /// Lines for the configuration file of nats-server.
    #[serde(default)]
    pub config: String,
    /// Nobody listens on its port until a step starts it.
    #[serde(default)]
    pub later: bool,
    /// It listens where the local node would.
    #[serde(default)]
    pub local: bool,
    /// It listens for WebSocket clients too.
    #[serde(default)]
    pub websocket: bool,
    /// There is none at all.
    #[serde(default)]
    pub absent: bool,
    /// Several servers that route to each other.
    #[serde(default)]
    pub cluster: usize,
}

/// The kinds of broker there are.
pub const BROKERS: [&str; 3] = ["node", "nats-2.9", "nats"];

fn every_broker() -> Vec<String> {
    BROKERS.map(str::to_owned).to_vec()
}

fn deadline() -> u64 {
    30
}

impl Scenario {
    /// Reads all scenarios of a directory, sorted by name.
    pub fn load_all(directory: &Path) -> Result<Vec<Self>, String> {
        let listing =
            fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let mut all = Vec::new();
        for entry in listing {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                all.extend(Self::load_all(&path)?);
            } else if path.extension().is_some_and(|ext| ext == "toml") {
                all.push(Self::load(&path)?);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        match all.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => Err(format!("two scenarios are named `{}`", pair[0].name)),
            None => Ok(all),
        }
    }

    fn load(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut scenario: Self =
            toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        scenario.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(unknown) =
            scenario.brokers.iter().find(|kind| !BROKERS.contains(&kind.as_str()))
        {
            return Err(format!("{}: `{unknown}` is no kind of broker", path.display()));
        }
        Ok(scenario)
    }

    /// The agents it speaks to, `a` first: hubs `a`, `a2` … live on agent `a`.
    pub fn slots(&self) -> Vec<char> {
        let mut found = BTreeSet::new();
        collect(&self.steps, &mut found);
        found.into_iter().collect()
    }
}

fn collect(steps: &[Map<String, Value>], found: &mut BTreeSet<char>) {
    for step in steps {
        found.extend(actor(step).and_then(|hub| hub.chars().next()));
        if let Some(Value::Array(inner)) = step.get("steps") {
            let inner: Vec<_> = inner.iter().filter_map(|v| v.as_object().cloned()).collect();
            collect(&inner, found);
        }
    }
}

/// The hub a step is about: its first key, where that is a letter from `a` to `d` and perhaps digits.
pub fn actor(step: &Map<String, Value>) -> Option<&str> {
    let key = step.keys().next()?;
    let mut letters = key.chars();
    let slot = letters.next()?;
    (('a'..='d').contains(&slot) && letters.all(|c| c.is_ascii_digit())).then_some(key)
}
