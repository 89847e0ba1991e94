//! Faults on real servers; see the crate's story.
mod auth;
mod crash;
mod half_open;
mod packets;
mod payload;
mod permissions;
mod reconnect;
mod slow;
mod switching;
mod tls;
