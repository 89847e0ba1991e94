//! A topic that is offered: a bounded queue and a writing task for each subscriber.
use super::{
    node::Core,
    registry::Registry,
    tcpros::{Header, write_header},
};
use crate::ros::{Advertise, Code, Error, Layout, Publish, PublishCounts, Result};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
};

/// The largest message that can be sent, in bytes.
const MAX_MESSAGE: usize = 1 << 30;
/// How many bytes of small messages are written at once.
const BATCH: usize = 64 << 10;

/// A topic that is offered.
pub(super) struct Output {
    topic: String,
    layout: Arc<Layout>,
    inner: Mutex<Inner>,
    published: AtomicU64,
    sent: AtomicU64,
    dropped: AtomicU64,
}

struct Inner {
    lines: Vec<Arc<Line>>,
    latch: bool,
    last: Option<Arc<Vec<u8>>>,
    handles: usize,
    most: usize,
    most_bytes: usize,
}

/// What waits for one subscriber.
struct Line {
    waiting: Mutex<Waiting>,
    news: Notify,
    node: String,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Arc<Vec<u8>>>,
    bytes: usize,
    /// What waits is still sent, nothing more comes.
    ending: bool,
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message; gives how many were dropped for it.
    fn push(&self, body: &Arc<Vec<u8>>, most: usize, most_bytes: usize) -> u64 {
        let mut dropped = 0;
        let mut waiting = self.lock();
        while waiting.frames.len() >= most
            || (waiting.bytes + body.len() > most_bytes && !waiting.frames.is_empty())
        {
            let Some(oldest) = waiting.frames.pop_front() else { break };
            waiting.bytes -= oldest.len();
            dropped += 1;
        }
        waiting.bytes += body.len();
        waiting.frames.push_back(Arc::clone(body));
        drop(waiting);
        self.news.notify_one();
        dropped
    }
}

/// A program's handle of the topic.
struct Handle {
    core: Arc<Core>,
    output: Arc<Output>,
}

impl Publish for Handle {
    fn topic(&self) -> &str {
        &self.output.topic
    }

    fn layout(&self) -> &Arc<Layout> {
        &self.output.layout
    }

    fn publish(&self, body: Vec<u8>) -> Result<()> {
        self.output.publish(body)
    }

    fn subscribers(&self) -> usize {
        self.output.lock().lines.len()
    }

    fn counts(&self) -> PublishCounts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        PublishCounts {
            published: get(&self.output.published),
            sent: get(&self.output.sent),
            dropped: get(&self.output.dropped),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut tables = self.core.registry.tables();
        let mut inner = self.output.lock();
        inner.handles -= 1;
        if inner.handles > 0 {
            return;
        }
        drop(inner);
        self.output.end();
        let current = tables.outputs.get(&self.output.topic);
        if current.is_some_and(|entry| Arc::ptr_eq(&entry.what, &self.output)) {
            Registry::remove_output(&mut tables, &self.output.topic);
            drop(tables);
            self.core.registry.changed();
        }
    }
}

/// Offers a topic. Several handles of one topic share its subscribers.
pub(super) fn advertise(core: &Arc<Core>, wanted: &Advertise) -> Result<Arc<dyn Publish>> {
    let topic = core.names.resolve(&wanted.topic)?;
    let layout = core.library.message(&wanted.kind)?;
    advertise_as(core, &topic, layout, wanted)
}

