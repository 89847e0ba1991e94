//! How our connections behave.
use socket2::{SockRef, TcpKeepalive};
use std::time::Duration;
use tokio::net::TcpStream;

/// Sends at once, and notices within some minutes that the machine at the other end is gone. A system that has no such
/// options leaves the connection as it is.
pub(in super::super) fn tune(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let alive = TcpKeepalive::new()
        .with_time(Duration::from_secs(60))
        .with_interval(Duration::from_secs(10));
    let _ = SockRef::from(stream).set_tcp_keepalive(&alive);
}
