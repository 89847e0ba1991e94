//! Names of the parts: who is who in a run.
use posthouse_core::hub::{Op, SubId};

/// A hub, by the order of its making.
pub(crate) type HostId = usize;

/// A connection, by the order of its making.
pub(crate) type ConnId = u64;

/// The number that a message carries: unique in a run.
pub(crate) type MessageId = u64;

/// One thing that is due.
#[derive(Debug)]
pub(crate) enum Item {
    /// Bytes of a hub reach the broker.
    ToBroker(ConnId, Vec<u8>),
    /// Bytes of the broker reach a hub.
    ToHub(ConnId, Vec<u8>),
    /// The system has taken bytes from a hub.
    Written(ConnId, usize),
    /// A hub reads the end of a connection.
    HubEnd(ConnId),
    /// The broker reads the end of a connection.
    BrokerEnd(ConnId),
    /// An attempt to connect reaches its end; the flag says that nothing ever answers.
    Dialled(HostId, posthouse_core::hub::DialId, u32, bool),
    /// A measurement comes back.
    Probed(HostId, u32),
    /// A host asks for messages.
    Pump(HostId, SubId),
    /// A host's handler of its oldest message ends.
    Handled(HostId, SubId),
    /// A host asks for the news of a watch.
    Look(HostId, posthouse_core::WatchId),
    /// The program of some hub does something.
    Work,
    /// The network does something.
    Fault,
    /// The broker is back.
    BrokerUp,
    /// An endpoint listens again.
    EndpointUp(u32),
    /// A server that announced its end closes its connections.
    EndpointGone(u32),
    /// A program gives up waiting.
    Cancel(HostId, Op),
    /// By now a message must have arrived, unless something went wrong in between.
    Due(usize),
}
