//! Opening a hub.
use crate::{
    Error, Hub, Result,
    engine::Engine,
    hub::OnCallbackError,
    net::Credential,
    options::{NodeMode, Options},
    sink::{Changes, SdkSink},
};
use posthouse_core::options::{HubOptions, MessagingLimits, Selection};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Sets a hub's options and opens it; see [`Hub::builder`]. Every option has a default.
#[derive(Clone)]
#[must_use = "a builder does nothing until `open` or `connect`"]
pub struct Builder {
    options: Options,
    on_callback_error: Option<OnCallbackError>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Builder {
    pub(crate) fn new(namespace: Option<&str>) -> Self {
        let options = Options {
            namespace: namespace.map(str::to_owned),
            runtime: format!("rust/{}", std::env::consts::OS),
            ..Options::default()
        };
        Self { options, on_callback_error: None }
    }

    /// The servers, best first, as `nats://`, `tls://`, `ws://` or `wss://` URLs. Default: the local
    /// node on port 4222, which the hub becomes where nobody is; `POSTHOUSE_SERVERS` overrides it.
    pub fn servers<T: Into<String>>(mut self, servers: impl IntoIterator<Item = T>) -> Self {
        self.options.servers = Some(servers.into_iter().map(Into::into).collect());
        self
    }

    /// Whether the hub may be the local node.
    pub fn node(mut self, mode: NodeMode) -> Self {
        self.options.node = mode;
        self
    }

    /// For tests only: the ports of the local node instead of 4222 and 9222.
    #[doc(hidden)]
    pub fn local_port(mut self, tcp: u16, websocket: impl Into<Option<u16>>) -> Self {
        self.options.local_port = Some(tcp);
        self.options.local_websocket_port = websocket.into();
        self
    }

    /// A token, as a value or a [`Credential`] that asks for it at every attempt.
    pub fn token(mut self, token: impl Into<Credential>) -> Self {
        self.options.auth.token = Some(token.into());
        self
    }

    /// A user with a password.
    pub fn user(mut self, user: impl Into<Credential>, password: impl Into<Credential>) -> Self {
        self.options.auth.user = Some(user.into());
        self.options.auth.password = Some(password.into());
        self
    }

    /// A user's secret seed (`SU…`).
    pub fn nkey(mut self, seed: impl Into<Credential>) -> Self {
        self.options.auth.nkey = Some(seed.into());
        self
    }

    /// The path of a credentials file, or the text of one.
    pub fn credentials(mut self, credentials: impl Into<Credential>) -> Self {
        self.options.auth.credentials = Some(credentials.into());
        self
    }

    /// The certificates to trust, a PEM file, instead of the system's.
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.tls.ca_file = Some(path.into());
        self
    }

    /// A client certificate and its key, PEM files.
    pub fn client_certificate(
        mut self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        self.options.tls.cert_file = Some(certificate.into());
        self.options.tls.key_file = Some(key.into());
        self
    }

    /// TLS before the server's first word, as nats-server's `handshake_first` wants it.
    pub fn tls_handshake_first(mut self, first: bool) -> Self {
        self.options.tls.handshake_first = first;
        self
    }

    /// How long connecting, and each operation that gives none of its own, may take. Default 3 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.numbers.timeout_ms = crate::hub::millis(timeout);
        self
    }

    /// How long other instances have to answer a query for the state. Default 80 % of the time-out.
    pub fn peer_timeout(mut self, timeout: Duration) -> Self {
        self.options.numbers.peer_timeout_ms = Some(crate::hub::millis(timeout));
        self
    }

    /// When the hub moves to a better one of several servers.
    pub fn selection(mut self, selection: Selection) -> Self {
        self.options.numbers.selection = selection;
        self
    }

    /// Bounds for messages.
    pub fn messaging(mut self, limits: MessagingLimits) -> Self {
        self.options.numbers.messaging = limits;
        self
    }

    /// All numbers and times at once, for those that have no method of their own.
    pub fn numbers(mut self, numbers: HubOptions) -> Self {
        self.options.numbers = numbers;
        self
    }

    /// Changes numbers and times in place.
    pub fn with_numbers(mut self, change: impl FnOnce(&mut HubOptions)) -> Self {
        change(&mut self.options.numbers);
        self
    }

    /// Called with every error of a handler or watch callback, besides the hub's report of it. It
    /// runs where the callback ran.
    pub fn on_callback_error(mut self, tell: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_callback_error = Some(Arc::new(tell));
        self
    }

    /// Opens the hub and returns at once: variables work, the connection is being sought.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`, `INVALID_NAME`, `INVALID_SERVER`, `FORKED`, `INTERNAL`.
    pub fn open(self) -> Result<Hub> {
        let numbers = self.options.numbers;
        let (config, servers) = self.options.resolve()?;
        let changes = Arc::<Changes>::default();
        let engine = Engine::open(config, servers, SdkSink::new(Arc::clone(&changes)))?;
        Hub::open(engine, changes, &numbers, self.on_callback_error)
    }

    /// Opens the hub and waits for its connection, at most the option `timeout`.
    ///
    /// # Errors
    /// As [`Builder::open`] and [`Hub::connected`]; the hub is closed then.
    pub async fn connect(self) -> Result<Hub> {
        let timeout = Duration::from_millis(self.options.numbers.timeout_ms);
        let hub = self.open()?;
        hub.connected(timeout).await?;
        Ok(hub)
    }
}
