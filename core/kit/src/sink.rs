//! Where a hub's events go: to a thread that waits for just this one, or into the queue.
use crate::{Event, OpResult, outbox::Outbox, reader::Bell, waiting::Slot};
use posthouse::{engine::Sink, logging};
use posthouse_core::{
    Code, Error, WatchId,
    hub::{self, Delivery, Level, Op, SubId},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// The kit's side of the events; lives under the machine's lock.
pub(crate) struct KitSink {
    outbox: Arc<Outbox>,
    batch: Vec<Event>,
    waiting: HashMap<Op, Arc<Slot>>,
    /// What was begun for the queue and has not ended.
    begun: BTreeSet<Op>,
    subscribed: BTreeSet<SubId>,
    readers: HashMap<SubId, Arc<Bell>>,
    watchers: HashMap<WatchId, Arc<Bell>>,
    /// Drains, and how those ended that only wait for the hub to let go of everything.
    drains: Vec<(Op, Option<OpResult>)>,
    /// Reused for each message that is taken alone; empty between.
    taken: Vec<Delivery>,
    /// A subscription that the host is letting go of in this very call.
    releasing: Option<SubId>,
    closed: bool,
    gone: bool,
    wakes: Wakes,
    #[cfg(feature = "test-hooks")]
    pub trap: bool,
}

/// Whom to wake once the machine's lock is released, and what to print then.
#[derive(Default)]
struct Wakes {
    slots: Vec<Arc<Slot>>,
    bells: Vec<Arc<Bell>>,
    lines: Vec<(Level, Option<Code>, String)>,
}

impl KitSink {
    pub fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            outbox,
            batch: Vec::new(),
            waiting: HashMap::new(),
            begun: BTreeSet::new(),
            subscribed: BTreeSet::new(),
            readers: HashMap::new(),
            watchers: HashMap::new(),
            drains: Vec::new(),
            taken: Vec::new(),
            releasing: None,
            closed: false,
            gone: false,
            wakes: Wakes::default(),
            #[cfg(feature = "test-hooks")]
            trap: false,
        }
    }

    /// The end of this operation is for the queue.
    pub fn begins(&mut self, op: Op) {
        self.begun.insert(op);
    }

    /// The messages and the end of this subscription are for the queue.
    pub fn subscribes(&mut self, sub: SubId) {
        self.subscribed.insert(sub);
    }

    /// A thread waits for this operation.
    pub fn expect(&mut self, op: Op) -> Arc<Slot> {
        let slot = Arc::<Slot>::default();
        self.waiting.insert(op, Arc::clone(&slot));
        slot
    }

    /// The thread that waited for this operation wants its end in the queue instead; `false`: it has
    /// ended.
    pub fn renounce(&mut self, op: Op) -> bool {
        let waited = self.waiting.remove(&op).is_some();
        if waited {
            self.begun.insert(op);
        }
        waited
    }

    /// A good end of this operation is not told before the hub has let go of everything.
    pub fn drains(&mut self, op: Op) {
        self.drains.push((op, None));
    }

    /// Threads read this subscription.
    pub fn reads(&mut self, sub: SubId) -> Arc<Bell> {
        let bell = Arc::<Bell>::default();
        self.readers.insert(sub, Arc::clone(&bell));
        bell
    }

    /// Threads read this watch.
    pub fn watches(&mut self, watch: WatchId) -> Arc<Bell> {
        let bell = Arc::<Bell>::default();
        self.watchers.insert(watch, Arc::clone(&bell));
        bell
    }

    pub fn unwatches(&mut self, watch: WatchId) {
        if let Some(bell) = self.watchers.remove(&watch) {
            bell.end(None);
            self.wakes.bells.push(bell);
        }
    }

    /// The host lets go of a subscription; it need not hear of its end.
    pub fn releases(&mut self, sub: SubId) {
        self.releasing = Some(sub);
        self.subscribed.remove(&sub);
    }

    /// Takes one message, without an allocation for it.
    pub fn take_one(&mut self, hub: &mut hub::Hub, sub: SubId) -> Option<Delivery> {
        hub.take(sub, 1, &mut self.taken);
        self.taken.pop()
    }

    fn done(&mut self, op: Op, result: OpResult) {
        if let Some(slot) = self.waiting.remove(&op) {
            slot.put(result);
            self.wakes.slots.push(slot);
        } else {
            self.begun.remove(&op);
            self.batch.push(Event::Done { op, result });
        }
    }

    /// The hub is closed: no watch gets news any more.
    fn close(&mut self) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        for (_, bell) in self.watchers.drain() {
            bell.end(None);
            self.wakes.bells.push(bell);
        }
        self.batch.push(Event::Closed);
    }
}

