//! The face of a ROS that the bridge is built on.
//!
//! Nothing here names a transport: a ROS 2 behind it would bring its own discovery and its own wire form of
//! a [`Layout`].
use super::{Call, Layout, Publish, Result, Server, ServiceLayout, Subscription};
use std::{future::Future, pin::Pin, sync::Arc, time::Duration};
use tokio::sync::broadcast;

/// A future that a backend gives out.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// One node in a ROS graph. All methods may be called from any thread, inside a tokio runtime.
///
/// What is subscribed, advertised or served stays so while the ROS master is away, and is made known again when it
/// comes back; none of the methods that return without `await` waits for the network.
pub trait Backend: Send + Sync {
    /// The resolved name of this node (`/robot/bridge`).
    fn node_name(&self) -> &str;

    /// The full name that `name` stands for here: relative and private names and remaps applied.
    fn resolve(&self, name: &str) -> Result<String>;

    /// The layout of a message type (`sensor_msgs/LaserScan`) from the definitions on disk; read once.
    fn message_type(&self, kind: &str) -> Result<Arc<Layout>>;

    /// The layouts of a service type (`std_srvs/SetBool`) from the definitions on disk; read once.
    fn service_type(&self, kind: &str) -> Result<Arc<ServiceLayout>>;

    /// The topics known now, by name.
    fn topics(&self) -> Answer<'_, Vec<Topic>>;

    /// The full names of the services offered now, in order.
    fn services(&self) -> Answer<'_, Vec<String>>;

    /// Asks the provider of a service for the service's type.
    fn type_of_service<'a>(&'a self, service: &'a str) -> Answer<'a, String>;

    /// Subscribes to a topic. Messages queue up in the subscription until it is dropped.
    fn subscribe(&self, wanted: Subscribe) -> Result<Subscription>;

    /// Offers a topic until the last clone of the handle is dropped.
    fn advertise(&self, wanted: Advertise) -> Result<Arc<dyn Publish>>;

    /// A client of a service. It connects when it is first used; `persistent` keeps the connection.
    fn client(&self, service: &str, kind: &str, persistent: bool) -> Result<Arc<dyn Call>>;

    /// Offers a service until the server is dropped.
    fn serve(&self, wanted: Serve) -> Result<Server>;

    /// A parameter, by any form of its name; `None` where there is none.
    fn param<'a>(&'a self, name: &'a str) -> Answer<'a, Option<serde_json::Value>>;

    /// Sets a parameter. What has no counterpart in ROS (null, an integer beyond 32 bits) is refused.
    fn set_param<'a>(&'a self, name: &'a str, value: &'a serde_json::Value) -> Answer<'a, ()>;

    /// A line for people: to `/rosout`, to the log file that the arguments name, and to `log`.
    fn log(&self, level: LogLevel, text: &str);

    /// The time in ROS: the wall clock, or that of `/clock` where `use_sim_time` is set (0 until it comes).
    fn now(&self) -> Time;

    /// What happens to this node from now on.
    fn events(&self) -> broadcast::Receiver<Event>;

    /// How things stand with the master.
    fn master(&self) -> MasterState;

    /// Takes back everything that this node made known, within `limit`, and ends it. Further calls do nothing.
    fn close(&self, limit: Duration) -> Answer<'_, ()>;
}

/// A topic in the graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic {
    /// Full name.
    pub name: String,
    /// Type (`std_msgs/String`); empty where nobody said yet.
    pub kind: String,
    /// Full names of the nodes that publish it.
    pub publishers: Vec<String>,
    /// Full names of the nodes that subscribe to it.
    pub subscribers: Vec<String>,
}

/// A subscription to be made.
#[derive(Clone, Debug)]
pub struct Subscribe {
    /// Name of the topic; resolved by the backend.
    pub topic: String,
    /// The type wanted. `None` takes what the publishers send, with the definition that they bring.
    pub kind: Option<String>,
    /// How many messages may wait; the oldest is dropped and counted when one more comes. At least 1.
    pub queue: usize,
    /// How many bytes may wait, all messages together. One message may always wait, whatever its size.
    pub queue_bytes: usize,
    /// The largest message taken, in bytes; larger ones are read, thrown away and counted.
    pub max_message: usize,
}

impl Subscribe {
    /// A subscription to `topic` of any type, 1,000 messages and 64 MiB deep, with messages of up to 64 MiB.
    pub fn new(topic: impl Into<String>) -> Self {
        Self {
            topic: topic.into(),
            kind: None,
            queue: 1000,
            queue_bytes: 64 << 20,
            max_message: 64 << 20,
        }
    }
}

/// A topic to be offered.
#[derive(Clone, Debug)]
pub struct Advertise {
    /// Name of the topic; resolved by the backend.
    pub topic: String,
    /// Its type; the definition must be on disk.
    pub kind: String,
    /// Whether the last message is kept and given to whoever subscribes later.
    pub latch: bool,
    /// How many messages may wait for each subscriber; the oldest is dropped and counted. At least 1.
    pub queue: usize,
    /// How many bytes may wait for each subscriber. One message may always wait, whatever its size.
    pub queue_bytes: usize,
}

impl Advertise {
    /// An offer without latching, 1,000 messages and 64 MiB deep for each subscriber.
    pub fn new(topic: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            topic: topic.into(),
            kind: kind.into(),
            latch: false,
            queue: 1000,
            queue_bytes: 64 << 20,
        }
    }
}

/// A service to be offered.
#[derive(Clone, Debug)]
pub struct Serve {
    /// Name of the service; resolved by the backend.
    pub service: String,
    /// Its type; the definition must be on disk.
    pub kind: String,
    /// How many requests may wait to be taken; one more is answered with a failure at once. At least 1.
    pub queue: usize,
    /// The largest request taken, in bytes; a caller that sends more is cut off.
    pub max_message: usize,
}

impl Serve {
    /// An offer with 100 waiting requests of up to 64 MiB each.
    pub fn new(service: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { service: service.into(), kind: kind.into(), queue: 100, max_message: 64 << 20 }
    }
}

/// What happens to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The master answers, and everything of ours is known to it. `again`: it was away or is another one.
    MasterFound {
        /// False the first time.
        again: bool,
    },
    /// The master does not answer any more.
    MasterLost,
    /// Somebody wants this node to end (a second node of the same name, `rosnode kill`), with the reason given.
    /// The program decides; until it closes the node, what is connected goes on, and nothing is made known any more.
    Shutdown(String),
}

/// How things stand with the master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MasterState {
    /// It never answered yet.
    Awaited,
    /// It answers, and what is ours is registered.
    Found,
    /// It answered once.
    Lost,
}

/// The level of a line of log, with ROS's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LogLevel {
    /// For the programmer; not sent to `/rosout`.
    Debug = 1,
    /// Good to know.
    Info = 2,
    /// May be a problem.
    Warn = 4,
    /// Something failed.
    Error = 8,
    /// The node ends of it.
    Fatal = 16,
}

/// A time of ROS, since 1970 or, in simulation, since whatever `/clock` counts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds.
    pub secs: u32,
    /// Nanoseconds beyond them, below 1,000,000,000.
    pub nsecs: u32,
}
