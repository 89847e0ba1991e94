//! What a bridge needs of ROS, and who gives it.
//!
//! [`Backend`] is the face: topics and services by name, messages as bytes with the [`Layout`] that turns
//! them into JSON and back. [`message`] knows definitions, [`codec`] turns bytes into JSON text and JSON into
//! bytes without a value in between. Only the backend knows how programs find each other and what travels
//! between them.
mod backend;
pub mod codec;
mod error;
mod handles;
pub mod message;
mod queue;
pub mod ros1;

pub use backend::{
    Advertise, Answer, Backend, Event, LogLevel, MasterState, Serve, Subscribe, Time, Topic,
};
pub use codec::{Layout, ServiceLayout};
pub use error::{Code, Error, Result};
pub use handles::{Call, Publish, PublishCounts, Request, Server};
pub use queue::{Counts, Sample, Source, Subscription};
