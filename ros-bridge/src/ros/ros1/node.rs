//! A ROS 1 node: its sockets, its tasks, and the face that the bridge sees.
use super::{
    Names, Settings, clock,
    layouts::Layouts,
    log_file::LogFile,
    master::Master,
    publication,
    registry::{self, Registry},
    rosout, service,
    slave::Slave,
    subscription,
    tcpros::{Header, read_header, tune, write_header},
    xmlrpc::{self, Value},
};
use crate::ros::{
    Advertise, Answer, Backend, Call, Code, Error, Event, Layout, LogLevel, MasterState, Publish,
    Result, Serve, Server, ServiceLayout, Subscribe, Subscription, Time, Topic, message::Library,
};
use std::{
    future::Future,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, broadcast, watch},
    task::AbortHandle,
    time::sleep,
};

/// How many subscribers and callers are connected at a time; others wait.
const MAX_CONNECTIONS: usize = 1024;
/// How many events wait for a reader that is late.
const EVENTS: usize = 64;

/// What all parts of a node share.
pub(super) struct Core {
    pub(super) names: Names,
    pub(super) master: Master,
    pub(super) master_uri: String,
    pub(super) library: Library,
    pub(super) layouts: Layouts,
    pub(super) registry: Registry,
    pub(super) clock: clock::Clock,
    /// The host that others reach us by.
    pub(super) host: String,
    /// The address at which we are called.
    pub(super) api: String,
    /// The port that subscribers and callers of services connect to.
    pub(super) port: u16,
    params: Vec<super::ParamArgument>,
    events: broadcast::Sender<Event>,
    closed: watch::Sender<bool>,
    connections: AtomicU64,
}

impl Core {
    /// Runs a task that ends with the node.
    pub(super) fn spawn(
        self: &Arc<Self>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> AbortHandle {
        let mut closed = self.closed.subscribe();
        let task = async move {
            tokio::select! {
                () = task => {}
                _ = closed.wait_for(|closed| *closed) => {}
            }
        };
        tokio::spawn(task).abort_handle()
    }

    pub(super) fn tell(&self, event: Event) {
        // Nobody has to listen.
        let _ = self.events.send(event);
    }

    pub(super) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Where our services are.
    pub(super) fn service_address(&self) -> String {
        format!("rosrpc://{}:{}", self.host, self.port)
    }

    /// A master answers that was not there before: it has to learn our parameters, and we the time.
    pub(super) async fn found_master(self: &Arc<Self>) {
        for param in &self.params {
            let name = self.names.resolve(&format!("~{}", param.name));
            let value = Value::from_json(&param.value)
                .map_err(|what| Error::new(Code::SettingInvalid, what));
            let set = match (name, value) {
                (Ok(name), Ok(value)) => self.master.set_param(&name, value).await,
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
            if let Err(error) = set {
                log::warn!(target: "posthouse_ros", "the parameter {}: {error}", param.name);
            }
        }
        clock::look(self).await;
    }
}

/// A ROS 1 node. It ends when it is dropped; [`Backend::close`] takes back what it made known, too.
pub struct Node {
    core: Arc<Core>,
    log_file: LogFile,
    rosout: OnceLock<Arc<dyn Publish>>,
    lines: AtomicU32,
}

impl Node {
    /// Opens the node's sockets and starts its tasks on the present tokio runtime. The master may be absent.
    pub async fn start(settings: Settings) -> Result<Self> {
        let (host, local) = settings.advertised_host();
        let address = if local { "127.0.0.1" } else { "0.0.0.0" };
        let bind = async || {
            let listener = TcpListener::bind((address, 0)).await?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        };
        let failed = |error: std::io::Error| {
            Error::new(Code::SettingInvalid, format!("no socket at {address}: {error}"))
        };
        let (api_listener, api_port) = bind().await.map_err(failed)?;
        let (listener, port) = bind().await.map_err(failed)?;
        let api = format!("http://{host}:{api_port}/");
        let master_uri = settings.master_uri();
        let log_file = LogFile::open(settings.log_file.as_deref());
        let core = Arc::new(Core {
            master: Master::new(settings.master, settings.names.node().to_owned()),
            names: settings.names,
            master_uri,
            library: Library::new(settings.package_path),
            layouts: Layouts::default(),
            registry: Registry::new(),
            clock: clock::Clock::default(),
            host,
            api,
            port,
            params: settings.params,
            events: broadcast::Sender::new(EVENTS),
            closed: watch::Sender::new(false),
            connections: AtomicU64::new(0),
        });
        core.spawn(xmlrpc::serve(api_listener, Arc::new(Slave(Arc::clone(&core)))));
        core.spawn(accept(Arc::clone(&core), listener));
        let node = Self {
            core: Arc::clone(&core),
            log_file,
            rosout: OnceLock::new(),
            lines: AtomicU32::new(0),
        };
        let _ = node.rosout.set(rosout::advertise(&core)?);
        core.spawn(registry::keep(Arc::clone(&core)));
        Ok(node)
    }

    /// The library that types come from.
    pub fn library(&self) -> &Library {
        &self.core.library
    }

    /// The address at which this node is called (`http://host:port/`).
    pub fn api(&self) -> &str {
        &self.core.api
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        end(&self.core);
    }
}

/// Ends all tasks, and with them the connections.
fn end(core: &Core) {
    let tables = core.registry.tables();
    for entry in tables.inputs.values() {
        entry.what.close();
    }
    for entry in tables.offers.values() {
        entry.what.end();
    }
    drop(tables);
    core.closed.send_replace(true);
}

/// Subscribers and callers of services.
async fn accept(core: Arc<Core>, listener: TcpListener) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, from)) => {
                tune(&stream);
                let shared = Arc::clone(&core);
                core.spawn(async move {
                    let _place = place;
                    if let Err(error) = greet(&shared, stream).await {
                        log::debug!(target: "posthouse_ros", "a connection from {from}: {error}");
                    }
                });
            }
            // Out of descriptors: those in use have to go first.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn greet(core: &Arc<Core>, mut stream: TcpStream) -> Result<()> {
    let header = read_header(&mut stream).await?;
    let error = if let Some(service) = header.get("service") {
        match core.registry.offer(service) {
            Some(offer) => return offer.serve(core, stream, &header).await,
            None => format!("the service {service:.200} is not offered here"),
        }
    } else if let Some(topic) = header.get("topic") {
        match core.registry.output(topic) {
            Some(output) => return output.serve(core, stream, &header).await,
            None => format!("the topic {topic:.200} is not published here"),
        }
    } else {
        "a field topic or service is needed".to_owned()
    };
    write_header(&mut stream, &Header::new([("error", error.as_str())])).await
}

