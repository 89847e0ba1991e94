//! A server as one connection sees it: it remembers what the hub asked of it, so that a fuzzer can answer in
//! ways that mean something, and checks that what it is told makes sense.
use super::protocol::{Said, read};
use posthouse_core::{LinkId, Record, hub::Report, json, subject::Namespace};
use std::collections::HashSet;

/// A request that came from the hub: where its answer goes.
pub(crate) struct Asked {
    pub reply: String,
    pub payload: Vec<u8>,
}

pub(crate) struct Server {
    pub link: LinkId,
    /// Open subscriptions of the hub, oldest first.
    pub subs: Vec<(u64, String)>,
    ever: HashSet<u64>,
    /// PINGs without a PONG yet.
    pub pings: usize,
    pub asked: Vec<Asked>,
    connected: bool,
    /// Taken from the hub and not reported as written.
    pub unwritten: usize,
}

impl Server {
    pub fn new(link: LinkId) -> Self {
        Self {
            link,
            subs: Vec::new(),
            ever: HashSet::new(),
            pings: 0,
            asked: Vec::new(),
            connected: false,
            unwritten: 0,
        }
    }

    /// Takes what the hub wrote.
    pub fn hear(&mut self, bytes: &[u8], names: &Namespace) {
        self.unwritten += bytes.len();
        for said in read(bytes) {
            assert_eq!(
                matches!(said, Said::Connect),
                !self.connected,
                "CONNECT comes first and once"
            );
            match said {
                Said::Connect => self.connected = true,
                Said::Ping => self.pings += 1,
                Said::Pong => {}
                Said::Subscribe { subject, sid } => {
                    assert!(self.ever.insert(sid), "the number {sid} is used twice");
                    self.subs.push((sid, subject));
                }
                Said::Unsubscribe { sid } => {
                    assert!(self.ever.contains(&sid), "UNSUB {sid} of nothing");
                    self.subs.retain(|(held, _)| *held != sid);
                }
                Said::Publish { subject, reply, payload } => {
                    check_payload(names, &subject, &payload);
                    if let Some(reply) = reply {
                        self.asked.push(Asked { reply, payload });
                        if self.asked.len() > 64 {
                            self.asked.remove(0);
                        }
                    }
                }
            }
        }
    }

    /// The subscription that a subject would be delivered to.
    pub fn matching(&self, subject: &str) -> Option<u64> {
        let takes = |pattern: &str| {
            let mut levels = subject.split('.');
            for part in pattern.split('.') {
                match (part, levels.next()) {
                    (">", Some(_)) => return true,
                    ("*", Some(_)) => {}
                    (part, Some(level)) if part == level => {}
                    _ => return false,
                }
            }
            levels.next().is_none()
        };
        self.subs.iter().find(|(_, pattern)| takes(pattern)).map(|(sid, _)| *sid)
    }
}

/// What the hub sends must be what it would itself accept.
fn check_payload(names: &Namespace, subject: &str, payload: &[u8]) {
    if let Some(name) = names.state_name(subject) {
        let (told, _) = Record::parse(payload, &json::Limits::VALUE).expect("a sound record");
        assert_eq!(told, name);
    } else if names.inbox_id(subject).is_some() {
        Record::parse(payload, &json::Limits::VALUE).expect("a sound record");
    } else if let Some(id) = names.health_id(subject) {
        let report = Report::parse(payload).expect("a sound report");
        assert_eq!(report.status.instance_id, id);
    } else {
        let free = json::Limits::VALUE.with_bytes(usize::MAX);
        json::validate(payload, &free).expect("a payload that is JSON");
    }
}
