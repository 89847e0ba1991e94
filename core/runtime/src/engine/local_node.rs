//! The local node: connect to it, and become it where nobody is.
//!
//! Only hubs without explicit servers do this. The port is the lock: whoever binds it owns the node,
//! all others connect. When the owner goes, its clients lose their connections, find nobody
//! listening, and the first of them to bind the port goes on as the node.
use super::{LocalOptions, Shared, Sink};
use crate::{
    net::{self, Endpoint, Established},
    options::NodeMode,
};
use posthouse_core::{Code, Error, Result, hub::Level};
use posthouse_node::{BindError, Node};
use std::{net::SocketAddr, time::Duration};

/// How long clients get to leave a node whose owner closes.
const GRACE: Duration = Duration::from_millis(250);

/// The node of a hub, while it owns one.
#[derive(Default)]
pub(super) struct LocalNode(Option<Node>);

impl std::fmt::Debug for LocalNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LocalNode").field(&self.addr()).finish()
    }
}

impl LocalNode {
    pub fn addr(&self) -> Option<SocketAddr> {
        self.0.as_ref().map(Node::addr)
    }

    /// Ends the node, if this hub owns one, so that another hub can take its place at once.
    pub async fn stop(&mut self) {
        if let Some(node) = self.0.take() {
            node.shutdown(GRACE).await;
        }
    }
}

/// Connects to an endpoint; for the local node, becomes it where nobody listens.
pub(super) async fn establish<S: Sink>(
    shared: &Shared<S>,
    endpoint: &Endpoint,
    timeout: Duration,
) -> Result<Established> {
    let servers = &shared.servers;
    let connect = || net::establish(endpoint, &servers.tls, &servers.auth, timeout);
    let Some(local) = &servers.local else { return connect().await };
    match local.mode {
        NodeMode::Never => connect().await,
        NodeMode::Own => {
            become_node(shared, local).await?;
            connect().await
        }
        NodeMode::Auto => match connect().await {
            // Nobody listens: a refusal by the system, not a silent or a foreign program.
            Err(error) if error.code() == Code::Disconnected => {
                become_node(shared, local).await?;
                connect().await
            }
            other => other,
        },
    }
}

/// Binds the node's port. Where somebody else was quicker, that one is the node; a hub that must
/// own it fails then.
async fn become_node<S: Sink>(shared: &Shared<S>, local: &LocalOptions) -> Result<()> {
    let mut own = shared.node.lock().await;
    if own.0.is_some() {
        return Ok(());
    }
    let node = shared.servers.auth.guard(local.node.clone()).await?;
    match Node::bind(node).await {
        Ok(node) => {
            let text = format!("this hub is the local node now, on {}", node.addr());
            shared.with(|hub, _| {
                hub.note(Level::Info, text);
                if let Some(error) = node.ws_error() {
                    hub.note(Level::Warning, format!("the node serves no WebSockets: {error}"));
                }
            });
            own.0 = Some(node);
            Ok(())
        }
        Err(BindError::AddrInUse(_)) if local.mode == NodeMode::Auto => Ok(()),
        Err(BindError::AddrInUse(addr)) => Err(Error::new(
            Code::InvalidServer,
            format!(
                "this hub must own the node, but another program listens on {addr}: stop that one, or leave the option node at auto"
            ),
        )),
        Err(BindError::Options(error)) => Err(error),
        Err(error) => Err(Error::new(Code::Disconnected, error.to_string())),
    }
}
