//! Names and subjects: every name has one subject and comes back from it, no other subject gives a name,
//! and what is refused is refused with the code of its rule.
use crate::input::Input;
use posthouse_core::{
    Code, Counter,
    name::{
        check_id, check_name, check_pattern, check_queue, check_topic, is_id, is_name, is_topic,
    },
    subject::{self, Namespace},
};

fn code(result: posthouse_core::Result<()>) -> Option<Code> {
    result.err().map(|error| {
        assert!(error.message().len() < 400, "{error}");
        error.code()
    })
}

/// One token or several: nothing that the protocol reads as something else.
fn plain(subject: &str) {
    assert!(!subject.is_empty() && subject.bytes().all(|b| b.is_ascii_graphic()), "{subject:?}");
    assert!(subject.split('.').all(|token| !token.is_empty()), "{subject}");
}

/// Whether a NATS pattern matches a subject.
fn matches(pattern: &str, subject: &str) -> bool {
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
}

fn name(ns: &Namespace, space: &str, text: &str) {
    let control = text.chars().any(|c| c < ' ' || c == '\u{7f}');
    let fits = (1..=128).contains(&text.len()) && !control;
    assert_eq!(code(check_name(text)), (!fits).then_some(Code::InvalidName));
    assert_eq!(is_name(text), fits);
    let hex = subject::hex(text);
    assert_eq!(subject::unhex(&hex).as_deref(), Some(text));
    let id = fits && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    assert_eq!(code(check_id(text)), (!id).then_some(Code::InvalidName));
    assert_eq!(is_id(text), id);
    for (made, read) in [
        (ns.inbox(text), ns.inbox_id(&ns.inbox(text)).map(str::to_owned)),
        (ns.health(text), ns.health_id(&ns.health(text)).map(str::to_owned)),
    ] {
        assert_eq!(read, id.then(|| text.to_owned()), "{made}");
    }
    let queue = fits && !text.contains(['*', '>']);
    assert_eq!(code(check_queue(text)), (!queue).then_some(Code::InvalidTopic));
    if fits {
        let state = ns.state(text);
        plain(&state);
        assert_eq!(state, subject::state(space, text));
        assert_eq!(ns.state_name(&state).as_deref(), Some(text));
        assert!(matches(&ns.state_all(), &state));
        plain(&ns.queue(text));
        assert_eq!(ns.queue(text), subject::queue(space, text));
    }
    let whole = |segment: &str| !segment.contains(['*', '>']);
    let segments: Vec<&str> = text.split('.').collect();
    let topic = fits && segments.iter().all(|s| !s.is_empty() && whole(s));
    assert_eq!(code(check_topic(text)), (!topic).then_some(Code::InvalidTopic));
    assert_eq!(is_topic(text), topic);
    let last = segments.len() - 1;
    let pattern = fits
        && segments
            .iter()
            .enumerate()
            .all(|(at, s)| !s.is_empty() && (whole(s) || *s == "*" || (*s == ">" && at == last)));
    assert_eq!(code(check_pattern(text)), (!pattern).then_some(Code::InvalidTopic));
    if topic {
        let message = ns.message(text);
        plain(&message);
        assert_eq!(message, subject::message(space, text));
        assert_eq!(ns.message_topic(&message).as_deref(), Some(text));
        assert!(pattern && ns.state_name(&message).is_none());
    }
    if pattern {
        plain(&ns.pattern(text));
        assert_eq!(ns.pattern(text), subject::pattern(space, text));
    }
}

/// A pattern matches the same names before and after coding.
fn pair(ns: &Namespace, pattern: &str, topic: &str) {
    if code(check_pattern(pattern)).is_none() && code(check_topic(topic)).is_none() {
        let coded = matches(&ns.pattern(pattern), &ns.message(topic));
        assert_eq!(coded, matches(pattern, topic), "{pattern:?} {topic:?}");
    }
}

/// A subject from outside gives a name only if that name's subject is the very same.
fn foreign(ns: &Namespace, text: &str) {
    if let Some(name) = ns.state_name(text) {
        assert!(is_name(&name) && ns.state(&name) == text);
    }
    if let Some(topic) = ns.message_topic(text) {
        assert!(is_topic(&topic) && ns.message(&topic) == text);
    }
    if let Some(plain) = subject::unhex(text) {
        assert_eq!(subject::hex(&plain), text);
    }
    for (id, again) in [
        (ns.inbox_id(text), ns.inbox_id(text).map(|id| ns.inbox(id))),
        (ns.health_id(text), ns.health_id(text).map(|id| ns.health(id))),
    ] {
        assert!(id.is_none_or(is_id) && again.is_none_or(|again| again == text));
    }
}

/// Counters are numbers, however long.
fn counters(a: &str, b: &str) {
    let good = |text: &str| {
        matches!(text.as_bytes(), [b'1'..=b'9', rest @ ..]
            if rest.len() < 40 && rest.iter().all(u8::is_ascii_digit))
    };
    for text in [a, b] {
        let counter = Counter::parse(text);
        assert_eq!(counter.is_some(), good(text), "{text:?}");
        if let Some(counter) = counter {
            assert_eq!(counter.as_str(), text);
            match (counter.next(), text.parse::<u128>()) {
                (Some(next), Ok(number)) if number < u128::MAX => {
                    assert_eq!(next.as_str(), (number + 1).to_string());
                }
                (Some(next), _) => assert!(next > counter && good(next.as_str())),
                (None, _) => assert!(text.len() == 40 && text.bytes().all(|b| b == b'9')),
            }
        }
    }
    if let (Some(x), Some(y)) = (Counter::parse(a), Counter::parse(b)) {
        let wanted = (a.len(), a).cmp(&(b.len(), b));
        assert_eq!(x.cmp(&y), wanted);
    }
}

/// A namespace and two texts, each behind its length.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let space = input.text();
    let (a, b) = (input.text(), input.text());
    let ns = match Namespace::new(&space) {
        Ok(ns) => ns,
        Err(error) => {
            assert!(error.code() == Code::InvalidName && !is_name(&space));
            return;
        }
    };
    assert_eq!(ns.name(), space);
    for text in [&a, &b] {
        name(&ns, &space, text);
        foreign(&ns, text);
        foreign(&ns, &format!("{}{text}", ns.message_prefix()));
        foreign(&ns, &format!("{}.{text}", subject::hex(&space)));
    }
    pair(&ns, &a, &b);
    counters(&a, &b);
}
