//! State records: what is accepted keeps the contract and comes back the same, in one form.
use crate::input::Input;
use posthouse_core::{
    Code, Counter, Record, Version, json,
    name::{is_id, is_name},
};
use serde_json::{Value, value::RawValue};

fn sound(name: &str, record: &Record) {
    assert!(is_name(name) && is_id(&record.version.writer));
    assert_eq!(Counter::parse(record.version.counter.as_str()), Some(record.version.counter));
    if let Some(value) = &record.value {
        let mut again = Vec::new();
        json::canonical(value, &mut again, &json::Limits::VALUE).expect("it was accepted");
        assert_eq!(again[..], value[..], "it is canonical");
    }
    let mut out = Vec::new();
    record.write(name, &mut out);
    let (back, read) = Record::parse(&out, &json::Limits::VALUE).expect("what is sent can be read");
    assert_eq!((back.as_str(), &read), (name, record));
    let free = json::Limits { depth: 33, nodes: 20_006, bytes: usize::MAX };
    assert_eq!(json::validate(&out, &free), Ok(()));
}

/// The fields by the letter of the contract, read with nothing of ours.
fn by_the_letter(bytes: &[u8], name: &str, record: &Record) {
    let text = std::str::from_utf8(bytes).expect("an accepted record is UTF-8");
    serde_json::from_str::<&RawValue>(text).expect("an accepted record is JSON");
    // What is passed over may hold what has no value: a number too large, half a character.
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    assert!(value.is_object(), "a record is an object");
    assert_eq!(value["name"], name);
    assert_eq!(value["version"]["counter"], record.version.counter.as_str());
    assert_eq!(value["version"]["writer"], *record.version.writer);
    assert_eq!(value["deleted"], record.value.is_none());
    assert!(value.get("scope").is_none());
    if let Some(held) = &record.value {
        let held: Value = serde_json::from_slice(held).expect("it is JSON");
        assert!(crate::json::same(&held, &value["value"]));
    }
}

fn received(bytes: &[u8]) {
    match Record::parse(bytes, &json::Limits::VALUE) {
        Ok((name, record)) => {
            by_the_letter(bytes, &name, &record);
            sound(&name, &record);
        }
        Err(error) => assert!(error.code() == Code::InvalidRecord && error.message().len() < 4_000),
    }
}

/// Two records out of choices: their order is total and a newer one is newer for both.
fn made(mut input: Input<'_>) {
    let mut record = || {
        let (counter, writer, value) = (input.text(), input.text(), input.some());
        let mut canonical = Vec::new();
        let value = json::canonical(value, &mut canonical, &json::Limits::VALUE).ok();
        let counter = Counter::parse(&counter)?;
        let version = Version { counter, writer: is_id(&writer).then(|| writer.into_boxed_str())? };
        Some(Record { version, value: value.map(|()| canonical.into_boxed_slice()) })
    };
    let (first, second) = (record(), record());
    for record in first.iter().chain(&second) {
        sound("a.b", record);
        assert!(record.cost("a.b") >= 3);
    }
    if let (Some(a), Some(b)) = (first, second) {
        assert_eq!(a.version.cmp(&b.version), b.version.cmp(&a.version).reverse());
        assert_eq!(a.version.cmp(&b.version).is_eq(), a.version == b.version);
    }
}

/// An even first byte: a record as received follows; an odd one: choices.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((mode, rest)) if mode & 1 == 1 => made(Input(rest)),
        Some((_, rest)) => received(rest),
        None => {}
    }
}
