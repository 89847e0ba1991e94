//! What a server shall be like, and its configuration file.

use super::{Binary, NatsServer};
use crate::{Certs, Creds, Identity, TempDir};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Settings of one server. Start with [`NatsServer::builder`]; every method adds one thing.
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerBuilder {
    pub(super) binary: Binary,
    pub(super) host: String,
    port: Option<u16>,
    name: String,
    auth: Vec<String>,
    tls: Option<Tls>,
    websocket: Option<WebSocket>,
    cluster: Option<Cluster>,
    jetstream: bool,
    max_payload: Option<u32>,
    verbose: bool,
    extra: String,
}

#[derive(Clone, Debug)]
struct Tls {
    server: Identity,
    ca: PathBuf,
    verify: bool,
    handshake_first: bool,
}

#[derive(Clone, Debug)]
enum WebSocket {
    Plain,
    Tls(Identity),
}

#[derive(Clone, Debug)]
struct Cluster {
    name: String,
    port: u16,
    routes: Vec<u16>,
}

/// The ports in use; `None` where there is no such listener or the server has not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    pub(super) client: Option<u16>,
    pub(super) monitor: Option<u16>,
    pub(super) websocket: Option<u16>,
    pub(super) cluster: Option<u16>,
}

impl Default for ServerBuilder {
    fn default() -> Self {
        Self {
            binary: Binary::System,
            host: "127.0.0.1".into(),
            port: None,
            name: "test".into(),
            auth: Vec::new(),
            tls: None,
            websocket: None,
            cluster: None,
            jetstream: false,
            max_payload: None,
            verbose: false,
            extra: String::new(),
        }
    }
}

impl ServerBuilder {
    /// Starts the server and waits until it answers. Panics with its log if it does not.
    pub fn start(self) -> NatsServer {
        NatsServer::launch(self)
    }

    /// Which nats-server; the system's by default.
    pub fn binary(mut self, binary: Binary) -> Self {
        self.binary = binary;
        self
    }

    /// The address to listen on; 127.0.0.1 by default, `::1` is the other sensible one.
    pub fn host(mut self, host: &str) -> Self {
        host.clone_into(&mut self.host);
        self
    }

    /// A fixed client port instead of a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The server's name in INFO; `test` by default.
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Lets in only who knows this token.
    pub fn token(mut self, token: &str) -> Self {
        self.auth = vec![format!("token: {}", quoted(token))];
        self
    }

    /// Adds a user with a password.
    pub fn user(self, user: &str, password: &str) -> Self {
        self.user_with(user, password, "")
    }

    /// Adds a user with permissions in the server's own syntax, for example
    /// `publish: { deny: ["a.>"] }, subscribe: { allow: [">"] }`.
    pub fn user_with(mut self, user: &str, password: &str, permissions: &str) -> Self {
        self.auth.push(format!(
            "{{ user: {}, password: {}, permissions: {{ {permissions} }} }}",
            quoted(user),
            quoted(password)
        ));
        self
    }

    /// Adds a user known by its public nkey.
    pub fn nkey(mut self, public_key: &str) -> Self {
        self.auth.push(format!("{{ nkey: {} }}", quoted(public_key)));
        self
    }

    /// Forgets token, users and nkeys given so far (for [`NatsServer::reload`]).
    pub fn no_auth(mut self) -> Self {
        self.auth.clear();
        self
    }

    /// Trusts the operator of `creds`, and so lets in the users made from it.
    pub fn creds(self, creds: &Creds) -> Self {
        self.config(&creds.server_config())
    }

    /// Requires TLS, with the certificate for localhost.
    pub fn tls(self, certs: &Certs) -> Self {
        self.tls_as(&certs.server, certs)
    }

    /// Requires TLS, with a certificate of one's choice.
    pub fn tls_as(mut self, server: &Identity, certs: &Certs) -> Self {
        self.tls = Some(Tls {
            server: server.clone(),
            ca: certs.ca.clone(),
            verify: false,
            handshake_first: false,
        });
        self
    }

    /// Requires TLS and a client certificate of the same authority.
    pub fn mutual_tls(self, certs: &Certs) -> Self {
        let mut this = self.tls(certs);
        this.tls = this.tls.map(|tls| Tls { verify: true, ..tls });
        this
    }

    /// Makes TLS come before INFO. Needs TLS, and a server of 2.10.4 or newer.
    pub fn tls_first(mut self) -> Self {
        self.tls = self.tls.map(|tls| Tls { handshake_first: true, ..tls });
        self
    }

    /// Listens for WebSocket clients too.
    pub fn websocket(mut self) -> Self {
        self.websocket = Some(WebSocket::Plain);
        self
    }

    /// Listens for WebSocket clients over TLS, with the certificate for localhost.
    pub fn websocket_tls(mut self, certs: &Certs) -> Self {
        self.websocket = Some(WebSocket::Tls(certs.server.clone()));
        self
    }

    /// Makes it a member of a cluster that listens for routes on `port` and has routes to these ports of
    /// loopback.
    pub(super) fn cluster(mut self, name: &str, port: u16, routes: Vec<u16>) -> Self {
        self.cluster = Some(Cluster { name: name.into(), port, routes });
        self
    }

