//! Subscribing with options, and handlers that run by themselves.
use crate::{
    Error, IntoAnswer, Message, Result, SubscribeAs, SubscriptionStatus, Variable, handler,
    subscription::{Core, Subscription, register},
    worker,
};
use futures_util::FutureExt;
use posthouse_core::hub::SubscribeOptions;
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::{IntoFuture, poll_fn},
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

macro_rules! subscription_options {
    () => {
        /// The queue group: its members share the messages, the broker picks one for each.
        pub fn queue(mut self, queue: impl Into<String>) -> Self {
            self.options.queue = Some(queue.into());
            self
        }

        /// How many messages may wait; further ones are dropped and counted. Default 256.
        pub fn pending_messages(mut self, most: usize) -> Self {
            self.options.numbers.pending_messages = most;
            self
        }

        /// How many bytes may wait. Default 1 MiB.
        pub fn pending_bytes(mut self, most: usize) -> Self {
            self.options.numbers.pending_bytes = most;
            self
        }

        /// How long the server has to confirm it. Default 3 seconds.
        pub fn timeout(mut self, timeout: Duration) -> Self {
            self.options.numbers.timeout_ms = crate::hub::millis(timeout);
            self
        }
    };
}

/// A subscription in the making: set options, then await it for a stream, or give it a handler.
#[derive(Clone, Debug)]
#[must_use = "a subscription begins when this is awaited"]
pub struct Subscribe {
    var: Variable,
    options: SubscribeOptions,
}

impl Subscribe {
    pub(crate) fn new(var: &Variable) -> Self {
        Self { var: var.clone(), options: SubscribeOptions::default() }
    }

    subscription_options!();

    /// Reads the messages as a type of the program's.
    pub fn typed<T: DeserializeOwned>(self) -> SubscribeAs<T> {
        SubscribeAs::new(self)
    }

    /// Runs `handler` for every message, one after the other, until the listener is dropped or
    /// ended. It runs as a task of the tokio runtime it is called on, or on a thread of the SDK.
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `INVALID_OPTIONS`, `BUFFER_OVERFLOW`, `DISCONNECTED`, `PERMISSION_DENIED`,
    /// `TIMEOUT`, `DRAINING`, `CLOSED`.
    pub async fn handler<F, R>(self, mut handler: F) -> Result<Listener>
    where
        F: FnMut(Message) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let stream = Subscription::pumped(register(&self.var, self.options).await?);
        let listener = Listener::new(&stream);
        worker::spawn(pump(stream, "a message handler", move |message| {
            let run = handler(message);
            async move {
                run.await;
                Ok(())
            }
        }));
        Ok(listener)
    }
}

impl IntoFuture for Subscribe {
    type Output = Result<Subscription>;
    type IntoFuture = Boxed<Self::Output>;

    /// # Errors
    /// As [`Subscribe::handler`].
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(Subscription::new(register(&self.var, self.options).await?)) })
    }
}

/// A handler of requests in the making: set options, then await it; see [`Variable::handle`].
#[derive(Clone, Debug)]
#[must_use = "a handler begins when this is awaited"]
pub struct Handle<F> {
    var: Variable,
    options: SubscribeOptions,
    handler: F,
}

impl<F> Handle<F> {
    pub(crate) fn new(var: &Variable, handler: F) -> Self {
        let options = SubscribeOptions { requests_only: true, ..SubscribeOptions::default() };
        Self { var: var.clone(), options, handler }
    }

    subscription_options!();
}

impl<F, R, A, E> IntoFuture for Handle<F>
where
    F: FnMut(Message) -> R + Send + 'static,
    R: Future<Output = Result<A, E>> + Send + 'static,
    A: IntoAnswer + 'static,
    E: fmt::Display + Send + 'static,
{
    type Output = Result<Listener>;
    type IntoFuture = Boxed<Self::Output>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move {
            let stream = Subscription::pumped(register(&self.var, self.options).await?);
            let listener = Listener::new(&stream);
            worker::spawn(pump(stream, "a request handler", move |message: Message| {
                let run = (self.handler)(message.clone());
                async move {
                    match run.await {
                        Ok(answer) => {
                            message.answer(&answer.into_answer());
                            Ok(())
                        }
                        Err(error) => Err(error.to_string()),
                    }
                }
            }));
            Ok(listener)
        })
    }
}

/// Runs a handler for every message of a stream; its errors and panics end only that message.
async fn pump<R>(
    mut stream: Subscription,
    what: &'static str,
    mut handler: impl FnMut(Message) -> R + Send,
) where
    R: Future<Output = Result<(), String>> + Send,
{
    let hub = stream.core().hub.clone();
    let id = stream.core().id;
    let pumping = async {
        // Messages that are handled but not given back yet: one visit to the machine serves for
        // all that were handled without a pause.
        let mut handled = 0;
        loop {
            let Some((batch, at)) = stream.next_in_batch() else {
                stream.give_back(&mut handled);
                if poll_fn(|cx| stream.poll_refill(cx)).await {
                    continue;
                }
                return;
            };
            let batch = Arc::clone(batch);
            let Some(message) = batch.message(at) else { return };
            let run = AssertUnwindSafe(async { handler(message).await }).catch_unwind();
            let mut run = std::pin::pin!(run);
            let first = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
            let ended = match first {
                Poll::Ready(ended) => ended,
                Poll::Pending => {
                    stream.give_back(&mut handled);
                    run.await
                }
            };
            batch.handled(at);
            handled += 1;
            let failed = match ended {
                Ok(Ok(())) => continue,
                Ok(Err(text)) => text,
                Err(panic) => worker::panic_text(&*panic),
            };
            hub.callback_failed(what, &failed);
        }
    };
    handler::scope(&hub, Some(id), pumping).await;
}

/// A handler at work. Dropped, it ends as by [`Listener::unsubscribe`]; a running handler may finish.
pub struct Listener {
    core: Arc<Core>,
    detached: bool,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("name", &self.core.name).finish_non_exhaustive()
    }
}

impl Listener {
    fn new(stream: &Subscription) -> Self {
        Self { core: Arc::clone(stream.core()), detached: false }
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

    /// Why it ended, where the server refused it.
    pub fn error(&self) -> Option<Error> {
        self.core.signal.error()
    }

    /// Ends it at once: what waits is discarded, a running handler may finish.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn unsubscribe(&self) -> Result<()> {
        self.core.unsubscribe()
    }

    /// Ends it after what was accepted is handled. Default time-out: 5 seconds.
    ///
    /// # Errors
    /// `DRAIN_TIMEOUT`: what waits is discarded; `DRAIN_IN_HANDLER` inside its own handler.
    pub async fn drain(&self, timeout: impl Into<Option<Duration>>) -> Result<()> {
        self.core.drain(timeout.into()).await
    }

    /// Lets it run until the hub is closed or drained, with nobody holding it. It keeps the hub open:
    /// dropping the rest of the hub does not close it any more.
    pub fn detach(mut self) {
        self.detached = true;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if !self.detached {
            // After a fork there is nothing to end.
            let _ = self.core.unsubscribe();
        }
    }
}
