//! One transport connection to a server, as the machine sees it.
use crate::{
    frame::{self, Decoder, Info},
    hub::{Op, SubId},
    pool::EndpointId,
    vars::VarId,
};
use alloc::{collections::VecDeque, string::String, vec::Vec};
use hashbrown::HashMap;

/// Names one transport connection; never used twice in the life of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u64);

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// CONNECT is sent; the server has not yet said that it accepts it.
    Greeting,
    /// Accepted, and waiting for the old connection to be retired.
    Waiting,
    /// The subscriptions are being set up.
    Joining,
    /// The held records are being published.
    Publishing,
    /// In use.
    Active,
}

/// What a PONG confirms. The server answers PINGs in order, so these are kept in order.
#[derive(Debug)]
pub(crate) enum Awaited {
    Greeting,
    Joined,
    /// All held records were published; records up to this number are confirmed.
    Published(u64),
    /// A sign of life.
    Alive,
    /// Records up to this number are confirmed.
    Records(u64),
    Flush(Op),
    Registered(SubId),
    /// A subscription's UNSUB was processed: nothing more comes for it.
    Retired(SubId),
    /// The business subscriptions were taken back, or their last work was written, for a planned
    /// switch to this connection.
    HandedOff(LinkId),
    /// The business subscriptions are set up again after a switch that did not come about.
    Restored,
    /// All business subscriptions were taken back for the hub's drain.
    DrainRetired,
    /// All that was written before the end of the hub's drain was processed.
    DrainFlushed,
}

/// Whom a subscription number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    State,
    Sync,
    Health,
    /// Answers to our own sync query.
    SyncInbox,
    /// Answers to requests.
    Replies,
    Subscription(SubId),
}

/// The wildcard inbox that carries the answers of all requests of a connection.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// Up to and including the last dot.
    pub prefix: String,
    pub sid: u64,
}

/// Records still to be written, a batch at a time so that the buffer stays small.
#[derive(Debug)]
pub(crate) struct RecordStream {
    /// Where to: the asking instance's inbox, or none for each record's own subject.
    pub inbox: Option<String>,
    pub next: u32,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub id: LinkId,
    pub endpoint: EndpointId,
    pub stage: Stage,
    pub info: Info,
    pub decoder: Decoder,
    /// Encoded and not yet taken by the driver.
    pub out: Vec<u8>,
    /// Taken by the driver and not yet written.
    pub unwritten: usize,
    awaited: VecDeque<(Awaited, u64)>,
    /// PINGs written.
    pub pings: u64,
    /// PINGs answered.
    pub pongs: u64,
    pub last_received: u64,
    pub rtt_us: Option<u64>,
    pub routes: HashMap<u64, Route>,
    pub inbox: Option<Inbox>,
    /// Numbers of the inboxes of our sync queries, oldest first.
    pub sync_inboxes: VecDeque<u64>,
    pub streams: VecDeque<RecordStream>,
    /// Records written on this connection and not yet confirmed, oldest first.
    pub unconfirmed: VecDeque<(u64, VarId)>,
    pub records_written: u64,
    pub confirming: bool,
    /// Variables written while the transport was busy; only their latest value is published.
    pub dirty: VecDeque<VarId>,
    /// A publication that was refused since the last flush.
    pub refused: Option<String>,
    pub active_since: Option<u64>,
}

/// Bytes waiting from which the transport counts as busy: variables are then coalesced and long
/// streams of records pause.
pub(crate) const BUSY: usize = 64 * 1024;

impl Link {
    pub fn new(id: LinkId, endpoint: EndpointId, info: Info, now: u64, frame_limit: usize) -> Self {
        Self {
            id,
            endpoint,
            stage: Stage::Greeting,
            info,
            decoder: Decoder::new(frame_limit),
            out: Vec::new(),
            unwritten: 0,
            awaited: VecDeque::new(),
            pings: 0,
            pongs: 0,
            last_received: now,
            rtt_us: None,
            routes: HashMap::new(),
            inbox: None,
            sync_inboxes: VecDeque::new(),
            streams: VecDeque::new(),
            unconfirmed: VecDeque::new(),
            records_written: 0,
            confirming: false,
            dirty: VecDeque::new(),
            refused: None,
            active_since: None,
        }
    }

    /// Bytes on their way out.
    pub fn outbound(&self) -> usize {
        self.out.len() + self.unwritten
    }

    pub fn busy(&self) -> bool {
        self.outbound() >= BUSY
    }

    /// Sends a PING and remembers what its PONG confirms.
    pub fn ping(&mut self, now: u64, awaited: Awaited) {
        frame::ping(&mut self.out);
        self.pings += 1;
        self.awaited.push_back((awaited, now));
    }

    /// A PONG has come: what it confirms, and when its PING was written.
    pub fn ponged(&mut self) -> Option<(Awaited, u64)> {
        let answered = self.awaited.pop_front()?;
        self.pongs += 1;
        Some(answered)
    }

    pub fn subscribe(&mut self, sid: u64, subject: &str, queue: Option<&str>, route: Route) {
        frame::subscribe(&mut self.out, subject, queue, sid);
        self.routes.insert(sid, route);
    }

    pub fn unsubscribe(&mut self, sid: u64) {
        frame::unsubscribe(&mut self.out, sid);
        self.routes.remove(&sid);
    }
}
