//! What a hub is opened with, in the units of Rust.
use crate::{
    engine::{LocalOptions, Servers},
    net::{AuthOptions, Credential, Endpoint, TlsConfigCache, TlsOptions},
};
use posthouse_core::{Code, Error, Result, hub::Config, limits, options::HubOptions};
use posthouse_node::NodeOptions;
use std::{collections::hash_map::RandomState, fmt, hash::BuildHasher};

/// Whether the hub may be the local node: the broker that others on this machine connect to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeMode {
    /// It becomes the node where nobody listens. The default.
    #[default]
    Auto,
    /// It must be the node: if another program has the port, opening fails.
    Own,
    /// It only connects.
    Never,
}

/// Everything that a hub is opened with. Languages fill this in; Rust programs use the builder.
#[derive(Clone, Default)]
pub struct Options {
    /// The namespace; none gives a fresh one that nobody else is in.
    pub namespace: Option<String>,
    /// The servers, best first; none means the local node, or `POSTHOUSE_SERVERS`.
    pub servers: Option<Vec<String>>,
    /// Whether the hub may be the local node.
    pub node: NodeMode,
    /// Credentials; none means `POSTHOUSE_TOKEN`, `POSTHOUSE_CREDENTIALS`, or what the URLs hold.
    pub auth: AuthOptions,
    /// Encryption.
    pub tls: TlsOptions,
    /// Numbers and times.
    pub numbers: HubOptions,
    /// The SDK's language, as others see it.
    pub sdk: &'static str,
    /// The platform, as others see it, e.g. `python/3.11.7`.
    pub runtime: String,
}

impl fmt::Debug for Options {
    /// Without the servers: their addresses may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("namespace", &self.namespace)
            .field("node", &self.node)
            .field("auth", &self.auth)
            .field("tls", &self.tls)
            .field("numbers", &self.numbers)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// Fills in what the environment says, checks all, and gives what the engine takes.
    ///
    /// # Errors
    /// `INVALID_OPTIONS`, `INVALID_SERVER`.
    pub fn resolve(mut self) -> Result<(Config, Servers)> {
        self.read_environment();
        self.auth.validate()?;
        let tls = TlsConfigCache::new(self.tls.clone())?;
        let local = self.servers.is_none();
        let urls = match self.servers.take() {
            Some(urls) => urls,
            None => vec![format!("nats://127.0.0.1:{}", limits::LOCAL_PORT)],
        };
        if !local && self.node == NodeMode::Own {
            return Err(Error::new(
                Code::InvalidOptions,
                "node is true and servers are given; a hub with servers is only a client: leave one of the two out",
            ));
        }
        let endpoints: Vec<Endpoint> =
            urls.iter().map(|url| Endpoint::parse(url)).collect::<Result<_>>()?;
        let node_token = match &self.auth.token {
            Some(Credential::Value(secret)) => Some(secret.reveal().to_owned()),
            _ => None,
        };
        let local = local.then(|| LocalOptions {
            mode: self.node,
            node: NodeOptions { token: node_token, ..NodeOptions::default() },
        });
        let config = Config {
            namespace: self.namespace.take().unwrap_or_else(fresh_namespace),
            options: self.numbers,
            endpoints: endpoints.iter().map(ToString::to_string).collect(),
            // A node whose owner went must be taken over within its time, jitter included.
            reconnect_max_ms: if local.is_some() {
                limits::TAKE_OVER_MS / 2
            } else {
                limits::RECONNECT_MAX_MS
            },
            seed: seed(),
            sdk: if self.sdk.is_empty() { "rust" } else { self.sdk }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            runtime: self.runtime,
        };
        Ok((config, Servers { endpoints, tls, auth: self.auth, local }))
    }

    fn read_environment(&mut self) {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if self.servers.is_none()
            && self.node != NodeMode::Own
            && let Some(list) = read("POSTHOUSE_SERVERS")
        {
            self.servers = Some(list.split(',').map(|url| url.trim().to_owned()).collect());
        }
        let auth = &self.auth;
        let none = auth.token.is_none()
            && auth.user.is_none()
            && auth.nkey.is_none()
            && auth.credentials.is_none();
        if none {
            if let Some(path) = read("POSTHOUSE_CREDENTIALS") {
                self.auth.credentials = Some(path.into());
            } else if let Some(token) = read("POSTHOUSE_TOKEN") {
                self.auth.token = Some(token.into());
            }
        }
    }
}

/// A namespace that nobody else is in.
fn fresh_namespace() -> String {
    posthouse_core::rng::Rng::new(seed()).uuid()
}

/// Randomness from the system; identities must differ from hub to hub and machine to machine.
fn seed() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        // The standard library seeds its hashers from the system, too, and falls back by itself.
        Err(_) => RandomState::new().hash_one(std::time::SystemTime::now()),
    }
}
