//! What concerns whole processes: the node that one of them owns, forks, the environment, and what
//! a process shows of its secrets. Other processes are this test program itself, in a role.
mod environment;
mod fork;
mod local_node;
mod role;
mod secrets;

use posthouse::{Builder, Connection, Hub};
use posthouse_testkit::{PATIENCE, until_async};

/// A port that nobody uses now.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// A hub of the local node on this port, in the making.
fn local(port: u16) -> Builder {
    Hub::builder("local").local_port(port, None).timeout(PATIENCE).with_numbers(|numbers| {
        numbers.peer_timeout_ms = Some(500);
    })
}

async fn open(port: u16) -> Hub {
    local(port).connect().await.expect("there is a node")
}

fn connected(hub: &Hub) -> bool {
    hub.state().expect("this process opened it") == Connection::Connected
}

async fn reconnected(hubs: &[&Hub]) {
    until_async("all are connected again", || hubs.iter().all(|hub| connected(hub))).await;
}
