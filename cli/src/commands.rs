//! One file a command.
pub mod completions;
mod serve;

use crate::{args::Command, exit::Failure, output::Output};

/// Runs a command to its end and gives its exit code.
pub async fn run(command: Command, output: Output) -> Result<u8, Failure> {
    match command {
        Command::Serve(args) => serve::run(args, output).await,
        Command::Completions { shell } => {
            completions::run(shell);
            Ok(0)
        }
    }
}
