//! The owned node in a process of its own, so that it can be killed: `posthouse serve`.

use crate::{TempDir, server::process, until};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A running (or killed, and perhaps to be restarted) node. Dropping it kills the process.
#[derive(Debug)]
pub struct NodeProcess {
    child: Child,
    running: bool,
    arguments: Vec<String>,
    port: u16,
    websocket: Option<u16>,
    dir: TempDir,
}

impl NodeProcess {
    /// Starts a node on free ports, with further arguments of `posthouse serve`, and waits until it
    /// listens. Panics where the command is not built.
    pub fn start(arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self::start_with(arguments, 0, Some(0))
    }

    fn start_with(arguments: Vec<String>, port: u16, websocket: Option<u16>) -> Self {
        let dir = TempDir::new("node");
        let (child, told) = spawn(&dir, &arguments, port, websocket);
        let port_of = |kind: &str| -> Option<u16> {
            told[kind].as_str()?.trim_end_matches('/').rsplit_once(':')?.1.parse().ok()
        };
        let port = port_of("tcp").unwrap_or_else(|| panic!("the node tells no port: {told}"));
        Self { child, running: true, arguments, port, websocket: port_of("ws"), dir }
    }

    /// Where the command is: `POSTHOUSE_BIN`, else beside the program that asks.
    pub fn command() -> PathBuf {
        if let Some(path) = std::env::var_os("POSTHOUSE_BIN").filter(|path| !path.is_empty()) {
            return path.into();
        }
        let mut folder = std::env::current_exe().unwrap_or_default();
        folder.pop();
        // Test programs are one folder deeper than others.
        if folder.ends_with("deps") {
            folder.pop();
        }
        folder.join("posthouse")
    }

    /// The port for clients.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `nats://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The port for WebSocket clients.
    pub fn websocket_port(&self) -> u16 {
        self.websocket.expect("a node that was started without a WebSocket")
    }

    /// `ws://127.0.0.1:PORT`.
    pub fn ws_url(&self) -> String {
        format!("ws://127.0.0.1:{}", self.websocket_port())
    }

    /// Ends the process at once, as a crash would (SIGKILL).
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.running = false;
    }

    /// Starts the node again on the same ports. Kills it first if need be.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.dir, &self.arguments, self.port, self.websocket).0;
        self.running = true;
    }

    /// The same with other arguments.
    pub fn restart_with(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self.restart();
    }

    /// Stops the process in its tracks (SIGSTOP); returns once every thread of it stands still.
    pub fn freeze(&self) {
        process::freeze(&self.child, self.running);
    }

    /// Lets a frozen process go on (SIGCONT).
    pub fn thaw(&self) {
        process::signal(&self.child, self.running, libc::SIGCONT);
    }

    /// What the node has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("node.log")).unwrap_or_default()
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("node in {}:\n{}", self.dir.path().display(), self.log());
        }
    }
}

/// The process and what it said of itself. A port that was just given up may still be busy.
fn spawn(
    dir: &TempDir,
    arguments: &[String],
    port: u16,
    websocket: Option<u16>,
) -> (Child, serde_json::Value) {
    let command = NodeProcess::command();
    let mut started = None;
    until("the node has told its ports", || {
        let path = dir.path().join("node.log");
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let mut child = Command::new(&command)
            .args(["--json", "serve", "--port", &port.to_string()])
            .args(["--ws-port", &websocket.unwrap_or(0).to_string()])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
            .spawn()
            .unwrap_or_else(|e| {
                panic!("{}: {e}; build it with `cargo build -p posthouse-cli`", command.display())
            });
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            // An error leaves the line empty, and the next attempt follows.
            let _ = BufReader::new(out).read_line(&mut line);
        }
        let told: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        if told["tcp"].is_string() {
            started = Some((child, told));
            return true;
        }
        let _ = child.kill();
        let _ = child.wait();
        false
    });
    started.expect("it was waited for")
}
