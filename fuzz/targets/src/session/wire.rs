//! What a server, and peers through it, may say to a hub.
use super::{NAMES, World};
use crate::input::Input;

const PAYLOADS: [&[u8]; 8] = [
    b"null",
    b"{\"a\":1}",
    b"[1,2,3]",
    b"\"a string that is long enough to fill a small budget, twice over\"",
    b"",
    b"{",
    b"\xff",
    b"1e400",
];

fn payload<'a>(input: &mut Input<'a>) -> &'a [u8] {
    let choice = input.byte();
    if choice < 128 { PAYLOADS[usize::from(choice) % PAYLOADS.len()] } else { input.some() }
}

/// A message frame.
fn message(subject: &str, sid: u64, reply: &str, headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let space = if reply.is_empty() { "" } else { " " };
    let size = headers.len() + payload.len();
    let line = if headers.is_empty() {
        format!("MSG {subject} {sid}{space}{reply} {size}\r\n")
    } else {
        format!("HMSG {subject} {sid}{space}{reply} {} {size}\r\n", headers.len())
    };
    [line.as_bytes(), headers, payload, b"\r\n"].concat()
}

/// A subject that a subscription takes.
fn concrete(pattern: &str, choice: u8) -> String {
    let level = ["61", "62", "c3a9", "2a", "x", "6"][usize::from(choice) % 6];
    let levels = pattern.split('.').map(|part| match part {
        "*" | ">" => level,
        part => part,
    });
    levels.collect::<Vec<_>>().join(".")
}

impl World {
    fn server_index(&self, input: &mut Input<'_>) -> Option<usize> {
        let count = self.servers.len();
        // The current connection far more often than the next.
        (count > 0).then(|| usize::from(input.byte() >> 6 == 3) % count)
    }

    /// A message on whatever subscription takes the subject.
    fn tell(&mut self, index: usize, subject: &str, reply: &str, payload: &[u8]) {
        if let Some(sid) = self.servers[index].matching(subject) {
            let line = message(subject, sid, reply, b"", payload);
            self.deliver(index, &line);
        }
    }

