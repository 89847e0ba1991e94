//! Watching a variable.
use crate::{
    Hub, Meta, Result, Value, Variable, handler,
    payload::{Purpose, read},
    sink::Signal,
    worker,
};
use futures_core::Stream;
use futures_util::StreamExt;
use posthouse_core::{WatchId, hub::View};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

/// The state of a variable as a watcher sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    value: Option<Box<[u8]>>,
    /// What is known besides the value.
    pub meta: Meta,
}

impl Change {
    /// The value; `None` where there is none.
    pub fn value(&self) -> Option<Value> {
        self.value_as().unwrap_or_default()
    }

    /// The value as a type of the program, read from JSON directly.
    ///
    /// # Errors
    /// `INVALID_VALUE` if it is of another type.
    pub fn value_as<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        self.value.as_deref().map(|body| read(body, Purpose::Value)).transpose()
    }
}

/// A stream of a variable's states; see [`Variable::watch`]. Ends when the hub is closed. Dropped, it
/// stops at once.
pub struct Watch {
    hub: Hub,
    name: Arc<str>,
    id: WatchId,
    signal: Arc<Signal>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Watch {
    pub(crate) fn new(var: &Variable) -> Result<Self> {
        let (id, signal) = var.hub.inner.engine.with(|hub, sink| {
            let id = hub.watch(var.id)?;
            Ok::<_, crate::Error>((id, sink.watched(id)))
        })??;
        Ok(Self { hub: var.hub.clone(), name: Arc::clone(&var.name), id, signal })
    }

    /// Calls `callback` with every state instead, until the guard is dropped or stopped. Callbacks
    /// of a hub run one after the other, on the caller's tokio runtime or a thread of the SDK.
    pub fn each(self, mut callback: impl FnMut(Change) + Send + 'static) -> WatchGuard {
        let stopped = Arc::new(AtomicBool::new(false));
        let guard = WatchGuard { stopped: Arc::clone(&stopped), signal: Arc::clone(&self.signal) };
        let mut stream = self;
        worker::spawn(async move {
            let hub = stream.hub.clone();
            while let Some(change) = stream.next_unless(&stopped).await {
                let _turn = hub.inner.watch_turn.lock().await;
                if stopped.load(Ordering::Acquire) {
                    break;
                }
                let call = async { callback(change) };
                let call = handler::scope(&hub, None, call);
                let call = futures_util::FutureExt::catch_unwind(AssertUnwindSafe(call));
                if let Err(panic) = call.await {
                    hub.callback_failed("a watch callback", &worker::panic_text(&*panic));
                }
            }
        });
        guard
    }

    /// Only the value, at the same times, so perhaps the same one again.
    pub fn values(self) -> impl Stream<Item = Option<Value>> + Send + Unpin {
        self.map(|change| change.value())
    }

    async fn next_unless(&mut self, stopped: &AtomicBool) -> Option<Change> {
        std::future::poll_fn(|context| {
            let next = self.poll_next_unpin(context);
            if stopped.load(Ordering::Acquire) { Poll::Ready(None) } else { next }
        })
        .await
    }
}

impl Stream for Watch {
    type Item = Change;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Change>> {
        self.signal.waker.register(context.waker());
        let news = self.hub.inner.engine.with(|hub, _| hub.take_news(self.id));
        match news {
            Ok(Some(View { value, meta })) => Poll::Ready(Some(Change { value, meta })),
            Ok(None) if !self.signal.ended() => Poll::Pending,
            Ok(None) | Err(_) => Poll::Ready(None),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // After a fork there is nothing to stop.
        let _ = self.hub.inner.engine.with(|hub, sink| {
            hub.unwatch(self.id);
            sink.unwatched(self.id);
        });
    }
}

/// Keeps a watch callback going; see [`Watch::each`].
#[must_use = "the watch stops when this is dropped"]
pub struct WatchGuard {
    stopped: Arc<AtomicBool>,
    signal: Arc<Signal>,
}

impl fmt::Debug for WatchGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchGuard").finish_non_exhaustive()
    }
}

impl WatchGuard {
    /// Stops it: no call begins after this, one that runs may finish.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.signal.waker.wake();
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.stop();
    }
}
