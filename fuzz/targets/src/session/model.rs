//! What a program that uses a hub may rely on, kept beside the hub and compared with what it does: every
//! operation ends once and in time, nothing is told of what has ended, no wake-up is lost.
use posthouse_core::{
    Now, VarId, WatchId,
    hub::{Delivery, Event, Hub, Op, SubId, Token, View},
};
use std::collections::{BTreeMap, HashSet};

/// A subscription as the program sees it.
#[derive(Default)]
pub(crate) struct Sub {
    pub ended: bool,
    pub released: bool,
    /// Told that there are messages, and not found it empty since.
    pub ready: bool,
    pub held: Vec<Token>,
    /// When its drain is over at the latest.
    pub drained_by: Option<u64>,
}

#[derive(Default)]
pub(crate) struct Model {
    /// Operations under way and when they end at the latest.
    pub ops: BTreeMap<Op, Option<u64>>,
    past: HashSet<Op>,
    pub subs: BTreeMap<SubId, Sub>,
    pub watches: BTreeMap<WatchId, (VarId, Option<View>)>,
    pub drained_by: Option<u64>,
    /// All that the hub told, to compare runs.
    pub told: Vec<String>,
}

impl Model {
    /// An operation has begun.
    pub fn begun(&mut self, op: Op, by: Option<u64>) {
        assert!(!self.past.contains(&op), "{op:?} is used twice");
        assert!(self.ops.insert(op, by).is_none(), "{op:?} is used twice");
    }

    pub fn event(&mut self, hub: &mut Hub, event: &Event) {
        self.told.push(format!("{event:?}"));
        match event {
            Event::Done(op, _) => {
                assert!(self.ops.remove(op).is_some(), "{op:?} ends again: {event:?}");
                self.past.insert(*op);
            }
            Event::Ready(id) => {
                let sub = self.subs.get_mut(id).expect("a subscription that was made");
                assert!(!sub.ready, "told again before it was found empty");
                sub.ready = true;
            }
            Event::Ended(id, _) => {
                let sub = self.subs.get_mut(id).expect("a subscription that was made");
                assert!(!std::mem::replace(&mut sub.ended, true), "{id:?} ends again");
            }
            Event::Watch(id) => {
                // One that was stopped meanwhile gives nothing.
                let view = hub.take_watch(*id);
                assert_eq!(view.is_some(), self.watches.contains_key(id) && !hub.is_closed());
                if let Some((_, seen)) = self.watches.get_mut(id) {
                    *seen = view.or(seen.take());
                }
            }
            Event::Status | Event::Instances => {}
            Event::Log(_, _, text) => assert!(text.len() < 3_000, "a line of {} bytes", text.len()),
        }
    }

    /// Messages that the program took.
    pub fn took(&mut self, id: SubId, asked: usize, taken: Vec<Delivery>) {
        let Some(sub) = self.subs.get_mut(&id) else { return };
        if taken.is_empty() && asked > 0 {
            sub.ready = false;
        }
        assert!(taken.len() <= asked);
        for delivery in taken {
            assert!(serde_json::from_slice::<serde_json::Value>(&delivery.payload).is_ok());
            assert!(delivery.token.sub() == id && !sub.released);
            self.told.push(format!("{delivery:?}"));
            sub.held.push(delivery.token);
        }
    }

    /// What must hold whenever the hub has said all it has to say.
    pub fn check(&self, hub: &Hub, now: Now) {
        if let Err(fault) = hub.audit() {
            panic!("the hub's books are wrong: {fault}");
        }
        let status = hub.status(now);
        let messaging = status.messaging.expect("it is always told");
        let limits = messaging.limits.expect("it is always told");
        assert!(messaging.pending_messages <= limits.pending_messages);
        assert!(messaging.pending_bytes <= limits.pending_bytes);
        assert!(messaging.pending_requests <= limits.requests);
        for (id, sub) in &self.subs {
            let Some(told) = hub.subscription_status(*id) else {
                assert!(sub.released);
                continue;
            };
            assert!(told.pending_messages <= told.limits.pending_messages);
            assert!(told.pending_bytes <= told.limits.pending_bytes);
            let waiting = told.pending_messages - sub.held.len();
            assert!(waiting == 0 || sub.ready, "{waiting} messages wait and nobody was told");
        }
        if hub.is_closed() {
            assert!(self.ops.is_empty(), "{:?} never end", self.ops);
            assert!(self.subs.values().all(|sub| sub.ended), "a subscription never ends");
            assert_eq!(hub.deadline(), None);
            return;
        }
        for (var, seen) in self.watches.values() {
            let meta = hub.meta(*var);
            match seen {
                Some(seen) => {
                    assert_eq!((seen.value.as_deref(), &seen.meta), (hub.get(*var), &meta));
                }
                None => assert!(!meta.initialized, "a watch was never told"),
            }
        }
    }

    /// What must hold after the hub was told the time.
    pub fn check_time(&self, hub: &Hub, now: Now) {
        assert!(hub.deadline().is_none_or(|at| at > now.mono), "a deadline stays in the past");
        for (op, by) in &self.ops {
            assert!(by.is_none_or(|by| by > now.mono), "{op:?} should have ended");
        }
    }
}
