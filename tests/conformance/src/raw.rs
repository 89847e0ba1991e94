//! A client that speaks NATS by hand, so that what a hub writes is seen byte for byte and a hub can
//! be sent what no hub would send.
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    rc::Rc,
};

use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::Notify,
};

/// A connection of the raw client.
pub struct Raw {
    write: OwnedWriteHalf,
    sids: u64,
    pings: u64,
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    names: RefCell<HashMap<String, String>>,
    streams: RefCell<HashMap<String, VecDeque<Value>>>,
    pongs: Cell<u64>,
    arrived: Notify,
    ended: Cell<bool>,
}

impl Raw {
    /// Connects to `127.0.0.1:port`; `login` are further members of CONNECT, such as user and pass.
    pub async fn connect(port: u16, login: &Map<String, Value>) -> Result<Self, String> {
        let stream = TcpStream::connect(("127.0.0.1", port))
            .await
            .map_err(|e| format!("raw client: {e}"))?;
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        let mut info = String::new();
        read.read_line(&mut info).await.map_err(|e| e.to_string())?;
        let mut connect = json!({"verbose": false, "pedantic": false, "headers": true, "no_responders": true,
            "echo": true, "protocol": 1, "lang": "raw", "version": "0", "name": "raw"});
        if let Some(map) = connect.as_object_mut() {
            map.extend(login.clone());
        }
        write
            .write_all(format!("CONNECT {connect}\r\n").as_bytes())
            .await
            .map_err(|e| e.to_string())?;
        let shared = Rc::new(Shared::default());
        tokio::task::spawn_local(read_frames(read, shared.clone()));
        let mut raw = Self { write, sids: 0, pings: 0, shared };
        raw.flush().await?;
        Ok(raw)
    }

    /// Subscribes; what comes is kept under the name `stream`.
    pub async fn subscribe(
        &mut self,
        subject: &str,
        queue: &str,
        stream: &str,
    ) -> Result<(), String> {
        self.sids += 1;
        self.shared.names.borrow_mut().insert(self.sids.to_string(), stream.to_owned());
        self.write(&format!("SUB {subject} {queue} {}\r\n", self.sids)).await?;
        self.flush().await
    }

    /// Gives up every subscription kept under this name.
    pub async fn unsubscribe(&mut self, stream: &str) -> Result<(), String> {
        let sids: Vec<_> = self
            .shared
            .names
            .borrow()
            .iter()
            .filter(|(_, n)| *n == stream)
            .map(|(s, _)| s.clone())
            .collect();
        for sid in sids {
            self.write(&format!("UNSUB {sid}\r\n")).await?;
        }
        self.flush().await
    }

    /// Publishes a payload, with a header block where `headers` is not empty.
    pub async fn publish(
        &mut self,
        subject: &str,
        reply: &str,
        headers: &str,
        body: &[u8],
    ) -> Result<(), String> {
        let head = if headers.is_empty() {
            format!("PUB {subject} {reply} {}\r\n", body.len())
        } else {
            format!(
                "HPUB {subject} {reply} {} {}\r\n{headers}",
                headers.len(),
                headers.len() + body.len()
            )
        };
        let bytes = [head.as_bytes(), body, b"\r\n"].concat();
        self.write.write_all(&bytes).await.map_err(|e| format!("raw client: {e}"))
    }

    /// Waits until the server has handled everything written before.
    pub async fn flush(&mut self) -> Result<(), String> {
        self.pings += 1;
        self.write("PING\r\n").await?;
        while self.shared.pongs.get() < self.pings {
            if self.shared.ended.get() {
                return Err("raw client: the server has closed the connection".into());
            }
            self.shared.arrived.notified().await;
        }
        Ok(())
    }

    /// The oldest message of a stream that nobody has taken; waits for one.
    pub async fn next(&self, stream: &str) -> Result<Value, String> {
        loop {
            if let Some(message) = self.try_next(stream) {
                return Ok(message);
            }
            if self.shared.ended.get() {
                return Err("raw client: the server has closed the connection".into());
            }
            self.shared.arrived.notified().await;
        }
    }

    /// The same without waiting.
    pub fn try_next(&self, stream: &str) -> Option<Value> {
        self.shared.streams.borrow_mut().get_mut(stream)?.pop_front()
    }

    async fn write(&mut self, text: &str) -> Result<(), String> {
        self.write.write_all(text.as_bytes()).await.map_err(|e| format!("raw client: {e}"))
    }
}

async fn read_frames(mut read: BufReader<OwnedReadHalf>, shared: Rc<Shared>) {
    while let Some(()) = read_frame(&mut read, &shared).await {
        shared.arrived.notify_waiters();
    }
    shared.ended.set(true);
    shared.arrived.notify_waiters();
}

async fn read_frame(read: &mut BufReader<OwnedReadHalf>, shared: &Shared) -> Option<()> {
    let mut line = String::new();
    if read.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (with_headers, rest) = match words.split_first()? {
        (&"PONG", _) => {
            shared.pongs.set(shared.pongs.get() + 1);
            return Some(());
        }
        (&"MSG", rest) => (false, rest),
        (&"HMSG", rest) => (true, rest),
        (&"-ERR", _) => {
            keep(shared, "errors", json!({"text": line.trim_end()}));
            return Some(());
        }
        _ => return Some(()),
    };
    let numbers = if with_headers { 2 } else { 1 };
    let size: usize = rest.last()?.parse().ok()?;
    let head: usize = if with_headers { rest[rest.len() - 2].parse().ok()? } else { 0 };
    let mut body = vec![0; size + 2];
    read.read_exact(&mut body).await.ok()?;
    let payload = &body[head..size];
    let mut message = json!({
        "subject": rest[0],
        "text": String::from_utf8_lossy(payload),
        "size": payload.len(),
    });
    if rest.len() == 3 + numbers {
        message["reply"] = rest[2].into();
    }
    if with_headers {
        message["headers"] = String::from_utf8_lossy(&body[..head]).into();
    }
    if let Ok(json) = serde_json::from_slice::<Value>(payload) {
        message["json"] = json;
    }
    let stream = shared.names.borrow().get(rest[1]).cloned().unwrap_or_default();
    keep(shared, &stream, message);
    Some(())
}

fn keep(shared: &Shared, stream: &str, value: Value) {
    shared.streams.borrow_mut().entry(stream.to_owned()).or_default().push_back(value);
}
