//! ROS 1: a client of our own.
//!
//! [`Settings`] gathers what environment and arguments say, [`Node`] is the [`Backend`](super::Backend). Inside: `xmlrpc` is how
//! the master and nodes are called and call us, `tcpros` how messages and services travel, `registry` what is ours
//! and the loop that keeps the master's books in step with it, through any number of restarts.
mod clock;
mod layouts;
mod log_file;
mod master;
mod names;
mod node;
mod publication;
mod registry;
mod rosout;
mod service;
mod settings;
mod slave;
mod subscription;
pub mod tcpros;
pub mod xmlrpc;

pub use names::Names;
pub use node::Node;
pub use settings::{ParamArgument, Settings};
