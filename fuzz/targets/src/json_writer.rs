//! The JSON writer: any value written piece by piece is the JSON of that value, and the limits refuse while
//! writing what they refuse while reading.
use crate::{input::Input, json::same};
use posthouse_core::json::{Fault, Limits, MAX_INTEGER, Writer, normalize, validate};
use serde_json::{Map, Number, Value};

/// What to call on the writer.
enum Piece {
    Begin(bool),
    End(bool),
    Key(String),
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    Str(String),
    Raw(Vec<u8>),
}

fn put(writer: &mut Writer<'_>, piece: &Piece) -> Result<(), Fault> {
    match piece {
        Piece::Begin(true) => writer.begin_object(),
        Piece::Begin(false) => writer.begin_array(),
        Piece::End(true) => writer.end_object(),
        Piece::End(false) => writer.end_array(),
        Piece::Key(key) => writer.key(key),
        Piece::Null => writer.null(),
        Piece::Bool(value) => writer.bool(*value),
        Piece::I64(value) => writer.i64(*value),
        Piece::U64(value) => writer.u64(*value),
        Piece::F64(value) => writer.f64(*value),
        Piece::Str(text) => writer.str(text),
        Piece::Raw(text) => writer.raw(text).map_err(|error| error.fault),
    }
}

fn in_range(value: f64) -> bool {
    value.abs() <= MAX_INTEGER as f64
}

/// A value out of choices: the pieces that write it and the value, or none if it has no JSON form.
fn value(input: &mut Input<'_>, depth: usize, pieces: &mut Vec<Piece>) -> Option<Value> {
    let kind = input.below(if depth > 6 { 9 } else { 13 });
    match kind {
        0 => {
            pieces.push(Piece::Null);
            Some(Value::Null)
        }
        1 => {
            let truth = input.byte() & 1 == 1;
            pieces.push(Piece::Bool(truth));
            Some(truth.into())
        }
        2 => {
            let number = (input.u64() >> (input.byte() % 64)).cast_signed();
            pieces.push(Piece::I64(number));
            (-MAX_INTEGER..=MAX_INTEGER).contains(&number).then(|| number.into())
        }
        3 => {
            let number = input.u64() >> (input.byte() % 64);
            pieces.push(Piece::U64(number));
            (number <= MAX_INTEGER.cast_unsigned()).then(|| number.into())
        }
        4 => {
            let number = f64::from_bits(input.u64());
            pieces.push(Piece::F64(number));
            in_range(number).then(|| Number::from_f64(number).map(Value::Number))?
        }
        5 => {
            // Decimals as people write them.
            let number = (input.u64() >> 16) as f64 / 10_f64.powi(i32::from(input.byte() % 20));
            pieces.push(Piece::F64(number));
            in_range(number).then(|| Number::from_f64(number).map(Value::Number))?
        }
        6 => {
            let text = input.some().to_vec();
            let known = validate(&text, &Limits { bytes: usize::MAX, ..Limits::VALUE }).ok();
            let known = known.and_then(|()| serde_json::from_slice(&text).ok());
            pieces.push(Piece::Raw(text));
            known
        }
        7 | 8 => {
            let text = input.text();
            pieces.push(Piece::Str(text.clone()));
            Some(text.into())
        }
        _ => {
            let object = kind < 11;
            let (mut members, mut elements) = (Map::new(), Vec::new());
            let mut sound = true;
            pieces.push(Piece::Begin(object));
            for _ in 0..input.below(6) {
                let key = object.then(|| input.text());
                pieces.extend(key.clone().map(Piece::Key));
                match (value(input, depth + 1, pieces), key) {
                    (Some(value), Some(key)) => drop(members.insert(key, value)),
                    (Some(value), None) => elements.push(value),
                    (None, _) => sound = false,
                }
            }
            pieces.push(Piece::End(object));
            let whole = if object { Value::Object(members) } else { Value::Array(elements) };
            sound.then_some(whole)
        }
    }
}

/// Writes the pieces behind something else; an error must leave that as it was.
fn written(pieces: &[Piece], limits: &Limits) -> Result<Vec<u8>, Fault> {
    let mut out = b"before".to_vec();
    let mut writer = Writer::new(&mut out, limits);
    let fault = pieces.iter().find_map(|piece| put(&mut writer, piece).err());
    if let Some(fault) = fault {
        let error = writer.error(fault);
        assert!(error.fault == fault && !error.to_string().is_empty());
        writer.rollback();
    }
    let finished =
        if fault.is_none() { writer.finish().map_err(|error| error.fault) } else { Ok(()) };
    assert!(out.starts_with(b"before"));
    let text = out.split_off(6);
    match fault.map_or(finished, Err) {
        Ok(()) => Ok(text),
        Err(fault) => {
            assert!(text.is_empty());
            Err(fault)
        }
    }
}

/// Three bytes: limits. Then the choices.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let limits = Limits {
        depth: input.below(9),
        nodes: input.below(30),
        bytes: 2 * usize::from(input.byte()),
    };
    let mut pieces = Vec::new();
    let value = value(&mut input, 0, &mut pieces);
    let free = Limits { bytes: usize::MAX / 2, ..Limits::VALUE };
    let whole = written(&pieces, &free);
    let Some(value) = value else {
        let fault = whole.expect_err("it has no JSON form");
        assert!(matches!(
            fault,
            Fault::Number | Fault::Syntax | Fault::Unicode | Fault::Depth | Fault::Nodes
        ));
        return;
    };
    let text = match whole {
        Ok(text) => text,
        Err(fault) => return assert!(matches!(fault, Fault::Depth | Fault::Nodes), "{fault:?}"),
    };
    assert_eq!(validate(&text, &free), Ok(()));
    let back: Value = serde_json::from_slice(&text).expect("what is written is JSON");
    assert!(same(&back, &value), "{}", text.escape_ascii());
    let mut again = Vec::new();
    if !pieces.iter().any(|piece| matches!(piece, Piece::Key(_))) {
        // Without keys there is nothing to put in order: the text has its final form.
        normalize(&text, &mut again, &free).expect("it is valid");
        assert_eq!(again, text);
    }
    match written(&pieces, &limits) {
        Ok(bounded) => {
            assert_eq!(bounded, text);
            assert_eq!(validate(&text, &limits), Ok(()), "within the limits while writing");
        }
        Err(fault) => {
            let refused = validate(&text, &limits);
            assert!(refused.is_err(), "{fault:?} while writing only: {}", text.escape_ascii());
        }
    }
}
