//! The variable: one reference for state, events and requests of a name.
use crate::{
    Hub, Message, Meta, Result, Value,
    collect::RequestMany,
    listener::{Handle, Subscribe},
    payload::{Purpose, read, with_json},
    request::Request,
    typed::SubscribeAs,
    watch::Watch,
};
use posthouse_core::{Headers, VarId};
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, sync::Arc};

/// A stable reference to a name of the namespace: its shared state, and the events and requests
/// that go by it. Cheap to clone; the same name of a hub is always the same variable.
#[derive(Clone)]
pub struct Variable {
    pub(crate) hub: Hub,
    pub(crate) id: VarId,
    pub(crate) name: Arc<str>,
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartialEq for Variable {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && Arc::ptr_eq(&self.hub.inner, &other.hub.inner)
    }
}

impl Eq for Variable {}

/// State.
impl Variable {
    pub(crate) fn new(hub: Hub, id: VarId, name: &str) -> Self {
        Self { hub, id, name: name.into() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hub.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// The current value; `None` where there is none or it is not known. Never waits.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn value(&self) -> Result<Option<Value>> {
        self.get_as()
    }

    /// The current value, or `fallback` where there is none. Never waits, never writes.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn get(&self, fallback: Value) -> Result<Value> {
        Ok(self.value()?.unwrap_or(fallback))
    }

    /// The current value as a type of the program, read from JSON directly.
    ///
    /// # Errors
    /// `INVALID_VALUE` if it is of another type, `FORKED`.
    pub fn get_as<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let body = self.hub.inner.engine.with(|hub, _| hub.get(self.id).map(Box::<[u8]>::from))?;
        body.map(|body| read(&body, Purpose::Value)).transpose()
    }

    /// Writes the value. Works offline: it is merged with what others wrote on return.
    ///
    /// # Errors
    /// `INVALID_VALUE`, `VALUE_TOO_LARGE`, `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    pub fn set(&self, value: &Value) -> Result<()> {
        self.set_as(value)
    }

    /// Writes a value of a type of the program, into JSON directly.
    ///
    /// # Errors
    /// As [`Variable::set`].
    pub fn set_as<T: Serialize + ?Sized>(&self, value: &T) -> Result<()> {
        let engine = &self.hub.inner.engine;
        with_json(value, Purpose::Value, &posthouse_core::json::Limits::VALUE, |body| {
            engine.call(|hub, _, now| hub.set(now, self.id, body))?
        })
    }

    /// Deletes the value, for everybody. Works offline.
    ///
    /// # Errors
    /// `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    pub fn delete(&self) -> Result<()> {
        self.hub.inner.engine.call(|hub, _, now| hub.delete(now, self.id))?
    }

    /// What is known of the variable besides its value.
    ///
    /// # Errors
    /// `FORKED`.
    pub fn meta(&self) -> Result<Meta> {
        self.hub.inner.engine.with(|hub, _| hub.meta(self.id))
    }

    /// Waits until it is known whether there is a value.
    ///
    /// # Errors
    /// `CLOSED`.
    pub async fn ready(&self) -> Result<()> {
        let id = self.id;
        let done = self.hub.begin(|hub, now| hub.ready(now, Some(id), None))?;
        done.await.map(drop).map_err(|failure| failure.error)
    }

    /// Watches the variable: the initialised state first, then every change of the value or of what
    /// is known of it. Changes may be passed over, never the last.
    ///
    /// # Errors
    /// `CLOSED`.
    pub fn watch(&self) -> Result<Watch> {
        Watch::new(self)
    }
}

/// Events and requests.
impl Variable {
    /// Publishes an event to whoever is subscribed now. Done means accepted by the bounded local
    /// transport. Neither the value nor anything known of the variable changes.
    ///
    /// # Errors
    /// `INVALID_TOPIC`, `INVALID_MESSAGE`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`, `DISCONNECTED`,
    /// `DRAINING`, `CLOSED`.
    pub fn publish(&self, data: &Value) -> Result<()> {
        self.pub_as(data, None)
    }

    /// Publishes an event with headers.
    ///
    /// # Errors
    /// As [`Variable::publish`].
    pub fn publish_with(&self, data: &Value, headers: &Headers) -> Result<()> {
        self.pub_as(data, Some(headers))
    }

    /// Publishes an event of a type of the program, into JSON directly.
    ///
    /// # Errors
    /// As [`Variable::publish`].
    pub fn pub_as<T: Serialize + ?Sized>(&self, data: &T, headers: Option<&Headers>) -> Result<()> {
        let engine = &self.hub.inner.engine;
        let limits = self.hub.inner.message_limits;
        with_json(data, Purpose::Message, &limits, |body| {
            engine.with(|hub, _| hub.publish(self.id, body, headers))?
        })
    }

