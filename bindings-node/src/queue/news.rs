//! What has happened with queues, until JavaScript fetches it: one wake for as much as comes in between.
use crate::{
    text::{list, number, string},
    wake::Wake,
};
use posthouse_kit::Error;
use posthouse_queue::{Batch, Consumer, Refusal};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// How an operation ended well.
pub(super) enum End {
    Nothing,
    Consumer(Box<Consumer>),
    Batch(Batch),
}

pub(super) enum Item {
    Done(u64, Result<End, Refusal>),
    /// The handler of that batch should leave off.
    Cancelled(u64),
    /// That batch has ended, whoever ended it.
    Ended(u64),
}

/// First items of news; `lib/queue/port.js` has the same.
mod kind {
    pub(super) const DONE: u64 = 0;
    pub(super) const FAILED: u64 = 1;
    pub(super) const CANCELLED: u64 = 2;
    pub(super) const ENDED: u64 = 3;
}

pub(super) struct News {
    waiting: Mutex<VecDeque<Item>>,
    wake: Arc<Wake>,
    closed: AtomicBool,
}

impl News {
    pub(super) fn new(wake: Arc<Wake>) -> Self {
        Self { waiting: Mutex::default(), wake, closed: AtomicBool::new(false) }
    }

    pub(super) fn tell(&self, item: Item) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back(item);
        // With more than one the wake is on its way.
        if waiting.len() == 1 {
            drop(waiting);
            self.wake.call();
        }
    }

    /// Nobody fetches them any more: what is left.
    pub(super) fn close(&self) -> Vec<Item> {
        self.closed.store(true, Ordering::Relaxed);
        self.take(usize::MAX)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// The oldest `most`; another wake follows where there are more.
    pub(super) fn take(&self, most: usize) -> Vec<Item> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = most.min(waiting.len());
        let taken = waiting.drain(..count).collect();
        if !waiting.is_empty() {
            drop(waiting);
            self.wake.call();
        }
        taken
    }
}

/// Writes news as one JSON text, `[kind, id, …]` each. `adopt` gives what an
/// operation has made its number.
pub(super) fn write(
    out: &mut Vec<u8>,
    items: Vec<Item>,
    mut adopt: impl FnMut(End) -> Option<u64>,
) {
    out.push(b'[');
    list(out, items.into_iter(), |out, item| {
        let (kind, id) = match &item {
            Item::Done(id, Ok(_)) => (kind::DONE, *id),
            Item::Done(id, Err(_)) => (kind::FAILED, *id),
            Item::Cancelled(id) => (kind::CANCELLED, *id),
            Item::Ended(id) => (kind::ENDED, *id),
        };
        out.push(b'[');
        number(out, kind);
        out.push(b',');
        number(out, id);
        out.push(b',');
        match item {
            Item::Done(_, Err(refusal)) => refused(out, &refusal),
            Item::Done(_, Ok(end)) => match adopt(end) {
                Some(made) => number(out, made),
                None => out.extend_from_slice(b"null"),
            },
            Item::Cancelled(_) | Item::Ended(_) => out.extend_from_slice(b"null"),
        }
        out.push(b']');
    });
    out.push(b']');
}

/// `[code,message,limit,actual,index,fault]`
fn refused(out: &mut Vec<u8>, refusal: &Refusal) {
    out.push(b'[');
    match refusal {
        Refusal::Error(error) => {
            words(out, error.code().as_str(), error.message());
            for figure in figures(error) {
                out.push(b',');
                match figure {
                    Some(figure) => number(out, figure),
                    None => out.extend_from_slice(b"null"),
                }
            }
            out.extend_from_slice(b",false]");
        }
        Refusal::Fault(fault) => {
            words(out, fault.code().as_str(), fault.message());
            out.extend_from_slice(b",null,null,null,true]");
        }
    }
}

fn words(out: &mut Vec<u8>, code: &str, message: &str) {
    string(out, code);
    out.push(b',');
    string(out, message);
}

fn figures(error: &Error) -> [Option<u64>; 3] {
    [error.limit(), error.actual(), error.index().map(|index| index as u64)]
}
