//! The proxy's own side: accepting, connecting on, and carrying bytes as the switches say.

use super::Direction;
use super::switches::{Flow, Switches};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// Runs until told to stop; tells the port as soon as it listens.
pub(super) async fn run(switches: Arc<Switches>, told: Sender<u16>) {
    let mut watch = switches.watch();
    // This socket never listens. It keeps the port ours while no other socket of ours does.
    let reserve = bound(0).expect("a free loopback port");
    let port = reserve.local_addr().expect("the address of a bound socket").port();
    let mut listener: Option<TcpListener> = None;
    let mut told = Some(told);
    // Dropped at the end, and with it every connection.
    let mut connections = JoinSet::new();
    loop {
        watch.mark_unchanged();
        if switches.look(|s| s.stop) {
            return;
        }
        if switches.look(|s| s.listen) {
            if listener.is_none() {
                let socket = bound(port).expect("the proxy's own port");
                listener = Some(socket.listen(1024).expect("listening on the proxy's own port"));
            }
        } else {
            listener = None;
        }
        switches.look(|s| s.listening = listener.is_some());
        if let Some(told) = told.take() {
            // The other end waits for it, or has panicked.
            let _ = told.send(port);
        }
        tokio::select! {
            _ = watch.changed() => {}
            Some(_) = connections.join_next() => {}
            Some(accepted) = accept(listener.as_ref()) => {
                let id = switches.look(|s| {
                    s.accepted += 1;
                    s.open.insert(s.accepted);
                    s.accepted
                });
                let switches = Arc::clone(&switches);
                connections.spawn(async move {
                    // Errors end the connection, which is all there is to do about them.
                    let _ = connection(accepted, id, &switches).await;
                    switches.look(|s| s.open.remove(&id));
                });
            }
        }
    }
}

fn bound(port: u16) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    Ok(socket)
}

async fn accept(listener: Option<&TcpListener>) -> Option<TcpStream> {
    match listener {
        Some(listener) => Some(listener.accept().await.ok()?.0),
        None => std::future::pending().await,
    }
}

async fn connection(mut client: TcpStream, id: u64, switches: &Switches) -> io::Result<()> {
    let target = switches.look(|s| s.target.clone());
    let mut server = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let carried = async {
        tokio::try_join!(
            carry(from_client, to_server, Direction::ToServer, switches),
            carry(from_server, to_client, Direction::ToClient, switches),
        )
    };
    tokio::select! {
        result = carried => result.map(|_| ()),
        () = told_to_end(id, switches) => {
            if switches.look(|s| s.reset) {
                client.set_zero_linger()?;
                server.set_zero_linger()?;
            }
            Ok(())
        }
    }
}

async fn told_to_end(id: u64, switches: &Switches) {
    let mut watch = switches.watch();
    while !switches.look(|s| id < s.ended_below) {
        if watch.changed().await.is_err() {
            return;
        }
    }
}

/// Carries one direction until its end of stream has been passed on.
///
/// Sockets are read and written under the lock of the switches, without blocking: once a switch
/// has been thrown, not one more byte moves by the old rule.
async fn carry(
    from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    direction: Direction,
    switches: &Switches,
) -> io::Result<()> {
    let mut watch = switches.watch();
    let mut chunk = vec![0; 64 * 1024];
    let mut ended = false;
    // Read and not passed on yet.
    let mut waiting: Vec<u8> = Vec::new();
    let mut delayed = false;
    loop {
        watch.mark_unchanged();
        let (flow, delay) = switches.look(|s| {
            let lane = s.lane(direction);
            (lane.flow, lane.delay)
        });
        if flow == Flow::Swallowed {
            waiting.clear();
        }
        if flow == Flow::Open && ended && waiting.is_empty() {
            return to.shutdown().await;
        }
        let write = flow == Flow::Open && !waiting.is_empty();
        tokio::select! {
            _ = watch.changed() => {}
            () = tokio::time::sleep(delay), if write && !delayed && !delay.is_zero() => {
                delayed = true;
            }
            ready = to.writable(), if write && (delayed || delay.is_zero()) => {
                ready?;
                let written = switches.look(|s| {
                    let lane = s.lane(direction);
                    if lane.flow != Flow::Open {
                        return Ok(0);
                    }
                    let size = if lane.piece == 0 { waiting.len() } else { lane.piece };
                    to.try_write(&waiting[..size.min(waiting.len())])
                });
                waiting.drain(..or_nothing(written)?);
                delayed = false;
            }
            ready = from.readable(), if !write && flow != Flow::Paused && !ended => {
                ready?;
                let read = switches.look(|s| {
                    let lane = s.lane(direction);
                    if lane.flow == Flow::Paused {
                        return Ok(0);
                    }
                    let count = from.try_read(&mut chunk)?;
                    ended = count == 0;
                    lane.bytes += count as u64;
                    if let Some(seen) = &mut lane.seen {
                        seen.extend_from_slice(&chunk[..count]);
                    }
                    Ok(count)
                });
                waiting.extend_from_slice(&chunk[..or_nothing(read)?]);
            }
        }
    }
}

/// A socket that was ready and is not any more has moved nothing.
fn or_nothing(moved: io::Result<usize>) -> io::Result<usize> {
    match moved {
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(0),
        other => other,
    }
}
