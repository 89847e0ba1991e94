//! One batch in a handler's hands. The handler reads it and says of messages what is to become of them; when it has
//! ended, the event tells what becomes of each. What is said takes effect in the store at once, so that it holds
//! if the process dies; what is not said is settled at the end.
use super::{Fault, Refusal, Settings, outgoing::check_delay, read, texts};
use crate::Result;
use alloc::{string::String, vec::Vec};

/// A message as the store delivers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The store's name for it, the same in every delivery.
    pub id: String,
    /// Which delivery this is, counted from 1.
    pub attempts: u32,
    /// When it was sent, in milliseconds since 1970.
    pub timestamp_ms: i64,
    /// Its body as JSON text. Another producer may have put anything there.
    pub body: Vec<u8>,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// It is done and leaves the queue.
    Done,
    /// The handler wants it again: it is delivered after so many seconds, its attempts counted up.
    Retry {
        /// Seconds from now.
        after_seconds: u32,
    },
    /// The event failed: it is delivered after so many seconds, its attempts counted up.
    Return {
        /// Seconds from now.
        after_seconds: u32,
    },
    /// It is out of retries and goes to the dead-letter queue: same id and timestamp, attempts from 1 again.
    DeadLetter,
    /// It is out of retries and there is no dead-letter queue: it is dropped and counted.
    Drop,
    /// Its lease has ended: it is another consumer's, and nothing may be said of it.
    Lost,
}

/// What the store must do at once, because a handler said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// The message's number in the batch.
    pub index: usize,
    /// What becomes of it.
    pub disposition: Disposition,
}

/// What became of a message, once the event has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// What becomes of it.
    pub disposition: Disposition,
    /// Whether the store has been told already, by an [`Act`].
    pub told: bool,
}

/// How a handler ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned.
    Success,
    /// It raised an error, ran out of time, or its process died.
    Failure,
}

/// The end of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Whether the event failed: by its outcome, or by a fault however the handler ended.
    pub failed: bool,
    /// For each message, in the order of the batch.
    pub messages: Vec<Settled>,
}

/// A queue event: a batch, and what has been said of it.
#[derive(Debug)]
pub struct Event {
    queue: String,
    messages: Vec<Message>,
    said: Vec<Option<Disposition>>,
    settings: Settings,
    dead_letters: bool,
    faulty: bool,
    ended: bool,
}

impl Event {
    /// An event over messages of `queue`, in the order that numbers them. `dead_letters`: there is a queue
    /// for what is out of retries.
    pub fn new(
        queue: impl Into<String>,
        messages: Vec<Message>,
        settings: Settings,
        dead_letters: bool,
    ) -> Self {
        let said = messages.iter().map(|_| None).collect();
        let queue = queue.into();
        Self { queue, messages, said, settings, dead_letters, faulty: false, ended: false }
    }

    /// The name of the queue.
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The messages in their order, their bodies as they came.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The batch as JSON text: `{"queue":…,"messages":[{"id":…,"attempts":…,"timestamp":…,"body":…}, …]}`, bodies
    /// normalised. Reading changes nothing, but for the fault.
    ///
    /// A body that is not a JSON value is an error ([`crate::Code::QueueBodyNotJson`]); one nested more than 32
    /// deep is a fault, and the event has failed.
    pub fn read_text(&mut self) -> Result<String, Refusal> {
        if self.ended {
            return Err(texts::no_event().into());
        }
        let text = read::text(&self.queue, &self.messages);
        self.faulty |= matches!(text, Err(Refusal::Fault(_)));
        text
    }

    /// Message `index` is done. What is no number is NaN.
    ///
    /// Gives what the store must do at once; nothing where the message has been acknowledged or retried before,
    /// for the first word counts.
    pub fn ack(&mut self, index: f64) -> Result<Option<Act>> {
        let index = self.index(index)?;
        self.say(index, Disposition::Done)
    }

