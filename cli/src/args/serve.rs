//! Options of `posthouse serve`.
use crate::units;
use clap::Args;
use std::{net::IpAddr, time::Duration};

/// How the node listens and whom it lets in.
#[derive(Args)]
pub struct Serve {
    /// Address to listen on. Beyond loopback, give credentials too.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// TCP port; 0 takes any free one.
    #[arg(long, default_value_t = 4222)]
    pub port: u16,
    /// WebSocket port; 0 takes any free one.
    #[arg(long, default_value_t = 9222)]
    pub ws_port: u16,
    /// Open no WebSocket port.
    #[arg(long, conflicts_with = "ws_port")]
    pub no_ws: bool,
    /// Token that clients must show; better given in the environment, where no process list shows it.
    #[arg(long, env = "POSTHOUSE_NODE_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// User that clients must name.
    #[arg(long, requires = "password")]
    pub user: Option<String>,
    /// Password of the user.
    #[arg(long, requires = "user", env = "POSTHOUSE_NODE_PASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// Name of the server in its greeting.
    #[arg(long)]
    pub name: Option<String>,
    /// Largest message, in bytes or with a unit: 512KiB, 8MiB.
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = units::size)]
    pub max_payload: usize,
    /// Web origin that may open WebSockets besides pages of this machine; repeat for several.
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub origins: Vec<String>,
    /// How long clients have to leave once the node is told to stop.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::duration)]
    pub grace: Duration,
}
