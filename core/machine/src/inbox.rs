//! The messages of a subscription that wait for its handler, oldest first.
//!
//! They are written into chunks one after the other, so that the connection's thread allocates once
//! for many of them; what few messages have besides their body lies apart.
use crate::{
    LinkId,
    body::{Body, Shared},
    headers::Headers,
};
use alloc::{boxed::Box, collections::VecDeque, string::String, vec, vec::Vec};

/// How much text a chunk has at most, unless one message is larger: large enough to spare nearly all
/// allocations, small enough that a message that is kept for long does not keep much else.
const CHUNK_BYTES: usize = 16 * 1024;
/// How many messages a chunk has at most.
const CHUNK_MESSAGES: usize = 256;
/// The room for as many chunks is kept when the queue is empty.
const KEPT_CHUNKS: usize = 64;

/// What a message has besides its body.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub topic: Option<Box<str>>,
    pub reply: Option<Box<str>>,
    pub headers: Headers,
}

/// One message on its way out.
pub(crate) struct Waiting {
    pub body: Body,
    pub link: LinkId,
    pub extras: Option<Box<Extras>>,
}

#[derive(Debug)]
struct Record {
    /// Where its body ends; it begins where the one before ends.
    end: u32,
    link: LinkId,
    extras: Option<Box<Extras>>,
}

#[derive(Debug, Default)]
struct Chunk {
    text: String,
    records: Vec<Record>,
}

/// A chunk of which messages are taken.
#[derive(Debug)]
struct Opened {
    text: Shared<String>,
    records: vec::IntoIter<Record>,
    /// Where the next body begins.
    start: u32,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    opened: Option<Opened>,
    chunks: VecDeque<Chunk>,
    len: usize,
    bytes: usize,
    /// What the last chunk grew to; the next is made as large at once.
    usual: (usize, usize),
}

impl Inbox {
    /// Messages that wait.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of their bodies.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn push(&mut self, body: &str, link: LinkId, extras: Option<Box<Extras>>) {
        let fits = |chunk: &Chunk| {
            chunk.text.len() + body.len() <= CHUNK_BYTES && chunk.records.len() < CHUNK_MESSAGES
        };
        if !self.chunks.back().is_some_and(fits) {
            let (text, records) = self.usual;
            self.chunks.push_back(Chunk {
                text: String::with_capacity(text.max(body.len())),
                records: Vec::with_capacity(records),
            });
        }
        let Some(chunk) = self.chunks.back_mut() else { return };
        chunk.text.push_str(body);
        chunk.records.push(Record { end: chunk.text.len() as u32, link, extras });
        self.len += 1;
        self.bytes += body.len();
    }

    pub fn pop(&mut self) -> Option<Waiting> {
        loop {
            if let Some(opened) = &mut self.opened {
                if let Some(record) = opened.records.next() {
                    let body = Body::new(&opened.text, opened.start, record.end);
                    opened.start = record.end;
                    self.len -= 1;
                    self.bytes -= body.len();
                    return Some(Waiting { body, link: record.link, extras: record.extras });
                }
                self.opened = None;
            }
            let Chunk { text, records } = self.chunks.pop_front()?;
            if self.chunks.is_empty() {
                self.chunks.shrink_to(KEPT_CHUNKS);
            }
            self.usual = (text.len().min(CHUNK_BYTES), records.len());
            self.opened =
                Some(Opened { text: Shared::new(text), records: records.into_iter(), start: 0 });
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    const LINK: LinkId = LinkId(1);

    #[test]
    fn what_goes_in_comes_out_in_order_however_it_is_taken() {
        let mut inbox = Inbox::default();
        let text = |n: usize| format!("\"{n}{}\"", "é".repeat(n % 700));
        let (mut pushed, mut popped, mut bytes) = (0, 0, 0);
        for step in 0..4_000_usize {
            for _ in 0..step % 5 {
                let reply = (pushed % 3 == 0).then(|| format!("r{pushed}").into_boxed_str());
                let extras =
                    reply.map(|reply| Box::new(Extras { reply: Some(reply), ..Extras::default() }));
                inbox.push(&text(pushed), LINK, extras);
                bytes += text(pushed).len();
                pushed += 1;
            }
            for _ in 0..(step / 7) % 5 {
                let Some(waiting) = inbox.pop() else { break };
                assert_eq!(waiting.body.text(), text(popped));
                let reply = waiting.extras.and_then(|extras| extras.reply);
                assert_eq!(
                    reply.as_deref(),
                    (popped % 3 == 0).then(|| format!("r{popped}")).as_deref()
                );
                bytes -= waiting.body.len();
                popped += 1;
            }
            assert_eq!((inbox.len(), inbox.bytes()), (pushed - popped, bytes));
        }
        assert!(popped > 1_000);
        while inbox.pop().is_some() {
            popped += 1;
        }
        assert_eq!((popped, inbox.len(), inbox.bytes()), (pushed, 0, 0));
    }

    #[test]
    fn a_long_queue_leaves_no_room_behind() {
        let mut inbox = Inbox::default();
        for _ in 0..CHUNK_MESSAGES * KEPT_CHUNKS * 4 {
            inbox.push("1", LINK, None);
        }
        assert!(inbox.chunks.capacity() > KEPT_CHUNKS);
        while inbox.pop().is_some() {}
        assert!(inbox.chunks.capacity() <= KEPT_CHUNKS);
    }

    #[test]
    fn a_message_that_is_kept_keeps_no_more_than_a_chunk() {
        let mut inbox = Inbox::default();
        for _ in 0..10_000 {
            inbox.push("[1,2,3,4,5,6,7,8,9]", LINK, None);
        }
        inbox.push(&"1".repeat(100_000), LINK, None);
        assert!(inbox.chunks.iter().all(|c| c.text.len() <= CHUNK_BYTES || c.records.len() == 1));
        assert!(inbox.chunks.iter().all(|c| c.records.len() <= CHUNK_MESSAGES));
        inbox.clear();
        assert_eq!((inbox.len(), inbox.bytes(), inbox.pop().is_none()), (0, 0, true));
    }
}
