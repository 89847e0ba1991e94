//! Every command and option, as clap reads them.
mod messages;
mod queue;
mod serve;
mod state;

use crate::{output::Color, units};
use clap::{Args, Parser, Subcommand};
use std::{path::PathBuf, time::Duration};

pub use messages::{Collect, Handle, Pub, Req, Sub};
pub use queue::{Consume, Peek, Place, Queue, QueueCommand, Redrive, SendWork};
pub use serve::Serve;
pub use state::{Bench, Delete, Get, Instances, Set, Status, Watch};

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
    /// Publish events: one given here, or one for each line of JSON on the input.
    #[command(visible_alias = "publish")]
    Pub(Pub),
    /// Print the events and requests of names or patterns, until stopped.
    #[command(visible_alias = "subscribe")]
    Sub(Sub),
    /// Ask for one answer and print it.
    #[command(visible_alias = "request")]
    Req(Req),
    /// Answer requests with a fixed answer or with what a command prints, until stopped.
    Handle(Handle),
    /// Ask for several answers within a window and print each.
    #[command(visible_alias = "request-many")]
    Collect(Collect),
    /// Set a variable for everyone in the namespace.
    Set(Set),
    /// Print a variable's value.
    Get(Get),
    /// Print a variable's value now and after every change, until stopped.
    Watch(Watch),
    /// Delete a variable's value for everyone in the namespace.
    Delete(Delete),
    /// Connect, and print how it went and what the hub tells of itself.
    Status(Status),
    /// List the programs of the namespace.
    Instances(Instances),
    /// Work that is kept until it is done: send it, do it, look after it.
    Queue(Queue),
    /// Measure this machine and broker: events a second, and the time of a request.
    Bench(Bench),
    /// Print the completion script of a shell.
    Completions {
        /// The shell to complete in.
        shell: clap_complete::Shell,
    },
}

/// Where to connect, and as whom.
#[derive(Args)]
pub struct Connect {
    /// The namespace: programs of one namespace see each other.
    #[arg(short, long, env = "POSTHOUSE_NAMESPACE")]
    pub namespace: String,
    #[command(flatten)]
    pub server: Server,
}

/// Where to connect for a command that may be in a namespace of its own.
#[derive(Args)]
pub struct Anywhere {
    /// The namespace; without it a fresh one that nobody else is in.
    #[arg(short, long, env = "POSTHOUSE_NAMESPACE")]
    pub namespace: Option<String>,
    #[command(flatten)]
    pub server: Server,
}

/// The server, who this is to it, and how long it may take.
#[derive(Args)]
pub struct Server {
    /// Server to connect to; repeat for several, best first. Else POSTHOUSE_SERVERS, else this
    /// machine's node.
    #[arg(short, long = "server", value_name = "URL")]
    pub servers: Vec<String>,
    #[command(flatten)]
    pub login: Login,
    /// How long connecting and each operation may take: 250ms, 1.5s, 2m.
    #[arg(short, long, value_name = "TIME", default_value = "3s", value_parser = units::duration)]
    pub timeout: Duration,
}

/// Who this is to the server, and how the connection is encrypted.
#[derive(Args)]
pub struct Login {
    /// Token for the server; better given as POSTHOUSE_TOKEN, where no process list shows it.
    #[arg(long)]
    pub token: Option<String>,
    /// User for the server.
    #[arg(long, requires = "password")]
    pub user: Option<String>,
    /// Password of the user.
    #[arg(long, requires = "user", env = "POSTHOUSE_PASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// File with the seed of an nkey.
    #[arg(long, value_name = "FILE")]
    pub nkey_file: Option<PathBuf>,
    /// Credentials file; else POSTHOUSE_CREDENTIALS.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// Authorities to trust, a PEM file, instead of the system's.
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Client certificate, a PEM file.
    #[arg(long, value_name = "FILE", requires = "key_file")]
    pub cert_file: Option<PathBuf>,
    /// Key of the client certificate, a PEM file.
    #[arg(long, value_name = "FILE", requires = "cert_file")]
    pub key_file: Option<PathBuf>,
    /// Start TLS before the server has said anything.
    #[arg(long)]
    pub handshake_first: bool,
}

/// What to send, and its headers.
#[derive(Args)]
pub struct Send {
    /// The data, as JSON; `-` reads it from the input. Without it: null.
    pub data: Option<String>,
    /// Take the data as text, not as JSON.
    #[arg(long)]
    pub text: bool,
    #[command(flatten)]
    pub headers: HeaderArgs,
}

#[derive(Args)]
pub struct HeaderArgs {
    /// Header to send; repeat for several.
    #[arg(short = 'H', long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<String>,
}
