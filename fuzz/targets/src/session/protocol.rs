//! What a hub writes, read strictly: anything else than whole, valid client frames is a fault.
use posthouse_core::Headers;
use serde_json::Value;

/// A frame of a client.
#[derive(Debug)]
pub(crate) enum Said {
    Connect,
    Ping,
    Pong,
    Subscribe { subject: String, sid: u64 },
    Unsubscribe { sid: u64 },
    Publish { subject: String, reply: Option<String>, payload: Vec<u8> },
}

fn number(word: &str) -> u64 {
    let number: u64 = word.parse().unwrap_or_else(|_| panic!("{word:?} is no number"));
    assert_eq!(number.to_string(), word);
    number
}

/// A subject as the protocol takes it: levels that are not empty, nothing that ends a word.
fn subject(word: &str) -> String {
    assert!(!word.chars().any(|c| c.is_ascii_control() || c == ' '), "the subject {word:?}");
    assert!(word.split('.').all(|level| !level.is_empty()), "the subject {word:?}");
    word.to_owned()
}

/// Reads one frame and moves `bytes` past it.
fn frame(bytes: &mut &[u8]) -> Said {
    let end = bytes.windows(2).position(|two| two == b"\r\n").expect("an unfinished line");
    let line = std::str::from_utf8(&bytes[..end]).expect("a line that is no text");
    *bytes = &bytes[end + 2..];
    let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
    let words: Vec<&str> = args.split(' ').collect();
    let mut body = |size: &str| {
        let size = number(size) as usize;
        let (body, rest) = bytes.split_at_checked(size).expect("a body cut short");
        *bytes = rest.strip_prefix(b"\r\n").expect("a body without an end");
        body.to_vec()
    };
    match (verb, &words[..]) {
        ("CONNECT", _) => {
            let value: Value = serde_json::from_str(args).expect("CONNECT without JSON");
            assert!(value["headers"] == true && value["echo"] == true && value["protocol"] == 1);
            Said::Connect
        }
        ("PING", [""]) => Said::Ping,
        ("PONG", [""]) => Said::Pong,
        ("SUB", [name, sid]) => Said::Subscribe { subject: subject(name), sid: number(sid) },
        ("SUB", [name, queue, sid]) => {
            subject(queue);
            Said::Subscribe { subject: subject(name), sid: number(sid) }
        }
        ("UNSUB", [sid]) => Said::Unsubscribe { sid: number(sid) },
        ("PUB", [name, reply @ .., size]) if reply.len() < 2 => {
            let reply = reply.first().map(|word| subject(word));
            Said::Publish { subject: subject(name), reply, payload: body(size) }
        }
        ("HPUB", [name, reply @ .., header, size]) if reply.len() < 2 => {
            let reply = reply.first().map(|word| subject(word));
            let mut payload = body(size);
            let rest = payload.split_off(number(header) as usize);
            let (status, headers) = Headers::decode(&payload).expect("headers that nobody takes");
            assert!(status.is_none() && !headers.is_empty());
            Said::Publish { subject: subject(name), reply, payload: rest }
        }
        _ => panic!("a frame that no server takes: {line:?}"),
    }
}

/// Reads all frames; the last one must be whole.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<Said> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        all.push(frame(&mut bytes));
    }
    all
}