/// Offers a topic by its full name with a type that is known.
pub(super) fn advertise_as(
    core: &Arc<Core>,
    topic: &str,
    layout: Arc<Layout>,
    wanted: &Advertise,
) -> Result<Arc<dyn Publish>> {
    let mut tables = core.registry.tables();
    let output = if let Some(entry) = tables.outputs.get(topic) {
        let output = Arc::clone(&entry.what);
        if output.layout.md5() != layout.md5() || output.layout.name() != layout.name() {
            return Err(Error::new(
                Code::TypeMismatch,
                format!(
                    "{topic} is already published as {}; it cannot be {} as well",
                    output.layout.name(),
                    layout.name()
                ),
            ));
        }
        output
    } else {
        let output = Arc::new(Output {
            topic: topic.to_owned(),
            layout,
            inner: Mutex::new(Inner {
                lines: Vec::new(),
                latch: false,
                last: None,
                handles: 0,
                most: 1,
                most_bytes: 0,
            }),
            published: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        });
        Registry::put_output(&mut tables, topic, Arc::clone(&output));
        output
    };
    {
        let mut inner = output.lock();
        inner.handles += 1;
        inner.latch |= wanted.latch;
        inner.most = inner.most.max(wanted.queue);
        inner.most_bytes = inner.most_bytes.max(wanted.queue_bytes);
    }
    drop(tables);
    core.registry.changed();
    Ok(Arc::new(Handle { core: Arc::clone(core), output }))
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The type of the messages.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The names of the nodes that are connected.
    pub(super) fn nodes(&self) -> Vec<String> {
        self.lock().lines.iter().map(|line| line.node.clone()).collect()
    }

    /// Whether something waits to be sent.
    pub(super) fn is_busy(&self) -> bool {
        self.lock().lines.iter().any(|line| !line.lock().frames.is_empty())
    }

    /// Sends what waits and no more.
    pub(super) fn end(&self) {
        for line in self.lock().lines.drain(..) {
            line.lock().ending = true;
            line.news.notify_one();
        }
    }

    fn publish(&self, body: Vec<u8>) -> Result<()> {
        if body.len() > MAX_MESSAGE {
            return Err(Error::new(
                Code::TooLarge,
                format!("a message of {} bytes; at most {MAX_MESSAGE} can be sent", body.len()),
            ));
        }
        let body = Arc::new(body);
        self.published.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.lock();
        let mut dropped = 0;
        for line in &inner.lines {
            dropped += line.push(&body, inner.most, inner.most_bytes);
        }
        if inner.latch {
            inner.last = Some(body);
        }
        drop(inner);
        if dropped > 0 {
            self.dropped.fetch_add(dropped, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What is wrong with a subscriber's wishes.
    fn objection(&self, header: &Header) -> Option<String> {
        let (kind, md5) = (header.get("type").unwrap_or("*"), header.get("md5sum")?);
        let fits =
            (md5 == "*" || md5 == self.layout.md5()) && (kind == "*" || kind == self.layout.name());
        (!fits).then(|| {
            format!(
                "topic {} is of type {} with md5sum {}; {kind} with md5sum {md5} was asked for",
                self.topic,
                self.layout.name(),
                self.layout.md5()
            )
        })
    }

    /// Serves one subscriber, whose header has been read, until one of the two ends it.
    pub(super) async fn serve(
        self: Arc<Self>,
        core: &Core,
        mut stream: TcpStream,
        header: &Header,
    ) -> Result<()> {
        let objection = match header.get("md5sum") {
            None => Some("the field md5sum is missing".to_owned()),
            Some(_) => self.objection(header),
        };
        if let Some(objection) = objection {
            return write_header(&mut stream, &Header::new([("error", objection.as_str())])).await;
        }
        let latching = if self.lock().latch { "1" } else { "0" };
        let answer = Header::new([
            ("callerid", core.names.node()),
            ("topic", &self.topic),
            ("type", self.layout.name()),
            ("md5sum", self.layout.md5()),
            ("message_definition", self.layout.definition()),
            ("latching", latching),
        ]);
        write_header(&mut stream, &answer).await?;
        let line = Arc::new(Line {
            waiting: Mutex::default(),
            news: Notify::new(),
            node: header.get("callerid").unwrap_or_default().to_owned(),
        });
        {
            // The kept message comes first and no message between is missed.
            let mut inner = self.lock();
            if inner.handles == 0 {
                return Ok(());
            }
            if let Some(last) = &inner.last {
                line.push(last, 1, usize::MAX);
            }
            inner.lines.push(Arc::clone(&line));
        }
        let ended = self.write(&line, &mut stream).await;
        self.lock().lines.retain(|other| !Arc::ptr_eq(other, &line));
        ended.map_err(|error| Error::new(Code::NodeUnreachable, error.to_string()))
    }

    async fn write(&self, line: &Line, stream: &mut TcpStream) -> std::io::Result<()> {
        let (mut reading, mut writing) = stream.split();
        let mut batch = Vec::new();
        let mut nothing = [0; 64];
        loop {
            batch.clear();
            let (mut large, mut count, mut ending) = (None, 0, false);
            {
                let mut waiting = line.lock();
                while batch.len() < BATCH {
                    let Some(body) = waiting.frames.pop_front() else {
                        ending = waiting.ending;
                        break;
                    };
                    waiting.bytes -= body.len();
                    count += 1;
                    batch.extend_from_slice(&(body.len() as u32).to_le_bytes());
                    if body.len() > BATCH {
                        large = Some(body);
                        break;
                    }
                    batch.extend_from_slice(&body);
                }
            }
            if count == 0 {
                if ending {
                    return writing.shutdown().await;
                }
                tokio::select! {
                    () = line.news.notified() => {}
                    read = reading.read(&mut nothing) => if read? == 0 {
                        return Ok(());
                    },
                }
                continue;
            }
            writing.write_all(&batch).await?;
            if let Some(large) = large {
                writing.write_all(&large).await?;
            }
            self.sent.fetch_add(count, Ordering::Relaxed);
        }
    }
}
