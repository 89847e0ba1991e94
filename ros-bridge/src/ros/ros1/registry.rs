//! What this node subscribes to, publishes and serves, and the loop that makes the master know it.
//!
//! The tables say what should be. The loop asks the master for this node's address twice a second, which tells a master
//! that is away, one that was restarted, and one that is as we left it, and then makes known or takes back what differs.
use super::{master::Master, node::Core, publication::Output, service::Offer, subscription::Input};
use crate::ros::{Code, Event, MasterState, Result};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::timeout};

/// How often the master is asked.
const PERIOD: Duration = Duration::from_millis(500);

/// Something of ours and whether this master knows it.
pub(super) struct Entry<T> {
    pub(super) what: Arc<T>,
    registered: bool,
}

#[derive(Default)]
pub(super) struct Tables {
    pub(super) inputs: HashMap<String, Entry<Input>>,
    pub(super) outputs: HashMap<String, Entry<Output>>,
    pub(super) offers: HashMap<String, Entry<Offer>>,
    gone: Vec<Gone>,
}

/// What the master knows and should not any more.
#[derive(Clone, Debug)]
enum Gone {
    Input(String),
    Output(String),
    Offer(String),
}

/// The tables, and how things stand with the master.
pub(super) struct Registry {
    tables: Mutex<Tables>,
    changed: Notify,
    state: Mutex<MasterState>,
    /// Counts the masters met; a restart makes a new one.
    generation: AtomicU64,
    /// Somebody else has our name, or the node ends.
    evicted: AtomicBool,
    /// Held by whoever brings the master's books in step: what one took out of the tables, no other may miss.
    turn: tokio::sync::Mutex<()>,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self {
            tables: Mutex::default(),
            changed: Notify::new(),
            state: Mutex::new(MasterState::Awaited),
            generation: AtomicU64::new(0),
            evicted: AtomicBool::new(false),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    pub(super) fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MasterState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Makes the loop look at the tables now.
    pub(super) fn changed(&self) {
        self.changed.notify_one();
    }

    /// This node was told to end: it does not fight for its name.
    pub(super) fn evict(&self) {
        self.evicted.store(true, Ordering::Relaxed);
    }

    fn set(&self, state: MasterState) -> MasterState {
        let mut place = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, state)
    }

    /// Takes everything back.
    pub(super) async fn take_back(&self, core: &Core, limit: Duration) {
        {
            let mut tables = self.tables();
            for name in tables.inputs.drain().map(|(name, _)| name).collect::<Vec<_>>() {
                tables.gone.push(Gone::Input(name));
            }
            for name in tables.outputs.drain().map(|(name, _)| name).collect::<Vec<_>>() {
                tables.gone.push(Gone::Output(name));
            }
            for name in tables.offers.drain().map(|(name, _)| name).collect::<Vec<_>>() {
                tables.gone.push(Gone::Offer(name));
            }
        }
        self.evict();
        let work = async {
            let _turn = self.turn.lock().await;
            self.unregister(core).await
        };
        // A master that does not answer has nothing to be taken back from.
        let _ = timeout(limit, work).await;
    }

    async fn unregister(&self, core: &Core) -> Result<()> {
        let gone = std::mem::take(&mut self.tables().gone);
        let mut gone = gone.into_iter();
        while let Some(entry) = gone.next() {
            let done = match &entry {
                Gone::Input(topic) => core.master.unregister_subscriber(topic, &core.api).await,
                Gone::Output(topic) => core.master.unregister_publisher(topic, &core.api).await,
                Gone::Offer(service) => {
                    core.master.unregister_service(service, &core.service_address()).await
                }
            };
            if let Err(error) = done
                && error.code == Code::MasterUnreachable
            {
                let mut tables = self.tables();
                tables.gone.push(entry);
                tables.gone.extend(gone);
                return Err(error);
            }
        }
        Ok(())
    }
}

