//! Options of `posthouse queue`.
use super::Login;
use crate::units;
use clap::{Args, Subcommand};
use std::{ffi::OsString, path::PathBuf, time::Duration};

#[derive(Args)]
pub struct Queue {
    #[command(subcommand)]
    pub command: QueueCommand,
}

#[derive(Subcommand)]
pub enum QueueCommand {
    /// Send messages: one given here, or one for each line of JSON on the input.
    Send(SendWork),
    /// Take messages and print them, or run a program for each batch, until stopped.
    Consume(Consume),
    /// Print messages in the order they fall due, without taking them.
    Peek(Peek),
    /// Print how many messages wait, are delayed, in flight, dead, and how old the oldest is.
    Stats(Place),
    /// Remove every message that nobody holds.
    Purge(Place),
    /// Bring dead letters back to the queue they come from.
    Redrive(Redrive),
    /// Stop giving messages to anybody, in every process, until `resume`.
    Pause(Place),
    /// End a pause.
    Resume(Place),
}

/// Which queue, and where it is.
#[derive(Args)]
pub struct Place {
    /// The queue: a name of the configuration, or with --file and --server the queue's own name.
    pub queue: String,
    /// The deployment's configuration, TOML or JSON; else POSTHOUSE_QUEUE_CONFIG.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["file", "servers", "settings"])]
    pub config: Option<PathBuf>,
    /// The SQLite file that keeps the queue, instead of a configuration.
    #[arg(short, long, value_name = "PATH", conflicts_with = "servers")]
    pub file: Option<PathBuf>,
    /// NATS server with JetStream that keeps the queue, instead of a configuration; repeat for
    /// several, best first.
    #[arg(short, long = "server", value_name = "URL")]
    pub servers: Vec<String>,
    /// Setting of the queue, times in seconds; repeat for several. With --file and --server.
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    #[command(flatten)]
    pub login: Login,
    /// How long connecting and each operation on a server may take: 250ms, 1.5s, 2m.
    #[arg(short, long, value_name = "TIME", default_value = "5s", value_parser = units::duration)]
    pub timeout: Duration,
}

#[derive(Args)]
pub struct SendWork {
    #[command(flatten)]
    pub place: Place,
    /// The message, as JSON. Without it every line of the input is one.
    pub body: Option<String>,
    /// Take the message, or each line, as text, not as JSON.
    #[arg(long, conflicts_with = "batch")]
    pub text: bool,
    /// Seconds before it falls due, 0 to 43200.
    #[arg(short, long, value_name = "SECONDS", default_value_t = 0.0, conflicts_with = "batch")]
    #[arg(allow_negative_numbers = true)]
    pub delay: f64,
    /// Take the argument, or the whole input, as one batch: a JSON array of 1 to 100
    /// {"body":…,"delaySeconds":…}.
    #[arg(long)]
    pub batch: bool,
}

#[derive(Args)]
pub struct Consume {
    #[command(flatten)]
    pub place: Place,
    /// Run this program for each batch. It reads the batch as JSON from its input and may write
    /// {"ack":n} or {"retry":n,"delaySeconds":s} to file descriptor 3, a line each. Exit status 0:
    /// the other messages are done. Else they come again.
    #[arg(short, long, value_name = "PROGRAM")]
    pub exec: Option<PathBuf>,
    /// Arguments for the program.
    #[arg(last = true, requires = "exec", value_name = "ARGUMENT")]
    pub arguments: Vec<OsString>,
    /// End after so many messages; with --exec after so many batches.
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// How long running programs have to end once the command is told to stop. Then they get
    /// SIGTERM, and five seconds later SIGKILL; a second Ctrl-C does not wait either.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    pub grace: Duration,
}

#[derive(Args)]
pub struct Peek {
    #[command(flatten)]
    pub place: Place,
    /// Print at most so many.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub max: usize,
}

#[derive(Args)]
pub struct Redrive {
    #[command(flatten)]
    pub place: Place,
    /// Bring back at most so many; without it all.
    #[arg(short, long, value_name = "N")]
    pub max: Option<u64>,
}