    /// Subscribes to events and requests of the name, which may be a pattern here: await it for a
    /// stream, or give it a handler.
    ///
    /// ```
    /// # let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    /// # #[tokio::main] async fn example(port: u16) -> posthouse::Result<()> {
    /// use futures_util::StreamExt as _;
    /// use posthouse::{Hub, json};
    ///
    /// # let hub = Hub::builder("workshop").local_port(port, None).connect().await?;
    /// let mut readings = hub.var("sensor.*")?.subscribe().await?;
    /// hub.var("sensor.temperature")?.publish(&json!(21.5))?;
    /// while let Some(message) = readings.next().await {
    ///     println!("{}: {}", message.topic(), message.data());
    /// #   break;
    /// }
    /// # hub.close().await }
    /// # example(port).unwrap();
    /// ```
    pub fn subscribe(&self) -> Subscribe {
        Subscribe::new(self)
    }

    /// [`Variable::subscribe`].
    pub fn sub(&self) -> Subscribe {
        self.subscribe()
    }

    /// Receives events as a type of the program's, read from JSON directly. A message of another type is an
    /// error of its own in the stream. For options see [`Subscribe::typed`].
    ///
    /// ```
    /// # let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    /// # #[tokio::main] async fn example(port: u16) -> posthouse::Result<()> {
    /// use futures_util::StreamExt as _;
    /// use posthouse::Hub;
    ///
    /// # let hub = Hub::builder("workshop").local_port(port, None).connect().await?;
    /// let mut readings = hub.var("sensor.*")?.sub_as::<f64>().await?;
    /// hub.var("sensor.temperature")?.pub_as("warm", None)?;
    /// hub.var("sensor.temperature")?.pub_as(&21.5, None)?;
    /// assert_eq!(readings.next().await.unwrap().unwrap_err().code().as_str(), "INVALID_MESSAGE");
    /// assert_eq!(readings.next().await.unwrap()?, 21.5);
    /// readings.unsubscribe()?;
    /// assert!(readings.next().await.is_none());
    /// # hub.close().await }
    /// # example(port).unwrap();
    /// ```
    pub fn sub_as<T: DeserializeOwned>(&self) -> SubscribeAs<T> {
        self.subscribe().typed()
    }

    /// Answers requests of the name, which may be a pattern here, with what `handler` returns. An
    /// error is reported here; nothing is sent, and the caller runs into its time-out.
    ///
    /// ```
    /// # let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    /// # #[tokio::main] async fn example(port: u16) -> posthouse::Result<()> {
    /// use posthouse::{Error, Hub, Value, json};
    ///
    /// # let hub = Hub::builder("workshop").local_port(port, None).connect().await?;
    /// let lamp = hub.var("lamp")?;
    /// let _handle = lamp
    ///     .handle(|request| async move { Ok::<Value, Error>(json!({"ok": request.data()})) })
    ///     .await?;
    /// assert_eq!(lamp.request(&json!(1)).await?, json!({"ok": 1}));
    /// # hub.close().await }
    /// # example(port).unwrap();
    /// ```
    pub fn handle<F, R>(&self, handler: F) -> Handle<F>
    where
        F: FnMut(Message) -> R + Send + 'static,
        R: Future + Send + 'static,
    {
        Handle::new(self, handler)
    }

    /// Sends a request; awaiting it gives the first answer.
    ///
    /// ```
    /// # let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    /// # #[tokio::main] async fn example(port: u16) -> posthouse::Result<()> {
    /// use posthouse::{Code, Hub, json};
    /// use std::time::Duration;
    ///
    /// # let hub = Hub::builder("workshop").local_port(port, None).connect().await?;
    /// let lamp = hub.var("lamp")?;
    /// match lamp.request(&json!({"on": true})).timeout(Duration::from_secs(1)).await {
    ///     Ok(answer) => println!("{answer}"),
    ///     Err(error) if error.code() == Code::NoResponders => println!("there is no lamp"),
    ///     Err(error) => return Err(error),
    /// }
    /// # hub.close().await }
    /// # example(port).unwrap();
    /// ```
    pub fn request<'a, T: Serialize + ?Sized>(&'a self, data: &'a T) -> Request<'a, T, Value> {
        Request::new(self, data)
    }

    /// [`Variable::request`].
    pub fn req<'a, T: Serialize + ?Sized>(&'a self, data: &'a T) -> Request<'a, T, Value> {
        self.request(data)
    }

    /// Sends a request whose answer is read as a type of the program.
    pub fn req_as<'a, R: DeserializeOwned, T: Serialize + ?Sized>(
        &'a self,
        data: &'a T,
    ) -> Request<'a, T, R> {
        Request::new(self, data)
    }

    /// Sends a request and gathers several answers within a window.
    pub fn request_many<'a, T: Serialize + ?Sized>(
        &'a self,
        data: &'a T,
    ) -> RequestMany<'a, T, Value> {
        RequestMany::new(self, data)
    }
}
