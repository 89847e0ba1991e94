//! A subscription as a stream of messages.
use crate::{
    Error, Hub, Message, Result, SubscriptionStatus, Variable,
    batch::{Batch, Keeper},
    handler, refusal,
    sink::Signal,
};
use futures_core::Stream;
use posthouse_core::{
    Code,
    hub::{SubId, SubscribeOptions},
    options::DrainOptions,
};
use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

/// A subscription: a stream of messages. Each counts as being handled until it is dropped. Dropped
/// itself, it ends as by [`Subscription::unsubscribe`].
pub struct Subscription {
    core: Arc<Core>,
    keeper: Keeper,
    /// What was taken already, of which `next` comes next.
    batch: Option<Arc<Batch>>,
    next: usize,
}

/// What a stream, its handle and its messages share.
pub(crate) struct Core {
    pub hub: Hub,
    pub name: Arc<str>,
    pub id: SubId,
    pub signal: Arc<Signal>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("name", &self.core.name).finish_non_exhaustive()
    }
}

/// Registers with the server; done once that has processed it.
pub(crate) async fn register(var: &Variable, options: SubscribeOptions) -> Result<Arc<Core>> {
    let mut made = None;
    let (op, receiver) = {
        let made = &mut made;
        let engine = &var.hub.inner.engine;
        engine.call(|hub, sink, now| {
            let (id, op) = hub.subscribe(now, var.id, &options)?;
            *made = Some((id, sink.subscribed(id)));
            Ok::<_, Error>((op, sink.expect(op)))
        })??
    };
    let Some((id, signal)) = made else {
        return Err(Error::new(Code::Internal, "the subscription was not made"));
    };
    let core = Arc::new(Core { hub: var.hub.clone(), name: Arc::clone(&var.name), id, signal });
    crate::hub::Pending::new(&var.hub, op, receiver).await.map_err(|failure| failure.error)?;
    Ok(core)
}

impl Drop for Core {
    fn drop(&mut self) {
        // After a fork there is nothing to let go of.
        let _ = self.hub.inner.engine.call(|hub, _, now| hub.release(now, self.id));
    }
}

impl Core {
    pub fn status(&self) -> Result<SubscriptionStatus> {
        let status = self.hub.inner.engine.with(|hub, _| hub.subscription_status(self.id))?;
        status.ok_or_else(|| Error::new(Code::Closed, "the subscription was let go of"))
    }

    pub fn unsubscribe(&self) -> Result<()> {
        self.hub.inner.engine.call(|hub, _, now| hub.unsubscribe(now, self.id))
    }

    pub async fn drain(&self, timeout: Option<Duration>) -> Result<()> {
        if handler::inside_sub(&self.hub, self.id) {
            return Err(refusal::drain_in_handler("the subscription"));
        }
        let timeout = timeout.map_or(DrainOptions::default().timeout_ms, crate::hub::millis);
        let done = self.hub.begin(|hub, now| hub.drain_subscription(now, self.id, timeout))?;
        done.await.map(drop).map_err(|failure| failure.error)
    }
}

impl Subscription {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core, keeper: Keeper::Message, batch: None, next: 0 }
    }

    /// The same for somebody who runs a handler and gives the messages back by itself.
    pub(crate) fn pumped(core: Arc<Core>) -> Self {
        Self { keeper: Keeper::Pump, ..Self::new(core) }
    }

    /// The name or pattern.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// Counts, limits and phase.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn status(&self) -> Result<SubscriptionStatus> {
        self.core.status()
    }

    /// Ends it at once: what waits is discarded.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn unsubscribe(&mut self) -> Result<()> {
        self.core.unsubscribe()?;
        self.discard();
        Ok(())
    }

    /// Why it ended, where the server refused it.
    pub fn error(&self) -> Option<Error> {
        self.core.signal.error()
    }

    /// Takes it back from the server, and gives what was accepted until then: take from the stream
    /// until its end while this runs, or in parts before. Default time-out: 5 seconds.
    ///
    /// # Errors
    /// `DRAIN_TIMEOUT`: what waits is discarded.
    pub fn drain(
        &self,
        timeout: Option<Duration>,
    ) -> impl Future<Output = Result<()>> + Send + use<> {
        let core = Arc::clone(&self.core);
        async move { core.drain(timeout).await }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Gives back what was taken and will not be handled.
    fn discard(&mut self) {
        if let Some(batch) = self.batch.take() {
            // After a fork nobody counts.
            let _ = batch.give_back(self.next..batch.len());
        }
    }

    /// Gives back the oldest `handled` of the messages that were taken.
    pub(crate) fn give_back(&mut self, handled: &mut usize) {
        let count = std::mem::take(handled);
        if count > 0 {
            let id = self.core.id;
            // After a fork nobody counts.
            let _ = self.core.hub.inner.engine.call(|hub, _, now| hub.finished(now, id, count));
        }
    }

    /// The next of the messages that were taken already, as its batch and its place there; none of
    /// a subscription that has ended.
    pub(crate) fn next_in_batch(&mut self) -> Option<(&Arc<Batch>, usize)> {
        if self.core.signal.ended() {
            self.discard();
        }
        let at = self.next;
        let batch = self.batch.as_ref().filter(|batch| at < batch.len())?;
        self.next += 1;
        Some((batch, at))
    }

    fn next_message(&mut self) -> Option<Message> {
        self.next_in_batch().and_then(|(batch, at)| batch.message(at))
    }

    /// Takes what waits now; what was taken before has all been handed out.
    fn refill(&mut self) {
        let Core { hub, name, id, .. } = &*self.core;
        self.batch = Batch::take(hub, name, *id, self.keeper);
        self.next = 0;
    }

    /// Waits until a message comes; false if none will come any more.
    pub(crate) fn poll_refill(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        self.core.signal.waker.register(context.waker());
        self.refill();
        if self.core.signal.ended() {
            self.discard();
            return Poll::Ready(false);
        }
        if self.batch.is_some() { Poll::Ready(true) } else { Poll::Pending }
    }
}

impl Stream for Subscription {
    type Item = Message;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Message>> {
        if let Some(message) = self.next_message() {
            return Poll::Ready(Some(message));
        }
        self.poll_refill(context).map(|_| self.next_message())
    }
}
