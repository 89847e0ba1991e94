//! Services: calling them, and offering them.
use super::{
    node::Core,
    registry::Registry,
    tcpros::{Header, read_body, read_header, read_length, tune, write_frame, write_header},
};
use crate::ros::{Answer, Call, Code, Error, Request, Result, Serve, Server, ServiceLayout};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::AsyncReadExt as _,
    net::TcpStream,
    sync::mpsc,
    time::{Instant, timeout_at},
};

/// The largest response taken, in bytes.
const MAX_RESPONSE: u32 = 1 << 30;
/// The longest text of a failure taken, in bytes.
const MAX_FAILURE: u32 = 64 << 10;

/// A client of a service.
struct Client {
    core: Arc<Core>,
    service: String,
    layout: Arc<ServiceLayout>,
    persistent: bool,
    /// A connection that is not in use.
    idle: Mutex<Option<TcpStream>>,
}

/// A client; it connects when it is used.
pub(super) fn client(
    core: &Arc<Core>,
    service: &str,
    kind: &str,
    persistent: bool,
) -> Result<Arc<dyn Call>> {
    let service = core.names.resolve(service)?;
    let layout = core.library.service(kind)?;
    let core = Arc::clone(core);
    Ok(Arc::new(Client { core, service, layout, persistent, idle: Mutex::default() }))
}

impl Call for Client {
    fn service(&self) -> &str {
        &self.service
    }

    fn layout(&self) -> &Arc<ServiceLayout> {
        &self.layout
    }

    fn call(&self, request: Vec<u8>, limit: Duration) -> Answer<'_, Vec<u8>> {
        Box::pin(async move {
            let late = || {
                Error::new(
                    Code::Timeout,
                    format!("{} did not answer within {} ms", self.service, limit.as_millis()),
                )
            };
            timeout_at(Instant::now() + limit, self.exchange(&request))
                .await
                .unwrap_or_else(|_| Err(late()))
        })
    }
}

impl Client {
    async fn exchange(&self, request: &[u8]) -> Result<Vec<u8>> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut stream = match kept.filter(is_open) {
            Some(stream) => stream,
            None => self.connect().await?,
        };
        let broken = |error: io::Error| {
            Error::new(
                Code::NodeUnreachable,
                format!("the connection to {} broke during a call: {error}", self.service),
            )
        };
        write_frame(&mut stream, &[], request).await.map_err(broken)?;
        let answer = read_answer(&mut stream).await.map_err(broken)?;
        if self.persistent {
            *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        }
        answer.map_err(|text| {
            Error::new(Code::ServiceFailed, format!("{} failed: {text}", self.service))
        })
    }

    async fn connect(&self) -> Result<TcpStream> {
        let persistent = if self.persistent { "1" } else { "0" };
        let fields = [
            ("callerid", self.core.names.node()),
            ("service", &self.service),
            ("type", self.layout.name()),
            ("md5sum", self.layout.md5()),
            ("persistent", persistent),
            ("tcp_nodelay", "1"),
        ];
        let (stream, _) = greet(&self.core, &self.service, &Header::new(fields)).await?;
        Ok(stream)
    }
}

