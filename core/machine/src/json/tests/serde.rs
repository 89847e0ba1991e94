//! `to_vec` against serde_json, and its refusals.
use super::*;
use ::serde::{Serialize, Serializer};
use alloc::{boxed::Box, collections::BTreeMap, format, string::ToString, vec};

fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    let mut out = b"before".to_vec();
    let result = to_vec(value, &mut out, &Limits::VALUE);
    let rest = out.strip_prefix(b"before").unwrap();
    assert_eq!(result.is_err(), rest.is_empty());
    result.map(|()| String::from_utf8(rest.to_vec()).unwrap())
}

#[derive(Serialize)]
struct Unit;
#[derive(Serialize)]
struct Wrapper(u8);
#[derive(Serialize)]
struct Pair(u8, &'static str);
#[derive(Serialize)]
struct Empty {}
#[derive(Serialize)]
enum Shape {
    Nothing,
    One(f64),
    Two(i8, Option<bool>),
    Named { x: f32, y: () },
}
#[derive(Serialize)]
#[serde(tag = "kind")]
enum Tagged {
    A { x: u8 },
}
#[derive(Serialize)]
struct Everything<'a> {
    bool: bool,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    i128: i128,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    u128: u128,
    f32: f32,
    f64: f64,
    char: char,
    text: &'a str,
    none: Option<u8>,
    some: Option<u8>,
    unit: (),
    unit_struct: Unit,
    wrapper: Wrapper,
    pair: Pair,
    tuple: (u8, char),
    empty: Empty,
    list: Vec<Shape>,
    boxed: Box<[u16]>,
    tagged: Tagged,
    #[serde(flatten)]
    more: BTreeMap<&'a str, u8>,
    #[serde(rename = "a \"key\"")]
    renamed: u8,
}

#[test]
fn every_shape_is_that_of_serde_json() {
    let everything = Everything {
        bool: true,
        i8: -1,
        i16: i16::MIN,
        i32: i32::MIN,
        i64: -MAX_INTEGER,
        i128: -5,
        u8: 255,
        u16: 65_535,
        u32: u32::MAX,
        u64: MAX_INTEGER as u64,
        u128: 7,
        f32: 0.1,
        f64: 0.1,
        char: 'é',
        text: "a\n\"\\\u{1}\u{7f}😀",
        none: None,
        some: Some(3),
        unit: (),
        unit_struct: Unit,
        wrapper: Wrapper(9),
        pair: Pair(1, "x"),
        tuple: (1, '"'),
        empty: Empty {},
        list: vec![
            Shape::Nothing,
            Shape::One(2.5),
            Shape::Two(-3, Some(false)),
            Shape::Named { x: 1.5, y: () },
        ],
        boxed: Box::new([1, 2]),
        tagged: Tagged::A { x: 1 },
        more: BTreeMap::from([("m", 1), ("n", 2)]),
        renamed: 0,
    };
    assert_eq!(written(&everything).unwrap(), serde_json::to_string(&everything).unwrap());
}

