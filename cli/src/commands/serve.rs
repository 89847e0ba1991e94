//! `posthouse serve`: the owned node by hand, until it is told to stop.
use crate::{
    args::Serve,
    exit::{FAILED, Failure, USAGE},
    output::{self, Output},
    signals::Stop,
};
use posthouse_node::{BindError, Node, NodeOptions};

pub async fn run(args: Serve, output: Output) -> Result<u8, Failure> {
    let secured = args.token.is_some() || args.user.is_some();
    if !args.host.is_loopback() && !secured {
        output::note(&format!(
            "posthouse: {} everyone who reaches {} may read and write everything; give --token or --user",
            output.alarm("warning:"),
            args.host
        ));
    }
    let grace = args.grace;
    let node = Node::bind(NodeOptions {
        host: args.host,
        port: args.port,
        ws_port: (!args.no_ws).then_some(args.ws_port),
        name: args.name,
        token: args.token,
        user: args.user,
        password: args.password,
        max_payload: args.max_payload,
        max_pending: NodeOptions::default().max_pending.max(args.max_payload),
        allowed_origins: args.origins,
        ..NodeOptions::default()
    })
    .await
    .map_err(refused)?;
    let mut stop = Stop::new()?;
    let tcp = node.client_url();
    let ws = node.ws_addr().map(|addr| format!("ws://{addr}"));
    if let Some(error) = node.ws_error() {
        output::note(&format!("posthouse: {} no WebSocket: {error}", output.alarm("warning:")));
    }
    if output.json {
        output::line(&serde_json::json!({"event": "listening", "tcp": tcp, "ws": ws}).to_string());
    } else {
        let ws = ws.map_or_else(String::new, |url| format!(" and {}", output.name(&url)));
        output::line(&format!("listening on {}{ws}", output.name(&tcp)));
        output::note("Ctrl-C stops it");
    }
    stop.wait().await;
    // A second signal does not wait for the clients.
    tokio::select! {
        () = node.shutdown(grace) => {}
        () = stop.wait() => {}
    }
    Ok(0)
}

fn refused(error: BindError) -> Failure {
    match error {
        BindError::Options(error) => error.into(),
        BindError::AddrInUse(addr) => Failure::new(
            FAILED,
            "INVALID_SERVER",
            format!(
                "{addr} is in use by another program; if that is a NATS server, use it, else stop it or give --port"
            ),
        ),
        BindError::Io { ref addr, .. } if addr.port() < 1024 && addr.port() != 0 => Failure::new(
            USAGE,
            "INVALID_OPTIONS",
            format!("{error}; ports below 1024 are reserved"),
        ),
        other => Failure::new(FAILED, "INVALID_SERVER", other.to_string()),
    }
}