/// Whether the other side has neither closed the connection nor said something nobody asked for.
fn is_open(stream: &TcpStream) -> bool {
    let nothing = stream.try_read(&mut [0; 1]);
    matches!(nothing, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// Connects to whoever offers a service, with a header, and gives the connection and the answer's header.
async fn greet(core: &Core, service: &str, header: &Header) -> Result<(TcpStream, Header)> {
    let address = core.master.service(service).await?;
    let connected = TcpStream::connect((address.host.as_str(), address.port)).await;
    let mut stream = connected.map_err(|error| {
        Error::new(
            Code::NodeUnreachable,
            format!("{service} is said to be at {address}, which cannot be connected to: {error}"),
        )
    })?;
    tune(&stream);
    write_header(&mut stream, header).await?;
    let answer = read_header(&mut stream).await?;
    match answer.get("error") {
        None => Ok((stream, answer)),
        Some(error) => {
            let error: String = error.chars().take(500).collect();
            Err(Error::new(
                Code::TypeMismatch,
                format!("{service} refused the connection: {error}"),
            ))
        }
    }
}

/// The type of a service, by its provider.
pub(super) async fn kind_of(core: &Core, service: &str, limit: Duration) -> Result<String> {
    let service = core.names.resolve(service)?;
    let header = Header::new([
        ("callerid", core.names.node()),
        ("service", service.as_str()),
        ("md5sum", "*"),
        ("probe", "1"),
    ]);
    let asked = timeout_at(Instant::now() + limit, greet(core, &service, &header)).await;
    let (_, answer) = asked
        .map_err(|_| Error::new(Code::Timeout, format!("{service} does not say its type")))??;
    answer.get("type").map(ToOwned::to_owned).ok_or_else(|| {
        Error::new(Code::ProtocolViolation, format!("{service} does not say its type"))
    })
}

async fn read_answer(stream: &mut TcpStream) -> io::Result<std::result::Result<Vec<u8>, String>> {
    let ok = stream.read_u8().await? == 1;
    let length = read_length(stream).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if length > if ok { MAX_RESPONSE } else { MAX_FAILURE } {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is too large"));
    }
    let mut body = Vec::new();
    read_body(stream, length, &mut body).await?;
    Ok(if ok { Ok(body) } else { Err(String::from_utf8_lossy(&body).into_owned()) })
}

/// A service that is offered.
pub(super) struct Offer {
    service: String,
    layout: Arc<ServiceLayout>,
    /// Gone once the service ends, which tells the program.
    requests: Mutex<Option<mpsc::Sender<Request>>>,
    max_message: usize,
    closed: tokio::sync::watch::Sender<bool>,
}

/// Takes the service back when it is dropped.
struct End {
    core: Arc<Core>,
    offer: Arc<Offer>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.offer.end();
        let mut tables = self.core.registry.tables();
        let current = tables.offers.get(&self.offer.service);
        if current.is_some_and(|entry| Arc::ptr_eq(&entry.what, &self.offer)) {
            Registry::remove_offer(&mut tables, &self.offer.service);
            drop(tables);
            self.core.registry.changed();
        }
    }
}

/// Offers a service.
pub(super) fn offer(core: &Arc<Core>, wanted: &Serve) -> Result<Server> {
    let service = core.names.resolve(&wanted.service)?;
    let layout = core.library.service(&wanted.kind)?;
    let (requests, taken) = mpsc::channel(wanted.queue.max(1));
    let offer = Arc::new(Offer {
        service: service.clone(),
        layout: Arc::clone(&layout),
        requests: Mutex::new(Some(requests)),
        max_message: wanted.max_message,
        closed: tokio::sync::watch::Sender::new(false),
    });
    let mut tables = core.registry.tables();
    if tables.offers.contains_key(&service) {
        return Err(Error::new(
            Code::SettingInvalid,
            format!("{service} is already offered by this node"),
        ));
    }
    Registry::put_offer(&mut tables, &service, Arc::clone(&offer));
    drop(tables);
    core.registry.changed();
    let end = End { core: Arc::clone(core), offer };
    Ok(Server::new(service, layout, taken, Box::new(end)))
}

impl Offer {
    /// Cuts off who is connected.
    pub(super) fn end(&self) {
        self.closed.send_replace(true);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Hands a request to the program, if there is room.
    fn hand_over(&self, request: Request) -> bool {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.as_ref().is_some_and(|requests| requests.try_send(request).is_ok())
    }

    /// Serves one caller, whose header has been read.
    pub(super) async fn serve(
        self: Arc<Self>,
        core: &Core,
        mut stream: TcpStream,
        header: &Header,
    ) -> Result<()> {
        let probe = header.is_set("probe");
        let md5 = header.get("md5sum").unwrap_or_default();
        if md5 != "*" && md5 != self.layout.md5() {
            let error = format!(
                "service {} is of type {} with md5sum {}; md5sum {md5} was asked for",
                self.service,
                self.layout.name(),
                self.layout.md5()
            );
            return write_header(&mut stream, &Header::new([("error", error.as_str())])).await;
        }
        let answer = Header::new([
            ("callerid", core.names.node()),
            ("service", &self.service),
            ("type", self.layout.name()),
            ("md5sum", self.layout.md5()),
            ("request_type", self.layout.request.name()),
            ("response_type", self.layout.response.name()),
        ]);
        write_header(&mut stream, &answer).await?;
        if probe {
            return Ok(());
        }
        let mut closed = self.closed.subscribe();
        let answering = self.answer(&mut stream, header);
        tokio::select! {
            ended = answering => {
                ended.map_err(|error| Error::new(Code::NodeUnreachable, error.to_string()))
            }
            _ = closed.wait_for(|closed| *closed) => Ok(()),
        }
    }

    async fn answer(&self, stream: &mut TcpStream, header: &Header) -> io::Result<()> {
        let caller = header.get("callerid").unwrap_or_default();
        let persistent = header.is_set("persistent");
        loop {
            let Some(length) = read_length(stream).await? else { return Ok(()) };
            if length as usize > self.max_message {
                let what = format!(
                    "a request of {length} bytes; at most {} are allowed",
                    self.max_message
                );
                return write_frame(stream, &[0], what.as_bytes()).await;
            }
            let mut body = Vec::new();
            read_body(stream, length, &mut body).await?;
            let (request, answered) = Request::new(body, caller.to_owned());
            let result = if self.hand_over(request) {
                tokio::select! {
                    answer = answered => {
                        answer.unwrap_or_else(|_| Err("the service gave no answer".to_owned()))
                    }
                    () = closed_by_peer(stream) => return Ok(()),
                }
            } else {
                Err("the service is busy: too many requests wait".to_owned())
            };
            match result {
                Ok(response) => write_frame(stream, &[1], &response).await?,
                Err(text) => write_frame(stream, &[0], text.as_bytes()).await?,
            }
            if !persistent {
                return Ok(());
            }
        }
    }
}

/// Ends when the other side closes the connection; never once it has sent something.
async fn closed_by_peer(stream: &TcpStream) {
    if !matches!(stream.peek(&mut [0; 1]).await, Ok(0) | Err(_)) {
        std::future::pending::<()>().await;
    }
}
