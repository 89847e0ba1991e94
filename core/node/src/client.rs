//! What the router holds about one connection.

use std::net::IpAddr;
use std::time::Duration;

use hashbrown::HashMap;

use crate::cache::RouteId;
use crate::input::Input;
use crate::trie::SubId;
use crate::violation::Violation;

/// Why a connection ends, once it is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client was told so by an `-ERR` line.
    Violation(Violation),
    /// The client sent `-ERR` itself.
    GaveUp,
    /// The connection broke or was closed by the client.
    Gone,
    /// The node goes down.
    Shutdown,
}

/// A connection that PUBs the same subject again needs no look-up.
#[derive(Default)]
pub(crate) struct LastRoute {
    pub subject: Vec<u8>,
    pub epoch: u64,
    pub route: RouteId,
}

#[allow(clippy::struct_excessive_bools)] // independent flags that the client sets one by one
pub(crate) struct Client {
    /// The `client_id` of INFO, never given twice.
    pub number: u64,
    pub ip: Option<IpAddr>,
    pub label: String,
    pub input: Input,
    pub output: Vec<u8>,
    /// Bytes handed to the connection and not written yet.
    pub in_flight: usize,
    /// The connection knows that something waits.
    pub woken: bool,
    pub ending: Option<Ending>,
    /// For how long nothing is to be read, because a receiver has fallen behind.
    pub hold: Option<Duration>,
    /// Publishers that are held until this client has caught up.
    pub holds: Vec<u32>,
    pub subs: HashMap<Box<[u8]>, SubId>,
    pub last: LastRoute,
    pub authorized: bool,
    pub verbose: bool,
    pub pedantic: bool,
    pub echo: bool,
    pub headers: bool,
    pub no_responders: bool,
    /// Protocol 1: takes further INFO lines.
    pub dynamic: bool,
    /// When PING is due, or credentials, if they are still missing.
    pub deadline: Duration,
    /// Bytes came since the last look.
    pub heard: bool,
    pub pings_out: u32,
}

impl Client {
    pub fn new(number: u64, ip: Option<IpAddr>, authorized: bool, deadline: Duration) -> Self {
        Self {
            number,
            ip,
            label: String::new(),
            input: Input::default(),
            output: Vec::new(),
            in_flight: 0,
            woken: false,
            ending: None,
            hold: None,
            holds: Vec::new(),
            subs: HashMap::new(),
            last: LastRoute::default(),
            authorized,
            // As nats-server treats a client before its CONNECT.
            verbose: true,
            pedantic: true,
            echo: true,
            headers: false,
            no_responders: false,
            dynamic: false,
            deadline,
            heard: false,
            pings_out: 0,
        }
    }

    /// Bytes that the client has not taken yet.
    pub fn pending(&self) -> usize {
        self.output.len() + self.in_flight
    }
}
