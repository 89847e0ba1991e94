//! Messages that were taken from the machine together. They lie in one piece, which spares an
//! allocation for each.
use crate::{Hub, Message, Result};
use posthouse_core::hub::{Delivery, SubId};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

/// Messages taken from the machine at a time.
const MESSAGES: usize = 128;
/// Bytes of these, so that a message that is kept for long does not keep much else.
const BYTES: usize = 64 * 1024;

/// Who gives the messages of a batch back to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// Whoever runs the handler.
    Pump,
    /// The message itself, when its last clone is dropped.
    Message,
}

/// Messages in the order in which they came.
pub(crate) struct Batch {
    pub hub: Hub,
    /// The name of the subscription, for messages of exactly that name.
    pub name: Arc<str>,
    keeper: Keeper,
    items: Vec<Item>,
}

pub(crate) struct Item {
    pub delivery: Delivery,
    /// Clones of the message, where they count.
    holders: AtomicU32,
    /// Its handler has ended.
    handled: AtomicBool,
}

impl Batch {
    /// Takes what waits; none if nothing does.
    pub fn take(hub: &Hub, name: &Arc<str>, id: SubId, keeper: Keeper) -> Option<Arc<Self>> {
        let mut items = Vec::new();
        let each = |delivery| {
            let (holders, handled) = (AtomicU32::new(0), AtomicBool::new(false));
            items.push(Item { delivery, holders, handled });
        };
        // After a fork there is nothing to take.
        let _ = hub.inner.engine.with(|hub, _| hub.take_each(id, MESSAGES, BYTES, each));
        if items.is_empty() {
            return None;
        }
        Some(Arc::new(Self { hub: hub.clone(), name: Arc::clone(name), keeper, items }))
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The message at this place, handed out for the first time.
    pub fn message(self: &Arc<Self>, at: usize) -> Option<Message> {
        let item = self.items.get(at)?;
        if self.keeper == Keeper::Message {
            item.holders.store(1, Ordering::Relaxed);
        }
        Some(Message::new(Arc::clone(self), at))
    }

    /// The message at a place that [`Batch::message`] has handed out.
    #[inline]
    pub fn item(&self, at: usize) -> &Item {
        &self.items[at]
    }

    /// The handler of the message at this place has ended: whoever kept it cannot answer any more.
    pub fn handled(&self, at: usize) {
        if let Some(item) = self.items.get(at) {
            item.handled.store(true, Ordering::Release);
        }
    }

    /// One more holds the message at this place.
    pub fn held(&self, at: usize) {
        if self.keeper == Keeper::Message
            && let Some(item) = self.items.get(at)
        {
            item.holders.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One less does.
    pub fn let_go(&self, at: usize) {
        if self.keeper == Keeper::Message
            && let Some(item) = self.items.get(at)
            && item.holders.fetch_sub(1, Ordering::AcqRel) == 1
        {
            // After a fork nobody counts.
            let _ = self.give_back(at..at + 1);
        }
    }

    /// Gives back the messages at these places, which nobody holds.
    pub fn give_back(&self, places: std::ops::Range<usize>) -> Result<()> {
        self.hub.inner.engine.call(|hub, _, now| {
            for item in self.items.get(places).unwrap_or_default() {
                hub.finished_one(now, &item.delivery.token);
            }
        })
    }
}

impl Item {
    pub fn is_handled(&self) -> bool {
        self.handled.load(Ordering::Acquire)
    }
}