#[test]
fn keys_of_maps_become_text() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Key {
        Name,
    }
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Id(i64);
    assert_eq!(written(&BTreeMap::from([(-1_i8, 1), (2, 2)])).unwrap(), r#"{"-1":1,"2":2}"#);
    assert_eq!(written(&BTreeMap::from([(u64::MAX, 1)])).unwrap(), r#"{"18446744073709551615":1}"#);
    assert_eq!(
        written(&BTreeMap::from([(i128::MIN, 1)])).unwrap(),
        format!("{{\"{}\":1}}", i128::MIN)
    );
    assert_eq!(
        written(&BTreeMap::from([(false, 1), (true, 2)])).unwrap(),
        r#"{"false":1,"true":2}"#
    );
    assert_eq!(written(&BTreeMap::from([('"', 1)])).unwrap(), r#"{"\"":1}"#);
    assert_eq!(written(&BTreeMap::from([(Key::Name, 1)])).unwrap(), r#"{"Name":1}"#);
    assert_eq!(written(&BTreeMap::from([(Id(5), 1)])).unwrap(), r#"{"5":1}"#);
    let error = written(&BTreeMap::from([((1, 2), 1)])).unwrap_err();
    assert_eq!(error.fault, Fault::Type);
    assert_eq!(written(&BTreeMap::from([(Some(1), 1)])).unwrap_err().fault, Fault::Type);
}

#[test]
fn numbers_are_spelled_as_json_stringify_does() {
    assert_eq!(
        written(&[1.0, -0.0, 1e-7, 123e-20, 4_503_599_627_370_495.5]).unwrap(),
        "[1,0,1e-7,1.23e-18,4503599627370495.5]"
    );
    assert_eq!(
        written(&[0.1_f32, 1e-10, 16_777_216.0, f32::MIN_POSITIVE]).unwrap(),
        "[0.1,1e-10,16777216,1.1754944e-38]"
    );
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 9_007_199_254_740_992.0, -1e300] {
        assert_eq!(written(&bad).unwrap_err().fault, Fault::Number);
    }
    for bad in [f32::NAN, f32::INFINITY, f32::MAX, -1e16] {
        assert_eq!(written(&bad).unwrap_err().fault, Fault::Number);
    }
    for bad in [MAX_INTEGER + 1, -MAX_INTEGER - 1, i64::MIN, i64::MAX] {
        assert_eq!(written(&bad).unwrap_err().fault, Fault::Number);
        assert_eq!(written(&i128::from(bad)).unwrap_err().fault, Fault::Number);
    }
    assert_eq!(written(&u64::MAX).unwrap_err().fault, Fault::Number);
    assert_eq!(written(&u128::MAX).unwrap_err().fault, Fault::Number);
    assert_eq!(written(&i128::MIN).unwrap_err().fault, Fault::Number);
    assert_eq!(
        written(&[MAX_INTEGER, -MAX_INTEGER]).unwrap(),
        "[9007199254740991,-9007199254740991]"
    );
}

#[test]
fn bytes_are_an_array() {
    struct Bytes(&'static [u8]);
    impl Serialize for Bytes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    assert_eq!(written(&[Bytes(b"\x00\xff"), Bytes(b"")]).unwrap(), "[[0,255],[]]");
}

#[test]
fn an_error_tells_the_way() {
    #[derive(Serialize)]
    enum Wrapped {
        Tuple(u8, f64),
        Struct { inner: f64 },
        New(f64),
    }
    let nan = f64::NAN;
    let path = |value: &dyn erased::Any| value.error().path.unwrap_or_default();
    assert_eq!(path(&nan), "");
    assert_eq!(path(&[0.0, nan]), "[1]");
    assert_eq!(
        path(&BTreeMap::from([("a", BTreeMap::from([("b", [0.0, 1.0, 2.0, nan])]))])),
        "a.b[3]"
    );
    assert_eq!(path(&BTreeMap::from([("a b\n", nan)])), r#"["a b\n"]"#);
    assert_eq!(path(&[BTreeMap::from([("x", 1.0), ("\u{e9}\"", nan)])]), r#"[0]["é\""]"#);
    assert_eq!(path(&[Wrapped::Tuple(1, nan)]), "[0].Tuple[1]");
    assert_eq!(path(&Wrapped::Struct { inner: nan }), "Struct.inner");
    assert_eq!(path(&Wrapped::New(nan)), "New");
    assert_eq!(path(&(1, nan)), "[1]");
    assert_eq!(path(&serde_json::json!({"a": [1, {"b": u64::MAX}]})), "a[1].b");
    let error = written(&(1, nan)).unwrap_err();
    assert_eq!(error.at, 3, "bytes written before: {error:?}");
}

/// `Serialize` as a trait object, just for the table above.
mod erased {
    pub trait Any {
        fn error(&self) -> super::JsonError;
    }
    impl<T: super::Serialize> Any for T {
        fn error(&self) -> super::JsonError {
            super::written(self).unwrap_err()
        }
    }
}

#[test]
fn limits_hold_while_writing() {
    let mut out = Vec::new();
    let limits = Limits { depth: 2, nodes: 5, bytes: 20 };
    to_vec(&vec![vec![1, 2], vec![]], &mut out, &limits).unwrap();
    assert_eq!(out, b"[[1,2],[]]");
    out.clear();
    for (value, wanted) in [
        (serde_json::json!([1, 2, 3, 4]), None),
        (serde_json::json!([1, 2, 3, 4, 5]), Some((Fault::Nodes, 5))),
        (serde_json::json!([[[]]]), None),
        (serde_json::json!([[[1]]]), Some((Fault::Depth, 2))),
        (serde_json::json!([[[[]]]]), Some((Fault::Depth, 2))),
        (serde_json::json!("x".repeat(18)), None),
        (serde_json::json!("x".repeat(19)), Some((Fault::Size, 20))),
        (serde_json::json!("\n".repeat(10)), Some((Fault::Size, 20))),
        (serde_json::json!({"x".repeat(18): 1}), Some((Fault::Size, 20))),
        (serde_json::json!([["x".repeat(14)]]), None),
        (serde_json::json!([["x".repeat(15)]]), Some((Fault::Size, 20))),
    ] {
        let error = to_vec(&value, &mut out, &limits).err();
        assert_eq!(error.map(|error| (error.fault, error.limit)), wanted, "{value}");
        assert_eq!(out.is_empty(), wanted.is_some(), "{value}");
        out.clear();
    }
}

#[test]
fn the_limits_of_writing_are_those_of_reading() {
    let mut rng = crate::rng::Rng::new(11);
    for _ in 0..3_000 {
        let mut value = serde_json::json!(1);
        for _ in 0..rng.below(7) {
            value = match rng.below(4) {
                0 => serde_json::json!([value]),
                1 => serde_json::json!({"k": value, "l": "text"}),
                2 => serde_json::json!([value, [], {}]),
                _ => serde_json::json!([0, value]),
            };
        }
        let limits = Limits {
            depth: rng.below(7) as usize,
            nodes: rng.below(20) as usize,
            bytes: rng.below(90) as usize,
        };
        let text = serde_json::to_vec(&value).unwrap();
        let mut out = Vec::new();
        let written = to_vec(&value, &mut out, &limits);
        let read = validate(&text, &limits);
        assert_eq!(written.is_ok(), read.is_ok(), "{value} {limits:?} {written:?} {read:?}");
        if written.is_ok() {
            assert_eq!(out, text);
        }
    }
}

#[test]
fn raw_values_are_checked_and_respelled() {
    #[derive(Serialize)]
    struct Holder {
        a: Box<serde_json::value::RawValue>,
        b: u8,
    }
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_string()).unwrap();
    let holder = Holder { a: raw(r#"{"z": 1.0, "z": [ "\u0041" ]}"#), b: 2 };
    assert_eq!(written(&holder).unwrap(), r#"{"a":{"z":["A"]},"b":2}"#);
    assert_eq!(written(&[raw("1"), raw("null")]).unwrap(), "[1,null]");
    let error = written(&Holder { a: raw("[9007199254740993]"), b: 2 }).unwrap_err();
    assert_eq!((error.fault, error.path.as_deref()), (Fault::Number, Some("a")));
    let deep = raw(&format!("{}1{}", "[".repeat(32), "]".repeat(32)));
    assert!(written(&deep).is_ok());
    let error = written(&[deep]).unwrap_err();
    assert_eq!((error.fault, error.limit), (Fault::Depth, 32));
    let many = raw(&format!("[{}1]", "1,".repeat(12_000)));
    assert!(written(&many).is_ok());
    let error = written(&[&many, &many]).unwrap_err();
    assert_eq!((error.fault, error.limit), (Fault::Nodes, 20_000));
    let long = raw(&format!("\"{}\"", "x".repeat(40_000)));
    assert!(written(&long).is_ok());
    let error = written(&[&long, &long]).unwrap_err();
    assert_eq!((error.fault, error.limit), (Fault::Size, 65_536));
}

#[test]
fn a_failing_serialize_says_why() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(::serde::ser::Error::custom("the lock is poisoned"))
        }
    }
    let error = written(&(1, Broken)).unwrap_err();
    let error = error.into_error(crate::Code::InvalidValue, crate::Code::ValueTooLarge);
    assert_eq!(error.code(), crate::Code::InvalidValue);
    assert!(error.message().contains("the lock is poisoned"), "{error}");
    assert!(error.message().contains(" at [1] "), "{error}");
}
