//! The connection: whether it stands, and asking over it.
use super::{clock::Clock, refusal::Refusal};
use crate::{Stopper, StoreError, Trouble};
use async_nats::{Client, HeaderMap, Message, Request, RequestErrorKind};
use bytes::Bytes;
use std::time::Duration;
use tokio::{
    sync::{RwLock, RwLockReadGuard, watch},
    time::{Instant, sleep, timeout, timeout_at},
};

/// How long one question waits before it is asked again.
pub(super) const ONE_ANSWER: Duration = Duration::from_secs(2);

/// Whether the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    up: bool,
    cuts: u64,
}

impl Line {
    pub(super) fn new() -> Self {
        Self { up: true, cuts: 0 }
    }
    pub(super) fn cut(&mut self) {
        *self = Self { up: false, cuts: self.cuts + 1 };
    }
    pub(super) fn restore(&mut self) {
        self.up = true;
    }
}

/// The connection that all queues of a store share.
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) clock: Clock,
    /// How long an operation goes on trying.
    pub(super) timeout: Duration,
    /// Given when the store is closed.
    pub(super) closing: Stopper,
    /// The addresses, for people.
    pub(super) shown: String,
    /// Held for reading by what is under way; closing waits for it.
    gate: RwLock<()>,
    line: watch::Receiver<Line>,
}

impl Link {
    pub(super) fn new(
        client: Client,
        line: watch::Receiver<Line>,
        timeout: Duration,
        shown: String,
    ) -> Self {
        let (clock, closing) = (Clock::default(), Stopper::new());
        Self { client, clock, timeout, closing, shown, gate: RwLock::new(()), line }
    }

    /// Whether the connection stands now.
    pub(super) fn is_up(&self) -> bool {
        self.line.borrow().up
    }

    /// Ends once the connection stands.
    pub(super) async fn up(&self) {
        let mut line = self.line.clone();
        if line.wait_for(|line| line.up).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// A watch that ends once the connection was cut after this call, even if it stands again.
    pub(super) fn watch_cut(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut line = self.line.clone();
        let cuts = line.borrow().cuts;
        async move {
            if line.wait_for(|line| line.cuts != cuts).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Asks once. Nothing is left behind for later if the connection is down.
    pub(super) async fn ask(
        &self,
        subject: &str,
        headers: Option<&HeaderMap>,
        payload: Bytes,
        patience: Duration,
    ) -> Result<Message, Refusal> {
        if !self.is_up() {
            return Err(Refusal::Silence);
        }
        let mut request = Request::new().payload(payload).timeout(Some(patience));
        if let Some(headers) = headers {
            request = request.headers(headers.clone());
        }
        self.client.send_request(subject.to_owned(), request).await.map_err(|error| {
            match error.kind() {
                RequestErrorKind::NoResponders => Refusal::Nobody,
                RequestErrorKind::MaxPayloadExceeded => Refusal::Told {
                    code: 0,
                    words: format!(
                        "it takes messages of up to {} bytes",
                        self.client.max_payload()
                    ),
                },
                RequestErrorKind::InvalidSubject => {
                    Refusal::Told { code: 0, words: "the subject is wrong".into() }
                }
                _ => Refusal::Silence,
            }
        })
    }

    /// A row of attempts that goes on for as long as the options say.
    pub(super) fn attempts(&self) -> Attempts<'_> {
        let pause = Duration::from_millis(20);
        Attempts { link: self, end: Instant::now() + self.timeout, pause }
    }

    /// Learns the server's time from an answer that was asked for at `asked_ms`.
    pub(super) fn learn_time(&self, asked_ms: i64, answer: &serde_json::Value) {
        self.clock.learn(asked_ms, answer["ts"].as_str());
    }

    /// The server's version as two numbers.
    pub(super) fn version(&self) -> (u32, u32) {
        let text = self.client.server_info().version;
        let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
    }

    /// Begins an operation, which lasts as long as what is returned.
    pub(super) async fn enter(&self) -> Result<RwLockReadGuard<'_, ()>, StoreError> {
        let under_way = self.gate.read().await;
        if self.closing.is_stopped() {
            return Err(StoreError::new(Trouble::Closed, "the store was closed; open it again"));
        }
        Ok(under_way)
    }

    /// Ends waiting, lets the rest of what is under way finish, and closes the connection.
    pub(super) async fn close(&self) {
        self.closing.stop();
        let _alone = self.gate.write().await;
        if self.is_up() {
            // What could still go wrong here concerns nobody any more.
            let _ = timeout(ONE_ANSWER, self.client.flush()).await;
        }
        let _ = self.client.drain().await;
    }
}

/// See [`Link::attempts`].
pub(super) struct Attempts<'a> {
    link: &'a Link,
    end: Instant,
    pause: Duration,
}

impl Attempts<'_> {
    /// Waits until an attempt makes sense.
    pub(super) async fn ready(&self) -> Result<(), Refusal> {
        timeout_at(self.end, self.link.up()).await.map_err(|_| Refusal::Silence)
    }

    /// Whether this answer of an attempt is the last; else waits a while and gives `None`.
    pub(super) async fn last<T>(
        &mut self,
        answer: Result<T, Refusal>,
    ) -> Option<Result<T, Refusal>> {
        match &answer {
            Err(refusal) if refusal.passes() && Instant::now() + self.pause < self.end => {
                sleep(self.pause).await;
                self.pause = Duration::from_millis(500).min(self.pause * 2);
                None
            }
            _ => Some(answer),
        }
    }
}
