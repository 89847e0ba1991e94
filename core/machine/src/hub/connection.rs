//! The life of the connection: dialling, greeting, joining, activation, loss.
use super::{
    Action, DialId, Hub, Level, Life, Op, Outcome, Timer, operations::Kind, problems::Cause,
};
use crate::{
    Code, Error,
    frame::{self, ConnectFields, Info},
    link::{Awaited, Link, LinkId, RecordStream, Route, Stage},
    pool::{EndpointId, Next},
    subs::SubState,
    time::Now,
};
use alloc::{format, string::String, vec::Vec};

/// The search for a connection.
#[derive(Debug)]
pub(crate) enum Dialling {
    Waiting,
    Under(DialId, EndpointId),
}

/// A connection that held this long starts the pauses between attempts from the shortest again.
const SETTLED_US: u64 = 5_000_000;

impl Hub {
    /// Begins to connect. Call once.
    pub fn start(&mut self) {
        self.dial_next();
    }

    pub(super) fn redial(&mut self) {
        self.dialling = None;
        self.dial_next();
    }

    fn dial_next(&mut self) {
        if self.life == Life::Closed || self.link.is_some() || self.dialling.is_some() {
            return;
        }
        if let Some(endpoint) = self.pool.next(self.last_endpoint) {
            let dial = DialId(self.id());
            self.dialling = Some(Dialling::Under(dial, endpoint));
            self.actions.push_back(Action::Dial(dial, endpoint));
            self.status_changed = true;
        }
    }

    /// An attempt to connect failed. `AUTH_FAILED` and `INVALID_SERVER` mean that waiting does not mend it.
    pub fn handle_dial_failed(&mut self, now: Now, dial: DialId, error: &Error) {
        if self.switch_dial_failed(now, dial, error) {
            return;
        }
        let Some(Dialling::Under(current, endpoint)) = self.dialling else { return };
        if current == dial {
            self.dialling = None;
            self.attempt_failed(now, endpoint, error);
        }
    }

    fn attempt_failed(&mut self, now: Now, endpoint: EndpointId, error: &Error) {
        let text = format!("{}: {}", self.pool.url(endpoint), error.message());
        self.log(Level::Debug, Some(error.code()), text);
        self.problems.happened(now, error);
        self.problems.began(now, Cause::Connection, error);
        self.status_changed = true;
        match self.pool.failed(endpoint, error, &mut self.rng) {
            Next::Dial => self.dial_next(),
            Next::Wait(ms, hopeless) => {
                self.timers.set(now.after_ms(ms), Timer::Redial);
                self.dialling = Some(Dialling::Waiting);
                if let Some(error) = hopeless {
                    let text = format!("no server can be used: {}; trying on", error.message());
                    self.log(Level::Warning, Some(error.code()), text);
                    self.finish_all(|k| matches!(k, Kind::Connected), &Err(error.clone().into()));
                    self.refused_by_all = Some(error);
                } else {
                    self.refused_by_all = None;
                }
            }
        }
    }

    /// A connection is up and its INFO is read. Gives its number, or none if it is not wanted any
    /// more: then close it. Of `fields` only the credentials and `tls_required` are used.
    pub fn handle_connected(
        &mut self,
        now: Now,
        dial: DialId,
        info: Info,
        fields: &ConnectFields<'_>,
    ) -> Option<LinkId> {
        let (endpoint, switching) = match (&self.dialling, self.switch_endpoint(dial)) {
            (_, Some(endpoint)) => (endpoint, true),
            (&Some(Dialling::Under(current, endpoint)), None) if current == dial => {
                (endpoint, false)
            }
            _ => return None,
        };
        if !info.headers {
            let error = Error::new(
                Code::InvalidServer,
                "the server does not take message headers; use nats-server 2.2 or newer, or a Posthouse node",
            );
            self.handle_dial_failed(now, dial, &error);
            return None;
        }
        let id = LinkId(self.id());
        let most = &self.options.messaging;
        // State records may be a little larger than any message: name, version and escapes.
        let frame_limit = (most.payload_bytes + most.header_bytes).max(128 * 1024);
        let mut link = Link::new(id, endpoint, info, now.mono, frame_limit);
        let name = format!("posthouse {} {}", self.config.sdk, self.instance_id);
        let fields = ConnectFields {
            verbose: false,
            pedantic: false,
            name: &name,
            lang: &self.config.sdk,
            version: &self.config.version,
            protocol: 1,
            echo: true,
            headers: true,
            no_responders: true,
            ..fields.clone()
        };
        frame::connect(&mut link.out, &fields);
        link.ping(now.mono, Awaited::Greeting);
        if switching {
            self.switch_connected(link);
        } else {
            self.dialling = None;
            self.link = Some(link);
            self.schedule_alive(now);
        }
        Some(id)
    }

