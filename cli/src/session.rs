//! A hub for one command: opened from its options, ended in order.
use crate::{
    args::{Connect, Server},
    exit::{Failure, OFFLINE, USAGE},
};
use posthouse::{Builder, Code, Connection, Hub, NodeMode, Variable};
use std::{fs, path::Path, time::Duration};

/// How long a command's own drain may take before it is given up.
const DRAIN: Duration = Duration::from_secs(5);

/// Whether a command may be the node where none listens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// It is done in a moment; a node that is gone with it would help nobody.
    Briefly,
    /// It runs until it is stopped, and may well be the first program.
    UntilStopped,
}

/// Opens a hub and waits for its connection.
pub async fn open(args: &Connect, stay: Stay) -> Result<Hub, Failure> {
    connect(builder(Some(&args.namespace), &args.server, stay)?, args.server.timeout).await
}

/// A hub's options, from the command's.
pub fn builder(namespace: Option<&str>, server: &Server, stay: Stay) -> Result<Builder, Failure> {
    let mut builder = Hub::builder(namespace).timeout(server.timeout);
    if !server.servers.is_empty() {
        let urls = server.servers.iter().flat_map(|list| list.split(',')).map(str::trim);
        builder = builder.servers(urls.filter(|url| !url.is_empty()));
    }
    if stay == Stay::Briefly {
        builder = builder.node(NodeMode::Never);
    }
    let args = &server.login;
    if let Some(token) = &args.token {
        builder = builder.token(token.as_str());
    }
    if let (Some(user), Some(password)) = (&args.user, &args.password) {
        builder = builder.user(user.as_str(), password.as_str());
    }
    if let Some(path) = &args.nkey_file {
        builder = builder.nkey(seed(path)?);
    }
    if let Some(path) = &args.credentials {
        builder = builder.credentials(path.display().to_string());
    }
    if let Some(path) = &args.ca_file {
        builder = builder.ca_file(path);
    }
    if let (Some(certificate), Some(key)) = (&args.cert_file, &args.key_file) {
        builder = builder.client_certificate(certificate, key);
    }
    Ok(builder.tls_handshake_first(args.handshake_first))
}

/// The seed in an nkey's file.
pub fn seed(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::new(USAGE, "INVALID_OPTIONS", format!("{}: {error}", path.display()))
    })?;
    Ok(text.trim().to_owned())
}

/// Opens a hub from its options and waits for its connection.
pub async fn connect(builder: Builder, timeout: Duration) -> Result<Hub, Failure> {
    let hub = builder.open()?;
    match hub.connected(timeout).await {
        Ok(()) => Ok(hub),
        Err(error) => {
            let text = match error.code() {
                Code::Timeout => format!(
                    "{}; start one with `posthouse serve`, or give --server",
                    error.message()
                ),
                _ => error.message().to_owned(),
            };
            let code = error.code().as_str();
            _ = hub.close().await;
            Err(Failure::new(OFFLINE, code, text))
        }
    }
}

/// The variable, checked before anything goes over the wire.
pub fn var(hub: &Hub, name: &str) -> Result<Variable, Failure> {
    Ok(hub.var(name)?)
}

/// Ends a hub in order: what was accepted is finished and confirmed. Without a connection there is
/// nothing to confirm it with.
pub async fn end(hub: Hub) -> Result<(), Failure> {
    if hub.state()? == Connection::Connected {
        Ok(hub.drain(DRAIN).await?)
    } else {
        Ok(hub.close().await?)
    }
}
