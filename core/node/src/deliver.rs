//! A message into the outbound buffers of those who get it.

use crate::cache::Target;
use crate::client::Client;
use crate::frame::Publish;
use crate::router::{NodeStats, Sub};
use slab::Slab;

/// The end of a frame, from the blank before the reply subject on, in the two forms receivers may
/// need. Each is made when first needed, if the publisher's own bytes do not serve.
pub(crate) struct Tails<'a> {
    message: &'a Publish<'a>,
    whole: Vec<u8>,
    plain: Vec<u8>,
}

impl<'a> Tails<'a> {
    pub fn new(message: &'a Publish<'a>) -> Self {
        Self { message, whole: Vec::new(), plain: Vec::new() }
    }

    /// The verb and the tail for a receiver with or without headers.
    #[inline]
    fn of(&mut self, headers: bool) -> (&'static [u8], &[u8]) {
        let message = self.message;
        match message.header() {
            Some(header) if !headers => {
                if self.plain.is_empty() {
                    write_tail(message.reply(), None, &message.body()[header..], &mut self.plain);
                }
                (b"MSG ", &self.plain)
            }
            header => {
                let verb: &[u8] = if header.is_some() { b"HMSG " } else { b"MSG " };
                if let Some(tail) = message.tail() {
                    return (verb, tail);
                }
                if self.whole.is_empty() {
                    write_tail(message.reply(), header, message.body(), &mut self.whole);
                }
                (verb, &self.whole)
            }
        }
    }
}

fn write_tail(reply: &[u8], header: Option<usize>, body: &[u8], out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    if !reply.is_empty() {
        out.push(b' ');
        out.extend_from_slice(reply);
    }
    for length in header.into_iter().chain([body.len()]) {
        out.push(b' ');
        out.extend_from_slice(digits.format(length).as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    out.extend_from_slice(b"\r\n");
}

/// What came of an attempt to deliver.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Done,
    /// Delivered, and it was the last message the subscription wanted.
    Last,
    /// Delivered, and more waits for the client now than half of what may.
    Behind,
    /// Delivered, and more waits for the client now than may.
    Overfull,
    /// The client does not take it: its own message without echo, or it is on its way out.
    Refused,
}

impl Delivery {
    /// Whether something is to be done about it once the message has reached everyone.
    pub fn needs_more(self) -> bool {
        matches!(self, Self::Last | Self::Behind | Self::Overfull)
    }
}

/// Where deliveries go: the router's tables, without what finds the receivers.
pub(crate) struct Outlets<'a> {
    pub clients: &'a mut Slab<Client>,
    pub subs: &'a mut Slab<Sub>,
    pub woken: &'a mut Vec<u32>,
    pub stats: &'a mut NodeStats,
    pub max_pending: usize,
}

impl Outlets<'_> {
    /// Writes the message for one receiver.
    #[inline]
    pub fn deliver(&mut self, from: u32, to: Target, tails: &mut Tails<'_>) -> Delivery {
        let client = &mut self.clients[to.client as usize];
        if client.ending.is_some() || (to.client == from && !client.echo) {
            return Delivery::Refused;
        }
        let sub = &mut self.subs[to.sub as usize];
        sub.delivered += 1;
        let subject = tails.message.subject();
        let (verb, tail) = tails.of(client.headers);
        let out = &mut client.output;
        out.reserve(verb.len() + subject.len() + 1 + sub.sid.len() + tail.len());
        out.extend_from_slice(verb);
        out.extend_from_slice(subject);
        out.push(b' ');
        out.extend_from_slice(&sub.sid);
        out.extend_from_slice(tail);
        self.stats.messages_out += 1;
        self.stats.bytes_out += tails.message.body().len() as u64;
        if !client.woken {
            client.woken = true;
            self.woken.push(to.client);
        }
        let pending = client.output.len() + client.in_flight;
        if pending > self.max_pending {
            Delivery::Overfull
        } else if sub.max != 0 && sub.delivered == sub.max {
            Delivery::Last
        } else if pending > self.max_pending / 2 && to.client != from {
            Delivery::Behind
        } else {
            Delivery::Done
        }
    }
}
