//! `posthouse completions SHELL`: the script that completes commands and options in a shell.
use crate::args::Cli;
use clap::CommandFactory as _;

pub fn run(shell: clap_complete::Shell) {
    clap_complete::generate(shell, &mut Cli::command(), "posthouse", &mut std::io::stdout());
}
