//! Several servers that route to each other.

use super::{NatsServer, ServerBuilder};
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
    /// waits until everyone has a route to everyone.
    pub fn start(size: usize, settings: impl Fn(usize, ServerBuilder) -> ServerBuilder) -> Self {
        let mut servers: Vec<NatsServer> = Vec::new();
        for index in 0..size {
            let routes = servers.iter().filter_map(|s| s.ports.cluster).collect();
            let builder = NatsServer::builder().name(&format!("n{index}"));
            servers.push(settings(index, builder).cluster("posthouse-test", routes).start());
        }
        let cluster = Self { servers };
        cluster.wait_routed();
        cluster
    }

    /// Waits until every server has a route to every other, for example after a restart.
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
        }
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
