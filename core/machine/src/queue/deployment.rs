//! Which queue a name means and who may use it: the deployment's configuration, read once and whole.
mod config;

use super::{Fault, Refusal, Settings, texts};
use crate::{Code, Error, Result, name::shown};
use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
};

/// A queue that programs know by a name of the deployment's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The store, as configured, e.g. `sqlite:./queue.db`. It may hold secrets: never to be shown whole.
    pub store: String,
    /// The queue's name in that store.
    pub queue: String,
    /// The queue of the same store that gets what is out of retries, if there is one.
    pub dead_letter_queue: Option<String>,
    /// How the queue is served.
    pub settings: Settings,
}

/// The configuration of a deployment: bindings and grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    bindings: BTreeMap<String, Binding>,
    granted: BTreeSet<String>,
}

impl Deployment {
    /// Reads the configuration from JSON text:
    ///
    /// ```json
    /// {"queues": {"PAGE_QUEUE": {"store": "sqlite:./queue.db", "queue": "pages", "settings": {"max_retries": 5}}},
    ///  "grants": {"QUEUE": ["PAGE_QUEUE"]}}
    /// ```
    ///
    /// Settings have the names of the table (`max_batch_size` …), times in seconds. What is unknown, of the wrong type
    /// or out of range is refused by name with `INVALID_OPTIONS`, and so are dead-letter queues that form a ring and
    /// two bindings that give one queue different settings. Without `grants` nothing is granted.
    pub fn parse(text: &str) -> Result<Self> {
        let deployment = config::read(text)?;
        deployment.check_rings()?;
        Ok(deployment)
    }

    /// A deployment made in code, to be filled with [`Deployment::bind`] and [`Deployment::grant`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a binding, under the same rules as [`Deployment::parse`]; a name that is there gets the new binding.
    pub fn bind(&mut self, name: &str, binding: Binding) -> Result<()> {
        config::check_name(name, "queue binding")?;
        config::check_name(&binding.queue, "queue")?;
        if let Some(dead) = &binding.dead_letter_queue {
            config::check_name(dead, "dead-letter queue")?;
        }
        if binding.store.is_empty() {
            return Err(config::invalid(&format!("the store of {} is empty", shown(name))));
        }
        binding.settings.checked()?;
        let before = self.bindings.insert(name.into(), binding);
        if let Err(error) = self.check_same(name).and_then(|()| self.check_rings()) {
            match before {
                Some(before) => drop(self.bindings.insert(name.into(), before)),
                None => drop(self.bindings.remove(name)),
            }
            return Err(error);
        }
        Ok(())
    }

    /// Allows programs to use a name.
    pub fn grant(&mut self, name: &str) {
        self.granted.insert(name.into());
    }

    /// The queue that a program means by `name`. An empty name is an error ([`Code::QueueBinding`]); a
    /// name that is not granted or not configured is a fault.
    pub fn binding(&self, name: &str) -> Result<&Binding, Refusal> {
        if name.is_empty() {
            return Err(texts::binding_empty().into());
        }
        if !self.granted.contains(name) {
            return Err(Fault::deployment(format!(
                "the queue binding {} is not granted: add it to the list \"QUEUE\" of \"grants\" in the deployment's configuration",
                shown(name)
            ))
            .into());
        }
        Ok(self.configured(name)?)
    }

    /// The queue of that name, granted or not: for consumers and tools, which the deployment itself starts.
    pub fn configured(&self, name: &str) -> Result<&Binding, Fault> {
        self.bindings.get(name).ok_or_else(|| {
            Fault::deployment(format!(
                "the queue binding {} is not configured: add it to \"queues\" in the deployment's configuration",
                shown(name)
            ))
        })
    }

    /// The queue of that binding, or else the first whose own name it is: for who looks after a deployment.
    pub fn find(&self, name: &str) -> Result<&Binding, Fault> {
        self.configured(name).or_else(|fault| {
            self.bindings.values().find(|binding| binding.queue == name).ok_or(fault)
        })
    }

    /// All bindings with their names, in the order of the names.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &Binding)> {
        self.bindings.iter().map(|(name, binding)| (name.as_str(), binding))
    }

    /// Whether the name is granted.
    pub fn is_granted(&self, name: &str) -> bool {
        self.granted.contains(name)
    }

    /// Two bindings to one queue must agree on how it is served.
    fn check_same(&self, name: &str) -> Result<()> {
        let Some(this) = self.bindings.get(name) else { return Ok(()) };
        for (other, that) in &self.bindings {
            let same_queue = this.store == that.store && this.queue == that.queue;
            if same_queue && this != that {
                return Err(config::invalid(&format!(
                    "the bindings {} and {} are the same queue with different settings: give both the same",
                    shown(other),
                    shown(name)
                )));
            }
        }
        Ok(())
    }

    /// A dead letter must not come back to where it died, by however many queues.
    fn check_rings(&self) -> Result<()> {
        let next: BTreeMap<(&str, &str), &str> = self
            .bindings
            .values()
            .filter_map(|binding| {
                let dead = binding.dead_letter_queue.as_deref()?;
                Some(((binding.store.as_str(), binding.queue.as_str()), dead))
            })
            .collect();
        for (name, binding) in &self.bindings {
            let mut queue = binding.queue.as_str();
            // Every queue has one successor, so a way longer than there are queues has met one twice.
            for _ in 0..=next.len() {
                match next.get(&(binding.store.as_str(), queue)) {
                    Some(dead) => queue = dead,
                    None => break,
                }
                if queue == binding.queue {
                    return Err(Error::new(
                        Code::InvalidOptions,
                        format!(
                            "the dead-letter queues of {} lead back to it: a message that cannot be handled would go round for ever; take one \"dead_letter_queue\" out",
                            shown(name)
                        ),
                    ));
                }
            }
        }
        Ok(())
    }
}
