//! Watching variables, and what tells their watchers.
use super::{Event, Hub, Outcome, operations::Kind, state::Meta};
use crate::{Result, time::Now, vars::VarId, watch::WatchId};
use alloc::boxed::Box;

/// What a watcher is shown: the value, if there is one, and what is known besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Canonical JSON.
    pub value: Option<Box<[u8]>>,
    /// What is known besides.
    pub meta: Meta,
}

impl Hub {
    /// Watches a variable: an [`Event::Watch`] once it is initialised, at once if it is, and after
    /// every change of its value or of what is known of it. Changes may be passed over, never the last.
    ///
    /// # Errors
    /// `CLOSED`.
    pub fn watch(&mut self, var: VarId) -> Result<WatchId> {
        if self.life == super::Life::Closed {
            return Err(super::closed());
        }
        let id = WatchId(self.id());
        // Only the new one has news; the others have been told what there is.
        let news = self.peers_answered || self.vars.get(var).record.is_some();
        self.watches.add(id, var, news);
        if news {
            self.events.push_back(Event::Watch(id));
        }
        Ok(id)
    }

    /// Takes the news of a watch. `None` once it was stopped.
    pub fn take_watch(&mut self, id: WatchId) -> Option<View> {
        let watch = self.watches.get_mut(id)?;
        watch.told = false;
        let var = watch.var;
        Some(View { value: self.get(var).map(Box::from), meta: self.meta(var) })
    }

    /// Takes the news of a watch if it has any; for hosts that ask instead of being told.
    pub fn take_news(&mut self, id: WatchId) -> Option<View> {
        if self.watches.get_mut(id)?.told { self.take_watch(id) } else { None }
    }

    /// Stops a watch at once: there is nothing to take any more.
    pub fn unwatch(&mut self, id: WatchId) {
        self.watches.remove(id);
    }

    /// A variable's value or what is known of it has changed.
    pub(super) fn changed(&mut self, var: VarId) {
        let initialized = self.peers_answered || self.vars.get(var).record.is_some();
        if !initialized {
            return;
        }
        let events = &mut self.events;
        self.watches.tell(var, |id| events.push_back(Event::Watch(id)));
        if !self.peers_answered {
            let ok = Ok(Outcome::Unit);
            self.finish_all(|kind| matches!(kind, Kind::Ready(Some(v)) if *v == var), &ok);
        }
    }

    /// What is known of every variable has changed: the connection came or went.
    pub(super) fn all_changed(&mut self) {
        let mut vars = self.watches.watched();
        vars.sort_unstable();
        for var in vars {
            self.changed(var);
        }
    }

    /// The others have had their time to answer: what nobody holds is absent.
    pub(super) fn set_peers_answered(&mut self, now: Now) {
        if self.peers_answered {
            return;
        }
        self.peers_answered = true;
        self.finish_all(|kind| matches!(kind, Kind::Ready(_)), &Ok(Outcome::Unit));
        let mut vars = self.watches.watched();
        vars.sort_unstable();
        for var in vars {
            if self.vars.get(var).record.is_none() {
                self.changed(var);
            }
        }
        self.advance_drain(now);
    }
}
