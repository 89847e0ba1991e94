//! Subjects: how names become NATS subjects and back.
//!
//! Every name travels as the lowercase hex of its UTF-8, so whatever a person calls a thing, the broker sees
//! one plain token. [`Namespace`] keeps the prefixes of one namespace ready; the free functions say
//! the same without one. Nothing here checks names: that is `name`'s, before.
use crate::{limits::NAME_BYTES, name};
use alloc::{format, string::String, vec::Vec};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn push_hex(text: &str, out: &mut String) {
    for byte in text.bytes() {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Appends a message name or pattern with every segment in hex but `*` and `>`.
fn push_segments(topic: &str, out: &mut String) {
    for (index, segment) in topic.split('.').enumerate() {
        if index > 0 {
            out.push('.');
        }
        match segment {
            "*" | ">" => out.push_str(segment),
            _ => push_hex(segment, out),
        }
    }
}

/// The bytes of `text`, each as two lowercase hex digits.
pub fn hex(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    push_hex(text, &mut out);
    out
}

/// The text that [`hex`] made `text` of, which needs pairs of lowercase digits and valid UTF-8.
pub fn unhex(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    push_unhex(text.as_bytes(), &mut bytes)?;
    String::from_utf8(bytes).ok()
}

/// What a hex digit stands for, and for everything else a number no digit has.
const NIBBLES: [u8; 256] = {
    let mut table = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        table[DIGITS[value as usize] as usize] = value;
        value += 1;
    }
    table
};

fn push_unhex(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (pairs, rest) = text.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    for &[high, low] in pairs {
        let (high, low) = (NIBBLES[usize::from(high)], NIBBLES[usize::from(low)]);
        if high | low > 15 {
            return None;
        }
        out.push(high << 4 | low);
    }
    Some(())
}

/// The text of a subject that can be published to: valid UTF-8 without control characters and blanks,
/// no empty level, no wildcard.
pub fn concrete(subject: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(subject).ok()?;
    let plain = !text.bytes().any(|byte| byte <= b' ' || byte == 0x7F);
    let level = |level: &str| !matches!(level, "" | "*" | ">");
    (plain && text.split('.').all(level)).then_some(text)
}

/// The subject of the records of a variable.
pub fn state(namespace: &str, name: &str) -> String {
    format!("{}.{}", hex(namespace), hex(name))
}

/// The subscription to the records of all variables.
pub fn state_all(namespace: &str) -> String {
    format!("{}.*", hex(namespace))
}

/// The subject of sync queries.
pub fn sync(namespace: &str) -> String {
    format!("_sys.v4.{}.sync", hex(namespace))
}

/// The inbox for the answers to one sync query.
pub fn inbox(namespace: &str, id: &str) -> String {
    format!("_sys.v4.{}.inbox.{id}", hex(namespace))
}

/// The subject of an instance's health reports.
pub fn health(namespace: &str, instance_id: &str) -> String {
    format!("_sys.v4.{}.health.{instance_id}", hex(namespace))
}

/// The subscription to the health reports of all instances.
pub fn health_all(namespace: &str) -> String {
    health(namespace, "*")
}

/// The subject of a message.
pub fn message(namespace: &str, topic: &str) -> String {
    pattern(namespace, topic)
}

/// The subscription to a message name or pattern.
pub fn pattern(namespace: &str, pattern: &str) -> String {
    let mut out = message_prefix(namespace);
    push_segments(pattern, &mut out);
    out
}

/// The broker's name of a queue group.
pub fn queue(namespace: &str, queue: &str) -> String {
    format!("_q.v1.{}.{}", hex(namespace), hex(queue))
}

/// What the subjects of all messages of a namespace begin with, the last dot included.
pub fn message_prefix(namespace: &str) -> String {
    format!("_msg.v1.{}.", hex(namespace))
}

/// The message name that `subject` carries, where it begins with the namespace's `prefix`
/// ([`message_prefix`]) and is spelled the one canonical way. `None` for anything else: other digits than
/// lowercase, half a byte, invalid UTF-8, a dot or wildcard inside a segment, a control character,
/// a name too long.
pub fn message_topic(prefix: &str, subject: &str) -> Option<String> {
    let rest = subject.strip_prefix(prefix)?;
    if rest.len() > 2 * NAME_BYTES {
        return None;
    }
    let dots = rest.bytes().filter(|&byte| byte == b'.').count();
    let mut topic = Vec::with_capacity(dots + (rest.len() - dots) / 2);
    for (index, token) in rest.as_bytes().split(|&byte| byte == b'.').enumerate() {
        if index > 0 {
            topic.push(b'.');
        }
        let start = topic.len();
        push_unhex(token, &mut topic)?;
        if topic.get(start..)?.contains(&b'.') {
            return None;
        }
        // Two segments must not join into a valid character.
        core::str::from_utf8(topic.get(start..)?).ok()?;
    }
    let topic = String::from_utf8(topic).ok()?;
    name::is_topic(&topic).then_some(topic)
}

/// One namespace with the prefixes of its subjects ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    name: String,
    state: String,
    system: String,
    message: String,
    queue: String,
}

