//! Variables: writing, reading, and taking over what others wrote.
use super::{Hub, problems::Cause};
use crate::{
    Code, Error, Result, json,
    link::{Awaited, Stage},
    record::{Record, Version},
    time::Now,
    vars::VarId,
};
use alloc::{boxed::Box, format, vec::Vec};
use core::cmp::Ordering;
use serde::Serialize;

/// What is known of a variable besides its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Whether it is known if there is a value.
    pub initialized: bool,
    /// Whether there is a value; `None` while that is unknown.
    pub exists: Option<bool>,
    /// The version held, a deletion's included.
    pub version: Option<Version>,
    /// A write of this hub that no server has confirmed yet.
    pub pending: bool,
    /// Whether the hub has an active connection.
    pub connected: bool,
}

impl Hub {
    /// Writes a value: JSON text within the limits of values. Works offline.
    ///
    /// # Errors
    /// `INVALID_VALUE`, `VALUE_TOO_LARGE`, `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    pub fn set(&mut self, now: Now, var: VarId, value: &[u8]) -> Result<()> {
        self.check_open()?;
        let mut canonical = Vec::with_capacity(value.len());
        json::canonical(value, &mut canonical, &self.record_limits)
            .map_err(|e| e.into_error(Code::InvalidValue, Code::ValueTooLarge))?;
        self.write(now, var, Some(canonical.into_boxed_slice()))
    }

    /// Deletes a value: writes that there is none. Works offline.
    ///
    /// # Errors
    /// `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    pub fn delete(&mut self, now: Now, var: VarId) -> Result<()> {
        self.check_open()?;
        self.write(now, var, None)
    }

    fn write(&mut self, now: Now, var: VarId, value: Option<Box<[u8]>>) -> Result<()> {
        let Some(counter) = self.vars.clock.next() else {
            return Err(Error::new(
                Code::MemoryFull,
                "the version counter of this namespace has reached its 40 digits; no variable can be written any more: use a new namespace",
            ));
        };
        let record = Record { version: Version { counter, writer: self.writer.clone() }, value };
        self.vars.check_room(self.vars.name(var), &record)?;
        self.hold(var, record);
        self.vars.set_pending(var, true);
        self.changed(var);
        self.publish_record(now, var);
        Ok(())
    }

    /// The current value in canonical JSON; `None` where there is none or it is unknown.
    pub fn get(&self, var: VarId) -> Option<&[u8]> {
        self.vars.get(var).record.as_ref()?.value.as_deref()
    }

    /// What is known of a variable besides its value.
    pub fn meta(&self, var: VarId) -> Meta {
        let var = self.vars.get(var);
        let initialized = self.peers_answered || var.record.is_some();
        Meta {
            initialized,
            exists: initialized.then(|| var.record.as_ref().is_some_and(|r| r.value.is_some())),
            version: var.record.as_ref().map(|r| r.version.clone()),
            pending: var.pending,
            connected: self.active_link().is_some(),
        }
    }

    /// Publishes a variable's record now, or leaves it for when the transport has room.
    pub(super) fn publish_record(&mut self, now: Now, var: VarId) {
        let Some(link) = self.link.as_mut().filter(|l| l.stage >= Stage::Publishing) else {
            return;
        };
        if !link.busy() {
            self.write_record(var);
            self.confirm_records(now);
        } else if !self.vars.get(var).queued {
            self.vars.get_mut(var).queued = true;
            link.dirty.push_back(var);
        }
    }

    /// Writes a variable's record to its own subject.
    pub(super) fn write_record(&mut self, id: VarId) {
        let Some(link) = &mut self.link else { return };
        let var = self.vars.get_mut(id);
        let Some(record) = &var.record else { return };
        self.scratch.clear();
        record.write(&var.name, &mut self.scratch);
        let size = self.scratch.len();
        if link.info.max_payload > 0 && size as u64 > link.info.max_payload {
            var.refused = true;
            let text = format!(
                "a variable's record has {size} bytes and the server takes {}; it stays pending: raise the server's max_payload",
                link.info.max_payload
            );
            self.events.push_back(super::Event::Log(
                super::Level::Warning,
                Some(Code::MessageTooLarge),
                text,
            ));
            return;
        }
        crate::frame::publish(&mut link.out, &var.subject, None, None, &self.scratch);
        link.records_written += 1;
        var.sent = link.records_written;
        var.refused = false;
        if var.pending {
            link.unconfirmed.push_back((link.records_written, id));
        }
        self.count_sent(size);
    }

    /// The server takes more than before: what was too large for it may go now.
    pub(super) fn write_withheld(&mut self, now: Now) {
        if self.vars.pending == 0 {
            return;
        }
        for id in self.vars.ids() {
            let var = self.vars.get(id);
            if var.pending && var.sent == 0 && var.refused {
                self.publish_record(now, id);
            }
        }
    }

    /// Asks the server to confirm what was written; one question at a time.
    pub(super) fn confirm_records(&mut self, now: Now) {
        let Some(link) = &mut self.link else { return };
        if link.stage == Stage::Active && !link.confirming && !link.unconfirmed.is_empty() {
            link.confirming = true;
            let written = link.records_written;
            link.ping(now.mono, Awaited::Records(written));
        }
    }

    /// The server has processed the records written up to this number.
    pub(super) fn records_confirmed(&mut self, now: Now, up_to: u64) {
        while let Some(link) = &mut self.link {
            let Some(&(_, var)) = link.unconfirmed.front().filter(|(number, _)| *number <= up_to)
            else {
                break;
            };
            link.unconfirmed.pop_front();
            let state = self.vars.get(var);
            if state.pending && !state.refused && state.sent > 0 && state.sent <= up_to {
                self.vars.set_pending(var, false);
                self.changed(var);
            }
        }
        self.confirm_records(now);
        self.advance_drain(now);
    }

    /// A state record has arrived, on a subject of its own or in the inbox of our query.
    pub(super) fn record_arrived(&mut self, now: Now, subject: Option<&str>, payload: &[u8]) {
        if let Some(var) = subject.and_then(|s| self.vars.by_subject(s))
            && self.is_own_echo(var, payload)
        {
            return;
        }
        let (name, record) = match Record::parse(payload, &self.record_limits) {
            Ok(parsed) => parsed,
            Err(error) => return self.report(now, &error),
        };
        if subject.is_some_and(|s| s != self.names.state(&name)) {
            let text = "a state record was refused: its name is not that of its subject; it was ignored, and its sender must be mended";
            return self.report(now, &Error::new(Code::InvalidRecord, text));
        }
        self.vars.clock = self.vars.clock.max(record.version.counter);
        let held = self.vars.by_name(&name).and_then(|var| self.vars.get(var).record.as_ref());
        if let Some(held) = held {
            match record.version.cmp(&held.version) {
                Ordering::Less => return,
                Ordering::Equal if record.value == held.value => return,
                Ordering::Equal => {
                    let text = format!(
                        "two writers gave the variable {name:?} the same version with different content; the one held here stays: write it again to settle it"
                    );
                    return self.report(now, &Error::new(Code::VersionCollision, text));
                }
                Ordering::Greater => {}
            }
        }
        if let Err(error) = self.vars.check_room(&name, &record) {
            self.short = Some(self.vars.needs(&name, &record));
            return self.report_lasting(now, Cause::Memory, &error);
        }
        let var = self.vars.held(&name, &self.names);
        self.hold(var, record);
        self.vars.set_pending(var, false);
        self.changed(var);
        self.advance_drain(now);
    }

    fn hold(&mut self, var: VarId, record: Record) {
        self.vars.hold(var, record);
        if let Some((new, bytes)) = self.short
            && self.vars.has_room(new, bytes)
        {
            self.short = None;
            self.resolved(&Cause::Memory);
        }
    }

    /// Most of what arrives on a subject that we write is our own record coming back.
    fn is_own_echo(&mut self, id: VarId, payload: &[u8]) -> bool {
        let var = self.vars.get(id);
        let Some(record) = var.record.as_ref().filter(|_| var.sent > 0) else { return false };
        self.scratch.clear();
        record.write(&var.name, &mut self.scratch);
        self.scratch == payload
    }
}
