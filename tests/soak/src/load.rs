//! The messages: sent at a rate from a thread of their own, counted where they arrive.
use posthouse::{Code, Error, Hub, Listener, Message, Variable};
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How often the sender sends what is due.
const TICK: Duration = Duration::from_millis(1);
/// Messages and bytes that may wait for the handler: a rate that is kept on average may not be
/// kept every millisecond.
const ROOM: (usize, usize) = (1 << 20, 256 << 20);

/// 128 bytes as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct Reading {
    seq: u64,
    name: String,
    x: f64,
    y: f64,
    ok: bool,
    pad: String,
}

impl Reading {
    fn new(seq: u64) -> Self {
        let pad = "p".repeat(47);
        Self { seq, name: "sensor/front".into(), x: 0.125, y: -1.5, ok: true, pad }
    }
}

/// Numbers of messages begin here, so that all are equally long.
pub(crate) const FIRST: u64 = 10_000_000_000;

/// What has arrived.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub count: AtomicU64,
    last: AtomicU64,
    /// Came again, or after a later one.
    pub out_of_order: AtomicU64,
}

impl Seen {
    pub async fn listen(self: &Arc<Self>, hub: &Hub) -> Result<Listener, Error> {
        let seen = Arc::clone(self);
        let handler = move |message: Message| {
            if let Ok(reading) = message.data_as::<Reading>() {
                if seen.last.swap(reading.seq, Ordering::Relaxed) >= reading.seq {
                    seen.out_of_order.fetch_add(1, Ordering::Relaxed);
                }
                seen.count.fetch_add(1, Ordering::Release);
            }
            async {}
        };
        let subscribe = hub.var("reading")?.subscribe();
        subscribe.pending_messages(ROOM.0).pending_bytes(ROOM.1).handler(handler).await
    }

    pub fn received(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }
}

/// A hub that can take what arrives in a moment in which nobody handles it.
pub(crate) fn open(url: String) -> Result<Hub, Error> {
    let room = |numbers: &mut posthouse::HubOptions| {
        (numbers.messaging.pending_messages, numbers.messaging.pending_bytes) = ROOM;
    };
    Hub::builder("soak").servers([url]).with_numbers(room).open()
}

/// What became of the messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub accepted: u64,
    /// There was no connection.
    pub refused: u64,
    /// The outbound buffer was full.
    pub overflowed: u64,
}

/// Sends numbered messages.
pub(crate) struct Sender {
    var: Variable,
    next: u64,
}

impl Sender {
    pub fn new(hub: &Hub) -> Result<Self, Error> {
        Ok(Self { var: hub.var("reading")?, next: FIRST })
    }

    fn send(&mut self, sent: &mut Sent) -> Result<bool, Error> {
        self.next += 1;
        match self.var.pub_as(&Reading::new(self.next), None) {
            Ok(()) => sent.accepted += 1,
            Err(error) if error.code() == Code::Disconnected => sent.refused += 1,
            Err(error) if error.code() == Code::BufferOverflow => {
                sent.overflowed += 1;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Sends `rate` messages a second until told to stop. What is late is sent at once.
    pub fn paced(&mut self, rate: u64, stop: &AtomicBool) -> Result<Sent, Error> {
        let mut sent = Sent::default();
        let began = Instant::now();
        let mut done = 0;
        while !stop.load(Ordering::Relaxed) {
            let due = (began.elapsed().as_secs_f64() * rate as f64) as u64;
            while done < due && self.send(&mut sent)? {
                done += 1;
            }
            std::thread::sleep(TICK);
        }
        Ok(sent)
    }

    /// Sends `count` messages as fast as they are accepted; gives how many were.
    pub fn flood(&mut self, count: u64) -> Result<u64, Error> {
        let mut sent = Sent::default();
        while sent.accepted < count {
            if !self.send(&mut sent)? {
                std::thread::yield_now();
            }
        }
        Ok(sent.accepted)
    }
}
