//! The other hubs of the namespace, as their reports show them.
use super::{Event, Hub, Report, Status, Timer};
use crate::{limits::ONLINE_INTERVALS, time::Now, timers::TimerKey};
use alloc::{string::String, vec::Vec};
use hashbrown::HashMap;
use serde::Serialize;

/// Whether an instance is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// Its last report is younger than three of its intervals.
    Online,
    /// Its last report is older.
    Offline,
    /// This hub is not connected and cannot know.
    Unknown,
}

/// One hub of the namespace; this hub's own reports are among them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Its identity.
    pub instance_id: String,
    /// Whether it is there.
    pub state: Presence,
    /// Milliseconds since its last report.
    pub age_ms: u64,
    /// Milliseconds between its reports.
    pub interval_ms: u64,
    /// Its last report.
    pub status: Status,
}

#[derive(Debug)]
struct Known {
    report: Report,
    seen: u64,
    told_online: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Instances {
    known: HashMap<String, Known>,
    timer: Option<TimerKey>,
}

impl Instances {
    pub fn count(&self) -> usize {
        self.known.len()
    }
}

impl Known {
    fn expires(&self) -> u64 {
        self.seen
            .saturating_add(self.report.interval.saturating_mul(1000 * ONLINE_INTERVALS as u64))
    }
}

impl Hub {
    /// The instances known, by identity.
    pub fn instances(&self, now: Now) -> Vec<Instance> {
        let connected = self.active_link().is_some();
        let known = self.instances.known.iter().map(|(id, known)| Instance {
            instance_id: id.clone(),
            state: match connected {
                false => Presence::Unknown,
                true if now.mono < known.expires() => Presence::Online,
                true => Presence::Offline,
            },
            age_ms: now.mono.saturating_sub(known.seen) / 1000,
            interval_ms: known.report.interval,
            status: known.report.status.clone(),
        });
        let mut list: Vec<Instance> = known.collect();
        list.sort_by(|a, b| a.instance_id.cmp(&b.instance_id));
        list
    }

    pub(super) fn instance_reported(&mut self, now: Now, id: String, report: Report) {
        let full = self.instances.known.len() >= self.options.max_instances;
        if full && !self.instances.known.contains_key(&id) && !self.forget_one_offline(now) {
            return;
        }
        let known = Known { report, seen: now.mono, told_online: true };
        let expires = known.expires();
        self.instances.known.insert(id, known);
        self.events.push_back(Event::Instances);
        if self.instances.timer.is_none_or(|(due, _)| expires < due) {
            self.look_at_instances(expires);
        }
    }

    fn look_at_instances(&mut self, at: u64) {
        let timer = self.timers.set(at, Timer::Instances);
        if let Some(before) = self.instances.timer.replace(timer) {
            self.timers.cancel(before);
        }
    }

    /// Makes room by forgetting the instance that has been silent longest, if one is offline.
    fn forget_one_offline(&mut self, now: Now) -> bool {
        let offline = self.instances.known.iter().filter(|(_, k)| k.expires() <= now.mono);
        let oldest =
            offline.min_by_key(|(id, k)| (k.seen, (*id).clone())).map(|(id, _)| id.clone());
        oldest.is_some_and(|id| self.instances.known.remove(&id).is_some())
    }

    /// Looks who has gone silent, and when to look again.
    pub(super) fn instances_due(&mut self, now: Now) {
        self.instances.timer = None;
        let mut changed = false;
        for known in self.instances.known.values_mut() {
            if known.told_online && known.expires() <= now.mono {
                known.told_online = false;
                changed = true;
            }
        }
        if changed {
            self.events.push_back(Event::Instances);
        }
        let online = self.instances.known.values().filter(|k| k.told_online);
        if let Some(next) = online.map(Known::expires).min() {
            self.look_at_instances(next);
        }
    }

    /// The connection came or went: what is known of the others changes with it.
    pub(super) fn presence_changed(&mut self) {
        if !self.instances.known.is_empty() {
            self.events.push_back(Event::Instances);
        }
    }
}
