//! Subscriptions whose messages come as a type of the program's.
use crate::{Result, Subscribe, Subscription};
use futures_util::{Stream, StreamExt as _};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::IntoFuture,
    marker::PhantomData,
    ops::{Deref, DerefMut},
    pin::Pin,
    task::{Context, Poll},
};

/// A subscription in the making whose stream gives a type of the program's: await it; see
/// [`Variable::sub_as`](crate::Variable::sub_as) and [`Subscribe::typed`].
#[derive(Clone, Debug)]
#[must_use = "a subscription begins when this is awaited"]
pub struct SubscribeAs<T> {
    subscribe: Subscribe,
    data: PhantomData<fn() -> T>,
}

impl<T> SubscribeAs<T> {
    pub(crate) fn new(subscribe: Subscribe) -> Self {
        Self { subscribe, data: PhantomData }
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for SubscribeAs<T> {
    type Output = Result<SubscriptionAs<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// # Errors
    /// As [`Subscribe::handler`].
    fn into_future(self) -> Self::IntoFuture {
        let begun = self.subscribe.into_future();
        Box::pin(async move { Ok(SubscriptionAs { inner: begun.await?, data: PhantomData }) })
    }
}

/// A stream of the data of messages, read from JSON directly. A message of another type is an error of its
/// own, `INVALID_MESSAGE`, and the next one may be right. Everything else is that of the [`Subscription`] within.
pub struct SubscriptionAs<T> {
    inner: Subscription,
    data: PhantomData<fn() -> T>,
}

impl<T> SubscriptionAs<T> {
    /// The subscription within, whose stream gives whole messages.
    pub fn into_inner(self) -> Subscription {
        self.inner
    }
}

impl<T> fmt::Debug for SubscriptionAs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T> Deref for SubscriptionAs<T> {
    type Target = Subscription;
    fn deref(&self) -> &Subscription {
        &self.inner
    }
}

impl<T> DerefMut for SubscriptionAs<T> {
    fn deref_mut(&mut self) -> &mut Subscription {
        &mut self.inner
    }
}

impl<T: DeserializeOwned> Stream for SubscriptionAs<T> {
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.get_mut().inner.poll_next_unpin(context);
        next.map(|message| message.map(|message| message.data_as()))
    }
}
