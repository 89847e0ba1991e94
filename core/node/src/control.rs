//! Everything a client says except messages: who it is, what it wants to hear and no longer hear.

use crate::client::Ending;
use crate::connect::Connect;
use crate::frame::Frame;
use crate::router::{ClientId, Router, Sub};
use crate::subject;
use crate::trie::SubId;
use crate::violation::Violation;

impl Router {
    pub(crate) fn control(&mut self, id: ClientId, frame: &Frame<'_>) {
        let client = &mut self.clients[id.0 as usize];
        match *frame {
            Frame::Ping => self.say(id, b"PONG\r\n"),
            Frame::Pong => client.pings_out = 0,
            Frame::Connect(text) => self.connect(id, text),
            Frame::Subscribe { subject, queue, sid } => self.subscribe(id, subject, queue, sid),
            Frame::Unsubscribe { sid, max } => self.unsubscribe(id, sid, max),
            Frame::Failed => self.end(id, Ending::GaveUp),
            Frame::Nothing | Frame::Publish(_) => {}
        }
    }

    fn connect(&mut self, id: ClientId, text: &[u8]) {
        // An array would do for serde, too.
        let object = text.starts_with(b"{").then(|| serde_json::from_slice::<Connect>(text));
        let Some(Ok(wish)) = object else {
            return self.violated(id, Violation::Parser);
        };
        if wish.protocol.is_some_and(|number| !(0..=1).contains(&number)) {
            return self.violated(id, Violation::ClientProtocol);
        }
        if !self.credentials.accept(&wish) {
            return self.violated(id, Violation::Authorization);
        }
        let client = &mut self.clients[id.0 as usize];
        client.authorized = true;
        for (held, wanted) in [
            (&mut client.verbose, wish.verbose),
            (&mut client.pedantic, wish.pedantic),
            (&mut client.echo, wish.echo),
            (&mut client.headers, wish.headers),
            (&mut client.no_responders, wish.no_responders),
            (&mut client.dynamic, wish.protocol.map(|number| number == 1)),
        ] {
            *held = wanted.unwrap_or(*held);
        }
        client.label = [wish.name, wish.lang, wish.version]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        if client.no_responders && !client.headers {
            return self.violated(id, Violation::NoRespondersNeedHeaders);
        }
        log::debug!("client {} is {:?}", client.number, client.label);
        self.agree(id);
    }

    fn subscribe(&mut self, id: ClientId, subject: &[u8], queue: Option<&[u8]>, sid: &[u8]) {
        if !subject::is_pattern(subject) {
            return self.violated(id, Violation::InvalidSubject);
        }
        let client = &mut self.clients[id.0 as usize];
        // A second SUB with the same sid changes nothing, as with nats-server.
        if !client.subs.contains_key(sid) {
            let sub = self.subs.insert(Sub {
                client: id.0,
                sid: sid.into(),
                subject: subject.into(),
                queue: queue.map(Into::into),
                delivered: 0,
                max: 0,
            }) as SubId;
            client.subs.insert(sid.into(), sub);
            self.trie.insert(subject, sub);
            self.cache.changed(subject);
        }
        self.agree(id);
    }

    fn unsubscribe(&mut self, id: ClientId, sid: &[u8], max: u64) {
        let client = &mut self.clients[id.0 as usize];
        if let Some(key) = client.subs.get(sid).copied() {
            let sub = &mut self.subs[key as usize];
            if max > sub.delivered {
                sub.max = max;
            } else {
                self.drop_sub(key);
            }
        }
        self.agree(id);
    }

    pub(crate) fn drop_sub(&mut self, key: SubId) {
        let Some(sub) = self.subs.try_remove(key as usize) else { return };
        if let Some(client) = self.clients.get_mut(sub.client as usize) {
            client.subs.remove(&sub.sid);
        }
        self.trie.remove(&sub.subject, key);
        self.cache.changed(&sub.subject);
    }

    pub(crate) fn forget_subs(&mut self, id: ClientId) {
        let Some(client) = self.clients.get_mut(id.0 as usize) else { return };
        for (_, key) in std::mem::take(&mut client.subs) {
            self.drop_sub(key);
        }
    }
}
