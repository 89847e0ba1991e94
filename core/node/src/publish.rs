//! One message to everyone who gets it, and what has to be done about those who cannot take it.

use std::time::Duration;

use crate::deliver::{Delivery, Outlets, Tails};
use crate::frame::Publish;
use crate::router::{ClientId, OVERFULL, Router};
use crate::subject;
use crate::trie::SubId;
use crate::violation::Violation;

/// For how long a publisher is held back once half of what may wait for a receiver does: enough to
/// slow the publisher down to what the receiver can take, too little for one stuck receiver to matter
/// to others.
const HOLD: Duration = Duration::from_millis(2);
/// What is added to that by the time the other half is nearly used up, too.
const HOLD_MORE: Duration = Duration::from_millis(18);

impl Router {
    pub(crate) fn publish(&mut self, id: ClientId, message: &Publish<'_>) {
        let client = &self.clients[id.0 as usize];
        if message.header().is_some() && !client.headers {
            return self.violated(id, Violation::HeadersNotSupported);
        }
        self.stats.messages_in += 1;
        self.stats.bytes_in += message.body().len() as u64;
        let (verbose, pedantic) = (client.verbose, client.pedantic);
        if client.last.epoch != self.cache.epoch() || client.last.subject != message.subject() {
            self.look_up(id, message.subject());
        }
        let route = self.clients[id.0 as usize].last.route;
        if verbose {
            self.agree(id);
        }
        if pedantic && !self.cache.get(route).literal {
            self.violated(id, Violation::InvalidPublishSubject);
        }

        let mut tails = Tails::new(message);
        let mut outlets = Outlets {
            clients: &mut self.clients,
            subs: &mut self.subs,
            woken: &mut self.woken,
            stats: &mut self.stats,
            max_pending: self.max_pending,
        };
        let mut delivered = false;
        let routes = self.cache.get(route);
        for target in &routes.plain {
            let outcome = outlets.deliver(id.0, *target, &mut tails);
            delivered |= outcome != Delivery::Refused;
            if outcome.needs_more() {
                self.leftover.push((*target, outcome));
            }
        }
        for group in &routes.groups {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            let start = (self.random >> 32) as usize % group.len();
            for target in group[start..].iter().chain(&group[..start]) {
                let outcome = outlets.deliver(id.0, *target, &mut tails);
                if outcome.needs_more() {
                    self.leftover.push((*target, outcome));
                }
                if outcome != Delivery::Refused {
                    delivered = true;
                    break;
                }
            }
        }
        while let Some((target, outcome)) = self.leftover.pop() {
            match outcome {
                Delivery::Last => self.drop_sub(target.sub),
                Delivery::Behind => self.hold_back(id, target.client),
                _ => self.cut_slow(ClientId(target.client), OVERFULL),
            }
        }
        if !delivered && !message.reply().is_empty() {
            self.no_responders(id, message.reply());
        }
    }

    #[cold]
    fn look_up(&mut self, id: ClientId, subject: &[u8]) {
        let subs = &self.subs;
        let route = self.cache.find(subject, &self.trie, |key| {
            let sub = &subs[key as usize];
            (sub.client, sub.queue.as_deref())
        });
        let last = &mut self.clients[id.0 as usize].last;
        last.subject.clear();
        last.subject.extend_from_slice(subject);
        (last.epoch, last.route) = (self.cache.epoch(), route);
    }

    /// Status 503 to the requester's own subscription on the reply subject.
    fn no_responders(&mut self, id: ClientId, reply: &[u8]) {
        let client = &self.clients[id.0 as usize];
        if !client.no_responders || !client.headers || !subject::has_no_empty_level(reply) {
            return;
        }
        let mut found: Option<SubId> = None;
        self.trie.find(reply, |key| {
            let sub = &self.subs[key as usize];
            let better = found.is_none() || *sub.subject == *reply;
            if sub.client == id.0 && sub.queue.is_none() && better {
                found = Some(key);
            }
        });
        if let Some(key) = found {
            let status = b"16 16\r\nNATS/1.0 503\r\n\r\n\r\n";
            let line =
                [b"HMSG ", reply, b" ", &*self.subs[key as usize].sid, b" ", status].concat();
            self.say(id, &line);
        }
    }

    pub(crate) fn hold_back(&mut self, publisher: ClientId, receiver: u32) {
        let half = self.max_pending / 2;
        let client = &mut self.clients[receiver as usize];
        let beyond = client.pending().saturating_sub(half) as f64 / half as f64;
        let hold = HOLD + HOLD_MORE.mul_f64(beyond.min(1.0));
        if !client.holds.contains(&publisher.0) {
            client.holds.push(publisher.0);
        }
        self.clients[publisher.0 as usize].hold = Some(hold);
    }

    pub(crate) fn caught_up(&mut self, receiver: ClientId) {
        for key in std::mem::take(&mut self.clients[receiver.0 as usize].holds) {
            if self.clients.get_mut(key as usize).is_some_and(|held| held.hold.take().is_some()) {
                self.rouse(ClientId(key));
            }
        }
    }
}
