//! A TCP proxy that hurts the traffic it carries: pauses, loses, cuts, splits, joins, delays.
//!
//! It runs on a thread of its own, so its switches work at once in sync and async tests alike; a
//! switch has taken effect when its method returns. Bytes are carried faithfully until told otherwise.

mod carry;
mod switches;

use crate::until;
use std::sync::Arc;
use std::time::Duration;
use switches::{Flow, Switches};

/// Which bytes a switch is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
    /// Both ways.
    Both,
}

/// A proxy on a free port of 127.0.0.1. Dropping it closes every connection and the port.
#[derive(Debug)]
pub struct Proxy {
    switches: Arc<Switches>,
    port: u16,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Proxy {
    /// Starts a proxy that connects each client to `target`, a `host:port`.
    pub fn start(target: impl Into<String>) -> Self {
        let switches = Arc::new(Switches::new(target.into()));
        let (told, port) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("proxy".into())
            .spawn({
                let switches = Arc::clone(&switches);
                move || {
                    tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build()
                        .expect("a runtime for the proxy")
                        .block_on(carry::run(switches, told));
                }
            })
            .expect("a thread for the proxy");
        let port = port.recv().expect("the proxy tells its port");
        Self { switches, port, thread: Some(thread) }
    }

    /// Starts a proxy in front of a server on 127.0.0.1.
    pub fn to_port(port: u16) -> Self {
        Self::start(format!("127.0.0.1:{port}"))
    }

    /// The port for clients.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `SCHEME://127.0.0.1:PORT`.
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// Connects the clients that come from now on to another `host:port`.
    pub fn retarget(&self, target: impl Into<String>) {
        self.switches.change(|s| s.target = target.into());
    }

    /// Reads nothing more in this direction: bytes back up in the sockets, none is lost.
    pub fn pause(&self, direction: Direction) {
        self.set_flow(direction, Flow::Paused);
    }

    /// Reads on but passes nothing on: bytes gather here and leave as one piece on [`Proxy::flow`].
    pub fn hold(&self, direction: Direction) {
        self.set_flow(direction, Flow::Held);
    }

    /// Reads bytes and throws them away. No end of stream passes either: for the one side, the
    /// other has gone silent.
    pub fn swallow(&self, direction: Direction) {
        self.set_flow(direction, Flow::Swallowed);
    }

    /// Lets bytes flow again after [`pause`](Self::pause), [`hold`](Self::hold) or
    /// [`swallow`](Self::swallow).
    pub fn flow(&self, direction: Direction) {
        self.set_flow(direction, Flow::Open);
    }

    /// Passes bytes on in pieces of at most `size`, each a write of its own; 0 undoes it.
    pub fn split(&self, direction: Direction, size: usize) {
        self.switches.lanes(direction, |lane| lane.piece = size);
    }

    /// Waits this long before each piece is passed on; zero undoes it.
    pub fn delay(&self, direction: Direction, delay: Duration) {
        self.switches.lanes(direction, |lane| lane.delay = delay);
    }

    /// Closes every connection in order, and returns once they are closed.
    pub fn cut(&self) {
        self.end_all(false);
    }

    /// Breaks every connection with a reset, and returns once they are gone.
    pub fn reset(&self) {
        self.end_all(true);
    }

    /// Refuses new clients (the port is closed, but stays ours). Those connected stay.
    pub fn refuse(&self) {
        self.listen(false);
    }

    /// Takes new clients again after [`refuse`](Self::refuse).
    pub fn allow(&self) {
        self.listen(true);
    }

    /// Keeps a copy of every byte from now on, for [`seen`](Self::seen).
    pub fn record(&self) {
        self.switches.lanes(Direction::Both, |lane| lane.seen = Some(Vec::new()));
    }

    /// The bytes recorded in one direction, over all connections.
    pub fn seen(&self, direction: Direction) -> Vec<u8> {
        let mut all = Vec::new();
        self.switches
            .lanes(direction, |lane| all.extend_from_slice(lane.seen.as_deref().unwrap_or(&[])));
        all
    }

    /// How many bytes have been read in this direction, swallowed ones included.
    pub fn bytes(&self, direction: Direction) -> u64 {
        let mut sum = 0;
        self.switches.lanes(direction, |lane| sum += lane.bytes);
        sum
    }

    /// How many clients have been accepted so far.
    pub fn accepted(&self) -> u64 {
        self.switches.look(|s| s.accepted)
    }

    /// How many connections are open.
    pub fn open(&self) -> usize {
        self.switches.look(|s| s.open.len())
    }

    fn set_flow(&self, direction: Direction, flow: Flow) {
        self.switches.lanes(direction, |lane| lane.flow = flow);
    }

    fn end_all(&self, reset: bool) {
        let ended = self.switches.change(|s| {
            s.reset = reset;
            s.ended_below = s.accepted + 1;
            s.ended_below
        });
        until("the proxy has closed its connections", || {
            self.switches.look(|s| s.open.iter().all(|&id| id >= ended))
        });
    }

    fn listen(&self, wanted: bool) {
        self.switches.change(|s| s.listen = wanted);
        until("the proxy has changed whether it listens", || {
            self.switches.look(|s| s.listening == wanted)
        });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.switches.change(|s| s.stop = true);
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed already.
            let _ = thread.join();
        }
    }
}
