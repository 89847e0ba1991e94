//! ROS topics and services on a Posthouse hub: the parts of the program `posthouse_bridge`.
//!
//! [`ros`] speaks to robots: a trait that says what a bridge needs of ROS, and a client for ROS 1 of our
//! own behind it. [`config`] reads what is to be bridged, [`routes`] does it, [`node`] is the program around them.
#[cfg(feature = "bridge")]
pub mod config;
#[cfg(feature = "bridge")]
pub mod node;
pub mod ros;
#[cfg(feature = "bridge")]
pub mod routes;
