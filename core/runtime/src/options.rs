//! What a hub is opened with, in the units of Rust.
use crate::{
    engine::{LocalOptions, Servers},
    net::{AuthOptions, Endpoint, TlsConfigCache, TlsOptions},
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
    /// For tests only: the local node's TCP port instead of 4222; also `POSTHOUSE_LOCAL_PORT`. The
    /// WebSocket port is then any free one unless it is given, too.
    #[doc(hidden)]
    pub local_port: Option<u16>,
    /// For tests only: the local node's WebSocket port; also `POSTHOUSE_LOCAL_WEBSOCKET_PORT`.
    #[doc(hidden)]
    pub local_websocket_port: Option<u16>,
    /// Credentials; none means what the URLs hold, or else `POSTHOUSE_TOKEN` or `POSTHOUSE_CREDENTIALS`.
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
        self.read_environment()?;
        let tls = TlsConfigCache::new(self.tls.clone())?;
        let local = self.servers.is_none();
        let port = self.local_port.unwrap_or(limits::LOCAL_PORT);
        let urls = match self.servers.take() {
            Some(urls) => urls,
            None => vec![format!("nats://127.0.0.1:{port}")],
        };
        if !local && self.node == NodeMode::Own {
            return Err(Error::new(
                Code::InvalidOptions,
                "node is true and servers are given; a hub with servers is only a client: leave one of the two out",
            ));
        }
        let endpoints: Vec<Endpoint> =
            urls.iter().map(|url| Endpoint::parse(url)).collect::<Result<_>>()?;
        if endpoints.iter().all(|endpoint| endpoint.userinfo.is_none()) {
            self.read_credentials();
        }
        self.auth.validate()?;
        let other = self.local_port.map_or(limits::LOCAL_WEBSOCKET_PORT, |_| 0);
        let local = local.then(|| LocalOptions {
            mode: self.node,
            node: NodeOptions {
                port,
                ws_port: Some(self.local_websocket_port.unwrap_or(other)),
                ..NodeOptions::default()
            },
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

    fn read_environment(&mut self) -> Result<()> {
        if self.servers.is_none()
            && self.node != NodeMode::Own
            && let Some(list) = environment("POSTHOUSE_SERVERS")
        {
            let urls = list.split(',').map(str::trim).filter(|url| !url.is_empty());
            self.servers = Some(urls.map(str::to_owned).collect());
        }
        for (port, name) in [
            (&mut self.local_port, "POSTHOUSE_LOCAL_PORT"),
            (&mut self.local_websocket_port, "POSTHOUSE_LOCAL_WEBSOCKET_PORT"),
        ] {
            if port.is_none()
                && let Some(given) = environment(name)
            {
                let wrong = |_| {
                    let text = format!("{name} is {given:?}; allowed is a port, 1 to 65535");
                    Error::new(Code::InvalidOptions, text)
                };
                *port = Some(given.parse().map_err(wrong)?);
            }
        }
        Ok(())
    }

    /// What the program gives wins over the environment.
    fn read_credentials(&mut self) {
        let auth = &mut self.auth;
        if auth.token.is_some()
            || auth.user.is_some()
            || auth.nkey.is_some()
            || auth.credentials.is_some()
        {
            return;
        }
        if let Some(path) = environment("POSTHOUSE_CREDENTIALS") {
            auth.credentials = Some(path.into());
        } else if let Some(token) = environment("POSTHOUSE_TOKEN") {
            auth.token = Some(token.into());
        }
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
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
