//! Bringing replicas together: streams of records, questions to the others, answers to theirs.
use super::{Hub, Timer};
use crate::{
    fields::{members, string},
    frame,
    link::{Awaited, RecordStream, Route, Stage},
    name,
    time::Now,
    vars::VarId,
};
use alloc::{format, string::String};

/// Inboxes of our own questions that may be open at a time.
const SYNC_INBOXES: usize = 8;

impl Hub {
    /// Asks the other instances for all that they hold.
    pub(super) fn ask_peers(&mut self, now: Now) {
        let sid = self.id();
        let inbox = self.names.inbox(&self.rng.uuid());
        let Some(link) = self.link.as_mut().filter(|l| l.stage == Stage::Active) else { return };
        link.subscribe(sid, &inbox, None, Route::SyncInbox);
        link.sync_inboxes.push_back(sid);
        // Questions may be asked more often than their inboxes close.
        if link.sync_inboxes.len() > SYNC_INBOXES
            && let Some(oldest) = link.sync_inboxes.pop_front()
        {
            link.unsubscribe(oldest);
        }
        let query = format!("{{\"instanceId\":\"{}\"}}", self.instance_id);
        frame::publish(&mut link.out, &self.names.sync(), Some(&inbox), None, query.as_bytes());
        self.count_sent(query.len());
        let open = self.options.peer_timeout_or_default_ms();
        self.timers.set(now.after_ms(open), Timer::SyncInbox(sid));
        // The others ignore a second query within the peer time-out, as one soon after a
        // reconnect is; what was missed meanwhile would stay unknown until the next probe.
        let quiet = open.saturating_mul(1000);
        let soon = |at: u64| now.mono.saturating_sub(at) < quiet;
        self.query_again = self.last_query.is_some_and(soon).then_some(sid);
        self.last_query = Some(now.mono);
    }

    /// An inbox has been open long enough.
    pub(super) fn sync_inbox_due(&mut self, now: Now, sid: u64) {
        self.close_sync_inbox(sid);
        if self.query_again == Some(sid) {
            self.ask_peers(now);
        }
    }

    fn close_sync_inbox(&mut self, sid: u64) {
        if let Some(link) = &mut self.link
            && let Some(at) = link.sync_inboxes.iter().position(|&open| open == sid)
        {
            link.sync_inboxes.remove(at);
            link.unsubscribe(sid);
        }
    }

    /// Another instance asks for what we hold.
    pub(super) fn peer_asked(&mut self, now: Now, reply: Option<&[u8]>, payload: &[u8]) {
        let Ok([Some(asking)]) = members(payload, ["instanceId"]) else { return };
        let Ok(asking) = string(asking) else { return };
        let inbox = reply.and_then(|r| core::str::from_utf8(r).ok());
        let Some(inbox) = inbox.filter(|inbox| self.names.inbox_id(inbox).is_some()) else {
            return;
        };
        if asking == self.instance_id || !name::is_id(&asking) {
            return;
        }
        let quiet = self.options.peer_timeout_or_default_ms().saturating_mul(1000);
        self.asked.retain(|_, at| now.mono.saturating_sub(*at) < quiet);
        if self.asked.contains_key(asking.as_ref())
            || self.asked.len() >= self.options.max_instances
        {
            return;
        }
        self.asked.insert(asking.into_owned(), now.mono);
        if let Some(link) = &mut self.link {
            link.streams.push_back(RecordStream { inbox: Some(inbox.into()), next: 0 });
        }
        self.write_waiting(now);
    }

    /// Writes what waits for room: coalesced variables first, then streams of records.
    pub(super) fn write_waiting(&mut self, now: Now) {
        self.write_dirty(now, false);
        while let Some(stream) = self.next_stream() {
            self.write_stream(now, stream);
        }
        self.confirm_records(now);
    }

    /// Writes variables that were coalesced; all of them if `all`, else while there is room.
    pub(super) fn write_dirty(&mut self, now: Now, all: bool) {
        while let Some(link) = &mut self.link {
            if !all && link.busy() {
                break;
            }
            let Some(var) = link.dirty.pop_front() else { break };
            self.vars.get_mut(var).queued = false;
            self.write_record(var);
        }
        self.confirm_records(now);
    }

    fn next_stream(&mut self) -> Option<RecordStream> {
        let link = self.link.as_mut().filter(|l| !l.busy())?;
        link.streams.pop_front()
    }

    /// Writes a stream until it ends or the transport is busy; what is left is put back.
    fn write_stream(&mut self, now: Now, mut stream: RecordStream) {
        while stream.next < self.vars.len() {
            if self.link.as_ref().is_none_or(crate::link::Link::busy) {
                if let Some(link) = &mut self.link {
                    link.streams.push_front(stream);
                }
                return;
            }
            let var = VarId(stream.next);
            stream.next += 1;
            match &stream.inbox {
                // Written since this connection began: it need not go twice.
                None if self.vars.get(var).sent > 0 => {}
                None => self.write_record(var),
                Some(inbox) => self.write_record_to(var, inbox),
            }
        }
        if stream.inbox.is_some() {
            self.health_soon(now);
        } else if let Some(link) = &mut self.link {
            let written = link.records_written;
            link.ping(now.mono, Awaited::Published(written));
        }
    }

    fn write_record_to(&mut self, var: VarId, inbox: &str) {
        let var = self.vars.get(var);
        let (Some(record), Some(link)) = (&var.record, &mut self.link) else { return };
        self.scratch.clear();
        record.write(&var.name, &mut self.scratch);
        let size = self.scratch.len();
        if link.info.max_payload == 0 || size as u64 <= link.info.max_payload {
            frame::publish(&mut link.out, inbox, None, None, &self.scratch);
            self.count_sent(size);
        }
    }

    /// The name that a subject of a state record stands for is checked where the record is read.
    pub(super) fn state_frame(&mut self, now: Now, subject: &[u8], payload: &[u8]) {
        if let Ok(subject) = core::str::from_utf8(subject) {
            let subject = String::from(subject);
            self.record_arrived(now, Some(&subject), payload);
        }
    }
}
