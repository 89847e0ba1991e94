//! A topic that is subscribed to: connections to its publishers, and the queues that their messages go to.
//!
//! The master's list says whom to connect to. A connection that was made under an earlier master stays until its
//! publisher ends it, since many nodes do not make themselves known again to a master that was restarted.
use super::{
    master::ask,
    node::Core,
    tcpros::{Frames, Header, Read, read_header, tune, write_header},
    xmlrpc::{Peer, Value},
};
use crate::ros::{
    Code, Error, Layout, Result, Sample, Source, Subscribe, Subscription, queue::Queue,
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{net::TcpStream, task::AbortHandle, time::timeout};

/// How long a publisher may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pauses between attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(5);

/// A topic of which messages are wanted.
pub(super) struct Input {
    topic: String,
    inner: Mutex<Inner>,
    publishers: Arc<AtomicU64>,
}

#[derive(Default)]
struct Inner {
    takers: Vec<Taker>,
    connections: HashMap<String, Connection>,
    /// The last message of each connection to a publisher that latches, for takers to come.
    kept: HashMap<u64, Sample>,
    next_taker: u64,
}

/// One subscription.
struct Taker {
    number: u64,
    queue: Arc<Queue>,
    kind: Option<String>,
    /// The type by the definition on disk.
    layout: Option<Arc<Layout>>,
    max_message: usize,
}

struct Connection {
    task: AbortHandle,
    /// Of the master that listed it last.
    generation: u64,
}

impl Taker {
    /// What is wrong with a publisher's type, for this taker.
    fn objection(&self, layout: &Layout) -> Option<String> {
        let wrong_kind = self.kind.as_deref().is_some_and(|kind| kind != layout.name());
        let wrong_sum = self.layout.as_ref().is_some_and(|wanted| wanted.md5() != layout.md5());
        if !wrong_kind && !wrong_sum {
            return None;
        }
        let kind = self.kind.as_deref().unwrap_or_default();
        let wanted = self.layout.as_ref().map_or("any", |layout| layout.md5());
        Some(format!(
            "{kind} ({wanted}) is wanted, and {} ({}) is published",
            layout.name(),
            layout.md5()
        ))
    }
}

/// Ends a subscription when it is dropped.
struct End {
    core: Arc<Core>,
    input: Arc<Input>,
    number: u64,
}

impl Drop for End {
    fn drop(&mut self) {
        let mut tables = self.core.registry.tables();
        let mut inner = self.input.lock();
        inner.takers.retain(|taker| taker.number != self.number);
        if inner.takers.is_empty() {
            for (_, connection) in inner.connections.drain() {
                connection.task.abort();
            }
            drop(inner);
            let current = tables.inputs.get(&self.input.topic);
            if current.is_some_and(|entry| Arc::ptr_eq(&entry.what, &self.input)) {
                super::registry::Registry::remove_input(&mut tables, &self.input.topic);
                drop(tables);
                self.core.registry.changed();
            }
        }
    }
}

/// Adds a subscription to its topic.
pub(super) fn subscribe(core: &Arc<Core>, wanted: Subscribe) -> Result<Subscription> {
    let topic = core.names.resolve(&wanted.topic)?;
    let layout = match wanted.kind.as_deref().map(|kind| core.library.message(kind)) {
        None => None,
        Some(Ok(layout)) => Some(layout),
        // The publisher brings the definition.
        Some(Err(error)) if error.code == Code::TypeUnknown => None,
        Some(Err(error)) => return Err(error),
    };
    let mut tables = core.registry.tables();
    let input = if let Some(entry) = tables.inputs.get(&topic) {
        Arc::clone(&entry.what)
    } else {
        let input = Arc::new(Input {
            topic: topic.clone(),
            inner: Mutex::default(),
            publishers: Arc::default(),
        });
        super::registry::Registry::put_input(&mut tables, &topic, Arc::clone(&input));
        input
    };
    let publishers = Arc::clone(&input.publishers);
    let queue = Arc::new(Queue::new(wanted.queue, wanted.queue_bytes, publishers));
    let number = {
        let mut inner = input.lock();
        let number = inner.next_taker;
        inner.next_taker += 1;
        let taker = Taker {
            number,
            queue: Arc::clone(&queue),
            kind: wanted.kind,
            layout,
            max_message: wanted.max_message,
        };
        for sample in inner.kept.values() {
            give(&taker, sample.clone());
        }
        inner.takers.push(taker);
        number
    };
    drop(tables);
    core.registry.changed();
    let end = End { core: Arc::clone(core), input, number };
    Ok(Subscription::new(topic, queue, Box::new(end)))
}

fn give(taker: &Taker, sample: Sample) {
    if sample.body.len() > taker.max_message {
        taker.queue.oversize();
    } else if taker.objection(&sample.layout).is_none() {
        taker.queue.push(sample);
    }
}

impl Input {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The type wanted, `*` for any.
    pub(super) fn kind(&self) -> String {
        let inner = self.lock();
        let kind = inner.takers.iter().find_map(|taker| taker.kind.clone());
        kind.unwrap_or_else(|| "*".to_owned())
    }

    /// The addresses of the publishers connected to, or being connected to.
    pub(super) fn peers(&self) -> Vec<String> {
        self.lock().connections.keys().cloned().collect()
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        for (_, connection) in inner.connections.drain() {
            connection.task.abort();
        }
        for taker in &inner.takers {
            taker.queue.close();
        }
    }

    /// Follows the master's list of publishers.
    pub(super) fn update(self: &Arc<Self>, core: &Arc<Core>, uris: &[String]) {
        let generation = core.registry.generation();
        let mut inner = self.lock();
        if inner.takers.is_empty() {
            return;
        }
        inner.connections.retain(|uri, connection| {
            let earlier = connection.generation != generation && !connection.task.is_finished();
            let stays = uris.contains(uri) || earlier;
            if !stays {
                connection.task.abort();
            }
            stays
        });
        for uri in uris {
            let finished = |connection: &Connection| connection.task.is_finished();
            match inner.connections.get_mut(uri) {
                Some(connection) if !finished(connection) => connection.generation = generation,
                _ => {
                    let follow = follow(Arc::clone(core), Arc::clone(self), uri.clone());
                    let task = core.spawn(follow);
                    inner.connections.insert(uri.clone(), Connection { task, generation });
                }
            }
        }
    }

    /// Whether the present master lists a publisher.
    fn is_listed(&self, core: &Core, uri: &str) -> bool {
        let generation = core.registry.generation();
        self.lock().connections.get(uri).is_some_and(|it| it.generation == generation)
    }

    fn deliver(&self, sample: Sample) {
        let mut inner = self.lock();
        if sample.source.latching {
            inner.kept.insert(sample.source.connection, sample.clone());
        }
        if let Some((last, others)) = inner.takers.split_last() {
            for taker in others {
                give(taker, sample.clone());
            }
            give(last, sample);
        }
    }
}

/// Connects to a publisher again and again, as long as it is listed.
async fn follow(core: Arc<Core>, input: Arc<Input>, uri: String) {
    let mut pause = FIRST_PAUSE;
    let mut told = None;
    loop {
        match read_from(&core, &input, &uri, &mut pause).await {
            Ok(()) => {}
            Err(error) => {
                log::debug!(target: "posthouse_ros", "{} from {uri}: {error}", input.topic);
                let refused = matches!(
                    error.code,
                    Code::TypeMismatch | Code::TypeUnknown | Code::TypeInvalid | Code::CallRefused
                );
                if refused && told.as_ref() != Some(&error) {
                    for taker in &input.lock().takers {
                        taker.queue.refused(format!("{} at {uri}: {error}", input.topic));
                    }
                    told = Some(error);
                }
            }
        }
        if !input.is_listed(&core, &uri) {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

/// Counts a connection while it is there.
struct Connected<'a> {
    input: &'a Input,
    number: u64,
}

impl<'a> Connected<'a> {
    fn new(input: &'a Input, number: u64) -> Self {
        input.publishers.fetch_add(1, Ordering::Relaxed);
        Self { input, number }
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.input.publishers.fetch_sub(1, Ordering::Relaxed);
        self.input.lock().kept.remove(&self.number);
    }
}

/// One connection from its beginning to its end.
async fn read_from(core: &Arc<Core>, input: &Input, uri: &str, pause: &mut Duration) -> Result<()> {
    let peer = Peer::parse("http", uri).ok_or_else(|| {
        Error::new(Code::ProtocolViolation, "the publisher's address is no http://host:port")
    })?;
    let address = request(core, &peer, &input.topic).await?;
    let unreachable = |what: String| {
        Error::new(Code::NodeUnreachable, format!("connecting to {address}: {what}"))
    };
    let stream = timeout(PATIENCE, TcpStream::connect((address.host.as_str(), address.port)));
    let mut stream = stream
        .await
        .map_err(|_| unreachable(format!("no answer within {} s", PATIENCE.as_secs())))?
        .map_err(|error| unreachable(error.to_string()))?;
    tune(&stream);
    write_header(&mut stream, &greeting(core, input)).await?;
    let header = read_header(&mut stream).await?;
    if let Some(error) = header.get("error") {
        let error: String = error.chars().take(500).collect();
        return Err(Error::new(Code::CallRefused, format!("the publisher says: {error}")));
    }
    let layout = layout_of(core, &header)?;
    let mut most = 0;
    {
        let inner = input.lock();
        let mut objection = None;
        for taker in &inner.takers {
            most = most.max(taker.max_message);
            objection = objection.or_else(|| taker.objection(&layout));
        }
        if inner.takers.iter().all(|taker| taker.objection(&layout).is_some())
            && let Some(objection) = objection
        {
            return Err(Error::new(Code::TypeMismatch, objection));
        }
    }
    let source = Arc::new(Source {
        node: header.get("callerid").unwrap_or_default().to_owned(),
        latching: header.is_set("latching"),
        connection: core.next_connection(),
    });
    let _connected = Connected::new(input, source.connection);
    *pause = FIRST_PAUSE;
    let mut frames = Frames::new(stream);
    for number in 0.. {
        let body = match frames.next(most).await {
            Ok(Some(Read::Message(body))) => body,
            Ok(Some(Read::Oversize(_))) => {
                for taker in &input.lock().takers {
                    taker.queue.oversize();
                }
                continue;
            }
            Ok(None) => break,
            Err(error) => {
                return Err(Error::new(Code::NodeUnreachable, error.to_string()));
            }
        };
        input.deliver(Sample {
            body,
            layout: Arc::clone(&layout),
            source: Arc::clone(&source),
            number,
            received: Instant::now(),
        });
    }
    Ok(())
}

/// Asks a publisher where its messages are to be had.
async fn request(core: &Core, peer: &Peer, topic: &str) -> Result<Peer> {
    let protocols: Value = [[Value::from("TCPROS")].into_iter().collect()].into_iter().collect();
    let params = [core.names.node().into(), topic.into(), protocols];
    let value = ask(peer, "requestTopic", &params, PATIENCE).await?;
    match value.as_array() {
        Some([Value::Text(protocol), Value::Text(host), Value::Int(port), ..])
            if protocol == "TCPROS" =>
        {
            let port = u16::try_from(*port).ok();
            port.map(|port| Peer { host: host.clone(), port }).ok_or_else(|| {
                Error::new(Code::ProtocolViolation, "the publisher's port is no port")
            })
        }
        _ => Err(Error::new(Code::CallRefused, "the publisher does not speak TCPROS")),
    }
}

/// What we tell a publisher.
fn greeting(core: &Core, input: &Input) -> Header {
    let inner = input.lock();
    // Where subscriptions want different things each of them looks at what it gets.
    let first = inner
        .takers
        .first()
        .filter(|first| inner.takers.iter().all(|taker| taker.kind == first.kind));
    let kind = first.and_then(|taker| taker.kind.as_deref()).unwrap_or("*");
    let layout = first.and_then(|taker| taker.layout.as_deref());
    Header::new([
        ("callerid", core.names.node()),
        ("topic", &input.topic),
        ("type", kind),
        ("md5sum", layout.map_or("*", Layout::md5)),
        ("message_definition", layout.map_or("", Layout::definition)),
        ("tcp_nodelay", "1"),
    ])
}

/// The type that a publisher says it sends.
fn layout_of(core: &Core, header: &Header) -> Result<Arc<Layout>> {
    let missing = |field: &str| {
        Error::new(Code::ProtocolViolation, format!("the publisher does not say its {field}"))
    };
    let kind = header.get("type").ok_or_else(|| missing("type"))?;
    let md5 = header.get("md5sum").ok_or_else(|| missing("md5sum"))?;
    core.layouts.of(&core.library, kind, md5, header.get("message_definition"))
}
