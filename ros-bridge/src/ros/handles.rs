//! What a backend hands out for publishing and for services.
use super::{Answer, Layout, Result, ServiceLayout};
use std::{sync::Arc, time::Duration};
use tokio::sync::{mpsc, oneshot};

/// A topic that is offered.
pub trait Publish: Send + Sync {
    /// Full name of the topic.
    fn topic(&self) -> &str;
    /// What its messages look like.
    fn layout(&self) -> &Arc<Layout>;
    /// Sends one encoded message to everybody who is subscribed now; never waits.
    fn publish(&self, body: Vec<u8>) -> Result<()>;
    /// How many are subscribed now.
    fn subscribers(&self) -> usize;
    /// What happened so far.
    fn counts(&self) -> PublishCounts;
}

/// What happened to the messages of a topic that is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublishCounts {
    /// Messages published.
    pub published: u64,
    /// Messages that were written to a subscriber's connection, summed over the subscribers.
    pub sent: u64,
    /// Messages that were dropped because a subscriber was too slow, summed over the subscribers.
    pub dropped: u64,
}

/// A client of a service.
pub trait Call: Send + Sync {
    /// Full name of the service.
    fn service(&self) -> &str;
    /// What requests and responses look like.
    fn layout(&self) -> &Arc<ServiceLayout>;
    /// Sends an encoded request and gives the encoded response, all within `limit`.
    fn call(&self, request: Vec<u8>, limit: Duration) -> Answer<'_, Vec<u8>>;
}

/// A service that is offered: its requests, one after the other.
pub struct Server {
    requests: mpsc::Receiver<Request>,
    service: String,
    layout: Arc<ServiceLayout>,
    /// Takes the service back.
    _end: Box<dyn Send + Sync>,
}

impl Server {
    /// A server whose requests come from `requests`; `end` is dropped with it.
    pub(crate) fn new(
        service: String,
        layout: Arc<ServiceLayout>,
        requests: mpsc::Receiver<Request>,
        end: Box<dyn Send + Sync>,
    ) -> Self {
        Self { requests, service, layout, _end: end }
    }

    /// Full name of the service.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// What requests and responses look like.
    pub fn layout(&self) -> &Arc<ServiceLayout> {
        &self.layout
    }

    /// Waits for the next request; `None` once the node is closed. Safe to be cancelled.
    pub async fn recv(&mut self) -> Option<Request> {
        self.requests.recv().await
    }
}

/// A request somebody sent. One that is dropped without an answer fails at the caller.
pub struct Request {
    /// The encoded request.
    pub body: Vec<u8>,
    /// The node that calls, by its own account; may be empty.
    pub caller: String,
    answer: oneshot::Sender<std::result::Result<Vec<u8>, String>>,
}

impl Request {
    /// A request and the place its answer comes to.
    pub(crate) fn new(
        body: Vec<u8>,
        caller: String,
    ) -> (Self, oneshot::Receiver<std::result::Result<Vec<u8>, String>>) {
        let (answer, answered) = oneshot::channel();
        (Self { body, caller, answer }, answered)
    }

    /// Answers with an encoded response.
    pub fn respond(self, response: Vec<u8>) {
        // A caller that has gone does not want to know.
        let _ = self.answer.send(Ok(response));
    }

    /// Answers with a failure; the text reaches the caller.
    pub fn fail(self, reason: impl Into<String>) {
        let _ = self.answer.send(Err(reason.into()));
    }

    /// Whether the caller still waits.
    pub fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }
}
