//! The real binary, and a node that it serves.
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Output, Stdio},
};

/// Runs the command to its end.
pub fn posthouse(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

/// The command, with nothing of the caller's settings.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posthouse"));
    command.args(words).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("POSTHOUSE_") {
            command.env_remove(name);
        }
    }
    command
}

/// A node on a free port, ended with the test.
pub struct Served {
    child: Option<Child>,
    url: String,
}

impl Served {
    pub fn start(extra: &[&str]) -> Self {
        let words = ["--json", "serve", "--port", "0", "--no-ws"];
        let words: Vec<&str> = words.iter().chain(extra).copied().collect();
        let mut child =
            command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(event["event"], "listening");
        let url = event["tcp"].as_str().unwrap().to_owned();
        Self { child: Some(child), url }
    }

    pub fn addr(&self) -> SocketAddr {
        self.url.strip_prefix("nats://").unwrap().parse().unwrap()
    }

    /// Sends a signal and waits for the end.
    pub fn end(mut self, signal: i32) -> Output {
        let child = self.child.take().unwrap();
        kill(&child, signal);
        child.wait_with_output().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// Sends a signal to a process.
pub fn kill(child: &Child, signal: i32) {
    // SAFETY: the child has not been waited for, so its id is still its own.
    assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
}
