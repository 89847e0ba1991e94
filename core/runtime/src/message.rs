//! A received message, as handlers and streams see it.
use crate::{
    Hub, Result, Value,
    payload::{Purpose, read, with_json},
};
use posthouse_core::{Code, Error, Headers, hub::Delivery};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// An event or request that was received. Clones are the same message; it counts as being handled
/// until its handler has ended or, taken from a stream, until the last clone is dropped.
#[derive(Clone)]
pub struct Message {
    inner: Arc<Inner>,
}

struct Inner {
    hub: Hub,
    /// The name of the subscription, for messages of exactly that name.
    name: Arc<str>,
    delivery: Delivery,
    /// Its handler has ended, and whoever ran that gives it back.
    handled: AtomicBool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if *self.handled.get_mut() {
            return;
        }
        // After a fork nobody counts.
        let _ =
            self.hub.inner.engine.call(|hub, _, now| hub.finished_one(now, &self.delivery.token));
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("topic", &self.topic())
            .field("bytes", &self.inner.delivery.payload.len())
            .field("is_request", &self.is_request())
            .finish_non_exhaustive()
    }
}

impl Message {
    pub(crate) fn new(hub: Hub, name: Arc<str>, delivery: Delivery) -> Self {
        Self { inner: Arc::new(Inner { hub, name, delivery, handled: AtomicBool::new(false) }) }
    }

    /// The name that it was published to.
    pub fn topic(&self) -> &str {
        self.inner.delivery.topic.as_deref().unwrap_or(&self.inner.name)
    }

    /// Its headers, as received.
    pub fn headers(&self) -> &Headers {
        &self.inner.delivery.headers
    }

    /// Its JSON text, validated.
    pub fn payload(&self) -> &[u8] {
        &self.inner.delivery.payload
    }

    /// Its data.
    pub fn data(&self) -> Value {
        // The machine has validated it; `Value` takes all valid JSON.
        read(&self.inner.delivery.payload, Purpose::Message).unwrap_or_default()
    }

    /// Its data as a type of the program, read from JSON directly.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` if it is of another type.
    pub fn data_as<T: DeserializeOwned>(&self) -> Result<T> {
        read(&self.inner.delivery.payload, Purpose::Message)
    }

    /// Whether it wants an answer.
    pub fn is_request(&self) -> bool {
        self.inner.delivery.token.has_reply()
    }

    /// Sends one answer; several are allowed while the message is being handled.
    ///
    /// # Errors
    /// `NO_REPLY_SUBJECT` for an event, `CLOSED` after the handler's end, `DISCONNECTED` if it came
    /// over an earlier connection, `INVALID_MESSAGE`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`.
    pub fn reply(&self, data: &Value) -> Result<()> {
        self.reply_as(data, None)
    }

    /// Sends one answer with headers.
    ///
    /// # Errors
    /// As [`Message::reply`].
    pub fn reply_with(&self, data: &Value, headers: &Headers) -> Result<()> {
        self.reply_as(data, Some(headers))
    }

    /// Sends one answer of a type of the program, into JSON directly.
    ///
    /// # Errors
    /// As [`Message::reply`].
    pub fn reply_as<T: Serialize + ?Sized>(
        &self,
        data: &T,
        headers: Option<&Headers>,
    ) -> Result<()> {
        if self.inner.handled.load(Ordering::Acquire) {
            return Err(Error::new(
                Code::Closed,
                "the handler of this message has ended; reply while it runs",
            ));
        }
        with_json(data, Purpose::Message, &self.inner.hub.inner.message_limits, |body| {
            let engine = &self.inner.hub.inner.engine;
            engine.call_through(|hub, _, _| hub.reply(&self.inner.delivery.token, body, headers))?
        })
    }

    /// Its handler has ended: whoever kept a clone cannot answer any more.
    pub(crate) fn handled(&self) {
        self.inner.handled.store(true, Ordering::Release);
    }

    /// Sends what a handler returned; what fails is reported.
    pub(crate) fn answer<T: Serialize>(&self, answer: &Answer<T>) {
        let token = &self.inner.delivery.token;
        let headers = Some(&answer.headers);
        let engine = &self.inner.hub.inner.engine;
        let limits = &self.inner.hub.inner.message_limits;
        let sent = with_json(&answer.data, Purpose::Message, limits, |body| {
            engine.call_through(|hub, _, now| hub.answer(now, token, body, headers))
        });
        if let Err(error) = sent {
            self.inner.hub.callback_failed("a handler's answer", &error.to_string());
        }
    }
}

/// What a handler answers: data, and headers if it wants.
#[derive(Clone, Debug)]
pub struct Answer<T = Value> {
    data: T,
    headers: Headers,
}

impl<T: Serialize> Answer<T> {
    /// An answer of any type that serialises.
    pub fn new(data: T) -> Self {
        Self { data, headers: Headers::new() }
    }

    /// Adds headers.
    #[must_use]
    pub fn with_headers(mut self, headers: Headers) -> Self {
        self.headers = headers;
        self
    }
}

/// What a handler may return: a [`Value`], nothing (JSON null), or an [`Answer`] of any type.
pub trait IntoAnswer: Send {
    /// The type that is serialised.
    type Data: Serialize + Send + Sync;
    /// The answer.
    fn into_answer(self) -> Answer<Self::Data>;
}

impl IntoAnswer for Value {
    type Data = Self;
    fn into_answer(self) -> Answer {
        Answer::new(self)
    }
}

impl IntoAnswer for () {
    type Data = ();
    fn into_answer(self) -> Answer<()> {
        Answer::new(())
    }
}

impl<T: Serialize + Send + Sync> IntoAnswer for Answer<T> {
    type Data = T;
    fn into_answer(self) -> Self {
        self
    }
}
