//! What must be true: which messages were accepted, who must have got them, and who got them.
use crate::cast::{ConnId, HostId, MessageId};
use posthouse_core::hub::SubId;
use std::collections::{BTreeMap, BTreeSet};

/// That an accepted message reaches a subscription, if nothing goes wrong until it is due.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub message: MessageId,
    pub to: (HostId, SubId),
    /// The sender and both sides' troubles when it was sent.
    pub from: HostId,
    pub troubles: (u64, u64, u64),
    /// It was due and nothing had gone wrong.
    pub binding: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Oracle {
    /// Every message that a program tried to send; where it was accepted, the newest connection
    /// that its hub had then.
    pub accepted: BTreeMap<MessageId, Option<ConnId>>,
    pub expectations: Vec<Expectation>,
    delivered: BTreeSet<(HostId, SubId, MessageId)>,
    /// Who of a queue group got a message.
    groups: BTreeSet<MessageId>,
    passed: BTreeSet<MessageId>,
    last: MessageId,
    pub deliveries: u64,
}

impl Oracle {
    pub fn message(&mut self) -> MessageId {
        self.last += 1;
        self.last
    }

    /// The broker has passed a message on that came over this connection.
    pub fn passed(&mut self, message: MessageId, over: Option<ConnId>) -> Result<(), String> {
        let Some(&Some(newest)) = self.accepted.get(&message) else {
            return Err(format!("message {message} was sent although it was not accepted"));
        };
        if over.is_none_or(|over| over > newest) {
            return Err(format!("message {message} was replayed over connection {over:?}"));
        }
        if !self.passed.insert(message) {
            return Err(format!("message {message} was sent twice"));
        }
        Ok(())
    }

    /// A program was given a message.
    pub fn delivered(
        &mut self,
        host: HostId,
        sub: SubId,
        message: MessageId,
        queue: bool,
    ) -> Result<(), String> {
        self.deliveries += 1;
        if !matches!(self.accepted.get(&message), Some(Some(_))) {
            return Err(format!("message {message} arrived although it was not accepted"));
        }
        if !self.delivered.insert((host, sub, message)) {
            return Err(format!("message {message} arrived twice at {sub:?} of hub {host}"));
        }
        if queue && !self.groups.insert(message) {
            return Err(format!("message {message} arrived at two members of a queue group"));
        }
        Ok(())
    }

    pub fn has(&self, host: HostId, sub: SubId, message: MessageId) -> bool {
        self.delivered.contains(&(host, sub, message))
    }
}
