//! What things are called on the server.
use crate::{StoreError, Trouble};
use std::fmt::Write as _;

/// The durable consumer that all workers share.
pub(super) const WORKERS: &str = "workers";
/// The durable consumer that moves what has fallen due, on streams without schedules.
pub(super) const MOVER: &str = "mover";

/// The message's id where it is not the publish's own.
pub(super) const ID: &str = "Posthouse-Id";
/// When it was sent, in Unix milliseconds, where that is not when the server stored it.
pub(super) const TIME: &str = "Posthouse-Time";
/// When it falls due, in Unix milliseconds.
pub(super) const DUE: &str = "Posthouse-Due";
/// The queue that gave it up, on messages of a dead-letter queue.
pub(super) const FROM: &str = "Posthouse-From";

/// Long enough for every sensible name, short enough for a file's name.
const LONGEST: usize = 220;

/// The names of one queue's things.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The queue's name as it was given.
    pub(super) queue: String,
    /// The stream.
    pub(super) stream: String,
    /// Where messages that are due are published.
    pub(super) ready: String,
    /// The subject of the dropped ones' number.
    pub(super) dropped: String,
    prefix: String,
}

impl Names {
    pub(super) fn new(queue: &str) -> Result<Self, StoreError> {
        let token = token(queue)?;
        let prefix = format!("posthouse.queue.{token}");
        Ok(Self {
            queue: queue.to_owned(),
            stream: format!("posthouse-queue-{token}"),
            ready: format!("{prefix}.ready"),
            dropped: format!("{prefix}.own.dropped"),
            prefix,
        })
    }

    /// Everything that the stream takes.
    pub(super) fn subjects(&self) -> [String; 3] {
        [self.ready.clone(), self.all_later(), self.all_own()]
    }

    /// Where a message that is not due yet waits; one subject for each, as schedules want it.
    pub(super) fn later(&self, id: &str) -> String {
        format!("{}.later.{id}", self.prefix)
    }

    pub(super) fn all_later(&self) -> String {
        format!("{}.later.*", self.prefix)
    }

    /// The note beside the message with this sequence number.
    pub(super) fn note(&self, sequence: u64) -> String {
        format!("{}.own.{sequence}", self.prefix)
    }

    /// The number of the message that a note stands beside; `None` for what is no note.
    pub(super) fn noted(&self, subject: &str) -> Option<u64> {
        subject.strip_prefix(&self.prefix)?.strip_prefix(".own.")?.parse().ok()
    }

    /// Notes and the number of dropped messages: what is in the stream and no message.
    pub(super) fn all_own(&self) -> String {
        format!("{}.own.*", self.prefix)
    }
}

/// A queue's name as one token of a subject and as a part of a file's name: letters, digits, `-` and `_`
/// stay, every other byte becomes `=` and two digits. Different names stay different.
fn token(queue: &str) -> Result<String, StoreError> {
    let mut token = String::with_capacity(queue.len());
    for byte in queue.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            token.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(token, "={byte:02X}");
        }
    }
    if token.is_empty() || token.len() > LONGEST {
        let words = format!(
            "the queue's name {queue:?} takes {} characters on a NATS server; allowed is 1 to {LONGEST} \
             (anything but letters, digits, - and _ takes three for each byte): give it another name",
            token.len()
        );
        return Err(StoreError::new(Trouble::Mismatch, words));
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart_and_are_one_token() {
        let names = ["pages", "Pages", "a.b", "a b", "a=2Eb", "队列", "*", ">", "a-b", "a_b"];
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let names = Names::new(name).unwrap();
            assert!(!names.stream.contains(['.', '*', '>', ' ', '/', '\\']), "{}", names.stream);
            assert_eq!(names.ready.split('.').count(), 4, "{}", names.ready);
            assert!(seen.insert(names.stream));
        }
    }

    #[test]
    fn names_without_room_are_refused() {
        Names::new(&"x".repeat(220)).unwrap();
        for wrong in [String::new(), "x".repeat(221), "队".repeat(40)] {
            let error = Names::new(&wrong).unwrap_err();
            assert_eq!(error.trouble(), Trouble::Mismatch);
        }
    }
}