impl Backend for Node {
    fn node_name(&self) -> &str {
        self.core.names.node()
    }

    fn resolve(&self, name: &str) -> Result<String> {
        self.core.names.resolve(name)
    }

    fn message_type(&self, kind: &str) -> Result<Arc<Layout>> {
        self.core.library.message(kind)
    }

    fn service_type(&self, kind: &str) -> Result<Arc<ServiceLayout>> {
        self.core.library.service(kind)
    }

    fn topics(&self) -> Answer<'_, Vec<Topic>> {
        Box::pin(async { Ok(self.core.master.graph().await?.0) })
    }

    fn services(&self) -> Answer<'_, Vec<String>> {
        Box::pin(async { Ok(self.core.master.graph().await?.1) })
    }

    fn type_of_service<'a>(&'a self, name: &'a str) -> Answer<'a, String> {
        Box::pin(service::kind_of(&self.core, name, Duration::from_secs(5)))
    }

    fn subscribe(&self, wanted: Subscribe) -> Result<Subscription> {
        self.open()?;
        subscription::subscribe(&self.core, wanted)
    }

    fn advertise(&self, wanted: Advertise) -> Result<Arc<dyn Publish>> {
        self.open()?;
        publication::advertise(&self.core, &wanted)
    }

    fn client(&self, service: &str, kind: &str, persistent: bool) -> Result<Arc<dyn Call>> {
        self.open()?;
        service::client(&self.core, service, kind, persistent)
    }

    fn serve(&self, wanted: Serve) -> Result<Server> {
        self.open()?;
        service::offer(&self.core, &wanted)
    }

    fn param<'a>(&'a self, name: &'a str) -> Answer<'a, Option<serde_json::Value>> {
        Box::pin(async {
            let name = self.core.names.resolve(name)?;
            Ok(self.core.master.param(&name).await?.map(|value| value.to_json()))
        })
    }

    fn set_param<'a>(&'a self, name: &'a str, value: &'a serde_json::Value) -> Answer<'a, ()> {
        Box::pin(async {
            let name = self.core.names.resolve(name)?;
            let value = Value::from_json(value)
                .map_err(|what| Error::new(Code::ValueInvalid, format!("{name}: {what}")))?;
            self.core.master.set_param(&name, value).await
        })
    }

    fn log(&self, level: LogLevel, text: &str) {
        let (name, host_level) = match level {
            LogLevel::Debug => ("DEBUG", log::Level::Debug),
            LogLevel::Info => ("INFO", log::Level::Info),
            LogLevel::Warn => ("WARN", log::Level::Warn),
            LogLevel::Error => ("ERROR", log::Level::Error),
            LogLevel::Fatal => ("FATAL", log::Level::Error),
        };
        log::log!(target: "posthouse_ros", host_level, "{text}");
        let wall = clock::wall();
        self.log_file.line(name, wall.secs, wall.nsecs, text);
        if level == LogLevel::Debug {
            return;
        }
        if let Some(rosout) = self.rosout.get() {
            let number = self.lines.fetch_add(1, Ordering::Relaxed);
            let line = rosout::line(number, self.now(), level, self.node_name(), text);
            let _ = rosout.publish(line);
        }
    }

    fn now(&self) -> Time {
        self.core.clock.now()
    }

    fn events(&self) -> broadcast::Receiver<Event> {
        self.core.events.subscribe()
    }

    fn master(&self) -> MasterState {
        self.core.registry.state()
    }

    fn close(&self, limit: Duration) -> Answer<'_, ()> {
        Box::pin(async move {
            let core = &self.core;
            if *core.closed.borrow() {
                return Ok(());
            }
            let (inputs, outputs, offers) = {
                let tables = core.registry.tables();
                (
                    tables.inputs.values().map(|it| Arc::clone(&it.what)).collect::<Vec<_>>(),
                    tables.outputs.values().map(|it| Arc::clone(&it.what)).collect::<Vec<_>>(),
                    tables.offers.values().map(|it| Arc::clone(&it.what)).collect::<Vec<_>>(),
                )
            };
            let sent = async {
                // What was published is written before the connections end.
                while outputs.iter().any(|output| output.is_busy()) {
                    sleep(Duration::from_millis(2)).await;
                }
            };
            let half = limit / 2;
            let _ = tokio::time::timeout(half, sent).await;
            core.registry.take_back(core, limit.saturating_sub(half)).await;
            for input in inputs {
                input.close();
            }
            for output in outputs {
                output.end();
            }
            for offer in offers {
                offer.end();
            }
            core.closed.send_replace(true);
            Ok(())
        })
    }
}

impl Node {
    fn open(&self) -> Result<()> {
        if *self.core.closed.borrow() {
            return Err(Error::new(Code::Closed, "the ROS node is closed"));
        }
        Ok(())
    }
}