impl Sink for KitSink {
    type After = Box<dyn FnOnce() + Send>;

    fn event(&mut self, hub: &mut hub::Hub, event: hub::Event) {
        match event {
            hub::Event::Done(op, result) => {
                #[cfg(feature = "test-hooks")]
                assert!(!self.trap, "a trap was set for this thread");
                match self.drains.iter().position(|(drain, _)| *drain == op) {
                    Some(at) if result.is_ok() => self.drains[at].1 = Some(result),
                    at => {
                        at.map(|at| self.drains.swap_remove(at));
                        self.done(op, result);
                    }
                }
            }
            hub::Event::Ready(sub) => match self.readers.get(&sub) {
                Some(bell) => {
                    bell.ring();
                    self.wakes.bells.push(Arc::clone(bell));
                }
                None => self.batch.push(Event::Ready { sub }),
            },
            hub::Event::Ended(sub, error) => match self.readers.remove(&sub) {
                Some(bell) => {
                    bell.end(error);
                    self.wakes.bells.push(bell);
                }
                None if self.releasing == Some(sub) => {}
                None => {
                    self.subscribed.remove(&sub);
                    self.batch.push(Event::Ended { sub, error });
                }
            },
            hub::Event::Watch(watch) => match self.watchers.get(&watch) {
                Some(bell) => {
                    bell.ring();
                    self.wakes.bells.push(Arc::clone(bell));
                }
                None => self.batch.push(Event::Watch { watch }),
            },
            // Nothing changes after the end.
            hub::Event::Status | hub::Event::Instances if self.gone => {}
            hub::Event::Status => {
                self.batch.push(Event::Status);
                if hub.is_closed() {
                    self.close();
                }
            }
            hub::Event::Instances => self.batch.push(Event::Instances),
            hub::Event::Log(level, code, message) => {
                if logging::wanted(level) {
                    self.wakes.lines.push((level, code, message.clone()));
                }
                if !self.gone {
                    self.batch.push(Event::Log { level, code, message });
                }
            }
        }
    }

    fn after(&mut self) -> Option<Self::After> {
        self.releasing = None;
        let tell = self.outbox.append(&mut self.batch);
        let Wakes { slots, bells, lines } = &self.wakes;
        if tell.nobody() && slots.is_empty() && bells.is_empty() && lines.is_empty() {
            return None;
        }
        let wakes = std::mem::take(&mut self.wakes);
        let outbox = Arc::clone(&self.outbox);
        Some(Box::new(move || {
            for slot in wakes.slots {
                slot.wake();
            }
            for bell in wakes.bells {
                bell.wake();
            }
            outbox.tell(tell);
            for (level, code, text) in wakes.lines {
                logging::standard_error(level, code, &text);
            }
        }))
    }

    fn gone(&mut self) {
        self.close();
        // Before anybody hears of an end that waited for this.
        let bell = self.outbox.gone();
        bell.end(None);
        self.wakes.bells.push(Arc::clone(bell));
        for (op, result) in std::mem::take(&mut self.drains) {
            if let Some(result) = result {
                self.done(op, result);
            }
        }
        // Only a machine that broke has left anybody waiting.
        for op in std::mem::take(&mut self.begun) {
            self.batch.push(Event::Done { op, result: Err(ended().into()) });
        }
        for sub in std::mem::take(&mut self.subscribed) {
            self.batch.push(Event::Ended { sub, error: Some(ended()) });
        }
        for (_, slot) in std::mem::take(&mut self.waiting) {
            slot.put(Err(ended().into()));
            self.wakes.slots.push(slot);
        }
        for (_, bell) in self.readers.drain() {
            bell.end(Some(ended()));
            self.wakes.bells.push(bell);
        }
        self.batch.push(Event::Gone);
        self.gone = true;
    }
}

fn ended() -> Error {
    Error::new(Code::Closed, "the hub ended before this did; open a new hub")
}