    pub(super) fn server_says(&mut self, what: u8, input: &mut Input<'_>) {
        if what == b'G' {
            // A server that answers everything, until nothing more is asked.
            for _ in 0..6 {
                for index in 0..self.servers.len() {
                    let pongs = std::mem::take(&mut self.servers[index].pings);
                    self.deliver(index, &b"PONG\r\n".repeat(pongs));
                }
                self.settle();
            }
            return;
        }
        let Some(index) = self.server_index(input) else { return };
        match what {
            b'P' if self.servers[index].pings > 0 => {
                self.servers[index].pings -= 1;
                self.deliver(index, b"PONG\r\n");
            }
            b'R' => {
                let bytes = input.some();
                self.deliver(index, bytes);
            }
            b'M' => {
                let subs = &self.servers[index].subs;
                if subs.is_empty() {
                    return;
                }
                let (sid, pattern) = &subs[input.below(subs.len())];
                let choice = input.byte();
                let subject = concrete(pattern, choice >> 4);
                let reply = ["", "_INBOX.peer.1", "r", "a\u{1}b"][usize::from(choice) % 4];
                let headers: &[u8] = match choice & 0b1100 {
                    0b0100 => b"NATS/1.0\r\nkey: value\r\n\r\n",
                    0b1000 => b"NATS/1.0\r\nbroken\r\n\r\n",
                    0b1100 => b"NATS/1.0 503\r\n\r\n",
                    _ => b"",
                };
                let line = message(&subject, *sid, reply, headers, payload(input));
                self.deliver(index, &line);
            }
            b'S' => {
                let name = input.pick(&NAMES);
                let counter = input.pick(&[
                    "1",
                    "2",
                    "9",
                    "99999999999999999999",
                    "9999999999999999999999999999999999999999",
                    "0",
                ]);
                let writer = input.pick(&["peer", "zz", "A"]);
                let value = payload(input);
                let deleted = value.is_empty();
                let mut json = format!(
                    "{{\"name\":\"{name}\",\"version\":{{\"counter\":\"{counter}\",\"writer\":\"{writer}\"}},\"deleted\":{deleted}"
                )
                .into_bytes();
                if !deleted {
                    json.extend_from_slice(b",\"value\":");
                    json.extend_from_slice(value);
                }
                json.push(b'}');
                let subject = self.names.state(name);
                self.tell(index, &subject, "", &json);
            }
            b'N' => {
                // A record of a name that nobody here speaks of.
                let name = format!("other{}", input.byte());
                let json = format!(
                    "{{\"name\":\"{name}\",\"version\":{{\"counter\":\"5\",\"writer\":\"p\"}},\"deleted\":false,\"value\":0}}"
                );
                let subject = self.names.state(&name);
                self.tell(index, &subject, "", json.as_bytes());
            }
            b'Q' => {
                let id = input.pick(&["peer", "other", "", "third"]);
                let reply = input.pick(&["_sys.v4.6e.inbox.x", "_INBOX.x", "_sys.v4.6e.inbox.a b"]);
                let json = format!("{{\"instanceId\":\"{id}\"}}");
                let subject = self.names.sync();
                self.tell(index, &subject, reply, json.as_bytes());
            }
            b'H' => {
                let id = input.pick(&["peer", "other", "third", "fourth"]);
                let interval = input.pick(&["5000", "1", "0", "2147483647", "1.5"]);
                let json = format!(
                    "{{\"status\":{{\"instanceId\":\"{id}\",\"namespace\":\"n\",\"connection\":\"connected\"}},\"interval\":{interval}}}"
                );
                let subject = self.names.health(id);
                self.tell(index, &subject, "", json.as_bytes());
            }
            b'A' | b'O' => {
                // An answer to a request of the hub, or to its sync query.
                let asked = &self.servers[index].asked;
                if asked.is_empty() {
                    return;
                }
                let latest = asked.len() - 1;
                let asked = &asked[latest - input.below(asked.len())];
                let (reply, echo) = (asked.reply.clone(), asked.payload.clone());
                let body = payload(input);
                let choice = input.byte();
                let headers: &[u8] = match choice % 4 {
                    1 => b"NATS/1.0 503\r\n\r\n",
                    2 => b"NATS/1.0\r\na: b\r\n\r\n",
                    _ => b"",
                };
                let body = if choice % 4 == 1 {
                    b""
                } else if choice & 4 == 4 {
                    &echo[..]
                } else {
                    body
                };
                if let Some(sid) = self.servers[index].matching(&reply) {
                    let line = message(&reply, sid, "", headers, body);
                    self.deliver(index, &line);
                }
            }
            b'E' => {
                let subs = &self.servers[index].subs;
                let any = if subs.is_empty() { 0 } else { input.below(subs.len()) };
                let (sid, subject) = subs.get(any).cloned().unwrap_or_default();
                let text = match input.below(9) {
                    0 => format!("Permissions Violation for Subscription to \"{subject}\""),
                    1 => format!(
                        "Permissions Violation for Subscription to \"{subject}\" (sid \"{sid}\")"
                    ),
                    2 => format!(
                        "Permissions Violation for Publish to \"{}\"",
                        self.names.message(input.pick(&NAMES))
                    ),
                    3 => format!(
                        "Permissions Violation for Publish to \"{}\"",
                        self.names.state(input.pick(&NAMES))
                    ),
                    4 => "Authorization Violation".into(),
                    5 => "Slow Consumer".into(),
                    6 => "Maximum Payload Violation".into(),
                    7 => format!(
                        "Permissions Violation for Subscription to \"{subject}\" using queue \"_q.v1.6e.67726f7570\""
                    ),
                    _ => input.text().replace(['\r', '\n'], ""),
                };
                self.deliver(index, format!("-ERR '{text}'\r\n").as_bytes());
            }
            b'I' => {
                let choice = input.byte();
                let urls = ["", "\"x:1\"", "\"x:1\",\"x:1\",\"one:4222\"", "\"y:2\",\"x:1\""];
                let json = format!(
                    "INFO {{\"headers\":true,\"max_payload\":{},\"ldm\":{},\"connect_urls\":[{}]}}\r\n",
                    [0, 64, 1_048_576][usize::from(choice) % 3],
                    choice & 16 == 16,
                    urls[usize::from(choice >> 5) % 4],
                );
                self.deliver(index, json.as_bytes());
            }
            _ => {}
        }
    }
}
