//! Every command and option, as clap reads them.
use crate::{output::Color, units};
use clap::{Args, Parser, Subcommand};
use std::{net::IpAddr, time::Duration};

const EXIT_CODES: &str = "\
Exit codes:
  0    done; also when Ctrl-C ends a command that runs until it is stopped
  1    the operation failed
  2    a wrong option, argument, name, value or header was given
  3    there is no connection: nothing listens, credentials refused, connection lost
  4    nobody answered in time, or nobody listens on the name
  5    `get`: the variable has no value
  130  Ctrl-C ended a command before it was done

Errors are one line on the error stream, `posthouse: CODE: what happened`; with --json they are
`{\"error\":{\"code\":…,\"message\":…}}`.";

/// Shared state, events and requests between programs, over NATS.
#[derive(Parser)]
#[command(name = "posthouse", version, propagate_version = true, after_help = EXIT_CODES)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// One JSON object a line on the output, for scripts; errors as JSON on the error stream.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours; `auto` means on a terminal where NO_COLOR is not set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// What to log on the error stream: error, warn, info, debug or trace.
    #[arg(long, global = true, value_name = "LEVEL", env = "POSTHOUSE_LOG")]
    pub log: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a node: a NATS broker in this process, for the programs of this machine.
    Serve(Serve),
    /// Print the completion script of a shell.
    Completions {
        /// The shell to complete in.
        shell: clap_complete::Shell,
    },
}

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
