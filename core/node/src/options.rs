//! What can be set on a node, with the defaults of a local one.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use posthouse_core::{Code, Error};

/// The largest `max_payload`, in bytes.
const LARGEST_PAYLOAD: usize = 64 * 1024 * 1024;

/// How a node listens, whom it lets in and what it allows. Defaults follow `nats-server`, except
/// that the node listens on loopback only.
#[derive(Clone)]
pub struct NodeOptions {
    /// The address to listen on. Default 127.0.0.1.
    pub host: IpAddr,
    /// The TCP port; 0 takes any free one. Default 4222.
    pub port: u16,
    /// The WebSocket port; 0 takes any free one, `None` opens none. Default 9222.
    pub ws_port: Option<u16>,
    /// The `server_name` in INFO. Default: made from the random server id.
    pub name: Option<String>,
    /// The token that clients must show. Default none.
    pub token: Option<String>,
    /// The user that clients must name, with `password`. Default none. With a token set too, either
    /// of the two lets a client in.
    pub user: Option<String>,
    /// The password of `user`.
    pub password: Option<String>,
    /// The largest message, headers included, in bytes. Default 1 MiB, at most 64 MiB.
    pub max_payload: usize,
    /// The most that may wait for one client, in bytes, before it is cut. Default 64 MiB.
    pub max_pending: usize,
    /// How long a client may take nothing at all while something waits for it. Default 10 s.
    pub write_deadline: Duration,
    /// After how long without a byte from a client the node sends PING. Default 2 min.
    pub ping_interval: Duration,
    /// How many PINGs may stay unanswered before the client is cut. Default 2.
    pub ping_max: u32,
    /// How long a client may take to show credentials, or to finish the WebSocket handshake.
    /// Default 2 s.
    pub auth_timeout: Duration,
    /// The most connections at a time. Default 65,536.
    pub max_connections: usize,
    /// Web origins that may open WebSockets besides pages of this machine, such as
    /// `https://app.example:8443`; `*` allows every one. Default none.
    ///
    /// Any page a browser shows can reach a loopback port, so by default a WebSocket is accepted
    /// only without an `Origin` header (programs that are no browsers) or with one on `http` or
    /// `https` whose host is `localhost`, a 127.x.x.x address or `[::1]`, any port. The origin
    /// `null` is refused unless listed: every page can get it through a sandboxed frame.
    pub allowed_origins: Vec<String>,
}

impl Default for NodeOptions {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 4222,
            ws_port: Some(9222),
            name: None,
            token: None,
            user: None,
            password: None,
            max_payload: 1024 * 1024,
            max_pending: 64 * 1024 * 1024,
            write_deadline: Duration::from_secs(10),
            ping_interval: Duration::from_secs(120),
            ping_max: 2,
            auth_timeout: Duration::from_secs(2),
            max_connections: 64 * 1024,
            allowed_origins: Vec::new(),
        }
    }
}

impl NodeOptions {
    /// Refuses combinations that could only fail later.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::new(Code::InvalidOptions, text));
        if self.user.is_some() != self.password.is_some() {
            let (given, missing) =
                if self.user.is_some() { ("user", "password") } else { ("password", "user") };
            return refuse(format!(
                "the node was given a {given} but no {missing}; give both or none"
            ));
        }
        if [&self.token, &self.user].into_iter().flatten().any(String::is_empty) {
            return refuse(
                "the node was given an empty token or user; leave it out instead".into(),
            );
        }
        if self.max_payload == 0 || self.max_payload > LARGEST_PAYLOAD {
            return refuse(format!(
                "max_payload of the node is {} bytes; it must be between 1 and {LARGEST_PAYLOAD}",
                self.max_payload
            ));
        }
        if self.max_pending < self.max_payload {
            return refuse(format!(
                "max_pending of the node is {} bytes; it must be at least max_payload, {}",
                self.max_pending, self.max_payload
            ));
        }
        if self.ping_interval.is_zero() || self.write_deadline.is_zero() {
            return refuse(format!(
                "ping_interval of the node is {:?} and write_deadline {:?}; both must be longer than zero",
                self.ping_interval, self.write_deadline
            ));
        }
        Ok(())
    }
}

impl fmt::Debug for NodeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |secret: &Option<String>| secret.as_ref().map(|_| "***");
        f.debug_struct("NodeOptions")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("ws_port", &self.ws_port)
            .field("name", &self.name)
            .field("token", &hidden(&self.token))
            .field("user", &self.user)
            .field("password", &hidden(&self.password))
            .field("max_payload", &self.max_payload)
            .field("max_pending", &self.max_pending)
            .field("write_deadline", &self.write_deadline)
            .field("ping_interval", &self.ping_interval)
            .field("ping_max", &self.ping_max)
            .field("auth_timeout", &self.auth_timeout)
            .field("max_connections", &self.max_connections)
            .field("allowed_origins", &self.allowed_origins)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let options = NodeOptions {
            token: Some("open-sesame".into()),
            user: Some("u".into()),
            password: Some("open-sesame".into()),
            ..NodeOptions::default()
        };
        assert!(!format!("{options:?}").contains("sesame"));
        assert!(options.check().is_ok());
    }

    #[test]
    fn check_refuses_half_credentials() {
        let options = NodeOptions { user: Some("u".into()), ..NodeOptions::default() };
        assert_eq!(options.check().unwrap_err().code(), Code::InvalidOptions);
    }
}
