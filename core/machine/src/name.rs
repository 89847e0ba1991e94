//! Names: of variables, namespaces, topics, patterns, queue groups and instances.
use crate::{
    Code, Error, Result,
    limits::{ID_BYTES, NAME_BYTES},
};
use alloc::{format, string::String};
use core::fmt::Write as _;

/// How much of a refused name an error shows, in characters.
const SHOWN: usize = 40;

/// A text from outside as errors show it: quoted, escaped and shortened.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::from("\"");
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push('…');
            break;
        }
        let _ = write!(shown, "{}", c.escape_debug());
    }
    shown.push('"');
    shown
}

/// Checks the name of a variable, a namespace or a live channel: 1 to 128 UTF-8 bytes, no control
/// character (U+0000–U+001F, U+007F). `INVALID_NAME` otherwise.
pub fn check_name(name: &str) -> Result<()> {
    check_text(name, "name", Code::InvalidName)
}

/// Checks a concrete message name: dotted, no empty segment, no `*` or `>`, besides what
/// [`check_name`] asks. `INVALID_TOPIC` otherwise.
pub fn check_topic(topic: &str) -> Result<()> {
    check_text(topic, "message name", Code::InvalidTopic)?;
    check_segments(topic, "message name")?;
    if topic.contains(['*', '>']) {
        return Err(Error::new(
            Code::InvalidTopic,
            format!(
                "the message name {} is a pattern: `*` and `>` are for sub and handle only; give one concrete name",
                shown(topic)
            ),
        ));
    }
    Ok(())
}

/// Checks a pattern of `sub` or `handle`: a message name in which `*` may stand for one whole segment and
/// a final `>` for one or more. `INVALID_TOPIC` otherwise.
pub fn check_pattern(pattern: &str) -> Result<()> {
    check_text(pattern, "pattern", Code::InvalidTopic)?;
    check_segments(pattern, "pattern")?;
    let mut segments = pattern.split('.').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        let why = match segment {
            "*" => continue,
            ">" if last => continue,
            ">" => "`>` may only be the last segment",
            _ if segment.contains(['*', '>']) => "`*` and `>` must be whole segments",
            _ => continue,
        };
        return Err(Error::new(
            Code::InvalidTopic,
            format!("the pattern {} is not valid: {why}, as in `a.*.c` or `a.>`", shown(pattern)),
        ));
    }
    Ok(())
}

/// Checks the name of a queue group: as [`check_name`], without `*` and `>`; dots are free.
/// `INVALID_TOPIC` otherwise.
pub fn check_queue(queue: &str) -> Result<()> {
    check_text(queue, "queue group", Code::InvalidTopic)?;
    if queue.contains(['*', '>']) {
        return Err(Error::new(
            Code::InvalidTopic,
            format!(
                "the queue group {} contains `*` or `>`: a group is one whole name without wildcards",
                shown(queue)
            ),
        ));
    }
    Ok(())
}

/// Checks an instance id, writer or inbox id: 1 to 128 of `A–Z a–z 0–9 _ -`. `INVALID_NAME` otherwise.
pub fn check_id(id: &str) -> Result<()> {
    if is_id(id) {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidName,
        format!("the id {} is not valid: use 1 to 128 of A-Z a-z 0-9 _ -", shown(id)),
    ))
}

