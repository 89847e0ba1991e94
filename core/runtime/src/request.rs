//! A request for one answer.
use crate::{
    Result, Variable,
    hub::Cancel,
    payload::{Purpose, read, with_json},
};
use posthouse_core::{Code, Error, Headers, hub::Outcome};
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, future::IntoFuture, marker::PhantomData, pin::Pin, time::Duration};

/// An answer with its headers.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply<T = crate::Value> {
    /// The data.
    pub data: T,
    /// The headers, as received.
    pub headers: Headers,
}

impl<T: DeserializeOwned> Reply<T> {
    pub(crate) fn read(reply: posthouse_core::hub::Reply) -> Result<Self> {
        Ok(Self { data: read(&reply.payload, Purpose::Message)?, headers: reply.headers })
    }
}

/// A request in the making: set options, then await it; see [`Variable::request`].
#[must_use = "a request is sent when it is awaited"]
pub struct Request<'a, T: ?Sized, R> {
    var: &'a Variable,
    data: &'a T,
    headers: Option<Headers>,
    timeout: Duration,
    cancel: Option<Cancel<'a>>,
    answer: PhantomData<fn() -> R>,
}

impl<T: ?Sized, R> fmt::Debug for Request<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("name", &self.var.name).finish_non_exhaustive()
    }
}

impl<'a, T: Serialize + ?Sized, R: DeserializeOwned> Request<'a, T, R> {
    pub(crate) fn new(var: &'a Variable, data: &'a T) -> Self {
        let timeout = var.hub.inner.timeout;
        Self { var, data, headers: None, timeout, cancel: None, answer: PhantomData }
    }

    /// How long the whole of it may take. Default: the hub's time-out, 3 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Ends it with `CANCELLED` as soon as `signal` is ready. What was sent is not undone. Dropping the
    /// future cancels it, too, without telling anybody.
    pub fn cancel_on(mut self, signal: impl Future<Output = ()> + Send + 'a) -> Self {
        self.cancel = Some(Box::pin(signal));
        self
    }

    /// Sends headers along.
    pub fn headers(mut self, headers: Headers) -> Self {
        self.headers = Some(headers);
        self
    }

    /// Sends it and gives the answer with its headers. Dropped before that, it is cancelled here;
    /// what was sent is not undone.
    ///
    /// # Errors
    /// `NO_RESPONDERS`, `TIMEOUT`, `INVALID_TOPIC`, `INVALID_MESSAGE`, `MESSAGE_TOO_LARGE`,
    /// `BUFFER_OVERFLOW`, `PERMISSION_DENIED`, `DISCONNECTED`, `DRAINING`, `CLOSED`.
    pub async fn detailed(mut self) -> Result<Reply<R>> {
        let cancel = self.cancel.take();
        let pending = {
            let Self { var, data, headers, timeout, .. } = &self;
            let (headers, timeout) = (headers.as_ref(), crate::hub::millis(*timeout));
            with_json(*data, Purpose::Message, &var.hub.inner.message_limits, |body| {
                var.hub.begin(|hub, now| hub.request(now, var.id, body, headers, timeout, None))
            })?
        };
        match pending.or_cancelled_by(cancel).await {
            Ok(Outcome::Reply(reply)) => Reply::read(reply),
            Ok(_) => Err(Error::new(Code::Internal, "a request ended without its answer")),
            Err(failure) => Err(failure.error),
        }
    }
}

impl<'a, T, R> IntoFuture for Request<'a, T, R>
where
    T: Serialize + Sync + ?Sized,
    R: DeserializeOwned + 'a,
{
    type Output = Result<R>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>>;

    /// # Errors
    /// As [`Request::detailed`].
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.detailed().await?.data) })
    }
}
