//! The `posthouse` command: the owned node by hand, and every operation of a hub from a shell.
//!
//! What a command reads and prints is JSON, one value or one line each; what it says to a person
//! goes to the error stream. `args` names every command and option, `commands` has a file for each,
//! `output` writes lines and ends quietly where the reader went away, `exit` gives the exit codes.
mod args;
mod commands;
mod exit;
mod input;
mod logging;
mod output;
mod session;
mod signals;
mod units;

use args::{Cli, Command};
use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = output::Output::new(cli.json, cli.color);
    logging::start(cli.log.as_deref(), output);
    if let Command::Completions { shell } = cli.command {
        commands::completions::run(shell);
        return ExitCode::SUCCESS;
    }
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let text = format!("the system refuses what every command needs: {error}");
            return output.fail(&exit::Failure::new(exit::FAILED, "INTERNAL", text));
        }
    };
    match runtime.block_on(commands::run(cli.command, output)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => output.fail(&failure),
    }
}
