//! Runs every example in every language on every kind of broker and compares what it prints.
use posthouse_node::{Node, NodeOptions};
use posthouse_testkit::{Binary, NatsServer, PATIENCE};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

/// A broker that can go and come back at the same address.
enum Broker {
    Node(Option<Node>),
    Server(Box<NatsServer>),
}

impl Broker {
    async fn node() -> Self {
        Self::Node(Some(bind(0).await))
    }

    fn url(&self) -> String {
        match self {
            Self::Node(node) => node.as_ref().map(Node::client_url).expect("the node runs"),
            Self::Server(server) => server.url(),
        }
    }

    async fn away_and_back(&mut self, while_away: impl AsyncFnOnce()) {
        match self {
            Self::Node(node) => {
                let old = node.take().expect("the node runs");
                let port = old.addr().port();
                old.shutdown(Duration::ZERO).await;
                while_away().await;
                *node = Some(bind(port).await);
            }
            Self::Server(server) => {
                server.kill();
                while_away().await;
                server.restart();
            }
        }
    }
}

async fn bind(port: u16) -> Node {
    let options = NodeOptions { port, ws_port: None, ..NodeOptions::default() };
    Node::bind(options).await.expect("the node starts")
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn topics() -> Vec<String> {
    let mut topics: Vec<String> = fs::read_dir(here())
        .expect("the folder of the examples")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| here().join(name).join("expected.txt").is_file())
        .collect();
    topics.sort();
    topics
}

/// The program of a topic in a language, or `None` where the language is not built here.
fn program(language: &str, topic: &str) -> Option<Command> {
    let source = here().join(topic).join(language);
    match language {
        "rust" => Some(Command::new(
            Path::new(env!("CARGO_BIN_EXE_example-01-state"))
                .with_file_name(format!("example-{topic}{}", std::env::consts::EXE_SUFFIX)),
        )),
        "python" => {
            let python = std::env::var_os("POSTHOUSE_PYTHON")?;
            let mut command = Command::new(python);
            command.arg(source.join("main.py"));
            Some(command)
        }
        "cpp" => {
            let built = std::env::var_os("POSTHOUSE_CPP")?;
            Some(Command::new(Path::new(&built).join(format!("example-{topic}"))))
        }
        "node" => {
            let mut command = Command::new(std::env::var_os("POSTHOUSE_NODE")?);
            command.arg(source.join("main.mjs"));
            Some(command)
        }
        other => panic!("no way to run {other}"),
    }
}

fn expected(language: &str, topic: &str) -> String {
    let own = here().join(topic).join(language).join("expected.txt");
    let common = here().join(topic).join("expected.txt");
    fs::read_to_string(own).or_else(|_| fs::read_to_string(common)).expect("what is expected")
}

/// Runs one example to its end and gives what it printed.
async fn run(mut command: Command, topic: &str, broker: &mut Broker) -> String {
    let mut child = command
        .env("POSTHOUSE_SERVERS", broker.url())
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{topic} does not start: {error}"));
    let mut stderr = child.stderr.take().expect("its error stream");
    let errors = tokio::spawn(async move {
        let mut text = String::new();
        stderr.read_to_string(&mut text).await.expect("text");
        text
    });
    let mut stdout = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut printed = String::new();
    let play = async {
        while let Some(line) = stdout.next_line().await.expect("text") {
            printed.push_str(&line);
            printed.push('\n');
            if topic == "08-reconnect" && line == "connected" {
                broker
                    .away_and_back(async || {
                        for _ in 0..2 {
                            let line = stdout.next_line().await.expect("text").unwrap_or_default();
                            printed.push_str(&line);
                            printed.push('\n');
                        }
                    })
                    .await;
            }
        }
        child.wait().await.expect("its end")
    };
    let ended = timeout(PATIENCE * 2, play).await;
    match ended {
        Ok(status) => {
            let errors = errors.await.expect("the reader of its error stream");
            assert!(status.success(), "{topic}: {status}\n{printed}{errors}");
        }
        Err(late) => panic!("{topic} does not end ({late}); it printed:\n{printed}"),
    }
    printed
}

async fn all(language: &str, mut broker: Broker) {
    let topics = topics();
    assert!(topics.len() >= 9, "{topics:?}");
    for topic in topics {
        let Some(command) = program(language, &topic) else {
            let needed = std::env::var_os("CI").is_some();
            assert!(!needed, "{language} is not built; use make test-examples");
            eprintln!("skipped: {language} is not built; use make test-examples");
            return;
        };
        let printed = run(command, &topic, &mut broker).await;
        assert_eq!(printed, expected(language, &topic), "{topic} in {language}");
    }
}

#[tokio::test]
async fn rust_on_the_owned_node() {
    all("rust", Broker::node().await).await;
}

#[tokio::test]
async fn python_on_the_owned_node() {
    all("python", Broker::node().await).await;
}

#[tokio::test]
async fn node_on_the_owned_node() {
    all("node", Broker::node().await).await;
}

#[tokio::test]
async fn cpp_on_the_owned_node() {
    all("cpp", Broker::node().await).await;
}

#[tokio::test]
async fn rust_on_the_oldest_server() {
    if Binary::System.available() {
        all("rust", server(Binary::System)).await;
    }
}

#[tokio::test]
async fn python_on_the_oldest_server() {
    if Binary::System.available() {
        all("python", server(Binary::System)).await;
    }
}

#[tokio::test]
async fn node_on_the_oldest_server() {
    if Binary::System.available() {
        all("node", server(Binary::System)).await;
    }
}

#[tokio::test]
async fn cpp_on_the_oldest_server() {
    if Binary::System.available() {
        all("cpp", server(Binary::System)).await;
    }
}

#[tokio::test]
async fn rust_on_the_current_server() {
    if Binary::Current.available() {
        all("rust", server(Binary::Current)).await;
    }
}

#[tokio::test]
async fn python_on_the_current_server() {
    if Binary::Current.available() {
        all("python", server(Binary::Current)).await;
    }
}

#[tokio::test]
async fn node_on_the_current_server() {
    if Binary::Current.available() {
        all("node", server(Binary::Current)).await;
    }
}

#[tokio::test]
async fn cpp_on_the_current_server() {
    if Binary::Current.available() {
        all("cpp", server(Binary::Current)).await;
    }
}

fn server(binary: Binary) -> Broker {
    Broker::Server(Box::new(NatsServer::builder().binary(binary).start()))
}

/// Every topic has every language, and nothing is left over.
#[test]
fn every_topic_is_complete() {
    for topic in topics() {
        for source in ["rust/main.rs", "python/main.py", "node/main.mjs", "cpp/main.cpp"] {
            let path: PathBuf = here().join(&topic).join(source);
            assert!(path.is_file(), "{} is missing", path.display());
        }
    }
}
