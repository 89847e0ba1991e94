//! JSON texts: accepted and refused as serde_json does where the rules are the same, and rewritten without
//! a change of value, in one form for equal values.
use crate::input::Input;
use posthouse_core::json::{Fault, JsonError, Limits, canonical, normalize, to_vec, validate};
use serde_json::Value;

/// Equality in which 1 is 1.0.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

type Rewrite = fn(&[u8], &mut Vec<u8>, &Limits) -> Result<(), JsonError>;

fn rewritten(rewrite: Rewrite, text: &[u8], limits: &Limits) -> Result<Vec<u8>, JsonError> {
    let mut out = b"before".to_vec();
    let done = rewrite(text, &mut out, limits);
    assert!(out.starts_with(b"before"));
    let written = out.split_off(6);
    match done {
        Ok(()) => {
            assert!(written.len() <= limits.bytes);
            Ok(written)
        }
        Err(error) => {
            assert!(written.is_empty(), "an error leaves nothing behind");
            Err(error)
        }
    }
}

/// The value that serde_json reads, if it accepts the text.
fn theirs(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

/// The order that `JSON.stringify` gives: integer-like keys first by number; the others sorted by UTF-16, or
/// as they came.
fn in_order(value: &Value, sorted: bool) {
    match value {
        Value::Array(all) => all.iter().for_each(|value| in_order(value, sorted)),
        Value::Object(all) => {
            let number = |key: &String| {
                let number = key.parse::<u32>().ok().filter(|n| *n < u32::MAX)?;
                (number.to_string() == *key).then_some(number)
            };
            let keys: Vec<&String> = all.keys().collect();
            for pair in keys.windows(2) {
                match (number(pair[0]), number(pair[1])) {
                    (Some(a), Some(b)) => assert!(a < b, "{a} before {b}"),
                    (None, Some(_)) => panic!("{:?} before {:?}", pair[0], pair[1]),
                    (None, None) if sorted => {
                        let order = pair[0].encode_utf16().cmp(pair[1].encode_utf16());
                        assert!(order.is_lt(), "{:?} before {:?}", pair[0], pair[1]);
                    }
                    _ => {}
                }
            }
            all.values().for_each(|value| in_order(value, sorted));
        }
        _ => {}
    }
}

fn judged(text: &[u8], limits: &Limits) {
    let ours = validate(text, limits);
    if let Err(error) = &ours {
        assert!(error.at <= text.len());
        assert!(!error.to_string().is_empty());
    }
    let parsed = theirs(text);
    match ours.as_ref().map_err(|error| error.fault) {
        Ok(()) => {}
        Err(Fault::Syntax | Fault::Unicode) => {
            return assert!(parsed.is_none(), "serde_json takes it");
        }
        // The rest of the text was not looked at; what passes a limit may still be JSON.
        Err(Fault::Number | Fault::Depth | Fault::Nodes | Fault::Size) => {
            // Rewriting bounds what is written; the other limits are the same.
            if !matches!(ours, Err(JsonError { fault: Fault::Size, .. })) {
                assert_eq!(rewritten(canonical, text, limits).err(), ours.err());
            }
            return;
        }
        Err(Fault::Type) => panic!("a text has no types"),
    }
    let parsed = parsed.expect("serde_json refuses it");
    for (rewrite, sorted) in [(canonical as Rewrite, true), (normalize, false)] {
        let form = match rewritten(rewrite, text, limits) {
            Ok(form) => form,
            Err(error) => {
                assert_eq!(error.fault, Fault::Size, "only the size can change");
                continue;
            }
        };
        assert_eq!(validate(&form, limits), Ok(()));
        let back = theirs(&form).expect("what is written is JSON");
        assert!(same(&back, &parsed));
        in_order(&back, sorted);
        assert_eq!(rewritten(rewrite, &form, limits).as_ref(), Ok(&form), "once is enough");
        // Equal values have equal bytes, whichever way they came.
        let mut written = Vec::new();
        if to_vec(&parsed, &mut written, limits).is_ok() {
            assert_eq!(validate(&written, limits), Ok(()));
            assert_eq!(rewritten(rewrite, &written, limits).as_ref(), Ok(&form));
        }
    }
    let mut raw = Vec::new();
    if let Ok(value) = serde_json::from_slice::<&serde_json::value::RawValue>(text)
        && to_vec(value, &mut raw, limits).is_ok()
    {
        assert_eq!(rewritten(normalize, value.get().as_bytes(), limits), Ok(raw));
    }
}

/// First byte: which limits. Then the text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let limits = match input.below(4) {
        0 | 1 => Limits::VALUE,
        2 => Limits { depth: 2, nodes: 6, bytes: 24 },
        _ => Limits { depth: input.below(66), nodes: input.below(40), bytes: input.below(80) },
    };
    judged(input.0, &limits);
}
