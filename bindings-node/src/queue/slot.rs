//! The queues of one configuration, as an environment has them: operations with numbers, consumers and batches in tables.
use super::{
    news::{End, Item, News},
    thread,
};
use crate::wake::Wake;
use posthouse_core::queue::no_event;
use posthouse_kit::{Code, Error};
use posthouse_queue::{Batch, Consumer, Outcome, Queues, Refusal};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

pub(crate) struct QueueSlot {
    pub(super) queues: Queues,
    pub(super) wake: Arc<Wake>,
    news: Arc<News>,
    operations: Cell<u64>,
    consumers: RefCell<Vec<Arc<Consumer>>>,
    /// Those that JavaScript has in hands.
    batches: RefCell<HashMap<u64, Batch>>,
    batches_seen: Cell<u64>,
}

impl QueueSlot {
    pub(super) fn new(queues: Queues, wake: Arc<Wake>) -> Self {
        Self {
            queues,
            news: Arc::new(News::new(wake.clone())),
            wake,
            operations: Cell::new(0),
            consumers: RefCell::default(),
            batches: RefCell::default(),
            batches_seen: Cell::new(0),
        }
    }

    /// Begins an operation: its number, or why it is refused at once.
    pub(super) fn begin(
        &self,
        operation: impl Future<Output = Result<End, Refusal>> + Send + 'static,
    ) -> Result<u64, Refusal> {
        let number = self.operations.get() + 1;
        self.operations.set(number);
        let news = self.news.clone();
        let tell = move |end| news.tell(Item::Done(number, end));
        if let Some(end) = thread::begin(operation, tell)? {
            self.news.tell(Item::Done(number, Ok(end?)));
        }
        Ok(number)
    }

    /// News for JavaScript, as JSON.
    pub(super) fn news(&self, most: usize, out: &mut Vec<u8>) {
        super::news::write(out, self.news.take(most), |end| match end {
            End::Nothing => None,
            End::Batch(batch) => Some(self.adopt(batch)),
            End::Consumer(consumer) => {
                let mut consumers = self.consumers.borrow_mut();
                consumers.push(Arc::new(*consumer));
                Some(consumers.len() as u64 - 1)
            }
        });
    }

    /// The next batch of a consumer, or nothing once it was stopped.
    pub(super) fn next(&self, number: u64) -> Result<u64, Refusal> {
        let consumer = self.consumer(number)?;
        let news = self.news.clone();
        self.begin(async move {
            match consumer.next().await {
                Ok(Some(batch)) if news.is_closed() => {
                    batch.finish(Outcome::Failure).await;
                    Ok(End::Nothing)
                }
                Ok(Some(batch)) => Ok(End::Batch(batch)),
                Ok(None) => Ok(End::Nothing),
                Err(error) => Err(Error::new(Code::QueueStore, error.words()).into()),
            }
        })
    }

    /// A consumer that an operation has made.
    pub(super) fn consumer(&self, number: u64) -> Result<Arc<Consumer>, Error> {
        let consumers = self.consumers.borrow();
        consumers.get(number as usize).cloned().ok_or_else(|| gone("consumer"))
    }

    /// Gives a batch its number and watches over it.
    fn adopt(&self, batch: Batch) -> u64 {
        let number = self.batches_seen.get() + 1;
        self.batches_seen.set(number);
        self.batches.borrow_mut().insert(number, batch.clone());
        let news = self.news.clone();
        let watch = async move {
            tokio::select! {
                biased;
                () = batch.ended() => (),
                () = batch.cancelled() => {
                    news.tell(Item::Cancelled(number));
                    batch.ended().await;
                }
            }
            news.tell(Item::Ended(number));
        };
        // Without a thread there would be no batch.
        let _ = thread::begin(watch, drop);
        number
    }

    pub(super) fn batch(&self, number: u64) -> Result<Batch, Error> {
        self.batches.borrow().get(&number).cloned().ok_or_else(no_event)
    }

    /// The batch, which JavaScript has no more use for.
    pub(super) fn release(&self, number: u64) -> Option<Batch> {
        self.batches.borrow_mut().remove(&number)
    }

    /// The environment ends, and with it every handler: their events have failed.
    pub(crate) fn end(&self) {
        self.wake.release();
        for consumer in self.consumers.borrow().iter() {
            consumer.stop();
        }
        let unfetched = self.news.close().into_iter().filter_map(|item| match item {
            Item::Done(_, Ok(End::Batch(batch))) => Some(batch),
            _ => None,
        });
        let batches: Vec<_> = self.batches.take().into_values().chain(unfetched).collect();
        if !batches.is_empty() {
            thread::finish(async move {
                for batch in batches {
                    batch.finish(Outcome::Failure).await;
                }
            });
        }
    }
}

fn gone(what: &str) -> Error {
    Error::new(Code::Closed, format!("the {what} is gone; open a new one"))
}
