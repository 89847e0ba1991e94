//! What the store is opened with: the connection options of a hub, and two of its own.
use crate::{StoreError, Trouble};
use std::{fmt, path::PathBuf, time::Duration};

/// Everything that [`JetStream::open`](super::JetStream::open) takes. The connection's options have the names and
/// the meaning of a hub's. Prints without its secrets.
#[derive(Clone)]
pub struct JetStreamOptions {
    /// The servers' addresses, best first: `nats://`, `tls://` or `HOST:PORT`.
    pub servers: Vec<String>,
    /// A token. One way of proving who we are may be given; with none, what the first address with a user
    /// holds, or else `POSTHOUSE_CREDENTIALS` or `POSTHOUSE_TOKEN`.
    pub token: Option<String>,
    /// A user's name; needs a password.
    pub user: Option<String>,
    /// The user's password; needs a user.
    pub password: Option<String>,
    /// A user's secret seed (`SU…`).
    pub nkey: Option<String>,
    /// The path of a credentials file (JWT and seed), or the text of one.
    pub credentials: Option<String>,
    /// Encryption.
    pub tls: JetStreamTls,
    /// How many servers keep each message: 1 to 5. `None`: 1 for queues that are created, and anything for
    /// those that exist.
    pub replicas: Option<u8>,
    /// How long an operation goes on trying where the server is away or does not answer. Default 15 s.
    pub timeout: Duration,
}

/// The TLS options. Any of them given means that a connection without TLS is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JetStreamTls {
    /// PEM file of the authorities to trust; the system's if not given.
    pub ca_file: Option<PathBuf>,
    /// PEM file of our own certificate; needs `key_file`.
    pub cert_file: Option<PathBuf>,
    /// PEM file of our certificate's private key; needs `cert_file`.
    pub key_file: Option<PathBuf>,
    /// TLS before INFO, as servers with `handshake_first` want it.
    pub handshake_first: bool,
}

impl JetStreamOptions {
    /// Reads a store as a deployment's configuration writes it: one address, or several with commas between
    /// them, and perhaps `?replicas=3` at the end.
    ///
    /// # Errors
    /// [`Trouble::Other`] for another parameter. The addresses are read when the store is opened.
    pub fn parse(store: &str) -> Result<Self, StoreError> {
        let (servers, query) = store.split_once('?').unwrap_or((store, ""));
        let servers = servers.split(',').map(str::trim).filter(|server| !server.is_empty());
        let mut options = Self { servers: servers.map(str::to_owned).collect(), ..Self::default() };
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let ("replicas", Ok(replicas @ 1..=5)) = (name, value.parse()) else {
                let words = format!(
                    "{name:?} stands behind the store's servers; allowed is ?replicas=1 to 5"
                );
                return Err(StoreError::new(Trouble::Other, words));
            };
            options.replicas = Some(replicas);
        }
        Ok(options)
    }
}

impl Default for JetStreamOptions {
    fn default() -> Self {
        Self {
            servers: vec!["nats://127.0.0.1:4222".to_owned()],
            token: None,
            user: None,
            password: None,
            nkey: None,
            credentials: None,
            tls: JetStreamTls::default(),
            replicas: None,
            timeout: Duration::from_secs(15),
        }
    }
}

impl fmt::Debug for JetStreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamOptions")
            .field("servers", &self.servers.len())
            .field("tls", &self.tls)
            .field("replicas", &self.replicas)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read() {
        let options = JetStreamOptions::parse("nats://a:1, tls://b?replicas=3").unwrap();
        assert_eq!(options.servers, ["nats://a:1", "tls://b"]);
        assert_eq!(options.replicas, Some(3));
        assert_eq!(JetStreamOptions::parse("a").unwrap().replicas, None);
        for wrong in ["a?replicas=6", "a?replicas=0", "a?replicas", "a?x=1"] {
            JetStreamOptions::parse(wrong).unwrap_err();
        }
    }
}
