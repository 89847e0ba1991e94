//! The JetStream store against real servers: the current one, the oldest supported one, and a cluster.
mod admin;
mod basics;
mod bed;
mod cluster;
mod connect;
mod dead;
mod delay;
mod leases;
mod old;
mod outage;
mod setup;
