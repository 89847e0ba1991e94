//! A batch in a handler's hands.
//!
//! What a handler says of a message goes to the store at once, so it holds if the process dies;
//! the rest is settled at the end. The rules are those of the machine's `Event`; here are the store,
//! the leases and the time. One thing at a time is said to the store about a batch, because a
//! renewal changes the tickets that an acknowledgement needs.
use crate::{Clock, Queue, Renewed, Settled, Settlement, Stopper, StoreError, Ticket};
use posthouse_core::{
    Code, Error,
    queue::{Act, Disposition, Ending, Event, Fault, Message, Outcome, Refusal, no_event},
};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::OwnedSemaphorePermit;

/// How often the store is asked again to take the end of a batch, each time after twice the pause.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// A batch of messages, and what may be done with it: read it, and say of messages that they are done or to
/// come again. Valid until the handler has ended. Clones are the same batch.
#[derive(Clone)]
pub struct Batch(Arc<Inner>);

pub(super) struct Inner {
    number: u64,
    queue: Arc<dyn Queue>,
    clock: Clock,
    event: Mutex<Event>,
    /// `None` once nothing may be said of the message any more.
    tickets: tokio::sync::Mutex<Vec<Option<Ticket>>>,
    cancelled: Stopper,
    ended: Stopper,
    slot: Mutex<Option<OwnedSemaphorePermit>>,
}

/// A batch as a value; the order numbers the messages for [`Batch::ack`] and [`Batch::retry`], from 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BatchValue<T = serde_json::Value> {
    /// The queue.
    pub queue: String,
    /// The messages.
    pub messages: Vec<MessageValue<T>>,
}

/// A message of a [`BatchValue`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MessageValue<T = serde_json::Value> {
    /// The store's name for it, the same in every delivery.
    pub id: String,
    /// Which delivery this is, from 1.
    pub attempts: u32,
    /// When it was sent, in Unix milliseconds.
    pub timestamp: i64,
    /// The body.
    pub body: T,
}

/// What the store does for a disposition; nothing for one it has no say in.
pub(super) fn settlement(disposition: Disposition) -> Option<Settlement> {
    match disposition {
        Disposition::Done => Some(Settlement::Ack),
        Disposition::Retry { after_seconds } | Disposition::Return { after_seconds } => {
            Some(Settlement::Retry { delay_s: after_seconds })
        }
        Disposition::DeadLetter => Some(Settlement::DeadLetter),
        Disposition::Drop => Some(Settlement::Drop),
        Disposition::Lost => None,
    }
}

/// Takes back what was said if the store was not asked to the end: the handler's future was dropped.
struct Unsaid<'a>(&'a Inner, Option<usize>);

impl Drop for Unsaid<'_> {
    fn drop(&mut self) {
        if let Some(index) = self.1 {
            self.0.event().take_back(index);
        }
    }
}

