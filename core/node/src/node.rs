//! A router on sockets: binding, accepting, the end.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use posthouse_core::Error;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::options::NodeOptions;
use crate::router::NodeStats;
use crate::shared::Shared;
use crate::{tcp, ws};

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;
/// The pause after a failed accept, which mostly means that the process has no descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why a node could not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// Something listens on the TCP port already.
    AddrInUse(SocketAddr),
    /// The options contradict each other.
    Options(Error),
    /// The port cannot be used for another reason.
    Io {
        /// Where the node was to listen.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddrInUse(addr) => write!(f, "{addr} is in use by another program"),
            Self::Options(error) => error.fmt(f),
            Self::Io { addr, source } => write!(f, "the node cannot listen on {addr}: {source}"),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Options(error) => Some(error),
            Self::AddrInUse(_) => None,
        }
    }
}

/// A running broker. Its tasks live on the runtime it was bound on; dropping it ends them and all
/// connections at once, without a word to the clients.
pub struct Node {
    shared: Arc<Shared>,
    tcp: Listener,
    ws: Option<Listener>,
    ws_error: Option<BindError>,
}

struct Listener {
    addr: SocketAddr,
    task: JoinHandle<()>,
}

impl Node {
    /// Listens and starts to serve. Must be called on a tokio runtime with I/O and time enabled.
    #[allow(clippy::unused_async)] // what is awaited runs on a runtime, which this needs
    pub async fn bind(options: NodeOptions) -> Result<Self, BindError> {
        options.check().map_err(BindError::Options)?;
        let mut options = options;
        let (tcp, addr) = listen(SocketAddr::new(options.host, options.port))?;
        options.port = addr.port();
        let mut random = [0; 24];
        getrandom::fill(&mut random)
            .map_err(|source| BindError::Io { addr, source: source.into() })?;
        let seed = u64::from_le_bytes(*random.first_chunk().unwrap_or(&[1; 8]));
        let ws = options.ws_port.map(|port| listen(SocketAddr::new(options.host, port)));
        let shared = Arc::new(Shared::new(options, &server_id(&random[8..]), seed));
        let tcp = Listener { addr, task: tokio::spawn(accept(tcp, shared.clone(), tcp::serve)) };
        let (ws, ws_error) = match ws {
            Some(Ok((ws, addr))) => {
                let task = tokio::spawn(accept(ws, shared.clone(), ws::serve));
                (Some(Listener { addr, task }), None)
            }
            Some(Err(error)) => {
                log::warn!("the node serves no WebSockets: {error}");
                (None, Some(error))
            }
            None => (None, None),
        };
        Ok(Self { shared, tcp, ws, ws_error })
    }

    /// Where the node listens for TCP.
    pub fn addr(&self) -> SocketAddr {
        self.tcp.addr
    }

    /// Where the node listens for WebSockets, if it does.
    pub fn ws_addr(&self) -> Option<SocketAddr> {
        self.ws.as_ref().map(|ws| ws.addr)
    }

    /// Why the node serves no WebSockets although `ws_port` was set: it runs without them rather
    /// than not at all.
    pub fn ws_error(&self) -> Option<&BindError> {
        self.ws_error.as_ref()
    }

    /// The URL that clients connect to, without credentials.
    pub fn client_url(&self) -> String {
        format!("nats://{}", self.tcp.addr)
    }

    /// The figures so far. May be called from any thread.
    pub fn stats(&self) -> NodeStats {
        self.shared.lock().router.stats()
    }

    /// Stops listening, so that another node can take the port at once, tells the clients that the
    /// node is about to go, gives them `grace` to leave, and ends the connections that are left.
    pub async fn shutdown(mut self, grace: Duration) {
        for listener in [Some(&mut self.tcp), self.ws.as_mut()].into_iter().flatten() {
            listener.task.abort();
            // Waits until the socket is closed; that the task was aborted is no news.
            let _ = (&mut listener.task).await;
        }
        {
            let mut state = self.shared.lock();
            state.router.announce_end();
            state.wake_others(None);
        }
        if tokio::time::timeout(grace, self.all_gone()).await.is_err() {
            {
                let mut state = self.shared.lock();
                state.router.end_all();
                state.wake_others(None);
            }
            self.all_gone().await;
        }
    }

    async fn all_gone(&self) {
        poll_fn(|cx| {
            if self.shared.lock().is_empty(cx.waker()) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.tcp.task.abort();
        if let Some(ws) = &self.ws {
            ws.task.abort();
        }
        self.shared.kill();
    }
}

fn server_id(random: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    random.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| DIGITS[d as usize] as char).collect()
}

fn listen(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let bind = || {
        let socket = if addr.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // So that a port whose owner has just died can be taken at once. Elsewhere the option would
        // let two programs share the port.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(addr)?;
        let listener = socket.listen(BACKLOG)?;
        let addr = listener.local_addr()?;
        Ok((listener, addr))
    };
    bind().map_err(|source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::AddrInUse(addr),
        _ => BindError::Io { addr, source },
    })
}

async fn accept<F>(
    listener: TcpListener,
    shared: Arc<Shared>,
    serve: impl Fn(Arc<Shared>, TcpStream, IpAddr) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                tokio::spawn(serve(shared.clone(), stream, peer.ip()));
            }
            Err(error) => {
                log::warn!("the node could not accept a connection: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
