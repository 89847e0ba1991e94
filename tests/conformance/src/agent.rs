//! One agent process: requests go to its standard input, answers and events come back as lines.
//!
//! Events are kept by stream, in order, until a step takes them. A process that does not answer in
//! time is killed by its id; the next scenario gets a new one.
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    process::Stdio,
    rc::Rc,
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, Command},
    sync::{Notify, oneshot},
    time::timeout,
};

use crate::language::Language;

/// How long an agent may take to come up or to clean up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many of its last lines a failure shows.
const KEPT_LINES: usize = 60;

/// A running agent.
pub struct Agent {
    /// What it announced that it can do.
    pub capabilities: Vec<String>,
    child: RefCell<Option<Child>>,
    stdin: RefCell<Option<ChildStdin>>,
    next: Cell<u64>,
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: RefCell<HashMap<u64, oneshot::Sender<Value>>>,
    streams: RefCell<HashMap<String, VecDeque<Value>>>,
    arrived: Notify,
    lines: RefCell<VecDeque<String>>,
    ended: Cell<bool>,
    forbidden: RefCell<Vec<String>>,
    leaked: RefCell<Option<String>>,
}

impl Agent {
    /// Starts the process and waits for its greeting; `local` is the port of the local node.
    pub async fn start(language: &Language, local: u16) -> Result<Self, String> {
        let (program, arguments) =
            language.command.split_first().ok_or("an agent needs a command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("POSTHOUSE_LOG", "debug")
            .envs((local != 4222).then(|| ("POSTHOUSE_LOCAL_PORT", local.to_string())))
            .kill_on_drop(true)
            .spawn()
            .map_err(|e| format!("`{program}` does not start: {e}"))?;
        let shared = Rc::new(Shared::default());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let stdin = RefCell::new(child.stdin.take());
        tokio::task::spawn_local(read(out, shared.clone(), true));
        tokio::task::spawn_local(read(err, shared.clone(), false));
        let child = RefCell::new(Some(child));
        let mut agent = Self { capabilities: vec![], child, stdin, next: Cell::new(1), shared };
        let hello = timeout(PATIENCE, agent.take("hello", |_| true)).await;
        let Ok(Ok(hello)) = hello else {
            return Err(format!("the {} agent does not greet:\n{}", language.name, agent.tail()));
        };
        if let Some(Value::Array(items)) = hello.get("capabilities") {
            agent.capabilities =
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        Ok(agent)
    }

    /// Sends a request; the receiver gets the answer, or an error once the process has ended.
    pub async fn send(
        &self,
        mut request: Map<String, Value>,
    ) -> Result<oneshot::Receiver<Value>, String> {
        let id = self.next.replace(self.next.get() + 1);
        request.insert("id".into(), id.into());
        let (sender, receiver) = oneshot::channel();
        if self.shared.ended.get() {
            return Err("the agent has ended".into());
        }
        self.shared.waiting.borrow_mut().insert(id, sender);
        let mut line = Value::Object(request).to_string();
        self.shared.keep(format!("< {line}"));
        line.push('\n');
        let Some(mut stdin) = self.stdin.borrow_mut().take() else {
            return Err("two requests were written to the agent at once".into());
        };
        let written = stdin.write_all(line.as_bytes()).await;
        *self.stdin.borrow_mut() = Some(stdin);
        written.map_err(|e| format!("the agent does not listen: {e}"))?;
        Ok(receiver)
    }

    /// Takes the next event of a stream that `wanted` accepts, leaving out those before it.
    pub async fn take(
        &self,
        stream: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value, String> {
        loop {
            while let Some(event) = self.next_event(stream) {
                if wanted(&event) {
                    return Ok(event);
                }
            }
            if self.shared.ended.get() {
                return Err("the agent has ended".into());
            }
            self.shared.arrived.notified().await;
        }
    }

    /// The oldest event of a stream that nobody has taken, without waiting.
    pub fn next_event(&self, stream: &str) -> Option<Value> {
        self.shared.streams.borrow_mut().get_mut(stream)?.pop_front()
    }

    /// Texts that must not appear in any line from now on.
    pub fn forbid(&self, texts: &[String]) {
        self.shared.forbidden.replace(texts.to_vec());
        self.shared.leaked.replace(None);
    }

    /// The first line that had a forbidden text.
    pub fn leaked(&self) -> Option<String> {
        self.shared.leaked.borrow().clone()
    }

    /// Closes every hub and forgets every event. `false`: the process is of no further use.
    pub async fn reset(&self) -> bool {
        let request = json!({"op": "reset"}).as_object().cloned().unwrap_or_default();
        let answered = match self.send(request).await {
            Ok(answer) => {
                matches!(timeout(PATIENCE, answer).await, Ok(Ok(answer)) if answer.get("error").is_none())
            }
            Err(_) => false,
        };
        self.shared.streams.borrow_mut().clear();
        self.shared.lines.borrow_mut().clear();
        self.shared.forbidden.borrow_mut().clear();
        answered
    }

    /// Kills the process at once, as a crash would.
    pub async fn kill(&self) {
        let child = self.child.borrow_mut().take();
        if let Some(mut child) = child {
            // An error means that it has ended already.
            let _ = child.kill().await;
        }
    }

    /// The last lines that went either way, for a failure's report.
    pub fn tail(&self) -> String {
        let lines = self.shared.lines.borrow();
        lines.iter().flat_map(|line| ["      ", line, "\n"]).collect()
    }
}

impl Shared {
    fn keep(&self, mut line: String) {
        if line.len() > 600 {
            let cut = (0..=600).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
            line.truncate(cut);
            line.push('…');
        }
        let mut lines = self.lines.borrow_mut();
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn receive(&self, line: &str) {
        let Ok(mut value) = serde_json::from_str::<Value>(line) else {
            self.keep(format!("! not JSON: {line}"));
            return;
        };
        if let Some(id) = value.get("id").and_then(Value::as_u64) {
            if let Some(waiting) = self.waiting.borrow_mut().remove(&id) {
                let _ = waiting.send(value);
            }
            return;
        }
        let stream = ["stream", "event"]
            .iter()
            .find_map(|key| value.get(key)?.as_str())
            .unwrap_or("")
            .to_owned();
        if let Some(map) = value.as_object_mut() {
            map.remove("stream");
        }
        self.streams.borrow_mut().entry(stream).or_default().push_back(value);
        self.arrived.notify_waiters();
    }
}

async fn read(from: Option<impl AsyncRead + Unpin>, shared: Rc<Shared>, answers: bool) {
    let Some(from) = from else { return };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while matches!(from.read_until(b'\n', &mut line).await, Ok(count) if count > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if shared.forbidden.borrow().iter().any(|secret| text.contains(secret)) {
            shared.leaked.borrow_mut().get_or_insert_with(|| text.clone());
        }
        shared.keep(format!("{} {text}", if answers { ">" } else { "2>" }));
        if answers {
            shared.receive(&text);
        }
    }
    if answers {
        shared.ended.set(true);
        shared.waiting.borrow_mut().clear();
        shared.arrived.notify_waiters();
    }
}
