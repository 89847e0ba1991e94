//! The table of subscriptions: what waits, what runs, and the budgets of each.
use crate::{
    Error, Progress,
    hub::{Op, Pending, SubId},
    inbox::Inbox,
};
use alloc::{boxed::Box, collections::VecDeque};
use hashbrown::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubState {
    /// Waits for the server to process SUB.
    Registering(Op),
    Active,
    /// Takes nothing new and finishes what it has; the flag says that the server confirmed UNSUB.
    Draining(Option<Op>, bool),
    Ended,
}

#[derive(Debug)]
pub(crate) struct Sub {
    /// The message subject, or its pattern.
    pub subject: Box<str>,
    pub queue: Option<Box<str>>,
    pub pattern: bool,
    /// Takes only what has a reply address.
    pub requests_only: bool,
    pub max_messages: usize,
    pub max_bytes: usize,
    pub state: SubState,
    /// Its number on the current connection.
    pub sid: Option<u64>,
    pub waiting: Inbox,
    /// Numbers and sizes of the messages that the host has taken and not finished, oldest first.
    pub taken: VecDeque<(u64, usize)>,
    /// What whoever handles the taken messages has said since the hub last counted.
    pub progress: Progress,
    /// Bytes waiting and taken.
    pub bytes: usize,
    /// The number of the last message accepted, counted from 1.
    pub accepted: u64,
    /// [`crate::hub::Event::Ready`] is out and the queue was not found empty since.
    pub told: bool,
    pub dropped: u64,
    pub slow: bool,
    pub high_messages: usize,
    pub high_bytes: usize,
    pub error: Option<Error>,
}

impl Sub {
    pub fn messages(&self) -> usize {
        self.waiting.len() + self.taken.len()
    }

    /// Taken messages that are handled and not counted yet, and their bytes.
    pub fn handled(&self) -> (usize, usize) {
        let count = self.progress.waiting().min(self.taken.len());
        (count, self.taken.iter().take(count).map(|(_, bytes)| bytes).sum())
    }

    /// Whether the message of that number was taken and is not handled.
    pub fn is_handling(&self, seq: u64) -> bool {
        let at = self.taken.binary_search_by_key(&seq, |(seq, _)| *seq);
        at.is_ok_and(|at| at >= self.progress.waiting())
    }

    /// Forgets the oldest `count` of the taken messages; says how many there were, and their bytes.
    pub fn forget_taken(&mut self, count: usize) -> (usize, usize) {
        let count = count.min(self.taken.len());
        let bytes = self.taken.drain(..count).map(|(_, bytes)| bytes).sum();
        self.bytes -= bytes;
        (count, bytes)
    }

    /// Makes the room that handled messages still take. The last one stays until the host tells of
    /// it, which it is about to do, for what follows then.
    pub fn count_handled(&mut self, pending: &mut Pending) {
        let handled = self.progress.waiting().min(self.taken.len().saturating_sub(1));
        if handled > 0 {
            self.progress.counted(handled);
            let (count, bytes) = self.forget_taken(handled);
            pending.remove(count, bytes);
        }
    }

    pub fn live(&self) -> bool {
        self.state != SubState::Ended
    }
}

#[derive(Debug, Default)]
pub(crate) struct Subs {
    pub all: HashMap<SubId, Sub>,
}

impl Subs {
    pub fn live(&self) -> usize {
        self.all.values().filter(|sub| sub.live()).count()
    }

    pub fn ids(&self) -> alloc::vec::Vec<SubId> {
        // In order of their making: the map's own order is not the same from run to run.
        let mut ids: alloc::vec::Vec<SubId> = self.all.keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}
