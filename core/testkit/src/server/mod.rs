//! A real `nats-server`, started for one test and gone with it.
//!
//! The server listens on free ports that it picks itself and tells in its ports file; a restart
//! takes the same ones again. Everything here blocks briefly and works in async tests too, because
//! the server is a process of its own. Each server has a directory with its configuration and log;
//! a failing test prints the log and keeps the directory.

mod builder;
mod cluster;
mod find;
mod monitor;
pub(crate) mod process;

pub use builder::ServerBuilder;
pub use cluster::Cluster;
pub use find::{Binary, find_nats_server};

use crate::{PATIENCE, TempDir, until};
use builder::Ports;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A running (or killed, and perhaps to be restarted) nats-server. Dropping it kills the process.
#[derive(Debug)]
pub struct NatsServer {
    settings: ServerBuilder,
    ports: Ports,
    child: Child,
    /// Not waited for yet, so that its id is still its own.
    running: bool,
    binary: PathBuf,
    dir: TempDir,
}

impl NatsServer {
    /// What to start; see [`ServerBuilder`].
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// A server without authentication or TLS.
    pub fn start() -> Self {
        Self::builder().start()
    }

    fn launch(settings: ServerBuilder) -> Self {
        let binary = settings.binary.require();
        let dir = TempDir::new("nats");
        let ports = settings.first_ports();
        let child = spawn(&binary, &dir, &settings, &ports);
        let mut server = Self { settings, ports, child, running: true, binary, dir };
        server.wait_ready();
        server
    }

    /// The port for clients.
    pub fn port(&self) -> u16 {
        self.ports.client.expect("a started server has told its port")
    }

    /// The port of the monitoring pages.
    pub fn monitor_port(&self) -> u16 {
        self.ports.monitor.expect("a started server has told its port")
    }

    /// The port for WebSocket clients. Panics unless one was asked for.
    pub fn websocket_port(&self) -> u16 {
        self.find_websocket_port().expect("ask for a WebSocket with ServerBuilder::websocket")
    }

    /// The port for WebSocket clients, if one was asked for.
    pub fn find_websocket_port(&self) -> Option<u16> {
        self.ports.websocket
    }

    /// `nats://HOST:PORT`, without credentials.
    pub fn url(&self) -> String {
        format!("nats://{}:{}", self.settings.host_in_url(), self.port())
    }

    /// `tls://localhost:PORT`: the name that the certificate of [`crate::Certs`] bears.
    pub fn tls_url(&self) -> String {
        format!("tls://localhost:{}", self.port())
    }

    /// `ws://HOST:PORT`.
    pub fn ws_url(&self) -> String {
        format!("ws://{}:{}", self.settings.host_in_url(), self.websocket_port())
    }

    /// `wss://localhost:PORT`.
    pub fn wss_url(&self) -> String {
        format!("wss://localhost:{}", self.websocket_port())
    }

    /// Whether this is the server's name in INFO.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.settings.is_named(name)
    }

    /// The id of the server's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process at once, as a crash would (SIGKILL).
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.running = false;
    }

    /// Ends the process in order (SIGTERM): clients see their connections closed.
    pub fn stop(&mut self) {
        self.signal(libc::SIGTERM);
        let _ = self.child.wait();
        self.running = false;
    }

    /// Starts the server again, on the same ports and with the same store. Kills it first if need be.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.binary, &self.dir, &self.settings, &self.ports);
        self.running = true;
        self.wait_ready();
    }

    /// Stops the process in its tracks (SIGSTOP): sockets stay open, nothing is answered. Returns
    /// once every thread of it stands still.
    pub fn freeze(&self) {
        process::freeze(&self.child, self.running);
    }

    /// Lets a frozen process go on (SIGCONT).
    pub fn thaw(&self) {
        self.signal(libc::SIGCONT);
    }

    /// Changes the settings and makes the running server take them over (SIGHUP); returns once it
    /// says that it has.
    pub fn reload(&mut self, change: impl FnOnce(ServerBuilder) -> ServerBuilder) {
        const DONE: &str = "Reloaded server configuration";
        let before = self.log().matches(DONE).count();
        self.settings = change(self.settings.clone());
        self.dir.write("server.conf", &self.settings.config_text(&self.ports, &self.dir));
        self.signal(libc::SIGHUP);
        until("the server has reloaded its configuration", || {
            self.log().matches(DONE).count() > before
        });
    }

    /// Announces the end to the clients (SIGUSR2): they get `INFO` with `ldm`, and are closed one
    /// after the other once the grace period (10 s unless configured) has passed.
    pub fn lame_duck(&self) {
        self.signal(libc::SIGUSR2);
    }

    /// What the server has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("server.log")).unwrap_or_default()
    }

    /// The directory of configuration, log and store.
    pub fn dir(&self) -> &TempDir {
        &self.dir
    }

    fn signal(&self, signal: libc::c_int) {
        process::signal(&self.child, self.running, signal);
    }

    /// Waits for the ports file, then for INFO on the client port.
    fn wait_ready(&mut self) {
        until("nats-server has told its ports", || {
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("nats-server ended at once ({status}):\n{}", self.log());
            }
            self.ports.learn(self.dir.path(), self.child.id())
        });
        let address = (self.settings.host.as_str(), self.port());
        if self.settings.handshake_first() {
            // Such a server says nothing before TLS; that it accepts has to do.
            until("nats-server accepts connections", || TcpStream::connect(address).is_ok());
            return;
        }
        let mut ours = None;
        until("nats-server sends INFO", || {
            ours = greeting(address).ok();
            ours.is_some()
        });
        // Our own connection must not count among those of the test.
        if let Some(id) = ours.and_then(|info| info["client_id"].as_u64()) {
            until("nats-server has let go of our connection", || {
                self.monitor(&format!("/connz?cid={id}"))["num_connections"] == 0
            });
        }
    }
}

/// Connects, reads INFO, and closes.
fn greeting(address: (&str, u16)) -> std::io::Result<serde_json::Value> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let json = line.strip_prefix("INFO ").ok_or(std::io::ErrorKind::InvalidData)?;
    Ok(serde_json::from_str(json)?)
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("nats-server in {}:\n{}", self.dir.path().display(), self.log());
        }
    }
}

fn spawn(binary: &PathBuf, dir: &TempDir, settings: &ServerBuilder, ports: &Ports) -> Child {
    let config = dir.write("server.conf", &settings.config_text(ports, dir));
    let open = || -> std::io::Result<(File, File)> {
        let log =
            OpenOptions::new().create(true).append(true).open(dir.path().join("server.log"))?;
        Ok((log.try_clone()?, log))
    };
    let (out, err) = open().unwrap_or_else(|e| panic!("cannot open the server's log: {e}"));
    Command::new(binary)
        .arg("-c")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap_or_else(|e| panic!("cannot start {}: {e}", binary.display()))
}
