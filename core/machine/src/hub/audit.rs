//! The hub's books, counted again from what they count: for simulations and fuzzing. In the hub's own
//! course every figure is kept by small steps; here each is made anew and must come out the same.
use super::{Hub, Life, Timer, operations::Kind};
use crate::{
    link::Route,
    subs::{Sub, SubState},
};
use alloc::{format, string::String};
use core::fmt::Debug;

fn same<T: Copy + PartialEq + Debug>(what: &str, kept: T, counted: T) -> Result<(), String> {
    if kept == counted {
        Ok(())
    } else {
        Err(format!("{what}: kept {kept:?}, counted {counted:?}"))
    }
}

fn holds(what: &str, truth: bool) -> Result<(), String> {
    if truth { Ok(()) } else { Err(String::from(what)) }
}

impl Hub {
    /// Counts everything again; the error says which figure is wrong.
    pub fn audit(&self) -> Result<(), String> {
        self.audit_messages()?;
        self.audit_subscriptions()?;
        self.audit_variables()?;
        self.audit_timers()?;
        if self.life == Life::Closed {
            holds("closed with operations", self.operations.is_empty())?;
            let idle = self.link.is_none() && self.handoff.is_none() && self.dialling.is_none();
            holds("closed with a connection", idle)?;
            holds("closed with watches", self.watches.len() == 0)?;
        }
        Ok(())
    }

    fn audit_messages(&self) -> Result<(), String> {
        let requests = || {
            self.operations.values().filter_map(|o| match &o.kind {
                Kind::Request(request) => Some(request),
                _ => None,
            })
        };
        same("requests", self.requests, requests().count())?;
        for request in requests() {
            let bytes = request.replies.iter().map(|reply| reply.payload.len()).sum();
            same("bytes of answers", request.bytes, bytes)?;
        }
        let subs = || self.subs.all.values();
        let messages = subs().map(Sub::messages).sum::<usize>()
            + requests().map(|request| request.replies.len()).sum::<usize>();
        let bytes = subs().map(|sub| sub.bytes).sum::<usize>()
            + requests().map(|request| request.bytes).sum::<usize>();
        same("pending messages", self.pending.messages, messages)?;
        same("pending bytes", self.pending.bytes, bytes)
    }

    fn audit_subscriptions(&self) -> Result<(), String> {
        for (id, sub) in &self.subs.all {
            let taken: usize = sub.taken.iter().map(|(_, bytes)| bytes).sum();
            same("bytes of a subscription", sub.bytes, sub.waiting.bytes() + taken)?;
            holds(
                "an ended subscription has messages waiting",
                sub.live() || sub.waiting.is_empty(),
            )?;
            holds("an ended subscription has a number", sub.live() || sub.sid.is_none())?;
            if let (Some(sid), Some(link)) = (sub.sid, &self.link) {
                let route = link.routes.get(&sid);
                holds("a number leads nowhere", route == Some(&Route::Subscription(*id)))?;
            }
            let (SubState::Registering(op) | SubState::Draining(Some(op), _)) = sub.state else {
                continue;
            };
            holds("a subscription's operation is gone", self.operations.contains_key(&op))?;
        }
        for operation in self.operations.values() {
            let (Kind::Subscribe(sub) | Kind::DrainSubscription(sub)) = operation.kind else {
                continue;
            };
            let live = self.subs.all.get(&sub).is_some_and(Sub::live);
            holds("an operation's subscription has ended", live)?;
        }
        Ok(())
    }

    fn audit_variables(&self) -> Result<(), String> {
        let (mut records, mut bytes, mut pending) = (0, 0, 0);
        for id in self.vars.ids() {
            let var = self.vars.get(id);
            if let Some(record) = &var.record {
                records += 1;
                bytes += record.cost(&var.name);
            }
            pending += usize::from(var.pending);
            holds("a variable of nobody takes room", var.referenced || var.record.is_some())?;
            holds("pending without a record", !var.pending || var.record.is_some())?;
        }
        same("records", self.vars.records(), records)?;
        same("pending variables", self.vars.pending, pending)?;
        holds("too many records", records <= self.options.max_variables)?;
        holds("too many bytes of records", bytes <= self.options.max_memory_bytes)?;
        holds("too many instances", self.instances.count() <= self.options.max_instances)
    }

    fn audit_timers(&self) -> Result<(), String> {
        let mut kinds = [0_usize; 7];
        for timer in self.timers.all() {
            let kind = match timer {
                Timer::Op(op) => {
                    holds("a deadline of nothing", self.operations.contains_key(op))?;
                    continue;
                }
                Timer::Redial => 0,
                Timer::Alive => 1,
                Timer::Health => 2,
                Timer::Probe => 3,
                Timer::PeersAnswered => 4,
                // One an inbox, each of which closes by itself.
                Timer::SyncInbox(_) => continue,
                Timer::Handoff => 5,
                Timer::Instances => 6,
            };
            kinds[kind] += 1;
            if kinds[kind] > 1 {
                return Err(format!("{timer:?} is set twice"));
            }
        }
        Ok(())
    }
}
