//! `posthouse queue`: work that is kept until it is done, and what somebody who looks after it needs.
//!
//! `place` finds the queue, `send` and `consume` are the two ends, `exec` is one process for one batch,
//! `admin` is everything else.
mod admin;
mod consume;
#[cfg(unix)]
mod exec;
mod place;
mod send;

use crate::{
    args::{Queue, QueueCommand},
    exit::Failure,
    output::Output,
};

pub async fn run(args: Queue, output: Output) -> Result<u8, Failure> {
    match args.command {
        QueueCommand::Send(args) => send::run(args, output).await,
        QueueCommand::Consume(args) => consume::run(args, output).await,
        QueueCommand::Peek(args) => admin::peek(args, output).await,
        QueueCommand::Stats(args) => admin::stats(args, output).await,
        QueueCommand::Purge(args) => admin::purge(args, output).await,
        QueueCommand::Redrive(args) => admin::redrive(args, output).await,
        QueueCommand::Pause(args) => admin::pause(args, output, true).await,
        QueueCommand::Resume(args) => admin::pause(args, output, false).await,
    }
}