    /// Turns JetStream on, with its store in the server's own directory.
    pub fn jetstream(mut self) -> Self {
        self.jetstream = true;
        self
    }

    /// The greatest payload in bytes.
    pub fn max_payload(mut self, bytes: u32) -> Self {
        self.max_payload = Some(bytes);
        self
    }

    /// Logs every protocol line.
    pub fn verbose(mut self) -> Self {
        self.verbose = true;
        self
    }

    /// Adds lines to the configuration file as they are.
    pub fn config(mut self, text: &str) -> Self {
        self.extra.push_str(text);
        self.extra.push('\n');
        self
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    pub(super) fn handshake_first(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.handshake_first)
    }

    pub(super) fn host_in_url(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }

    /// The ports before the start. The monitor's is chosen here: newer servers refuse to reload a
    /// configuration whose monitor port went from `-1` to the one it became.
    pub(super) fn first_ports(&self) -> Ports {
        let cluster = self.cluster.as_ref().map(|cluster| cluster.port);
        Ports { client: self.port, monitor: free_port(), cluster, ..Ports::default() }
    }

    /// The configuration file; unknown ports are left to the server (`-1`).
    pub(super) fn config_text(&self, ports: &Ports, dir: &TempDir) -> String {
        let host = quoted(&self.host);
        let port = |known: Option<u16>| known.map_or("-1".to_owned(), |p| p.to_string());
        let mut text = format!(
            "host: {host}\nport: {}\nhttp: \"127.0.0.1:{}\"\nserver_name: {}\nports_file_dir: {}\n",
            port(ports.client),
            port(ports.monitor),
            quoted(&self.name),
            in_quotes(dir.path()),
        );
        // Writing into a String cannot fail.
        let mut line = |args: std::fmt::Arguments<'_>| {
            let _ = text.write_fmt(args);
        };
        // Timeouts far above the server's 2 s: a loaded machine must not look like a bad client.
        match self.auth.as_slice() {
            [] => {}
            [token] if token.starts_with("token") => {
                line(format_args!("authorization {{ {token}, timeout: 20 }}\n"));
            }
            users => {
                let users = users.join(", ");
                line(format_args!("authorization {{ timeout: 20, users: [ {users} ] }}\n"));
            }
        }
        if let Some(tls) = &self.tls {
            line(format_args!(
                "tls {{ cert_file: {}, key_file: {}, ca_file: {}, verify: {}, timeout: 20{} }}\n",
                in_quotes(&tls.server.cert),
                in_quotes(&tls.server.key),
                in_quotes(&tls.ca),
                tls.verify,
                if tls.handshake_first { ", handshake_first: true" } else { "" },
            ));
        }
        if let Some(kind) = &self.websocket {
            let tls = match kind {
                WebSocket::Plain => "no_tls: true".to_owned(),
                WebSocket::Tls(id) => format!(
                    "tls {{ cert_file: {}, key_file: {}, timeout: 20 }}",
                    in_quotes(&id.cert),
                    in_quotes(&id.key)
                ),
            };
            let port = port(ports.websocket);
            line(format_args!("websocket {{ host: {host}, port: {port}, {tls} }}\n"));
        }
        if let Some(cluster) = &self.cluster {
            let routes: Vec<String> =
                cluster.routes.iter().map(|port| format!("\"nats://127.0.0.1:{port}\"")).collect();
            line(format_args!(
                "cluster {{ name: {}, host: \"127.0.0.1\", port: {}, routes: [ {} ] }}\n",
                quoted(&cluster.name),
                port(ports.cluster),
                routes.join(", ")
            ));
        }
        if self.jetstream {
            line(format_args!(
                "jetstream {{ store_dir: {} }}\n",
                in_quotes(&dir.path().join("store"))
            ));
        }
        if let Some(bytes) = self.max_payload {
            line(format_args!("max_payload: {bytes}\n"));
        }
        if self.verbose {
            line(format_args!("debug: true\ntrace: true\n"));
        }
        text.push_str(&self.extra);
        text
    }
}

impl Ports {
    /// Reads the ports file of the process `pid`; `false` while it is not there or not complete.
    pub(super) fn learn(&mut self, dir: &Path, pid: u32) -> bool {
        let wanted = format!("_{pid}.ports");
        let Some(file) = std::fs::read_dir(dir).ok().and_then(|entries| {
            entries.flatten().find(|entry| entry.file_name().to_string_lossy().ends_with(&wanted))
        }) else {
            return false;
        };
        let Some(told) = std::fs::read(file.path())
            .ok()
            .and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok())
        else {
            return false;
        };
        let port = |kind: &str| -> Option<u16> {
            told[kind][0].as_str()?.rsplit_once(':')?.1.parse().ok()
        };
        self.client = port("nats");
        self.monitor = port("monitoring");
        self.websocket = port("websocket");
        self.cluster = port("cluster");
        self.client.is_some() && self.monitor.is_some()
    }
}

/// A port that nobody had a moment ago.
pub(super) fn free_port() -> Option<u16> {
    let found = std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|l| l.local_addr());
    found.ok().map(|address| address.port())
}

/// A string in the syntax of the configuration file.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn in_quotes(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}