impl Namespace {
    /// The subjects of the namespace `name`. `INVALID_NAME` if that is no name.
    pub fn new(name: &str) -> crate::Result<Self> {
        name::check_name(name)?;
        let hex = hex(name);
        Ok(Self {
            name: name.into(),
            state: format!("{hex}."),
            system: format!("_sys.v4.{hex}."),
            message: format!("_msg.v1.{hex}."),
            queue: format!("_q.v1.{hex}."),
        })
    }

    /// The name as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn with_hex(prefix: &str, name: &str) -> String {
        let mut out = String::with_capacity(prefix.len() + name.len() * 2);
        out.push_str(prefix);
        push_hex(name, &mut out);
        out
    }

    /// The subject of the records of a variable.
    pub fn state(&self, name: &str) -> String {
        Self::with_hex(&self.state, name)
    }

    /// The subscription to the records of all variables.
    pub fn state_all(&self) -> String {
        format!("{}*", self.state)
    }

    /// The variable whose records travel on `subject`; `None` if that is no canonical subject of one.
    pub fn state_name(&self, subject: &str) -> Option<String> {
        let name = unhex(subject.strip_prefix(&*self.state)?)?;
        name::is_name(&name).then_some(name)
    }

    /// Whether the SDK itself uses `subject`: for sync, reports or their answers.
    pub fn is_system(&self, subject: &str) -> bool {
        subject.starts_with(&*self.system)
    }

    /// The subject of sync queries.
    pub fn sync(&self) -> String {
        format!("{}sync", self.system)
    }

    /// The inbox for the answers to one sync query.
    pub fn inbox(&self, id: &str) -> String {
        format!("{}inbox.{id}", self.system)
    }

    /// The id in `subject`, where that is an inbox for sync answers.
    pub fn inbox_id<'a>(&self, subject: &'a str) -> Option<&'a str> {
        self.system_id(subject, "inbox.")
    }

    /// The subject of an instance's health reports.
    pub fn health(&self, instance_id: &str) -> String {
        format!("{}health.{instance_id}", self.system)
    }

    /// The subscription to the health reports of all instances.
    pub fn health_all(&self) -> String {
        self.health("*")
    }

    /// The instance whose health reports travel on `subject`.
    pub fn health_id<'a>(&self, subject: &'a str) -> Option<&'a str> {
        self.system_id(subject, "health.")
    }

    fn system_id<'a>(&self, subject: &'a str, kind: &str) -> Option<&'a str> {
        let id = subject.strip_prefix(&*self.system)?.strip_prefix(kind)?;
        name::is_id(id).then_some(id)
    }

    /// What the subjects of all messages begin with, the last dot included.
    pub fn message_prefix(&self) -> &str {
        &self.message
    }

    /// The subject of a message.
    pub fn message(&self, topic: &str) -> String {
        self.pattern(topic)
    }

    /// The subscription to a message name or pattern.
    pub fn pattern(&self, pattern: &str) -> String {
        let mut out = String::with_capacity(self.message.len() + pattern.len() * 2);
        out.push_str(&self.message);
        push_segments(pattern, &mut out);
        out
    }

    /// The broker's name of a queue group.
    pub fn queue(&self, queue: &str) -> String {
        Self::with_hex(&self.queue, queue)
    }

    /// The message name that `subject` carries, as [`message_topic`].
    pub fn message_topic(&self, subject: &str) -> Option<String> {
        message_topic(&self.message, subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_vectors_of_the_contract() {
        let ns = Namespace::new("workshop").unwrap();
        let pairs = [
            (message("workshop", "battery"), "_msg.v1.776f726b73686f70.62617474657279"),
            (ns.message("battery"), "_msg.v1.776f726b73686f70.62617474657279"),
            (pattern("workshop", "sensor.*"), "_msg.v1.776f726b73686f70.73656e736f72.*"),
            (ns.pattern("sensor.>"), "_msg.v1.776f726b73686f70.73656e736f72.>"),
            (ns.pattern(">"), "_msg.v1.776f726b73686f70.>"),
            (
                queue("workshop", "workers.队列"),
                "_q.v1.776f726b73686f70.776f726b6572732ee9989fe58897",
            ),
            (ns.queue("workers.队列"), "_q.v1.776f726b73686f70.776f726b6572732ee9989fe58897"),
            (state("workshop", "battery"), "776f726b73686f70.62617474657279"),
            (ns.state("a.b"), "776f726b73686f70.612e62"),
            (state_all("workshop"), "776f726b73686f70.*"),
            (sync("workshop"), "_sys.v4.776f726b73686f70.sync"),
            (inbox("workshop", "a-1"), "_sys.v4.776f726b73686f70.inbox.a-1"),
            (health("workshop", "a_1"), "_sys.v4.776f726b73686f70.health.a_1"),
            (health_all("workshop"), "_sys.v4.776f726b73686f70.health.*"),
        ];
        for (given, wanted) in pairs {
            assert_eq!(given, wanted);
        }
        assert_eq!(ns.state_all(), state_all("workshop"));
        assert_eq!(ns.sync(), sync("workshop"));
        assert_eq!(ns.inbox("x"), inbox("workshop", "x"));
        assert_eq!(ns.health("x"), health("workshop", "x"));
        assert_eq!(ns.health_all(), health_all("workshop"));
        assert_eq!(ns.message_prefix(), message_prefix("workshop"));
        assert_ne!(hex("\u{e9}"), hex("e\u{301}"), "composed and decomposed are two names");
    }

    #[test]
    fn a_reply_goes_only_to_what_is_one_plain_subject() {
        for good in ["_INBOX.a.1", "r", "é", "a*", "$JS.ACK"] {
            assert_eq!(concrete(good.as_bytes()), Some(good));
        }
        for bad in
            ["", "a..b", ".a", "a.", "*", "a.>", "a b", "a\tb", "r\nPUB", "r\r", "\0", "\u{7f}"]
        {
            assert_eq!(concrete(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(concrete(b"\xff"), None);
    }

    #[test]
    fn ids_come_back_out_of_system_subjects() {
        let ns = Namespace::new("workshop").unwrap();
        assert_eq!(ns.inbox_id("_sys.v4.776f726b73686f70.inbox.a-1"), Some("a-1"));
        assert_eq!(ns.health_id("_sys.v4.776f726b73686f70.health.A_b"), Some("A_b"));
        for bad in ["", "*", "a.b", "é", "a b", &"x".repeat(129)] {
            assert_eq!(ns.inbox_id(&ns.inbox(bad)), None, "{bad}");
            assert_eq!(ns.health_id(&ns.health(bad)), None, "{bad}");
        }
        assert_eq!(ns.inbox_id("_sys.v4.776f.inbox.a"), None);
        assert_eq!(ns.inbox_id("_INBOX.a"), None);
        assert_eq!(ns.health_id(&ns.inbox("a")), None);
    }

    #[test]
    fn state_names_come_back_only_from_canonical_subjects() {
        let ns = Namespace::new("n").unwrap();
        for name in ["battery", "a..b", ".a", "sensor.*", ">", " ", "传感器", "😀"] {
            assert_eq!(ns.state_name(&ns.state(name)).as_deref(), Some(name));
        }
        for bad in ["", "6", "6A", "zz", "6z", "ff", "c3", "00", "7f", "61.62", "*"] {
            assert_eq!(ns.state_name(&format!("6e.{bad}")), None, "{bad}");
        }
        assert_eq!(ns.state_name("6f.61"), None);
        assert_eq!(ns.state_name(&format!("6e.{}", "61".repeat(129))), None);
    }

    #[test]
    fn topics_come_back_only_from_canonical_subjects() {
        let ns = Namespace::new("n").unwrap();
        for topic in ["a", "a.b.c", "sensor/a", "living room.temperature", "传感器.温度", "😀.é"]
        {
            let subject = ns.message(topic);
            assert_eq!(ns.message_topic(&subject).as_deref(), Some(topic));
        }
        let bad = [
            ("", "no segment"),
            ("61.", "an empty last segment"),
            (".61", "an empty first segment"),
            ("61..62", "an empty segment"),
            ("4A", "uppercase digits"),
            ("6", "half a byte"),
            ("61.6", "half a byte behind a whole one"),
            ("zz", "no digits"),
            ("ff", "no UTF-8"),
            ("e9.98.9f", "a character cut in three"),
            ("612e62", "a dot inside a segment"),
            ("2e", "a lone dot"),
            ("2a", "an encoded star"),
            ("3e", "an encoded arrow"),
            ("61.*", "a pattern"),
            ("61.>", "a pattern"),
            ("6100", "a NUL"),
            ("7f", "a delete"),
            ("612a", "a star inside"),
        ];
        for (rest, why) in bad {
            assert_eq!(ns.message_topic(&format!("_msg.v1.6e.{rest}")), None, "{why}");
        }
        assert_eq!(ns.message_topic("_msg.v1.6f.61"), None, "another namespace");
        assert_eq!(ns.message_topic("_msg.v1.6e"), None);
        let longest = "61".repeat(128);
        assert!(ns.message_topic(&format!("_msg.v1.6e.{longest}")).is_some());
        assert_eq!(ns.message_topic(&format!("_msg.v1.6e.{longest}61")), None);
    }

    #[test]
    fn hex_round_trips() {
        let mut rng = Rng::new(7);
        for _ in 0..2_000 {
            let text: String = (0..rng.below(20))
                .filter_map(|_| char::from_u32(rng.below(0x11_0000) as u32))
                .collect();
            assert_eq!(unhex(&hex(&text)), Some(text));
        }
        assert_eq!(unhex("").as_deref(), Some(""));
        for bad in ["0", "0G", "6A", "é", "ed a0", "eda080", " 61", "+1", "6 "] {
            assert_eq!(unhex(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_namespace_must_be_a_name() {
        assert_eq!(Namespace::new("").unwrap_err().code(), crate::Code::InvalidName);
        assert_eq!(Namespace::new("a\nb").unwrap_err().code(), crate::Code::InvalidName);
        assert_eq!(Namespace::new("a.b *").unwrap().name(), "a.b *");
    }
}
