//! Calling a master or a node.
use super::{
    Value, http,
    read::{Answered, read_response},
    write::write_call,
};
use crate::ros::{Code, Error, Result};
use std::time::Duration;
use tokio::{
    io::{AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

/// The largest response read: a system with thousands of topics, or a parameter tree.
const MAX_RESPONSE: usize = 16 << 20;

/// Where calls go: `http://host:port/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct Peer {
    pub(in super::super) host: String,
    pub(in super::super) port: u16,
}

impl Peer {
    /// Reads `scheme://host:port` with or without a path; says nothing about what is wrong with it.
    pub(in super::super) fn parse(scheme: &str, uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(scheme)?.strip_prefix("://")?;
        let authority = rest.split('/').next()?;
        let (host, port) = authority.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let well = !host.is_empty() && host.len() <= 255;
        well.then(|| Some(Self { host: host.to_owned(), port: port.parse().ok()? }))?
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

/// Calls a method, all within `limit`.
pub(in super::super) async fn call(
    peer: &Peer,
    method: &str,
    params: &[Value],
    limit: Duration,
) -> Result<Value> {
    let unreachable = |what: String| {
        Error::new(Code::NodeUnreachable, format!("calling {method} at {peer}: {what}"))
    };
    let exchange = async {
        let mut stream = TcpStream::connect((peer.host.as_str(), peer.port)).await?;
        stream.set_nodelay(true)?;
        let body = write_call(method, params);
        let head = format!(
            "POST /RPC2 HTTP/1.1\r\nHost: {peer}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await?;
        http::read(&mut BufReader::new(stream), MAX_RESPONSE).await
    };
    let message = timeout(limit, exchange)
        .await
        .map_err(|_| unreachable(format!("no answer within {} ms", limit.as_millis())))?
        .map_err(|error| unreachable(error.to_string()))?
        .ok_or_else(|| unreachable("the connection was closed without an answer".to_owned()))?;
    let status = message.start.split(' ').nth(1).unwrap_or_default();
    if status != "200" {
        return Err(unreachable(format!("HTTP status {status:.20}")));
    }
    match read_response(&message.body) {
        Ok(Answered::Value(value)) => Ok(value),
        Ok(Answered::Fault(what)) => {
            Err(Error::new(Code::CallRefused, format!("{method} at {peer}: {what}")))
        }
        Err(what) => Err(Error::new(
            Code::ProtocolViolation,
            format!("the answer of {peer} to {method} is no XML-RPC: {what}"),
        )),
    }
}
