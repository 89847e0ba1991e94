//! The INFO line that greets a client.

use serde::Serialize;
use std::net::IpAddr;

use crate::options::NodeOptions;

/// The version of `nats-server` whose client protocol the node speaks. Clients read it to decide
/// what they may use; headers and no-responders are in it.
pub const PROTOCOL_VERSION: &str = "2.10.0";

#[derive(Clone, Serialize)]
pub(crate) struct Info {
    server_id: String,
    server_name: String,
    version: &'static str,
    posthouse: &'static str,
    proto: u8,
    host: IpAddr,
    port: u16,
    headers: bool,
    max_payload: usize,
    #[serde(skip_serializing_if = "is_false")]
    auth_required: bool,
    #[serde(skip_serializing_if = "is_false")]
    ldm: bool,
    client_id: u64,
    client_ip: Option<IpAddr>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Info {
    pub fn new(options: &NodeOptions, server_id: String) -> Self {
        let server_name =
            options.name.clone().unwrap_or_else(|| format!("posthouse-{}", &server_id[..8]));
        Self {
            server_id,
            server_name,
            version: PROTOCOL_VERSION,
            posthouse: env!("CARGO_PKG_VERSION"),
            proto: 1,
            host: options.host,
            port: options.port,
            headers: true,
            max_payload: options.max_payload,
            auth_required: options.token.is_some() || options.user.is_some(),
            ldm: false,
            client_id: 0,
            client_ip: None,
        }
    }

    /// The line for one client.
    pub fn write(
        &mut self,
        client_id: u64,
        client_ip: Option<IpAddr>,
        ldm: bool,
        out: &mut Vec<u8>,
    ) {
        (self.client_id, self.client_ip, self.ldm) = (client_id, client_ip, ldm);
        out.extend_from_slice(b"INFO ");
        // Writing to a Vec cannot fail, and the struct has nothing that JSON cannot express.
        let written = serde_json::to_writer(&mut *out, self);
        debug_assert!(written.is_ok());
        out.extend_from_slice(b"\r\n");
    }
}