impl Inner {
    fn event(&self) -> MutexGuard<'_, Event> {
        // The event is whole after each of its methods.
        self.event.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch {
    pub(super) fn new(
        number: u64,
        queue: Arc<dyn Queue>,
        clock: Clock,
        event: Event,
        tickets: Vec<Ticket>,
        slot: OwnedSemaphorePermit,
    ) -> Self {
        Self(Arc::new(Inner {
            number,
            queue,
            clock,
            event: Mutex::new(event),
            tickets: tokio::sync::Mutex::new(tickets.into_iter().map(Some).collect()),
            cancelled: Stopper::new(),
            ended: Stopper::new(),
            slot: Mutex::new(Some(slot)),
        }))
    }

    /// Tells the events of a consumer apart: 1, 2, …
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// The queue's name.
    pub fn queue(&self) -> &str {
        self.0.queue.name()
    }

    /// How many messages it has.
    pub fn len(&self) -> usize {
        self.0.event().messages().len()
    }

    /// Whether it has none; a handler never gets such a batch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The messages as they came from the store, bodies unread.
    pub fn messages(&self) -> Vec<Message> {
        self.0.event().messages().to_vec()
    }

    /// The batch as a value. Reading may be repeated and changes nothing.
    ///
    /// # Errors
    /// `QUEUE_BODY_NOT_JSON` for a body that somebody else put there, `QUEUE_NO_EVENT` after the end.
    /// A fault for a body nested deeper than 32: then the event has failed.
    pub fn read_batch(&self) -> Result<BatchValue, Refusal> {
        self.read_batch_as()
    }

    /// As [`Batch::read_batch`], with bodies of a type of the program.
    ///
    /// # Errors
    /// Besides those, `INVALID_MESSAGE` for a body of another type.
    pub fn read_batch_as<T: DeserializeOwned>(&self) -> Result<BatchValue<T>, Refusal> {
        let text = self.read_batch_text()?;
        serde_json::from_str(&text).map_err(|error| {
            let words = format!("a body of the batch is not of the type asked for: {error}");
            Error::new(Code::InvalidMessage, words).into()
        })
    }

    /// The batch as JSON text: `{"queue":…,"messages":[{"id":…,"attempts":…,"timestamp":…,"body":…},…]}`.
    ///
    /// # Errors
    /// As [`Batch::read_batch`].
    pub fn read_batch_text(&self) -> Result<String, Refusal> {
        self.0.event().read_text()
    }

    /// Says that message `index` is done. The first word about a message counts; later ones do nothing.
    ///
    /// # Errors
    /// `QUEUE_INDEX`, `QUEUE_NO_EVENT`; `QUEUE_LEASE_LOST` where another consumer has it by now;
    /// `QUEUE_STORE` where the store could not do it, and then nothing was said.
    pub async fn ack(&self, index: impl Into<Number>) -> Result<(), Error> {
        let index = index.into().0;
        self.act(|event| event.ack(index)).await
    }

    /// Says that message `index` is to come again after a delay of whole seconds; 0 is the queue's own
    /// delay. Past the retry limit it becomes a dead letter. The first word about a message counts.
    ///
    /// # Errors
    /// As [`Batch::ack`], and `QUEUE_DELAY`.
    pub async fn retry(
        &self,
        index: impl Into<Number>,
        delay: impl Into<crate::Delay>,
    ) -> Result<(), Error> {
        let (index, delay) = (index.into().0, delay.into().seconds());
        self.act(|event| event.retry(index, delay)).await
    }

    /// Judges what [`Batch::ack`] (with a delay of 0) and [`Batch::retry`] would refuse before the store is asked. For bindings in
    /// which a word is refused at once and told in the background.
    ///
    /// # Errors
    /// `QUEUE_INDEX`, `QUEUE_DELAY`, `QUEUE_NO_EVENT`.
    pub fn check(
        &self,
        index: impl Into<Number>,
        delay: impl Into<crate::Delay>,
    ) -> Result<(), Error> {
        self.0.event().check(index.into().0, delay.into().seconds())
    }

    async fn act(
        &self,
        say: impl FnOnce(&mut Event) -> Result<Option<Act>, Error>,
    ) -> Result<(), Error> {
        let inner = &*self.0;
        let mut tickets = inner.tickets.lock().await;
        let Some(act) = say(&mut inner.event())? else { return Ok(()) };
        let Some(what) = settlement(act.disposition) else { return Ok(()) };
        let Some(place) = tickets.get_mut(act.index) else { return Ok(()) };
        let Some(ticket) = place.clone() else { return Ok(()) };
        let mut unsaid = Unsaid(inner, Some(act.index));
        let settled = inner.queue.settle(&[(ticket, what)]).await;
        match settled.as_deref() {
            Ok([Settled::Done]) => {
                (unsaid.1, *place) = (None, None);
                Ok(())
            }
            Ok(_) => {
                (unsaid.1, *place) = (None, None);
                Err(inner.event().act_lost(act.index))
            }
            Err(error) => Err(store_error("take what was said of a message", error)),
        }
    }

    /// Waits until the handler should leave off: its time is over, its messages were given to others, or
    /// the consumer was cancelled. What it still does counts for nothing once the time is over.
    pub async fn cancelled(&self) {
        self.0.cancelled.signal().stopped().await;
    }

    /// Whether the handler should leave off.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.is_stopped()
    }

    /// Tells the handler to leave off. For bindings, and for consumers that are cancelled.
    pub fn cancel(&self) {
        self.0.cancelled.stop();
    }

    /// A fault was raised in the handler: the event has failed, even where the handler swallowed it.
    /// For bindings; [`Queues`](crate::Queues) does it by itself inside a handler of this crate.
    pub fn fault(&self, fault: &Fault) {
        self.0.event().fault(fault);
    }

    /// Whether the event has ended.
    pub fn has_ended(&self) -> bool {
        self.0.event().has_ended()
    }

    /// Waits until the event has ended and the store was told.
    pub async fn ended(&self) {
        self.0.ended.signal().stopped().await;
    }