    /// Message `index` is to come back after `delay` seconds, 0 standing for the queue's own delay; what is no number is
    /// NaN. Past the retry limit it becomes a dead letter instead.
    ///
    /// Gives what the store must do at once; nothing where the message has been acknowledged or retried before.
    pub fn retry(&mut self, index: f64, delay: f64) -> Result<Option<Act>> {
        let index = self.index(index)?;
        let after_seconds = match check_delay(delay)? {
            0 => self.settings.retry_delay_seconds(),
            given => given,
        };
        let disposition = self.again(index, Disposition::Retry { after_seconds });
        self.say(index, disposition)
    }

    /// What of a word about message `index` can be judged without saying it: its number and its delay. For hosts that say it
    /// a moment later.
    pub fn check(&self, index: f64, delay: f64) -> Result<()> {
        self.index(index)?;
        check_delay(delay).map(drop)
    }

    /// The store says that the lease of message `index` has ended. From now on acknowledging and retrying it fails
    /// with [`crate::Code::QueueLeaseLost`], if nothing was said of it before.
    pub fn lease_ended(&mut self, index: usize) {
        if let Some(said @ None) = self.said.get_mut(index) {
            *said = Some(Disposition::Lost);
        }
    }

    /// The store could not do what an [`Act`] said because the lease had ended: the error for the handler.
    pub fn act_lost(&mut self, index: usize) -> crate::Error {
        self.take_back(index);
        self.lease_ended(index);
        texts::lease_lost(index)
    }

    /// The store failed to do what an [`Act`] said: nothing has been said of the message after all.
    pub fn take_back(&mut self, index: usize) {
        if let Some(said) = self.said.get_mut(index) {
            *said = None;
        }
    }

    /// A fault was raised while the event ran: it has failed, however the handler ends.
    pub fn fault(&mut self, _: &Fault) {
        self.faulty = true;
    }

    /// Whether the event has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The handler has ended: what becomes of each message. After that every operation fails with
    /// [`crate::Code::QueueNoEvent`], and ending again gives no messages.
    pub fn finish(&mut self, outcome: Outcome) -> Ending {
        let failed = self.faulty || outcome == Outcome::Failure;
        let count = if self.ended { 0 } else { self.messages.len() };
        self.ended = true;
        let messages = (0..count).map(|index| self.settle(index, failed)).collect();
        Ending { failed, messages }
    }

    fn settle(&self, index: usize, failed: bool) -> Settled {
        match self.said.get(index).copied().flatten() {
            Some(disposition) => Settled { disposition, told: disposition != Disposition::Lost },
            None if failed => {
                let after_seconds = self.settings.retry_delay_seconds();
                let disposition = self.again(index, Disposition::Return { after_seconds });
                Settled { disposition, told: false }
            }
            None => Settled { disposition: Disposition::Done, told: false },
        }
    }

    /// `wanted`, unless this was the last delivery.
    fn again(&self, index: usize, wanted: Disposition) -> Disposition {
        let attempts = self.messages.get(index).map_or(1, |message| message.attempts);
        match (self.settings.is_last(attempts), self.dead_letters) {
            (false, _) => wanted,
            (true, true) => Disposition::DeadLetter,
            (true, false) => Disposition::Drop,
        }
    }

    fn index(&self, index: f64) -> Result<usize> {
        if self.ended {
            return Err(texts::no_event());
        }
        let whole = index as usize;
        // Exact on purpose: NaN, fractions, negative and huge numbers differ.
        #[allow(clippy::float_cmp)]
        if whole as f64 != index || whole >= self.messages.len() {
            return Err(texts::index());
        }
        Ok(whole)
    }

    fn say(&mut self, index: usize, disposition: Disposition) -> Result<Option<Act>> {
        match self.said.get_mut(index) {
            Some(said @ None) => {
                *said = Some(disposition);
                Ok(Some(Act { index, disposition }))
            }
            Some(Some(Disposition::Lost)) => Err(texts::lease_lost(index)),
            _ => Ok(None),
        }
    }
}
