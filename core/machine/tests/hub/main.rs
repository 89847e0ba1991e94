//! The rules of the hub, concept by concept, in virtual time.
mod common;
mod drain;
mod handoff;
mod liveness;
mod messages;
mod permissions;
mod reconnect;
mod requests;
mod state;
mod status;
mod subscriptions;
mod sync;
mod watch;
