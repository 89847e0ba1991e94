//! INFO and CONNECT: what server and client tell each other of themselves.
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// What the hub needs of a server's INFO; other fields are ignored.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Info {
    /// The server's identity, new at each of its starts.
    pub server_id: String,
    /// The server's name.
    pub server_name: String,
    /// The server's version.
    pub version: String,
    /// Bytes of the largest message (headers and payload) that it takes.
    pub max_payload: u64,
    /// Whether it takes headers.
    pub headers: bool,
    /// Whether it wants credentials.
    pub auth_required: bool,
    /// Whether it wants TLS.
    pub tls_required: bool,
    /// Whether it offers TLS.
    pub tls_available: bool,
    /// What a client with a key signs.
    pub nonce: Option<String>,
    /// `host:port` of the cluster's servers.
    pub connect_urls: Vec<String>,
    /// The same for WebSocket.
    pub ws_connect_urls: Vec<String>,
    /// Lame duck: the server is about to stop and asks its clients to leave.
    pub ldm: bool,
}

impl Info {
    /// Reads an INFO's JSON; `None` if it is no JSON object of that kind.
    pub fn parse(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok()
    }
}

/// The fields of CONNECT. The credentials are the driver's; the rest is fixed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ConnectFields<'a> {
    /// Whether the server acknowledges each line: never.
    pub verbose: bool,
    /// Whether the server checks subjects more strictly: not needed, ours are hex-coded.
    pub pedantic: bool,
    /// Whether the connection is under TLS.
    pub tls_required: bool,
    /// The client's name, shown by the server's monitoring.
    pub name: &'a str,
    /// The SDK's language.
    pub lang: &'a str,
    /// The SDK's version.
    pub version: &'a str,
    /// Protocol 1: the server may send INFO at any time.
    pub protocol: u8,
    /// Whether own publications come back: always, they reach the hub's own subscriptions.
    pub echo: bool,
    /// Headers are spoken.
    pub headers: bool,
    /// The server tells when nobody listens to a request.
    pub no_responders: bool,
    /// Credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<&'a str>,
    /// Credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<&'a str>,
    /// Credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_token: Option<&'a str>,
    /// Credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt: Option<&'a str>,
    /// Credentials: the public key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nkey: Option<&'a str>,
    /// Credentials: the signature of the nonce.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sig: Option<&'a str>,
}
