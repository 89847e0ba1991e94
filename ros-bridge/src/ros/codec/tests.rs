//! Values at the edges of the rules; what rospy makes of ordinary ones is in `tests/every_type.rs`.
use super::*;
use crate::ros::message::Schema;
use posthouse_core::json::Limits;
use std::fmt::Write as _;

fn layout(text: &str) -> Layout {
    Layout::new(&Schema::from_full_text("t/T", text).unwrap()).unwrap()
}

const LIMITS: Limits = Limits { depth: 32, nodes: 1000, bytes: 10_000 };

fn json(layout: &Layout, body: &[u8], rules: Rules) -> Result<(String, Decoded), Refusal> {
    let mut out = b"before".to_vec();
    let result = layout.to_json(body, rules, &LIMITS, &mut out);
    if result.is_err() {
        assert_eq!(out, b"before");
    }
    let decoded = result?;
    Ok((String::from_utf8(out[6..].to_vec()).unwrap(), decoded))
}

fn body(layout: &Layout, json: &str, rules: Rules) -> Result<Vec<u8>, Refusal> {
    let mut out = b"before".to_vec();
    let result = layout.from_json(json.as_bytes(), rules, &mut out);
    if result.is_err() {
        assert_eq!(out, b"before");
    }
    result.map(|()| out[6..].to_vec())
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

const PLAIN: Rules =
    Rules { bytes: Bytes::Base64, floats: Floats::Null, integers: Integers::Numbers };

#[test]
fn odd_floats_are_the_same_alone_and_in_arrays() {
    let layout = layout("float64 a\nfloat64[3] b\nfloat32 c\nfloat32[2] d\n");
    let singles = |values: [f32; 3]| -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let mut bytes = floats(&[f64::NAN, f64::INFINITY, 1.5, f64::NEG_INFINITY]);
    bytes.extend(singles([f32::NAN, f32::MAX, 0.1]));
    let (text, decoded) = json(&layout, &bytes, PLAIN).unwrap();
    assert_eq!(text, r#"{"a":null,"b":[null,1.5,null],"c":null,"d":[null,0.1]}"#);
    assert_eq!(decoded, Decoded { floats: 5, texts: 0 });
    let back = body(&layout, &text, PLAIN).unwrap();
    let nan = f64::NAN;
    let mut wanted = floats(&[nan, nan, 1.5, nan]);
    wanted.extend(singles([f32::NAN, f32::NAN, 0.1]));
    assert_eq!(back, wanted);

    let strings = Rules { floats: Floats::Strings, ..PLAIN };
    let (text, _) = json(&layout, &bytes, strings).unwrap();
    assert_eq!(
        text,
        r#"{"a":"NaN","b":["Infinity",1.5,"-Infinity"],"c":"NaN","d":["3.4028235e38",0.1]}"#
    );
    assert_eq!(body(&layout, &text, strings).unwrap(), bytes);

    let refuse = Rules { floats: Floats::Refuse, ..PLAIN };
    let refusal = json(&layout, &bytes, refuse).unwrap_err();
    assert_eq!((refusal.reason, &*refusal.path), (Reason::NonFinite, "a"));
    let mut bytes = floats(&[0.0, 1.0, 2.0, f64::NAN]);
    bytes.extend(singles([0.0; 3]));
    let refusal = json(&layout, &bytes, refuse).unwrap_err();
    assert_eq!((refusal.reason, &*refusal.path), (Reason::NonFinite, "b[2]"));
    // Neither way is there another form than the chosen one.
    for (rules, bad) in [(PLAIN, "\"NaN\""), (strings, "null"), (refuse, "null")] {
        let text = format!(r#"{{"a":{bad},"b":[0,0,0],"c":0,"d":[0,0]}}"#);
        let refusal = body(&layout, &text, rules).unwrap_err();
        assert_eq!((refusal.reason, &*refusal.path), (Reason::WrongType, "a"), "{bad}");
    }
}

#[test]
fn wide_integers_are_safe_numbers_or_strings() {
    let layout = layout("int64 a\nuint64[2] b\n");
    let bytes =
        |a: i64, b: [u64; 2]| [a.to_le_bytes(), b[0].to_le_bytes(), b[1].to_le_bytes()].concat();
    let safe: u64 = (1 << 53) - 1;
    let good = bytes(-safe.cast_signed(), [safe, 0]);
    let (text, _) = json(&layout, &good, PLAIN).unwrap();
    assert_eq!(text, r#"{"a":-9007199254740991,"b":[9007199254740991,0]}"#);
    assert_eq!(body(&layout, &text, PLAIN).unwrap(), good);
    for (bad, path) in [(bytes(-(1 << 53), [0, 0]), "a"), (bytes(0, [0, u64::MAX]), "b[1]")] {
        let refusal = json(&layout, &bad, PLAIN).unwrap_err();
        assert_eq!((refusal.reason, &*refusal.path), (Reason::UnsafeInteger, path));
        let strings = Rules { integers: Integers::Strings, ..PLAIN };
        let (text, _) = json(&layout, &bad, strings).unwrap();
        assert_eq!(body(&layout, &text, strings).unwrap(), bad);
    }
}

#[test]
fn bytes_are_base64_or_numbers_both_ways() {
    let layout = layout("uint8[] a\nchar[2] b\nbyte[] c\n");
    let bytes = [3, 0, 0, 0, 1, 2, 255, 7, 8, 1, 0, 0, 0, 0xff];
    let (text, _) = json(&layout, &bytes, PLAIN).unwrap();
    assert_eq!(text, r#"{"a":"AQL/","b":"Bwg=","c":[-1]}"#);
    assert_eq!(body(&layout, &text, PLAIN).unwrap(), bytes);
    let numbers = Rules { bytes: Bytes::Numbers, ..PLAIN };
    let (text, _) = json(&layout, &bytes, numbers).unwrap();
    assert_eq!(text, r#"{"a":[1,2,255],"b":[7,8],"c":[-1]}"#);
    assert_eq!(body(&layout, &text, numbers).unwrap(), bytes);
    for (rules, text, reason, path) in [
        (PLAIN, r#"{"a":[1],"b":"Bwg=","c":[]}"#, Reason::WrongType, "a"),
        (PLAIN, r#"{"a":"?","b":"Bwg=","c":[]}"#, Reason::WrongType, "a"),
        (PLAIN, r#"{"a":"","b":"Bw==","c":[]}"#, Reason::WrongLength, "b"),
        (numbers, r#"{"a":"","b":[1,2],"c":[]}"#, Reason::WrongType, "a"),
        (numbers, r#"{"a":[256],"b":[1,2],"c":[]}"#, Reason::OutOfRange, "a[0]"),
    ] {
        let refusal = body(&layout, text, rules).unwrap_err();
        assert_eq!((refusal.reason, &*refusal.path), (reason, path), "{text}");
    }
}

#[test]
fn text_that_is_no_utf8_is_replaced_and_counted() {
    let layout = layout("string[] a\n");
    let bytes = [2, 0, 0, 0, 2, 0, 0, 0, b'a', 0xff, 1, 0, 0, 0, b'"'];
    let (text, decoded) = json(&layout, &bytes, PLAIN).unwrap();
    assert_eq!(text, "{\"a\":[\"a\u{fffd}\",\"\\\"\"]}");
    assert_eq!(decoded.texts, 1);
}

#[test]
fn a_json_text_must_be_the_whole_message() {
    let layout = layout(
        "int32 n\nbool f\nstring s\ntime t\nduration d\nP p\nP[] ps\nint8[2] pair\n\
         ================================================================================\n\
         MSG: t/P\nfloat32 x\nuint16 y\n",
    );
    let good = r#"{"n":-1,"f":true,"s":"x","t":{"secs":1,"nsecs":2},"d":{"nsecs":-4,"secs":-3},"p":{"x":0.5,"y":7},"ps":[{"y":1,"x":2}],"pair":[1,2]}"#;
    let bytes = body(&layout, good, PLAIN).unwrap();
    let (text, _) = json(&layout, &bytes, PLAIN).unwrap();
    assert_eq!(body(&layout, &text, PLAIN).unwrap(), bytes);
    // The order of members does not matter.
    let value: serde_json::Value = serde_json::from_str(good).unwrap();
    let mut turned = String::from("{");
    for (key, value) in value.as_object().unwrap().iter().rev() {
        let _ = write!(turned, "\"{key}\": {value},");
    }
    turned.pop();
    assert_eq!(body(&layout, &(turned + "}"), PLAIN).unwrap(), bytes);

    for (from, to, reason, path) in [
        ("\"n\":-1", "\"n\":2147483648", Reason::OutOfRange, "n"),
        ("\"n\":-1", "\"n\":1.5", Reason::WrongType, "n"),
        ("\"n\":-1", "\"n\":\"1\"", Reason::WrongType, "n"),
        ("\"n\":-1", "\"n\":null", Reason::WrongType, "n"),
        ("\"n\":-1,", "", Reason::MissingField, "n"),
        ("\"n\":-1", "\"n\":-1,\"n\":-1", Reason::WrongType, "n"),
        ("\"n\":-1", "\"n\":-1,\"extra\":{}", Reason::UnknownField, "extra"),
        ("\"f\":true", "\"f\":1", Reason::WrongType, "f"),
        ("\"s\":\"x\"", "\"s\":5", Reason::WrongType, "s"),
        ("\"nsecs\":2", "\"nsecs\":-2", Reason::OutOfRange, "t.nsecs"),
        (",\"nsecs\":2", "", Reason::MissingField, "t.nsecs"),
        ("\"nsecs\":2", "\"nsecs\":2,\"x\":0", Reason::UnknownField, "t.x"),
        ("{\"secs\":1,\"nsecs\":2}", "1.5", Reason::WrongType, "t"),
        ("\"x\":0.5", "\"x\":1e39", Reason::OutOfRange, "p.x"),
        ("\"x\":0.5,", "", Reason::MissingField, "p.x"),
        ("{\"y\":1,\"x\":2}", "{\"y\":1,\"x\":2},{\"y\":-1}", Reason::OutOfRange, "ps[1].y"),
        ("[{\"y\":1,\"x\":2}]", "{}", Reason::WrongType, "ps"),
        ("[1,2]", "[1]", Reason::WrongLength, "pair"),
        ("[1,2]", "[1,2,3]", Reason::WrongLength, "pair"),
        ("[1,2]", "[1,200]", Reason::OutOfRange, "pair[1]"),
        ("[1,2]", "[1,2", Reason::NotJson, ""),
    ] {
        assert!(good.contains(from), "{from}");
        let refusal = body(&layout, &good.replacen(from, to, 1), PLAIN).unwrap_err();
        assert_eq!((refusal.reason, &*refusal.path), (reason, path), "{to}: {refusal}");
        assert!(!refusal.what.is_empty());
    }
    // Integers may be spelled as any number.
    let bytes = body(&layout, &good.replacen("\"y\":7", "\"y\":7.0e0", 1), PLAIN).unwrap();
    assert_eq!(json(&layout, &bytes, PLAIN).unwrap().0, text);
}

#[test]
fn bytes_that_do_not_fit_are_refused_before_memory_is_taken() {
    let layout = layout(
        "P[] ps\nstring s\n\
         ================================================================================\n\
         MSG: t/P\nfloat64[] x\nuint16 y\n",
    );
    for (bytes, path) in [
        (&[][..], "ps"),
        (&[1, 0, 0], "ps"),
        (&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0], "ps"),
        (&[1, 0, 0, 0, 2, 0, 0, 0, 1, 2], "ps[0].x"),
        (&[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1], "s"),
        (&[0, 0, 0, 0, 0, 0, 0, 0, 1], ""),
    ] {
        let refusal = json(&layout, bytes, PLAIN).unwrap_err();
        assert_eq!((refusal.reason, &*refusal.path), (Reason::Malformed, path), "{bytes:?}");
    }
}

#[test]
fn arrays_of_nothing_are_bounded_by_the_limits() {
    let split = "=".repeat(80);
    let fixed = layout(&format!("E[4000000000] e\n{split}\nMSG: t/E\n"));
    let any = layout(&format!("E[] e\nint8 n\n{split}\nMSG: t/E\n"));
    let many = [0xff, 0xff, 0xff, 0xff, 7];
    for (layout, bytes) in [(&fixed, &[][..]), (&any, &many[..])] {
        let refusal = json(layout, bytes, PLAIN).unwrap_err();
        assert_eq!(refusal.reason, Reason::TooLarge);
    }
    // Passing over them costs nothing.
    let selection = any.select("n").unwrap();
    let mut out = Vec::new();
    any.part_to_json(&selection, &many, PLAIN, &LIMITS, &mut out).unwrap();
    assert_eq!(out, b"7");
    let strings = layout("string[4000000000] s\n");
    assert_eq!(json(&strings, &[0; 64], PLAIN).unwrap_err().reason, Reason::Malformed);
}

#[test]
fn the_limits_of_the_json_text_hold() {
    let layout = layout("int32[] n\n");
    let mut bytes = 1000_u32.to_le_bytes().to_vec();
    bytes.extend([1; 4000]);
    assert_eq!(json(&layout, &bytes, PLAIN).unwrap_err().reason, Reason::TooLarge);
    let mut out = Vec::new();
    let limits = Limits { nodes: 2000, bytes: 500, ..LIMITS };
    let refusal = layout.to_json(&bytes, PLAIN, &limits, &mut out).unwrap_err();
    assert_eq!((refusal.reason, out.len()), (Reason::TooLarge, 0));
    layout.to_json(&bytes, PLAIN, &Limits { bytes: 20_000, ..limits }, &mut out).unwrap();
}

#[test]
fn a_part_of_a_message_is_found_without_the_rest() {
    let split = "=".repeat(80);
    let layout = layout(&format!(
        "string[] names\nP[] ps\nuint8[] raw\nP[2] two\nP p\nint32 last\n{split}\nMSG: t/P\nstring s\nfloat32[] x\n"
    ));
    let text = r#"{"names":["a","bc"],"ps":[{"s":"one","x":[1]},{"s":"two","x":[2,3]}],"raw":"AAE=","two":[{"s":"","x":[]},{"s":"!","x":[4.5]}],"p":{"s":"end","x":[]},"last":-9}"#;
    let bytes = body(&layout, text, PLAIN).unwrap();
    let whole: serde_json::Value = serde_json::from_str(text).unwrap();
    for (path, pointer) in [
        ("names", "/names"),
        ("names[1]", "/names/1"),
        ("ps.1.s", "/ps/1/s"),
        ("ps[1].x[1]", "/ps/1/x/1"),
        ("ps[0]", "/ps/0"),
        ("raw", "/raw"),
        ("two[1].x", "/two/1/x"),
        ("p", "/p"),
        ("p.s", "/p/s"),
        ("last", "/last"),
    ] {
        let selection = layout.select(path).unwrap();
        assert_eq!(selection.path(), path);
        let mut out = Vec::new();
        layout.part_to_json(&selection, &bytes, PLAIN, &LIMITS, &mut out).unwrap();
        let part: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let wanted = whole.pointer(pointer).unwrap();
        if let (Some(part), Some(wanted)) = (part.as_f64(), wanted.as_f64()) {
            assert!((part - wanted).abs() < 1e-9);
        } else {
            assert_eq!(&part.to_string(), &wanted.to_string(), "{path}");
        }
    }
    for path in ["", "x", "p.y", "names.a", "last.x", "two[2]", "p.s.t", "names[-1]", "names[0].x"]
    {
        assert_eq!(layout.select(path).unwrap_err().reason, Reason::NoSuchField, "{path}");
    }
    let beyond = layout.select("ps[2].s").unwrap();
    let refusal =
        layout.part_to_json(&beyond, &bytes, PLAIN, &LIMITS, &mut Vec::new()).unwrap_err();
    assert_eq!((refusal.reason, &*refusal.path), (Reason::NoSuchField, "ps[2].s"));
}

#[test]
fn a_message_cut_anywhere_is_refused() {
    let split = "=".repeat(80);
    let layout = layout(&format!(
        "bool a\nint64 b\nfloat32[] c\nstring d\ntime e\nP[2] f\nuint8[3] g\n{split}\nMSG: t/P\nstring s\nduration[] x\n"
    ));
    let text = r#"{"a":false,"b":1,"c":[1,2],"d":"dd","e":{"secs":1,"nsecs":2},"f":[{"s":"x","x":[{"secs":-1,"nsecs":0}]},{"s":"","x":[]}],"g":"AAEC"}"#;
    let bytes = body(&layout, text, PLAIN).unwrap();
    assert_eq!(json(&layout, &bytes, PLAIN).unwrap().0, text);
    for end in 0..bytes.len() {
        let refusal = json(&layout, &bytes[..end], PLAIN).unwrap_err();
        assert_eq!(refusal.reason, Reason::Malformed, "{end}");
    }
}