macro_rules! table {
    ($get:ident, $put:ident, $remove:ident, $table:ident, $type:ty, $gone:ident) => {
        /// The one of that full name.
        pub(super) fn $get(&self, name: &str) -> Option<Arc<$type>> {
            self.tables().$table.get(name).map(|entry| Arc::clone(&entry.what))
        }

        /// Adds one, to be made known.
        pub(super) fn $put(tables: &mut Tables, name: &str, what: Arc<$type>) {
            tables.$table.insert(name.to_owned(), Entry { what, registered: false });
        }

        /// Removes one, to be taken back.
        pub(super) fn $remove(tables: &mut Tables, name: &str) {
            if tables.$table.remove(name).is_some() {
                tables.gone.push(Gone::$gone(name.to_owned()));
            }
        }
    };
}

impl Registry {
    table!(input, put_input, remove_input, inputs, Input, Input);
    table!(output, put_output, remove_output, outputs, Output, Output);
    table!(offer, put_offer, remove_offer, offers, Offer, Offer);
}

/// Keeps the master's books in step until the node ends.
pub(super) async fn keep(core: Arc<Core>) {
    let registry = &core.registry;
    let mut told = String::new();
    loop {
        if !registry.evicted.load(Ordering::Relaxed) {
            let found = round(&core).await;
            match found {
                Ok(()) => {
                    let before = registry.set(MasterState::Found);
                    if before != MasterState::Found {
                        core.found_master().await;
                        core.tell(Event::MasterFound { again: before == MasterState::Lost });
                    }
                }
                Err(error) if error.code == Code::MasterUnreachable => {
                    if registry.state() == MasterState::Found {
                        registry.set(MasterState::Lost);
                        log::warn!(target: "posthouse_ros", "{error}");
                        core.tell(Event::MasterLost);
                    }
                }
                // Refused: the next round tries again.
                Err(error) if error.message != told => {
                    log::warn!(target: "posthouse_ros", "registering: {error}");
                    told = error.message;
                }
                Err(_) => {}
            }
        }
        let _ = timeout(PERIOD, registry.changed.notified()).await;
    }
}

/// One round: who the master takes us for, then everything that differs.
async fn round(core: &Arc<Core>) -> Result<()> {
    let registry = &core.registry;
    let _turn = registry.turn.lock().await;
    let known = core.master.node(core.names.node()).await?;
    if known.as_deref() != Some(core.api.as_str()) {
        forget(registry);
    }
    registry.unregister(core).await?;
    register(core, &core.master).await
}

/// This master knows nothing of us.
fn forget(registry: &Registry) {
    let mut tables = registry.tables();
    tables.gone.clear();
    let mut any = false;
    for entry in tables.inputs.values_mut() {
        any |= std::mem::take(&mut entry.registered);
    }
    for entry in tables.outputs.values_mut() {
        any |= std::mem::take(&mut entry.registered);
    }
    for entry in tables.offers.values_mut() {
        any |= std::mem::take(&mut entry.registered);
    }
    drop(tables);
    if any {
        registry.generation.fetch_add(1, Ordering::Relaxed);
        // It was restarted faster than we look.
        if registry.state() == MasterState::Found {
            registry.set(MasterState::Lost);
        }
    }
}

async fn register(core: &Arc<Core>, master: &Master) -> Result<()> {
    let registry = &core.registry;
    let (inputs, outputs, offers) = {
        let tables = registry.tables();
        (new_ones(&tables.inputs), new_ones(&tables.outputs), new_ones(&tables.offers))
    };
    for (topic, output) in outputs {
        master.register_publisher(&topic, output.layout().name(), &core.api).await?;
        mark(registry.tables().outputs.get_mut(&topic), &output);
    }
    for (service, offer) in offers {
        master.register_service(&service, &core.service_address(), &core.api).await?;
        mark(registry.tables().offers.get_mut(&service), &offer);
    }
    for (topic, input) in inputs {
        let publishers = master.register_subscriber(&topic, &input.kind(), &core.api).await?;
        mark(registry.tables().inputs.get_mut(&topic), &input);
        input.update(core, &publishers);
    }
    Ok(())
}

fn new_ones<T>(table: &HashMap<String, Entry<T>>) -> Vec<(String, Arc<T>)> {
    table
        .iter()
        .filter(|(_, entry)| !entry.registered)
        .map(|(name, entry)| (name.clone(), Arc::clone(&entry.what)))
        .collect()
}

/// Unless it was replaced meanwhile.
fn mark<T>(entry: Option<&mut Entry<T>>, what: &Arc<T>) {
    if let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.what, what)) {
        entry.registered = true;
    }
}
