//! Watches: who wants to know of a variable, and who has news waiting.
use crate::vars::VarId;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Names one watch; never used twice in the life of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WatchId(pub u64);

#[derive(Debug)]
pub(crate) struct Watch {
    pub var: VarId,
    /// An [`crate::hub::Event::Watch`] is out and its news not yet taken.
    pub told: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Watches {
    all: HashMap<WatchId, Watch>,
    by_var: HashMap<VarId, Vec<WatchId>>,
}

impl Watches {
    pub fn add(&mut self, id: WatchId, var: VarId, told: bool) {
        self.all.insert(id, Watch { var, told });
        self.by_var.entry(var).or_default().push(id);
    }

    pub fn get_mut(&mut self, id: WatchId) -> Option<&mut Watch> {
        self.all.get_mut(&id)
    }

    pub fn remove(&mut self, id: WatchId) {
        let Some(watch) = self.all.remove(&id) else { return };
        if let Some(list) = self.by_var.get_mut(&watch.var) {
            list.retain(|&other| other != id);
            if list.is_empty() {
                self.by_var.remove(&watch.var);
            }
        }
    }

    /// The watches of a variable that have not been told yet; they count as told now.
    pub fn tell(&mut self, var: VarId, mut each: impl FnMut(WatchId)) {
        let Some(list) = self.by_var.get(&var) else { return };
        for id in list {
            if let Some(watch) = self.all.get_mut(id)
                && !watch.told
            {
                watch.told = true;
                each(*id);
            }
        }
    }

    pub fn watched(&self) -> Vec<VarId> {
        self.by_var.keys().copied().collect()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.by_var.clear();
    }
}
