//! The brokers that scenarios run on: two generations of nats-server, and the owned node in a
//! process of its own.
use std::{
    env,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use posthouse_testkit::{Binary, Cluster, NatsServer, find_nats_server};
use serde_json::Value;

use crate::scenario::OwnBroker;

/// A running broker.
pub enum Broker {
    /// A nats-server.
    Nats(Box<NatsServer>),
    /// Several nats-servers with routes; the first is the one that plain steps are about.
    Cluster(Cluster),
    /// `posthouse serve`.
    Node(Node),
    /// None: the scenario has no broker, or not yet.
    Absent,
}

/// The owned node, run by the command-line program.
pub struct Node {
    child: Child,
    port: u16,
}

/// Whether this kind can be started here; the text says what is missing.
pub fn available(kind: &str) -> Result<(), String> {
    match kind {
        "nats" if find_nats_server(Binary::Current).is_none() => {
            Err("no current nats-server: name one in POSTHOUSE_NATS_SERVER_CURRENT".into())
        }
        "nats-2.9" if find_nats_server(Binary::System).is_none() => {
            Err("no nats-server: install it or name one in POSTHOUSE_NATS_SERVER".into())
        }
        "node" if !command_line().is_file() => Err(format!(
            "{} is not built: `cargo build -p posthouse-cli`",
            command_line().display()
        )),
        _ => Ok(()),
    }
}

fn command_line() -> std::path::PathBuf {
    env::current_exe().unwrap_or_default().with_file_name("posthouse")
}

impl Broker {
    /// Starts a broker of a kind, with a scenario's settings; `local` is the local node's port.
    pub fn start(kind: &str, own: &OwnBroker, config: &str, local: u16) -> Result<Self, String> {
        if kind == "node" {
            return Ok(Self::Node(Node::start(0)?));
        }
        let binary = if kind == "nats" { Binary::Current } else { Binary::System };
        let config = config.to_owned();
        if own.cluster > 1 {
            let cluster =
                Cluster::start(own.cluster, |_, builder| builder.binary(binary).config(&config));
            return Ok(Self::Cluster(cluster));
        }
        let builder = NatsServer::builder().binary(binary).config(&config);
        let builder = if own.local { builder.port(local) } else { builder };
        let builder = if own.websocket { builder.websocket() } else { builder };
        Ok(Self::Nats(Box::new(builder.start())))
    }

    /// The client ports, one for each server.
    pub fn ports(&self) -> Vec<u16> {
        match self {
            Self::Nats(server) => vec![server.port()],
            Self::Cluster(cluster) => cluster.servers().iter().map(NatsServer::port).collect(),
            Self::Node(node) => vec![node.port],
            Self::Absent => vec![],
        }
    }

    /// The address for WebSocket clients of a broker that was started with `websocket`.
    pub fn websocket(&self) -> Option<String> {
        match self {
            Self::Nats(server) => Some(server.ws_url()),
            _ => None,
        }
    }

    /// Does what a `broker` step says; `server` chooses one of a cluster.
    pub fn act(&mut self, verb: &str, server: usize, config: &str) -> Result<Value, String> {
        match self {
            Self::Nats(nats) => act_on(nats, verb, config),
            Self::Cluster(cluster) => {
                if server >= cluster.servers().len() {
                    return Err(format!("the cluster has no server {server}"));
                }
                act_on(&mut cluster[server], verb, config)
            }
            Self::Node(node) => node.act(verb),
            Self::Absent => Err("there is no broker".into()),
        }
    }
}

fn act_on(server: &mut NatsServer, verb: &str, config: &str) -> Result<Value, String> {
    match verb {
        "kill" => server.kill(),
        "stop" => server.stop(),
        "start" | "restart" => server.restart(),
        "freeze" => server.freeze(),
        "thaw" => server.thaw(),
        "lame_duck" => server.lame_duck(),
        "reload" => server.reload(|_| NatsServer::builder().config(config)),
        "subscriptions" => return Ok(server.subscriptions().into()),
        "connections" => return Ok(server.connections().into()),
        _ => return Err(format!("a broker cannot `{verb}`")),
    }
    Ok(Value::Null)
}

impl Node {
    fn start(port: u16) -> Result<Self, String> {
        let mut child = Command::new(command_line())
            .args(["--json", "serve", "--no-ws", "--port", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e}", command_line().display()))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(|e| e.to_string())?;
        }
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        match told["tcp"].as_str().and_then(|url| url.rsplit(':').next()?.parse().ok()) {
            Some(port) => Ok(Self { child, port }),
            None => Err(format!("`posthouse serve` does not tell its port: {line}")),
        }
    }

    fn act(&mut self, verb: &str) -> Result<Value, String> {
        match verb {
            "kill" | "stop" => self.end(),
            "start" | "restart" => {
                self.end();
                *self = Self::start(self.port)?;
            }
            _ => return Err(format!("an owned node cannot `{verb}`")),
        }
        Ok(Value::Null)
    }

    fn end(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.end();
    }
}