    /// The server has accepted the credentials of the current connection.
    pub(super) fn greeted(&mut self, now: Now) {
        let Some(link) = &self.link else { return };
        self.pool.connected(link.endpoint);
        self.last_endpoint = Some(link.endpoint);
        self.refused_by_all = None;
        self.learn(now);
        self.begin_join(now);
    }

    /// Sets up all subscriptions on the current connection.
    pub(super) fn begin_join(&mut self, now: Now) {
        self.vars.forget_sent();
        // What was refused on the last connection may be granted on this one; else it is told anew.
        self.problems.passed(|cause| matches!(cause, Cause::Publish | Cause::Standing(_)));
        let sids = [self.id(), self.id(), self.id()];
        let Some(link) = &mut self.link else { return };
        link.stage = Stage::Joining;
        link.subscribe(sids[0], &self.names.state_all(), None, Route::State);
        link.subscribe(sids[1], &self.names.sync(), None, Route::Sync);
        link.subscribe(sids[2], &self.names.health_all(), None, Route::Health);
        if self.drain.is_none() {
            for id in self.subs.ids() {
                if self.subs.all.get(&id).is_some_and(|s| s.state == SubState::Active) {
                    self.write_sub(id);
                }
            }
        }
        if let Some(link) = &mut self.link {
            link.ping(now.mono, Awaited::Joined);
        }
    }

    /// The server has set up the subscriptions: publish what is held.
    pub(super) fn joined(&mut self, now: Now) {
        if let Some(link) = &mut self.link {
            link.stage = Stage::Publishing;
            link.streams.push_back(RecordStream { inbox: None, next: 0 });
        }
        self.write_waiting(now);
    }

    /// The server has processed what is held: the connection is active.
    pub(super) fn activate(&mut self, now: Now, records: u64) {
        let Some(link) = &mut self.link else { return };
        link.stage = Stage::Active;
        link.active_since = Some(now.mono);
        let url = self.pool.url(link.endpoint);
        let text = format!("connected to {url}");
        if self.ever_active {
            self.traffic.reconnects += 1;
        }
        self.ever_active = true;
        self.problems.passed(|cause| *cause == Cause::Connection);
        self.log(Level::Info, None, text);
        self.records_confirmed(now, records);
        self.messages_pass(now);
        self.start_health(now);
        // Answers given over an earlier connection may not have arrived.
        self.asked.clear();
        self.ask_peers(now);
        self.schedule_probe(now);
        self.write_waiting(now);
        self.advance_drain(now);
        if let Some(link) = self.link.as_ref().filter(|l| l.info.ldm) {
            self.server_leaves(now, link.endpoint);
        }
    }

    /// Messages pass from now on: goes on with what waited for that.
    pub(super) fn messages_pass(&mut self, now: Now) {
        self.finish_all(|kind| matches!(kind, Kind::Connected), &Ok(Outcome::Unit));
        for op in self.operations_where(|kind| matches!(kind, Kind::Flush(false))) {
            self.write_flush(now, op);
        }
        self.all_changed();
        self.presence_changed();
        self.status_changed = true;
    }

    /// The transport is gone: its end was read, a write failed, or the driver gave it up.
    pub fn handle_disconnected(&mut self, now: Now, link: LinkId, why: &str) {
        let error = Error::new(Code::Disconnected, format!("the connection was lost: {why}"));
        self.handle_broken(now, link, &error);
    }

