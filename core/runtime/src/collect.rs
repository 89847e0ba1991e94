//! A request for several answers.
use crate::{
    Reply, Result, Value, Variable,
    hub::Cancel,
    payload::{Purpose, with_json},
};
use posthouse_core::{
    Code, Error, Headers,
    hub::{Collect, EndReason, Outcome},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, future::IntoFuture, marker::PhantomData, pin::Pin, time::Duration};

/// What a collection gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyResult<T = Value> {
    /// The answers, in order of their coming. Messages, not devices; none is a valid result.
    pub replies: Vec<Reply<T>>,
    /// Why it ended.
    pub reason: EndReason,
}

/// A collection that failed, with the answers that it had until then.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectError {
    /// Why it failed.
    pub error: Error,
    /// The answers until then.
    pub partial_replies: Vec<Reply>,
}

impl fmt::Display for CollectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} answers until then)", self.error, self.partial_replies.len())
    }
}

impl std::error::Error for CollectError {}

impl From<Error> for CollectError {
    fn from(error: Error) -> Self {
        Self { error, partial_replies: Vec::new() }
    }
}

impl From<CollectError> for Error {
    fn from(error: CollectError) -> Self {
        error.error
    }
}

/// A collection in the making: set options, then await it; see [`Variable::request_many`].
#[must_use = "a request is sent when it is awaited"]
pub struct RequestMany<'a, T: ?Sized, R> {
    var: &'a Variable,
    data: &'a T,
    headers: Option<Headers>,
    timeout: Duration,
    cancel: Option<Cancel<'a>>,
    collect: Collect,
    answer: PhantomData<fn() -> R>,
}

impl<T: ?Sized, R> fmt::Debug for RequestMany<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestMany").field("name", &self.var.name).finish_non_exhaustive()
    }
}

impl<'a, T: Serialize + ?Sized, R: DeserializeOwned> RequestMany<'a, T, R> {
    pub(crate) fn new(var: &'a Variable, data: &'a T) -> Self {
        let numbers = posthouse_core::options::RequestManyOptions::default();
        let collect = Collect { max_replies: numbers.max_replies, max_bytes: numbers.max_bytes };
        let timeout = Duration::from_millis(numbers.timeout_ms);
        Self { var, data, headers: None, timeout, cancel: None, collect, answer: PhantomData }
    }

    /// Reads the answers as another type.
    pub fn typed<Other: DeserializeOwned>(self) -> RequestMany<'a, T, Other> {
        let Self { var, data, headers, timeout, cancel, collect, .. } = self;
        RequestMany { var, data, headers, timeout, cancel, collect, answer: PhantomData }
    }

    /// The window, counted from the sending, however many answers come. Default 3 seconds.
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

    /// Ends it with so many answers. Default 16, at most the hub's `messaging.replies`.
    pub fn max_replies(mut self, most: usize) -> Self {
        self.collect.max_replies = most;
        self
    }

    /// Fails it beyond so many bytes of answers. Default 1 MiB, at most the hub's `reply_bytes`.
    pub fn max_bytes(mut self, most: usize) -> Self {
        self.collect.max_bytes = most;
        self
    }

    /// Sends it and gives the answers with their headers, and why it ended.
    ///
    /// # Errors
    /// As [`crate::request::Request::detailed`], and `INVALID_OPTIONS`; the answers until then are in
    /// the error.
    pub async fn detailed(mut self) -> Result<ManyResult<R>, CollectError> {
        let cancel = self.cancel.take();
        let pending = {
            let Self { var, data, headers, timeout, collect, .. } = &self;
            let (headers, timeout) = (headers.as_ref(), crate::hub::millis(*timeout));
            let collect = Some(*collect);
            with_json(*data, Purpose::Message, &var.hub.inner.message_limits, |body| {
                var.hub.begin(|hub, now| hub.request(now, var.id, body, headers, timeout, collect))
            })?
        };
        match pending.or_cancelled_by(cancel).await {
            Ok(Outcome::Replies(replies, reason)) => {
                let replies = replies.into_iter().map(Reply::read).collect::<Result<_>>()?;
                Ok(ManyResult { replies, reason })
            }
            Ok(_) => Err(Error::new(Code::Internal, "a collection ended without answers").into()),
            Err(failure) => {
                let partial = failure.partial.into_iter().map(Reply::read);
                let partial_replies = partial.collect::<Result<_>>().unwrap_or_default();
                Err(CollectError { error: failure.error, partial_replies })
            }
        }
    }
}

impl<'a, T, R> IntoFuture for RequestMany<'a, T, R>
where
    T: Serialize + Sync + ?Sized,
    R: DeserializeOwned + 'a,
{
    type Output = Result<Vec<R>, CollectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    /// # Errors
    /// As [`RequestMany::detailed`].
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let result = self.detailed().await?;
            Ok(result.replies.into_iter().map(|reply| reply.data).collect())
        })
    }
}
