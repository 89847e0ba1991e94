//! The leases that this process holds, and until when they surely last.
//!
//! The server would take an acknowledgement of an old delivery for one of the new. So what counts is our own
//! clock: a lease begins when it was asked for, which is before the server began to count, and past
//! its end nothing is said to the server any more.
use crate::{Renewed, Settled, Ticket};
use bytes::Bytes;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::time::Instant;

/// One lease, with what settling it may need.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) sequence: u64,
    pub(super) until: Instant,
    pub(super) address: String,
    /// Deliveries that do not count.
    pub(super) uncounted: u64,
    /// Whether a note lies beside the message.
    pub(super) noted: bool,
    pub(super) id: String,
    pub(super) timestamp_ms: i64,
    pub(super) body: Bytes,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    state: State,
    lease: Lease,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Held,
    /// Being settled: no longer renewed, because the server takes a sign of life after a wish to retry for
    /// a longer lease.
    Settling,
    Settled,
}

/// All leases of one queue in this process.
#[derive(Debug, Default)]
pub(super) struct Leases(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<u64, Entry>,
    last: u64,
    /// At this size what has ended is thrown out.
    full: usize,
}

impl Leases {
    /// Takes a lease on. An older one of the same message is worth nothing from now on.
    pub(super) fn begin(&self, lease: Lease, now: Instant) -> Ticket {
        let mut table = self.table();
        if table.entries.len() >= table.full {
            table.entries.retain(|_, entry| entry.lease.until > now);
            table.full = (2 * table.entries.len()).max(256);
        }
        table.last += 1;
        let (number, message) = (table.last, lease.sequence);
        table.entries.insert(message, Entry { number, state: State::Held, lease });
        Ticket { message, lease: number, address: None }
    }

    /// The address and the end of a lease that may be renewed.
    pub(super) fn address(&self, ticket: &Ticket, now: Instant) -> Option<(String, Instant)> {
        let table = self.table();
        let entry = held(&table, ticket, now).filter(|entry| entry.state == State::Held)?;
        Some((entry.lease.address.clone(), entry.lease.until))
    }

    /// Makes a lease last until `until`; the old ticket is worth nothing any more.
    pub(super) fn renew(&self, ticket: &Ticket, until: Instant) -> Renewed {
        let mut table = self.table();
        let number = table.last + 1;
        match table.entries.get_mut(&ticket.message) {
            Some(entry) if entry.number == ticket.lease && entry.state == State::Held => {
                entry.number = number;
                entry.lease.until = until;
            }
            _ => return Renewed::Lost,
        }
        table.last = number;
        Renewed::Until(Ticket { lease: number, ..ticket.clone() })
    }

    /// Begins to settle: the lease, or what the answer is already.
    pub(super) fn settle(&self, ticket: &Ticket, now: Instant) -> Result<Lease, Settled> {
        let mut table = self.table();
        let entry = table.entries.get_mut(&ticket.message).filter(|e| e.number == ticket.lease);
        match entry {
            // Said once and asked again, because others of the same call had failed.
            Some(entry) if entry.state == State::Settled => Err(Settled::Done),
            Some(entry) if entry.lease.until > now => {
                entry.state = State::Settling;
                Ok(entry.lease.clone())
            }
            _ => Err(Settled::Lost),
        }
    }

    /// Ends what [`Leases::settle`] began.
    pub(super) fn settled(&self, ticket: &Ticket, done: bool) {
        let mut table = self.table();
        if let Some(entry) =
            table.entries.get_mut(&ticket.message).filter(|e| e.number == ticket.lease)
        {
            entry.state = if done { State::Settled } else { State::Held };
            if done {
                entry.lease.body = Bytes::new();
            }
        }
    }

    /// Until when this process holds the message.
    pub(super) fn until(&self, sequence: u64, now: Instant) -> Option<Instant> {
        let table = self.table();
        let entry = table.entries.get(&sequence)?;
        (entry.state != State::Settled && entry.lease.until > now).then_some(entry.lease.until)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn held<'a>(table: &'a Table, ticket: &Ticket, now: Instant) -> Option<&'a Entry> {
    let entry = table.entries.get(&ticket.message)?;
    (entry.number == ticket.lease && entry.lease.until > now).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn lease(sequence: u64, until: Instant) -> Lease {
        Lease {
            sequence,
            until,
            address: format!("to {sequence}"),
            uncounted: 0,
            noted: false,
            id: String::new(),
            timestamp_ms: 0,
            body: Bytes::from_static(b"1"),
        }
    }

    #[tokio::test]
    async fn a_lease_ends_by_time_and_by_a_newer_one() {
        let (leases, now) = (Leases::default(), Instant::now());
        let second = Duration::from_secs(1);
        let first = leases.begin(lease(1, now + second), now);
        assert_eq!(leases.address(&first, now).unwrap().0, "to 1");
        assert!(leases.address(&first, now + second).is_none());
        assert_eq!(leases.settle(&first, now + second).unwrap_err(), Settled::Lost);
        let newer = leases.begin(lease(1, now + 3 * second), now);
        assert_eq!(leases.settle(&first, now).unwrap_err(), Settled::Lost);
        assert_eq!(leases.renew(&first, now + 9 * second), Renewed::Lost);
        let Renewed::Until(renewed) = leases.renew(&newer, now + 4 * second) else {
            panic!("lost")
        };
        assert_eq!(leases.settle(&newer, now).unwrap_err(), Settled::Lost);
        assert_eq!(leases.until(1, now), Some(now + 4 * second));
        leases.settle(&renewed, now + 3 * second).unwrap();
    }

    #[tokio::test]
    async fn what_is_being_settled_is_not_renewed_and_settled_once() {
        let (leases, now) = (Leases::default(), Instant::now());
        let until = now + Duration::from_secs(1);
        let ticket = leases.begin(lease(1, until), now);
        leases.settle(&ticket, now).unwrap();
        assert!(leases.address(&ticket, now).is_none());
        assert_eq!(leases.renew(&ticket, until), Renewed::Lost);
        leases.settled(&ticket, false);
        assert_eq!(leases.settle(&ticket, now).unwrap().body, "1");
        leases.settled(&ticket, true);
        assert_eq!(leases.settle(&ticket, now).unwrap_err(), Settled::Done);
        assert_eq!(leases.until(1, now), None);
    }

    #[tokio::test]
    async fn what_has_ended_does_not_pile_up() {
        let (leases, mut now) = (Leases::default(), Instant::now());
        for sequence in 0..10_000 {
            now += Duration::from_millis(10);
            leases.begin(lease(sequence, now + Duration::from_secs(1)), now);
        }
        assert!(leases.table().entries.len() <= 512);
    }
}