    /// As [`Hub::handle_disconnected`], where the driver knows more: a certificate that the server
    /// refuses shows only when it should answer.
    pub fn handle_broken(&mut self, now: Now, link: LinkId, error: &Error) {
        if !self.switch_link_lost(now, link, error) && self.is_current(link) {
            self.lose(now, error);
        }
    }

    /// The endpoint of the current connection.
    pub fn current_endpoint(&self) -> Option<EndpointId> {
        self.link.as_ref().map(|l| l.endpoint)
    }

    pub(super) fn is_current(&self, link: LinkId) -> bool {
        self.link.as_ref().is_some_and(|l| l.id == link)
    }

    /// Gives the current connection up.
    pub(super) fn drop_link(&mut self, now: Now, error: &Error) {
        if let Some(link) = &self.link {
            self.actions.push_back(Action::Close(link.id));
        }
        self.lose(now, error);
    }

    /// The current connection is gone: nothing written to it is known to have arrived.
    fn lose(&mut self, now: Now, error: &Error) {
        let Some(link) = self.link.take() else { return };
        self.stop_alive();
        if link.stage == Stage::Greeting {
            return self.attempt_failed(now, link.endpoint, error);
        }
        let was_active = link.stage == Stage::Active;
        if link.active_since.is_some_and(|at| now.mono.saturating_sub(at) >= SETTLED_US) {
            self.pool.settled();
        }
        let next = self.handoff.take();
        self.report_lasting(now, Cause::Connection, error);
        self.forget_link(now, error);
        if was_active {
            self.all_changed();
        }
        if next.is_some_and(|handoff| self.adopt_switch(now, handoff)) {
            return;
        }
        self.pool.lost();
        let ms = self.pool.pause(&mut self.rng);
        self.timers.set(now.after_ms(ms), Timer::Redial);
        self.dialling = Some(Dialling::Waiting);
        self.advance_drain(now);
    }

    /// Ends what belongs to a connection that is gone. What waits for another one stays.
    pub(super) fn forget_link(&mut self, now: Now, error: &Error) {
        self.vars.forget_sent();
        self.fail_requests(error, |_| true);
        let lost = Err(error.clone().into());
        self.finish_all(|kind| matches!(kind, Kind::Flush(true)), &lost);
        for timer in [self.health_timer.take(), self.probe_timer.take()].into_iter().flatten() {
            self.timers.cancel(timer);
        }
        for id in self.subs.ids() {
            let Some(sub) = self.subs.all.get_mut(&id) else { continue };
            sub.sid = None;
            match sub.state {
                SubState::Registering(_) => self.end_sub(now, id, Some(error.clone())),
                SubState::Draining(_, false) => self.retired(now, id),
                _ => {}
            }
        }
        self.presence_changed();
        self.status_changed = true;
    }

    /// Takes what a server tells of itself and its cluster.
    pub(super) fn learn(&mut self, now: Now) {
        let Some(link) = &self.link else { return };
        let endpoint = link.endpoint;
        let websocket = self.pool.url(endpoint).starts_with("ws");
        let urls: Vec<String> = if websocket {
            link.info.ws_connect_urls.clone()
        } else {
            link.info.connect_urls.clone()
        };
        let leaving = link.info.ldm;
        for (id, url) in self.pool.gossip(&urls, endpoint) {
            self.actions.push_back(Action::Learned(id, url));
        }
        if leaving {
            self.server_leaves(now, endpoint);
        }
    }

    pub(super) fn schedule_alive(&mut self, now: Now) {
        self.stop_alive();
        // The first look says when the next one is due.
        let half = self.options.ping_interval_ms.div_ceil(2);
        self.alive_timer = Some(self.timers.set(now.after_ms(half), Timer::Alive));
    }

    fn stop_alive(&mut self) {
        if let Some(timer) = self.alive_timer.take() {
            self.timers.cancel(timer);
        }
    }

