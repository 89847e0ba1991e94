//! Options of the commands that send and receive.
use super::{Connect, HeaderArgs, Send};
use crate::units;
use clap::Args;
use std::time::Duration;

#[derive(Args)]
pub struct Pub {
    #[command(flatten)]
    pub connect: Connect,
    /// The name to publish on.
    pub name: String,
    /// The data, as JSON. Without it every line of the input is one event; on a terminal: null.
    pub data: Option<String>,
    /// Take the data, or each line, as text, not as JSON.
    #[arg(long)]
    pub text: bool,
    #[command(flatten)]
    pub headers: HeaderArgs,
}

#[derive(Args)]
pub struct Sub {
    #[command(flatten)]
    pub connect: Connect,
    /// Names or patterns: `*` is one level, `>` at the end the rest.
    #[arg(required = true)]
    pub names: Vec<String>,
    /// Share the messages with all who give the same queue.
    #[arg(short, long)]
    pub queue: Option<String>,
    /// End after so many messages.
    #[arg(short, long, value_name = "N")]
    pub count: Option<u64>,
    /// Print the data alone, without the name.
    #[arg(short, long)]
    pub data: bool,
}

#[derive(Args)]
pub struct Req {
    #[command(flatten)]
    pub connect: Connect,
    /// The name to ask.
    pub name: String,
    #[command(flatten)]
    pub send: Send,
}

#[derive(Args)]
pub struct Handle {
    #[command(flatten)]
    pub connect: Connect,
    /// The name or pattern to answer.
    pub name: String,
    /// The command: it gets the data as JSON on its input and prints the answer as JSON; printing
    /// nothing answers null, failing answers nothing. A single word is run by the shell.
    #[arg(last = true, required_unless_present = "answer")]
    pub command: Vec<String>,
    /// Answer this JSON each time instead of running a command.
    #[arg(long, value_name = "JSON", conflicts_with = "command")]
    pub answer: Option<String>,
    /// Take what the command prints as text, not as JSON.
    #[arg(long)]
    pub text: bool,
    /// Share the requests with all who give the same queue.
    #[arg(short, long)]
    pub queue: Option<String>,
    /// End after so many requests.
    #[arg(short, long, value_name = "N")]
    pub count: Option<u64>,
}

#[derive(Args)]
pub struct Collect {
    #[command(flatten)]
    pub connect: Connect,
    /// The name to ask.
    pub name: String,
    #[command(flatten)]
    pub send: Send,
    /// How long answers are gathered.
    #[arg(short, long, value_name = "TIME", default_value = "3s", value_parser = units::duration)]
    pub window: Duration,
    /// End with so many answers.
    #[arg(short, long, value_name = "N", default_value_t = 16)]
    pub max: usize,
}
