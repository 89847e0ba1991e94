//! Several servers that route to each other.

use super::{NatsServer, ServerBuilder, builder::free_port};
use crate::until;
use std::collections::HashSet;
use std::ops::{Index, IndexMut};

/// A full mesh of servers on loopback; index it to get at one of them.
#[derive(Debug)]
pub struct Cluster {
    servers: Vec<NatsServer>,
}

impl Cluster {
    /// Starts `size` servers named `n0`, `n1` …, each with what `settings` says for its index, and
    /// waits until everyone has a route to everyone and tells clients of everyone.
    pub fn start(size: usize, settings: impl Fn(usize, ServerBuilder) -> ServerBuilder) -> Self {
        // Chosen here: where JetStream is on, the first server has to know of the others, too.
        let ports: Vec<u16> =
            (0..size).map(|_| free_port().expect("a free port for routes")).collect();
        let servers = (0..size).map(|index| {
            let routes = ports.iter().copied().filter(|port| *port != ports[index]).collect();
            let builder = NatsServer::builder().name(&format!("n{index}"));
            settings(index, builder).cluster("posthouse-test", ports[index], routes).start()
        });
        let servers = servers.collect();
        let cluster = Self { servers };
        cluster.wait_routed();
        cluster
    }

    /// Waits until every server has a route to every other and tells its clients of them, for example
    /// after a restart.
    pub fn wait_routed(&self) {
        for server in &self.servers {
            until("the servers have found each other", || {
                let page = server.monitor("/routez");
                let peers: HashSet<&str> = page["routes"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|route| route["remote_id"].as_str())
                    .collect();
                peers.len() + 1 >= self.servers.len()
            });
            // That comes a moment after the route.
            until("the server tells its clients of the others", || {
                let greeting = server.greeting();
                let told: Vec<&str> = greeting["connect_urls"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(serde_json::Value::as_str)
                    .collect();
                self.servers.iter().all(|other| {
                    told.iter().any(|url| url.ends_with(&format!(":{}", other.port())))
                })
            });
        }
    }

    /// Waits until JetStream works: one server leads, and every other that runs is known to it and up to date.
    pub fn wait_jetstream(&self) {
        until("the cluster's JetStream has a leader and everyone is current", || {
            self.servers.iter().any(|server| {
                let meta = &server.monitor("/jsz")["meta_cluster"];
                let led = meta["leader"].as_str().is_some_and(|leader| server.is_named(leader));
                let others = meta["replicas"].as_array().map(Vec::as_slice).unwrap_or_default();
                led && others.len() + 1 >= self.servers.len()
                    && others.iter().all(|other| other["current"] == true)
            })
        });
    }

    /// Which server leads a stream of JetStream; waits until one does.
    pub fn stream_leader(&self, stream: &str) -> usize {
        let mut found = 0;
        until("the stream has a leader", || {
            let led = self.servers.iter().position(|server| {
                let page = server.monitor("/jsz?streams=1");
                let accounts =
                    page["account_details"].as_array().map(Vec::as_slice).unwrap_or_default();
                accounts.iter().any(|account| {
                    let streams =
                        account["stream_detail"].as_array().map(Vec::as_slice).unwrap_or_default();
                    streams.iter().any(|detail| {
                        let leader = detail["cluster"]["leader"].as_str();
                        detail["name"] == stream
                            && leader.is_some_and(|leader| server.is_named(leader))
                    })
                })
            });
            found = led.unwrap_or(found);
            led.is_some()
        });
        found
    }

    /// The servers in the order of their start.
    pub fn servers(&self) -> &[NatsServer] {
        &self.servers
    }
}

impl Index<usize> for Cluster {
    type Output = NatsServer;
    fn index(&self, index: usize) -> &NatsServer {
        &self.servers[index]
    }
}

impl IndexMut<usize> for Cluster {
    fn index_mut(&mut self, index: usize) -> &mut NatsServer {
        &mut self.servers[index]
    }
}
