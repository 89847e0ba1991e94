//! Several messages that are sent together: all of them obey the rules, or none is sent.
use super::{
    items::{self, Item},
    outgoing::{self, Outgoing, check_delay_text},
    texts,
};
use crate::{Error, Result, limits};
use alloc::vec::Vec;

/// Checks the text of a batch: a JSON array of `{"body": …, "delaySeconds": …}`, the delay optional.
///
/// The rules in their order: size of the text, array, number of items; then item by item its shape, the rules of its
/// body and of its delay as for one message; then the size of all bodies. The first that is broken gives
/// the error, which carries the item's index where it is about one.
pub fn outgoing_batch(text: &[u8]) -> Result<Vec<Outgoing>> {
    if text.len() > limits::QUEUE_BATCH_TEXT_BYTES {
        return Err(texts::batch_text(text.len()));
    }
    let found = items::array(text, limits::QUEUE_BATCH_MESSAGES);
    let (items, count) = found.ok_or_else(texts::batch_json)?;
    let mut batch = Batch::new(count)?;
    for item in items {
        batch.push_found(text, &item)?;
    }
    batch.finish()
}

/// A batch made item by item, for hosts that hold values: the same rules in the same order.
#[derive(Debug)]
pub struct Batch {
    messages: Vec<Outgoing>,
    index: usize,
    bytes: usize,
}

impl Batch {
    /// Begins a batch of `count` items.
    pub fn new(count: usize) -> Result<Self> {
        match count {
            0 => Err(texts::batch_empty()),
            1..=limits::QUEUE_BATCH_MESSAGES => {
                Ok(Self { messages: Vec::with_capacity(count), index: 0, bytes: 0 })
            }
            _ => Err(texts::batch_count(count)),
        }
    }

    /// The next item: its body as JSON text, and its delay in seconds, what is no number being NaN. After an error
    /// the batch is of no more use.
    pub fn push(&mut self, text: &[u8], delay: f64) -> Result<()> {
        let message = outgoing::outgoing(text, delay).map_err(|error| self.here(error))?;
        self.add(message);
        Ok(())
    }

    /// The next item: its body and, if it has one, its delay, both as JSON text.
    pub fn push_parts(&mut self, body: &[u8], delay: Option<&[u8]>) -> Result<()> {
        let checked = outgoing::body(body)
            .and_then(|body| Ok(Outgoing { body, delay_seconds: check_delay_text(delay)? }));
        let message = checked.map_err(|error| self.here(error))?;
        self.add(message);
        Ok(())
    }

    /// The next item, as the JSON text of the whole item, whose fields are checked too.
    pub fn push_item(&mut self, text: &[u8]) -> Result<()> {
        let item = items::single(text).ok_or_else(|| texts::batch_item(self.index))?;
        self.push_found(text, &item)
    }

    /// The messages, once all items are there.
    pub fn finish(self) -> Result<Vec<Outgoing>> {
        if self.bytes > limits::QUEUE_BATCH_BYTES {
            return Err(texts::batch_size(self.bytes));
        }
        Ok(self.messages)
    }

    fn push_found(&mut self, text: &[u8], item: &Item) -> Result<()> {
        let Some(body) = item.body.clone().filter(|_| item.is_good()) else {
            return Err(texts::batch_item(self.index));
        };
        let part = |place| text.get(place).unwrap_or_default();
        self.push_parts(part(body), item.delay.clone().map(part))
    }

    fn here(&self, error: Error) -> Error {
        error.at_index(self.index)
    }

    fn add(&mut self, message: Outgoing) {
        self.index += 1;
        self.bytes += message.body.len();
        if self.bytes > limits::QUEUE_BATCH_BYTES {
            // It will be refused, and only needs to be read to its end.
            self.messages = Vec::new();
        } else {
            self.messages.push(message);
        }
    }
}
