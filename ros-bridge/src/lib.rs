//! ROS topics and services on a Posthouse hub: the parts of the program `posthouse_bridge`.
//!
//! [`ros`] speaks to robots: a trait that says what a bridge needs of ROS, and a client for ROS 1 of our
//! own behind it.
pub mod ros;