    /// The handler has ended: settles what it said nothing of and makes room for the next batch. For
    /// bindings. Again, or after the time limit, it does nothing and gives no messages. What it gives says of
    /// each message what became of it, [`Disposition::Lost`] where another consumer has it, and whether the store
    /// knows: `told` is false where the store could not be told, and then the message comes again.
    pub async fn finish(&self, outcome: Outcome) -> Ending {
        let inner = &*self.0;
        let mut tickets = inner.tickets.lock().await;
        let mut ending = inner.event().finish(outcome);
        let rest: Vec<_> = ending
            .messages
            .iter()
            .enumerate()
            .filter(|(_, settled)| !settled.told)
            .filter_map(|(index, settled)| Some((index, settlement(settled.disposition)?)))
            .collect();
        if !rest.is_empty() {
            match self.settle(&mut tickets, &rest, &mut ending).await {
                Ok(()) => (),
                Err(error) => log::warn!(
                    "queue {}: the end of a batch could not be told to the store ({error}); its messages come again when their lease has ended",
                    self.queue()
                ),
            }
        }
        inner.ended.stop();
        drop(inner.slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        ending
    }

    async fn settle(
        &self,
        tickets: &mut [Option<Ticket>],
        rest: &[(usize, Settlement)],
        ending: &mut Ending,
    ) -> Result<(), StoreError> {
        let inner = &*self.0;
        let mut pause = PAUSE;
        for tries in 1.. {
            let (indices, said): (Vec<_>, Vec<_>) = rest
                .iter()
                .filter_map(|(index, what)| Some((*index, (tickets.get(*index)?.clone()?, *what))))
                .unzip();
            match inner.queue.settle(&said).await {
                Ok(settled) => {
                    let mut lost = 0;
                    for (index, settled) in indices.into_iter().zip(settled) {
                        let Some(message) = ending.messages.get_mut(index) else { continue };
                        message.told = settled == Settled::Done;
                        if settled == Settled::Lost {
                            message.disposition = Disposition::Lost;
                            lost += 1;
                        }
                    }
                    if lost > 0 {
                        log::warn!(
                            "queue {}: the leases of {lost} messages had ended before the handler did; they are handled again",
                            self.queue()
                        );
                    }
                    return Ok(());
                }
                Err(error) if tries >= TRIES || !error.passes() => return Err(error),
                Err(_) => {
                    inner.clock.sleep(pause).await;
                    pause *= 2;
                    self.renew_all(tickets).await;
                }
            }
        }
        Ok(())
    }

    /// Extends the leases of what nothing was said of. A handler that has lost the last of them is told to
    /// leave off.
    pub(super) async fn renew(&self) {
        let mut tickets = self.0.tickets.lock().await;
        if !self.has_ended() {
            self.renew_all(&mut tickets).await;
        }
    }

    async fn renew_all(&self, tickets: &mut [Option<Ticket>]) {
        let inner = &*self.0;
        let asked: Vec<_> = tickets.iter().flatten().cloned().collect();
        if asked.is_empty() {
            return;
        }
        let renewed = match inner.queue.renew(&asked).await {
            Ok(renewed) => renewed,
            Err(error) => {
                return log::warn!("queue {}: leases not renewed: {error}", self.queue());
            }
        };
        let mut lost = 0;
        let held = tickets.iter_mut().enumerate().filter(|(_, place)| place.is_some());
        for ((index, place), renewed) in held.zip(renewed) {
            if let Renewed::Until(ticket) = renewed {
                *place = Some(ticket);
            } else {
                *place = None;
                inner.event().lease_ended(index);
                lost += 1;
            }
        }
        if lost > 0 {
            log::warn!("queue {}: the leases of {lost} messages have ended", self.queue());
            if tickets.iter().all(Option::is_none) {
                self.cancel();
            }
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("queue", &self.queue())
            .field("number", &self.number())
            .finish()
    }
}

/// The number of a message in its batch. Anything but a whole number of the batch is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(f64);

impl From<usize> for Number {
    fn from(index: usize) -> Self {
        Self(index as f64)
    }
}

impl From<i32> for Number {
    fn from(index: i32) -> Self {
        Self(index.into())
    }
}

impl From<f64> for Number {
    fn from(index: f64) -> Self {
        Self(index)
    }
}

/// An error of the store where the contract fixes no text.
pub(crate) fn store_error(what: &str, error: &StoreError) -> Error {
    Error::new(Code::QueueStore, format!("the store could not {what}: {error}"))
}

/// What every operation of consuming gives outside an event.
pub(super) fn outside() -> Error {
    no_event()
}
