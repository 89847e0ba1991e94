//! A received message, as handlers and streams see it.
use crate::{
    Result, Value,
    batch::{Batch, Item},
    payload::{Purpose, read_text, with_json},
};
use posthouse_core::{Code, Error, Headers};
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, sync::Arc};

/// An event or request that was received. Clones are the same message; it counts as being handled
/// until its handler has ended or, taken from a stream, until the last clone is dropped.
///
/// It shares its memory with messages that came about the same time: one that is kept for long
/// keeps up to 64 KiB of others, or one larger message.
pub struct Message {
    batch: Arc<Batch>,
    at: usize,
}

impl Clone for Message {
    fn clone(&self) -> Self {
        self.batch.held(self.at);
        Self { batch: Arc::clone(&self.batch), at: self.at }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.batch.let_go(self.at);
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("topic", &self.topic())
            .field("bytes", &self.item().delivery.payload.len())
            .field("is_request", &self.is_request())
            .finish_non_exhaustive()
    }
}

impl Message {
    pub(crate) fn new(batch: Arc<Batch>, at: usize) -> Self {
        Self { batch, at }
    }

    #[inline]
    fn item(&self) -> &Item {
        self.batch.item(self.at)
    }

    /// The name that it was published to.
    pub fn topic(&self) -> &str {
        self.item().delivery.topic.as_deref().unwrap_or(&self.batch.name)
    }

    /// Its headers, as received.
    pub fn headers(&self) -> &Headers {
        &self.item().delivery.headers
    }

    /// Its JSON text, validated.
    pub fn payload(&self) -> &[u8] {
        &self.item().delivery.payload
    }

    /// Its data.
    pub fn data(&self) -> Value {
        // The machine has validated it; `Value` takes all valid JSON.
        read_text(self.item().delivery.payload.text(), Purpose::Message).unwrap_or_default()
    }

    /// Its data as a type of the program, read from JSON directly.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` if it is of another type.
    pub fn data_as<T: DeserializeOwned>(&self) -> Result<T> {
        read_text(self.item().delivery.payload.text(), Purpose::Message)
    }

    /// Whether it wants an answer.
    pub fn is_request(&self) -> bool {
        self.item().delivery.token.has_reply()
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
        if self.item().is_handled() {
            return Err(Error::new(
                Code::Closed,
                "the handler of this message has ended; reply while it runs",
            ));
        }
        with_json(data, Purpose::Message, &self.batch.hub.inner.message_limits, |body| {
            let engine = &self.batch.hub.inner.engine;
            engine
                .call_through(|hub, _, _| hub.reply(&self.item().delivery.token, body, headers))?
        })
    }

    /// Sends what a handler returned; what fails is reported.
    pub(crate) fn answer<T: Serialize>(&self, answer: &Answer<T>) {
        let token = &self.item().delivery.token;
        let headers = Some(&answer.headers);
        let engine = &self.batch.hub.inner.engine;
        let limits = &self.batch.hub.inner.message_limits;
        let sent = with_json(&answer.data, Purpose::Message, limits, |body| {
            engine.call_through(|hub, _, now| hub.answer(now, token, body, headers))
        });
        if let Err(error) = sent {
            self.batch.hub.callback_failed("a handler's answer", &error.to_string());
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
