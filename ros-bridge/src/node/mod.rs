//! The program around the bridge: its arguments, its log, where its configuration comes from, and its end.
mod arguments;
mod check;
mod locate;
mod logger;
mod run;
mod signals;

pub use run::main;
