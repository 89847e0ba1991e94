//! Connections: latency, splits, cuts, and links that swallow everything.
use crate::cast::{ConnId, HostId};
use posthouse_core::LinkId;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Conn {
    pub host: HostId,
    pub link: LinkId,
    pub endpoint: u32,
    /// One way, in microseconds.
    pub latency: u64,
    /// Nothing arrives any more, either way, and nobody is told.
    pub swallows: bool,
    /// Cut: what was on its way is lost.
    pub cut: bool,
    /// The hub has let go of it.
    pub hub_gone: bool,
    /// The hub's last bytes are not with the system yet.
    pub writing: bool,
    /// When the last bytes of each way arrive: later ones come no sooner.
    pub up: u64,
    pub down: u64,
}

impl Conn {
    pub fn passes(&self) -> bool {
        !self.swallows && !self.cut
    }
}

/// Where hubs can connect to: both endpoints lead to the same broker, as servers of a cluster do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint {
    pub listens: bool,
    /// It has announced its end and does not accept.
    pub leaving: bool,
    pub latency: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Network {
    pub conns: BTreeMap<ConnId, Conn>,
    pub endpoints: Vec<Endpoint>,
    pub last: ConnId,
}

impl Network {
    pub fn number(&mut self) -> ConnId {
        self.last += 1;
        self.last
    }

    /// The connections that a hub still holds.
    pub fn of(&self, host: HostId) -> Vec<ConnId> {
        let held = self.conns.iter().filter(|(_, c)| c.host == host && !c.hub_gone);
        held.map(|(id, _)| *id).collect()
    }

    /// The newest connection that a hub holds; 0 for none.
    pub fn newest(&self, host: HostId) -> ConnId {
        self.of(host).pop().unwrap_or(0)
    }

    /// Whether a hub has one connection and it passes everything.
    pub fn healthy(&self, host: HostId) -> bool {
        let mut held = self.conns.values().filter(|c| c.host == host && !c.hub_gone);
        held.next().is_some_and(Conn::passes) && held.next().is_none()
    }

    pub fn by_link(&self, host: HostId, link: LinkId) -> Option<ConnId> {
        let found = self.conns.iter().find(|(_, c)| c.host == host && c.link == link);
        found.map(|(id, _)| *id)
    }
}
