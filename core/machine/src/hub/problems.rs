//! What was reported: what is wrong until its cause has passed, and the last of all.
use crate::{Error, time::Now};
use alloc::{boxed::Box, vec::Vec};

/// What must pass before an error is no longer current.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// There is no connection; passes with the next one.
    Connection,
    /// A queue of received messages is full; passes when it is empty.
    Slow,
    /// The server refused a publication; passes when a flush has told the program.
    Publish,
    /// The server refuses this subject; passes when it grants it, or with the next connection.
    Standing(Box<str>),
    /// A record of another hub found no room; passes when there is room for it.
    Memory,
}

#[derive(Debug, Default)]
pub(crate) struct Problems {
    /// One of each cause, the latest last.
    lasting: Vec<(Cause, Error, u64)>,
    last: Option<(Error, u64)>,
}

/// So many refused subjects are told apart: a user without any rights must not fill the memory.
const MOST: usize = 32;

impl Problems {
    /// Something went wrong and is over.
    pub fn happened(&mut self, now: Now, error: &Error) {
        self.last = Some((error.clone(), now.unix_ms));
    }

    /// Something is wrong until its cause has passed.
    pub fn began(&mut self, now: Now, cause: Cause, error: &Error) {
        self.lasting.retain(|(other, ..)| *other != cause);
        if self.lasting.len() >= MOST {
            self.lasting.remove(0);
        }
        self.lasting.push((cause, error.clone(), now.unix_ms));
    }

    /// Causes have passed; says whether there were any.
    pub fn passed(&mut self, which: impl Fn(&Cause) -> bool) -> bool {
        let before = self.lasting.len();
        self.lasting.retain(|(cause, ..)| !which(cause));
        self.lasting.len() < before
    }

    /// What is wrong now: the latest, where there are several.
    pub fn current(&self) -> Option<&(Cause, Error, u64)> {
        self.lasting.last()
    }

    /// What was reported last.
    pub fn last(&self) -> Option<&(Error, u64)> {
        self.last.as_ref()
    }

    /// Why there is no connection, where that is known.
    pub fn connection_error(&self) -> Option<Error> {
        let connection = |(cause, ..): &&(Cause, Error, u64)| *cause == Cause::Connection;
        self.lasting.iter().find(connection).map(|(_, error, _)| error.clone())
    }
}
