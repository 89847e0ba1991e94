//! Options of the commands about state, and of those that look.
use super::{Anywhere, Connect};
use crate::units;
use clap::Args;
use std::time::Duration;

#[derive(Args)]
pub struct Set {
    #[command(flatten)]
    pub connect: Connect,
    /// The variable.
    pub name: String,
    /// The value, as JSON; `-` reads it from the input.
    pub value: String,
    /// Take the value as text, not as JSON.
    #[arg(long)]
    pub text: bool,
    /// Stay and hold the value until stopped; state lives only as long as some program holds it.
    #[arg(long)]
    pub hold: bool,
}

#[derive(Args)]
pub struct Get {
    #[command(flatten)]
    pub connect: Connect,
    /// The variable.
    pub name: String,
    /// Print this JSON where there is no value, instead of failing.
    #[arg(short, long, value_name = "JSON")]
    pub fallback: Option<String>,
}

#[derive(Args)]
pub struct Watch {
    #[command(flatten)]
    pub connect: Connect,
    /// The variables.
    #[arg(required = true)]
    pub names: Vec<String>,
    /// End after so many lines.
    #[arg(short, long, value_name = "N")]
    pub count: Option<u64>,
}

#[derive(Args)]
pub struct Delete {
    #[command(flatten)]
    pub connect: Connect,
    /// The variable.
    pub name: String,
}

#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    pub connect: Anywhere,
}

#[derive(Args)]
pub struct Instances {
    #[command(flatten)]
    pub connect: Connect,
    /// How long to listen for reports; every program sends one each five seconds, and at once when
    /// it is asked.
    #[arg(short, long, value_name = "TIME", default_value = "1s", value_parser = units::duration)]
    pub listen: Duration,
    /// Print the list again after every change, until stopped.
    #[arg(long)]
    pub watch: bool,
}

#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    pub connect: Anywhere,
    /// Events to send.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub events: u64,
    /// Requests to send, one after the other.
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub requests: u64,
    /// Size of each body, in bytes or with a unit.
    #[arg(long, value_name = "SIZE", default_value = "128", value_parser = units::size)]
    pub size: usize,
}