/// Whether [`check_id`] would accept it.
pub fn is_id(id: &str) -> bool {
    (1..=ID_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Whether [`check_name`] would accept it.
pub fn is_name(name: &str) -> bool {
    (1..=NAME_BYTES).contains(&name.len()) && !name.bytes().any(is_control)
}

/// Whether [`check_topic`] would accept it.
pub fn is_topic(topic: &str) -> bool {
    // A dot before the first and behind the last segment, so that an empty one shows as two dots.
    let mut before = b'.';
    for byte in topic.bytes() {
        if is_control(byte) || matches!(byte, b'*' | b'>') || (byte == b'.' && before == b'.') {
            return false;
        }
        before = byte;
    }
    before != b'.' && topic.len() <= NAME_BYTES
}

/// In UTF-8 these bytes are always the characters themselves.
const fn is_control(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7F
}

fn check_text(text: &str, what: &str, code: Code) -> Result<()> {
    if text.is_empty() {
        return Err(Error::new(code, format!("the {what} is empty: give 1 to 128 UTF-8 bytes")));
    }
    if text.len() > NAME_BYTES {
        return Err(Error::over(
            code,
            format!(
                "the {what} {} is {} UTF-8 bytes long; at most {NAME_BYTES} are allowed: shorten it",
                shown(text),
                text.len()
            ),
            NAME_BYTES as u64,
            text.len() as u64,
        ));
    }
    if let Some(at) = text.bytes().position(is_control) {
        return Err(Error::new(
            code,
            format!(
                "the {what} {} has the control character U+{:04X} at byte {at}: leave out U+0000-U+001F and U+007F",
                shown(text),
                text.as_bytes()[at]
            ),
        ));
    }
    Ok(())
}

fn check_segments(topic: &str, what: &str) -> Result<()> {
    if topic.split('.').any(str::is_empty) {
        return Err(Error::new(
            Code::InvalidTopic,
            format!(
                "the {what} {} has an empty segment: put exactly one dot between segments and none at the ends",
                shown(topic)
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn codes(check: fn(&str) -> Result<()>, names: &[&str]) -> Vec<Option<Code>> {
        names.iter().map(|name| check(name).err().map(|error| error.code())).collect()
    }

    const LONG: &str = "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééx";

    #[test]
    fn variable_names_take_almost_anything() {
        let good =
            ["a", " ", "a..b", ".a", "sensor.*", ">", "传感器.温度", "😀", "\u{80}", "\u{2028}"];
        assert!(codes(check_name, &good).iter().all(Option::is_none));
        let bad = ["", "\0", "a\u{1f}", "\u{7f}", "a\nb", LONG];
        assert!(codes(check_name, &bad).iter().all(|code| *code == Some(Code::InvalidName)));
        assert!(good.iter().all(|name| is_name(name)));
        assert!(!bad.iter().any(|name| is_name(name)));
        check_name(&LONG[..128]).unwrap();
        let error = check_name(LONG).unwrap_err();
        assert_eq!((error.limit(), error.actual()), (Some(128), Some(129)));
    }

    #[test]
    fn topics_are_whole_and_concrete() {
        let good = [
            "a",
            "a.b",
            "sensor/a",
            "living room.temperature",
            "传感器.温度",
            " ",
            "a. .b",
            "é.😀",
        ];
        assert!(codes(check_topic, &good).iter().all(Option::is_none));
        let bad = [
            "", ".", "a.", ".a", "a..b", "*", ">", "a.*", "a.>", "a*", "a>b", "a.b*.c", "a\n",
            "\u{7f}", LONG,
        ];
        assert!(codes(check_topic, &bad).iter().all(|code| *code == Some(Code::InvalidTopic)));
        assert!(good.iter().all(|name| is_topic(name)));
        assert!(!bad.iter().any(|name| is_topic(name)));
    }

    #[test]
    fn patterns_have_wildcards_as_whole_segments() {
        let good = ["a", "*", ">", "a.*", "*.a", "*.*", "a.>", "*.>", "a.*.b.>", "a b.*"];
        assert!(codes(check_pattern, &good).iter().all(Option::is_none));
        let bad = [
            "", "a*", "*a", "**", "a.*b", ">a", "a>", ">>", ">.a", "a.>.b", "*>", "a..*", ".*",
            "*.", ">.", "a.\t", LONG,
        ];
        assert!(codes(check_pattern, &bad).iter().all(|code| *code == Some(Code::InvalidTopic)));
    }

    #[test]
    fn queue_groups_have_free_dots_and_no_wildcards() {
        let good = ["workers", "workers.队列", ".", "a..b", " "];
        assert!(codes(check_queue, &good).iter().all(Option::is_none));
        let bad = ["", "*", "a*b", ">", "a.>", "\r", LONG];
        assert!(codes(check_queue, &bad).iter().all(|code| *code == Some(Code::InvalidTopic)));
    }

    #[test]
    fn ids_are_plain() {
        let longest = "x".repeat(128);
        assert!(codes(check_id, &["a", "A-z_09", "-", &longest]).iter().all(Option::is_none));
        let longer = "x".repeat(129);
        let bad = ["", "a.b", "a b", "é", "*", "a\n", &longer];
        assert!(codes(check_id, &bad).iter().all(|code| *code == Some(Code::InvalidName)));
    }

    #[test]
    fn errors_show_what_was_given_escaped_and_shortened() {
        let error = check_name("a\u{1}\"b").unwrap_err();
        assert!(error.message().contains(r#""a\u{1}\"b""#), "{error}");
        assert!(error.message().contains("U+0001 at byte 1"), "{error}");
        let error = check_name(&"long".repeat(1_000)).unwrap_err();
        assert!(error.message().len() < 200, "{error}");
        assert!(error.message().contains("longlong") && error.message().contains('…'));
        assert!(check_topic("a.*").unwrap_err().message().contains("\"a.*\""));
        assert!(check_pattern("a.>.b").unwrap_err().message().contains("last segment"));
    }
}
