//! The real binary, and a node that it serves.
#![allow(dead_code)] // each test file uses a part of this
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read},
    net::SocketAddr,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread::JoinHandle,
    time::Duration,
};

/// How long anything may take that a healthy machine does at once.
const PATIENCE: Duration = Duration::from_secs(30);

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
    websocket: Option<String>,
}

impl Served {
    pub fn start(extra: &[&str]) -> Self {
        let words = ["--port", "0", "--no-ws"];
        Self::start_as(&words.iter().chain(extra).copied().collect::<Vec<_>>())
    }

    /// With ports of the test's choice.
    pub fn start_as(extra: &[&str]) -> Self {
        let words = ["--json", "serve"];
        let words: Vec<&str> = words.iter().chain(extra).copied().collect();
        let mut child =
            command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(event["event"], "listening");
        let url = event["tcp"].as_str().unwrap().to_owned();
        let websocket = event["ws"].as_str().map(str::to_owned);
        Self { child: Some(child), url, websocket }
    }

    /// A command for this node, in the namespace `test`.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = command(words);
        command.env("POSTHOUSE_SERVERS", &self.url).env("POSTHOUSE_NAMESPACE", "test");
        command
    }

    /// Runs a command for this node to its end.
    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// The addresses for TCP and, unless it has none, for WebSocket.
    pub fn urls(&self) -> (&str, Option<&str>) {
        (&self.url, self.websocket.as_deref())
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

/// A command that runs until it is stopped, with what it says.
pub struct Running {
    child: Child,
    news: mpsc::Receiver<String>,
    readers: Vec<JoinHandle<Vec<u8>>>,
}

impl Running {
    pub fn start(node: &Served, words: &[&str]) -> Self {
        Self::of(node.command(words))
    }

    /// Runs a command that is ready to go.
    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, news) = mpsc::channel();
        let out = read(child.stdout.take().unwrap(), sender.clone());
        let err = read(child.stderr.take().unwrap(), sender);
        Self { child, news, readers: vec![out, err] }
    }

    /// Waits for a line with this text, on either stream.
    pub fn wait_for(&mut self, text: &str) {
        loop {
            match self.news.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return,
                Ok(_) => {}
                Err(error) => panic!("no line with {text:?}: {error}"),
            }
        }
    }

    /// Waits for its end.
    pub fn end(mut self) -> Output {
        let status = self.child.wait().unwrap();
        let mut texts = self.readers.drain(..).map(|reader| reader.join().unwrap());
        Output { status, stdout: texts.next().unwrap(), stderr: texts.next().unwrap() }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: i32) {
        kill(&self.child, signal);
    }

    /// Presses Ctrl-C and waits for its end.
    pub fn interrupt(self) -> Output {
        kill(&self.child, libc::SIGINT);
        self.end()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn read(stream: impl Read + Send + 'static, news: mpsc::Sender<String>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut lines = BufReader::new(stream);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).unwrap() > 0 {
            all.extend_from_slice(&line);
            // Nobody may be waiting any more.
            _ = news.send(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
        all
    })
}

/// The JSON lines of an output.
pub fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

/// What an output said to a person.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
