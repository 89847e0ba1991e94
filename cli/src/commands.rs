//! One file a command.
mod bench;
mod collect;
pub mod completions;
mod get;
mod handle;
mod instances;
mod publish;
mod queue;
mod request;
mod serve;
mod set;
mod status;
mod subscribe;
mod watch;

use crate::{args::Command, exit::Failure, output::Output};

/// Runs a command to its end and gives its exit code.
pub async fn run(command: Command, output: Output) -> Result<u8, Failure> {
    match command {
        Command::Serve(args) => serve::run(args, output).await,
        Command::Pub(args) => publish::run(args, output).await,
        Command::Sub(args) => subscribe::run(args, output).await,
        Command::Req(args) => request::run(args, output).await,
        Command::Handle(args) => handle::run(args, output).await,
        Command::Collect(args) => collect::run(args, output).await,
        Command::Set(args) => set::run(args, output).await,
        Command::Get(args) => get::run(args, output).await,
        Command::Watch(args) => watch::run(args, output).await,
        Command::Delete(args) => set::delete(args, output).await,
        Command::Status(args) => status::run(args, output).await,
        Command::Instances(args) => instances::run(args, output).await,
        Command::Queue(args) => queue::run(args, output).await,
        Command::Bench(args) => bench::run(args, output).await,
        Command::Completions { shell } => {
            completions::run(shell);
            Ok(0)
        }
    }
}