    /// Counts on received bytes only: what the transport accepts proves nothing.
    pub(super) fn check_alive(&mut self, now: Now) {
        self.alive_timer = None;
        let limit = self.options.ping_interval_ms.saturating_mul(1000);
        let missed = self.options.ping_missed as u64;
        let limit = limit.saturating_mul(missed + 1);
        // Where no PING may stay unanswered, one is still needed before the time is over.
        let interval = limit / (missed + 1).max(2);
        let Some(link) = &mut self.link else { return };
        let idle = now.mono.saturating_sub(link.last_received);
        if idle >= limit {
            let error = Error::new(
                Code::Disconnected,
                format!("the server has sent nothing for {} ms and counts as gone", idle / 1000),
            );
            return self.drop_link(now, &error);
        }
        if idle >= interval {
            link.ping(now.mono, Awaited::Alive);
        }
        let next = interval.saturating_mul(idle / interval + 1).min(limit);
        let at = link.last_received.saturating_add(next);
        self.alive_timer = Some(self.timers.set(at, Timer::Alive));
    }

    fn schedule_probe(&mut self, now: Now) {
        let at = now.after_ms(self.options.probe_interval_ms);
        let before = self.probe_timer.replace(self.timers.set(at, Timer::Probe));
        if let Some(before) = before {
            self.timers.cancel(before);
        }
    }

    /// Time to repair what was missed and to look whether another server is better.
    pub(super) fn probe_due(&mut self, now: Now) {
        let Some(link) = self.link.as_mut().filter(|l| l.stage == Stage::Active) else { return };
        link.ping(now.mono, Awaited::Alive);
        let (endpoint, leaving) = (link.endpoint, link.info.ldm);
        self.ask_peers(now);
        if leaving {
            self.server_leaves(now, endpoint);
        }
        if self.handoff.is_none() && self.drain.is_none() {
            for other in self.pool.to_probe(endpoint) {
                self.actions.push_back(Action::Probe(other));
            }
        }
        self.schedule_probe(now);
    }

    /// The bytes to write to a connection are swapped for `buffer`, which must be empty.
    /// Tell [`Hub::handle_written`] once they are written.
    pub fn take_output(&mut self, id: LinkId, buffer: &mut Vec<u8>) {
        if let Some(link) = self.link_mut(id) {
            core::mem::swap(&mut link.out, buffer);
            link.unwritten += buffer.len();
        }
    }

    /// Whether a connection has bytes to write.
    pub fn has_output(&self, id: LinkId) -> bool {
        self.output_bytes(id) > 0
    }

    /// How many bytes a connection has to write.
    pub fn output_bytes(&self, id: LinkId) -> usize {
        let next = self.handoff.as_ref().and_then(|h| h.link());
        self.link.iter().chain(next).find(|l| l.id == id).map_or(0, |l| l.out.len())
    }

    /// Bytes taken from a connection were handed to the system.
    pub fn handle_written(&mut self, now: Now, id: LinkId, bytes: usize) {
        let Some(link) = self.link_mut(id) else { return };
        link.unwritten = link.unwritten.saturating_sub(bytes);
        let waits = !link.dirty.is_empty() || !link.streams.is_empty();
        if waits && !link.busy() && self.is_current(id) {
            self.write_waiting(now);
        }
    }

    pub(super) fn link_mut(&mut self, id: LinkId) -> Option<&mut Link> {
        let next = self.handoff.as_mut().and_then(|h| h.link_mut());
        self.link.iter_mut().chain(next).find(|l| l.id == id)
    }

    /// Cleans up at once: every operation ends with `CLOSED`, every subscription and watch ends.
    pub fn close(&mut self, now: Now) {
        self.close_with(now, None);
    }

    pub(super) fn close_with(&mut self, now: Now, drained: Option<Op>) {
        if self.life == Life::Closed {
            return;
        }
        self.life = Life::Closed;
        let error = super::closed();
        if let Some(op) = drained {
            self.finish(op, Ok(Outcome::Unit));
        }
        self.drain = None;
        if let Some(Dialling::Under(dial, _)) = self.dialling.take() {
            self.actions.push_back(Action::Abandon(dial));
        }
        self.abandon_switch();
        if let Some(link) = self.link.take() {
            self.actions.push_back(Action::Close(link.id));
        }
        for id in self.subs.ids() {
            self.end_sub(now, id, None);
        }
        self.fail_requests(&error, |_| true);
        self.finish_all(|_| true, &Err(error.into()));
        self.watches.clear();
        self.timers.clear();
        self.status_changed = true;
    }
}
