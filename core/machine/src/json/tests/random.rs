//! Seeded random texts, judged by serde_json too.
use super::*;
use crate::rng::Rng;
use alloc::{borrow::Cow, format};
use core::fmt::Write as _;
use serde_json::Value;

fn number(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => format!("{}", rng.below(1000)),
        1 => format!("-{}", rng.below(1 << 53)),
        2 => format!("{}.{:03}", rng.below(1000), rng.below(1000)),
        3 => format!("{}e-{}", rng.below(100), rng.below(30)),
        4 => format!("{}.0", rng.below(1000)),
        _ => {
            let float = f64::from_bits(rng.next_u64());
            if float.abs() < 9e15 { format!("{float:e}") } else { "0.1".into() }
        }
    }
}

fn string(rng: &mut Rng) -> String {
    let mut text = String::from("\"");
    for _ in 0..rng.below(14) {
        match rng.below(9) {
            0 => text.push_str([r"\n", r#"\""#, r"\\", r"\/", r"\b"][rng.below(5) as usize]),
            1 => write!(text, "\\u{:04x}", rng.below(0xD800)).unwrap(),
            2 => {
                let (high, low) = (0xD800 + rng.below(0x400), 0xDC00 + rng.below(0x400));
                write!(text, "\\u{high:04X}\\u{low:04X}").unwrap();
            }
            3 => text.extend(char::from_u32(0x80 + rng.below(0x10_FF00) as u32)),
            _ => text.push((b'a' + rng.below(26) as u8) as char),
        }
    }
    text.push('"');
    text
}

fn value(rng: &mut Rng, depth: u32) -> String {
    let space = |rng: &mut Rng| ["", "", "", " ", "\n\t"][rng.below(5) as usize];
    match rng.below(if depth > 4 { 4 } else { 8 }) {
        0 => ["null", "true", "false"][rng.below(3) as usize].into(),
        1 => number(rng),
        2 | 3 => string(rng),
        kind => {
            let object = kind < 6;
            let mut text = String::from(if object { "{" } else { "[" });
            for index in 0..rng.below(6) {
                text.push_str(if index > 0 { "," } else { "" });
                text.push_str(space(rng));
                if object {
                    text.push_str(&string(rng));
                    text.push_str(space(rng));
                    text.push(':');
                }
                text.push_str(&value(rng, depth + 1));
                text.push_str(space(rng));
            }
            text.push(if object { '}' } else { ']' });
            text
        }
    }
}

/// Equality in which 1 is 1.0.
fn same(a: &Value, b: &Value) -> bool {
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

#[test]
fn good_texts_keep_their_value_in_every_form() {
    let mut rng = Rng::new(1);
    for _ in 0..4_000 {
        let text = value(&mut rng, 0);
        let bytes = text.as_bytes();
        assert_eq!(validate(bytes, &Limits::VALUE), Ok(()), "{text}");
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let sorted = rewritten(canonical, bytes).unwrap();
        let as_met = rewritten(normalize, bytes).unwrap();
        let spelled = respelled(bytes, &Limits { bytes: 1 << 20, ..Limits::VALUE }).unwrap();
        assert_eq!(rewritten(normalize, &spelled).as_ref(), Ok(&as_met));
        assert!(matches!(spelled, Cow::Borrowed(_)) || *spelled == *as_met.as_bytes());
        for form in [&sorted, &as_met] {
            let back: Value = serde_json::from_str(form).unwrap();
            assert!(same(&back, &parsed), "{text}\n{form}");
            assert_eq!(rewritten(canonical, form.as_bytes()).as_ref(), Ok(&sorted));
        }
        assert_eq!(rewritten(normalize, as_met.as_bytes()).as_ref(), Ok(&as_met));
        let mut written = Vec::new();
        to_vec(&parsed, &mut written, &Limits::VALUE).unwrap();
        assert_eq!(rewritten(canonical, &written), Ok(sorted));
        assert_eq!(rewritten(normalize, &written), Ok(as_met));
        let mut raw = Vec::new();
        let raw_value: &serde_json::value::RawValue = serde_json::from_str(&text).unwrap();
        to_vec(raw_value, &mut raw, &Limits::VALUE).unwrap();
        assert_eq!(rewritten(normalize, bytes).unwrap().as_bytes(), raw);
    }
}

#[test]
fn changed_texts_are_judged_as_serde_json_judges_them() {
    let mut rng = Rng::new(2);
    let mut refused = 0;
    for _ in 0..30_000 {
        let mut text = value(&mut rng, 2).into_bytes();
        for _ in 0..=rng.below(2) {
            let at = rng.below(text.len() as u64) as usize;
            let byte = match rng.below(4) {
                0 => rng.below(256) as u8,
                _ => b"{}[]\",:\\0123456789.eE+-tfn u \n\x1f"[rng.below(31) as usize],
            };
            match rng.below(3) {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ if text.len() > 1 => drop(text.remove(at)),
                _ => {}
            }
        }
        let theirs = serde_json::from_slice::<Value>(&text);
        let shown = String::from_utf8_lossy(&text);
        match validate(&text, &Limits::VALUE) {
            Ok(()) => assert!(theirs.is_ok(), "{shown}"),
            // Numbers that serde_json lets pass are no mistake of grammar.
            Err(error) if error.fault == Fault::Number => refused += 1,
            Err(error) => {
                refused += 1;
                assert!(theirs.is_err(), "{shown} {error:?}");
                assert!(error.at <= text.len());
            }
        }
    }
    assert!(refused > 5_000, "the changes must hurt: {refused}");
}

#[test]
fn objects_of_many_members_are_put_in_order() {
    let mut rng = Rng::new(9);
    for count in [1, 5, 12, 13, 40, 900] {
        let members: Vec<String> = (0..count)
            .map(|index| {
                let key = rng.below(count * 2);
                if index % 3 == 0 {
                    format!("\"{key}\":{index}")
                } else {
                    format!("\"k{key}\":{index}")
                }
            })
            .collect();
        let text = format!("{{{}}}", members.join(","));
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let Value::Object(wanted) = &parsed else { unreachable!() };
        let mut numbered: Vec<(u32, &Value)> =
            wanted.iter().filter_map(|(key, value)| Some((key.parse().ok()?, value))).collect();
        numbered.sort_by_key(|(number, _)| *number);
        let numbered = numbered.iter().map(|(number, value)| format!("\"{number}\":{value}"));
        let mut named: Vec<_> = wanted.iter().filter(|(key, _)| key.starts_with('k')).collect();
        let join = |named: &[(&String, &Value)]| {
            let named = named.iter().map(|(key, value)| format!("\"{key}\":{value}"));
            format!("{{{}}}", numbered.clone().chain(named).collect::<Vec<_>>().join(","))
        };
        assert_eq!(rewritten(normalize, text.as_bytes()), Ok(join(&named)));
        named.sort_by_key(|(key, _)| key.as_str());
        assert_eq!(rewritten(canonical, text.as_bytes()), Ok(join(&named)));
    }
}
