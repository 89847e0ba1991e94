//! A message as the server delivers it.
use super::{
    api::{number, text},
    names::{ID, TIME},
};
use async_nats::{HeaderMap, Message, header::NATS_MESSAGE_ID};
use bytes::Bytes;

/// One delivery.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    /// The message's place in the stream: its name as long as it lies there.
    pub(super) sequence: u64,
    /// Which delivery this is by the server's count, from 1.
    pub(super) delivered: u64,
    /// When the server stored it.
    pub(super) stored_ms: i64,
    /// Where to tell the server what became of it.
    pub(super) address: String,
    pub(super) headers: Option<HeaderMap>,
    pub(super) body: Bytes,
}

impl Arrived {
    /// Reads a delivery; `None` where it is something else.
    pub(super) fn read(message: Message) -> Option<Self> {
        let address = message.reply?.to_string();
        let mut tokens: Vec<&str> = address.strip_prefix("$JS.ACK.")?.split('.').collect();
        if tokens.len() >= 9 {
            // Newer servers put the domain and the account in front.
            tokens.drain(..2);
        }
        let number = |at: usize| tokens.get(at)?.parse::<u64>().ok();
        let (delivered, sequence, stored_ns) = (number(2)?, number(3)?, number(5)?);
        Some(Self {
            sequence,
            delivered,
            stored_ms: i64::try_from(stored_ns / 1_000_000).ok()?,
            address,
            headers: message.headers,
            body: message.payload,
        })
    }

    pub(super) fn id(&self) -> String {
        id(self.headers.as_ref(), self.sequence, self.stored_ms)
    }

    pub(super) fn timestamp_ms(&self) -> i64 {
        number(self.headers.as_ref(), TIME).unwrap_or(self.stored_ms)
    }
}

/// A message's lasting id: our own, that of the publish, or, for foreign ones without a usable id, one made from
/// where and when it was stored, the same at each delivery.
pub(super) fn id(headers: Option<&HeaderMap>, sequence: u64, stored_ms: i64) -> String {
    let usable =
        |id: &&str| id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    text(headers, ID)
        .filter(usable)
        .or_else(|| {
            headers?.get(NATS_MESSAGE_ID).map(async_nats::HeaderValue::as_str).filter(usable)
        })
        .map_or_else(|| format!("{stored_ms:016x}{sequence:016x}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered_to(reply: &str) -> Option<Arrived> {
        Arrived::read(Message {
            subject: "s".into(),
            reply: Some(reply.into()),
            payload: Bytes::new(),
            headers: None,
            status: None,
            description: None,
            length: 0,
        })
    }

    #[test]
    fn both_forms_of_addresses_are_read() {
        for reply in [
            "$JS.ACK.q.workers.2.40.7.1796072119644524704.9",
            "$JS.ACK._.hash.q.workers.2.40.7.1796072119644524704.9",
            "$JS.ACK.hub.hash.q.workers.2.40.7.1796072119644524704.9.rnd",
        ] {
            let arrived = delivered_to(reply).unwrap();
            assert_eq!((arrived.delivered, arrived.sequence), (2, 40));
            assert_eq!(arrived.stored_ms, 1_796_072_119_644);
        }
        for wrong in ["_INBOX.x", "$JS.ACK.q.w", "$JS.ACK.q.w.x.1.1.1.1"] {
            assert!(delivered_to(wrong).is_none());
        }
    }

    #[test]
    fn every_message_has_a_lasting_id() {
        let mut headers = HeaderMap::new();
        let made = id(Some(&headers), 7, 9);
        assert_eq!((made.len(), &made), (32, &id(None, 7, 9)));
        headers.insert(NATS_MESSAGE_ID, "not hexadecimal");
        assert_eq!(id(Some(&headers), 7, 9), made);
        headers.insert(NATS_MESSAGE_ID, "0123456789abcdef0123456789abcdef");
        assert_eq!(id(Some(&headers), 7, 9), "0123456789abcdef0123456789abcdef");
        headers.insert(ID, "ffffffffffffffffffffffffffffffff");
        assert_eq!(id(Some(&headers), 7, 9), "ffffffffffffffffffffffffffffffff");
    }
}
