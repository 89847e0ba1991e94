//! The writer by hand, its errors, and the sentences they become.
use super::*;
use crate::Code;
use alloc::{borrow::Cow, format};

#[test]
fn separators_write_themselves() {
    let mut out = Vec::new();
    write(&mut out, &Limits::VALUE, |w| {
        w.begin_object()?;
        w.key("a")?;
        w.begin_array()?;
        w.null()?;
        w.bool(true)?;
        w.i64(-1)?;
        w.u64(2)?;
        w.f64(0.5)?;
        w.f32(0.1)?;
        w.str("x")?;
        w.raw(b" [ 1 ] ")?;
        w.begin_object()?;
        w.end_object()?;
        w.end_array()?;
        w.key("b\n")?;
        w.str("")?;
        w.end_object()?;
        Ok(())
    })
    .unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        r#"{"a":[null,true,-1,2,0.5,0.1,"x",[1],{}],"b\n":""}"#
    );
}

#[test]
fn text_goes_out_as_it_is_or_respelled() {
    let kept =
        [r#"{"b":[1,-2,0.5,-21.25],"a":{"c":"é","d":[]},"e":{}}"#, "[[],null,true]", "\"\"", "0"];
    for text in kept {
        assert!(
            matches!(respelled(text.as_bytes(), &Limits::VALUE), Ok(Cow::Borrowed(_))),
            "{text}"
        );
    }
    let changed = [
        (r#"{"x":1.0}"#, r#"{"x":1}"#),
        (" [1 ,\n\t2] ", "[1,2]"),
        (r#""\u0041""#, r#""A""#),
        ("-0", "0"),
        ("0.50", "0.5"),
        ("0.0000001", "1e-7"),
        ("1e-07", "1e-7"),
        (r#"{"b":1,"2":2}"#, r#"{"2":2,"b":1}"#),
        (r#"{"\u0062":1}"#, r#"{"b":1}"#),
        ("[1 ,{}]", "[1,{}]"),
    ];
    for (text, wanted) in changed {
        let out = respelled(text.as_bytes(), &Limits::VALUE).unwrap();
        assert_eq!(core::str::from_utf8(&out), Ok(wanted), "{text}");
    }
    let tight = Limits { bytes: 5, ..Limits::VALUE };
    assert_eq!(respelled(b" [1,2] ", &tight).as_deref(), Ok(b"[1,2]".as_slice()));
    for text in ["[1,20]", " [1,20] "] {
        let error = respelled(text.as_bytes(), &tight).unwrap_err();
        assert_eq!((error.fault, error.limit, error.at), (Fault::Size, 5, 6));
    }
    assert_eq!(fault(respelled(b"[1,", &Limits::VALUE).map(drop)), Some(Fault::Syntax));
    assert_eq!(
        fault(respelled(b"9007199254740992", &Limits::VALUE).map(drop)),
        Some(Fault::Number)
    );
}

#[test]
fn strings_are_escaped_as_json_stringify_does() {
    for code in 0..0x800_u32 {
        let c = char::from_u32(code).unwrap();
        for text in [format!("{c}"), format!("1234567{c}{c}x"), format!("{c}123456789012345")] {
            let mut out = Vec::new();
            to_vec(&text, &mut out, &Limits::VALUE).unwrap();
            assert_eq!(out, serde_json::to_vec(&text).unwrap());
            validate(&out, &Limits::VALUE).unwrap();
        }
    }
}

#[test]
fn an_unfinished_value_is_taken_back() {
    for pieces in 0..3 {
        let mut out = b"kept".to_vec();
        let mut writer = Writer::new(&mut out, &Limits::VALUE);
        for _ in 0..pieces {
            writer.begin_array().unwrap();
        }
        assert_eq!(writer.finish().unwrap_err().fault, Fault::Syntax);
        assert_eq!(out, b"kept");
    }
}

#[test]
fn a_walk_can_add_the_path_on_its_way_out() {
    fn walk(writer: &mut Writer<'_>, depth: usize) -> Result<(), JsonError> {
        if depth == 3 {
            return Err(JsonError::unsupported("an object of type set"));
        }
        writer.begin_array()?;
        writer.null()?;
        walk(writer, depth + 1).map_err(|error| error.under_index(1))?;
        Ok(writer.end_array()?)
    }
    let mut out = Vec::new();
    let error = write(&mut out, &Limits::VALUE, |writer| {
        writer.begin_object()?;
        writer.key("a")?;
        walk(writer, 0).map_err(|error| error.under_key("a"))?;
        Ok(writer.end_object()?)
    })
    .unwrap_err();
    assert!(out.is_empty());
    assert_eq!(error.path.as_deref(), Some("a[1][1][1]"));
    let error = error.into_error(Code::InvalidMessage, Code::MessageTooLarge);
    assert_eq!(
        error.message(),
        "the value at a[1][1][1] is an object of type set, which JSON cannot express: use null, booleans, numbers, strings, arrays, or objects with string keys"
    );
}

#[test]
fn errors_become_sentences_with_figures() {
    let convert = |error: JsonError| error.into_error(Code::InvalidValue, Code::ValueTooLarge);
    let size = convert(validate(b"[1,2]", &Limits::VALUE.with_bytes(4)).unwrap_err());
    assert_eq!((size.code(), size.limit(), size.actual()), (Code::ValueTooLarge, Some(4), Some(5)));
    let depth = convert(validate(b"[[1]]", &Limits { depth: 1, ..Limits::VALUE }).unwrap_err());
    assert_eq!(
        (depth.code(), depth.limit(), depth.actual()),
        (Code::InvalidValue, Some(1), Some(2))
    );
    let nodes = convert(validate(b"[[1]]", &Limits { nodes: 1, ..Limits::VALUE }).unwrap_err());
    assert_eq!(
        (nodes.code(), nodes.limit(), nodes.actual()),
        (Code::InvalidValue, Some(1), Some(2))
    );
    for (text, word) in [
        ("[1", "byte 2"),
        ("[1e999]", "byte 1 is"),
        ("1e999", "the number is"),
        ("\"\\ud800\"", "byte 1 is"),
        ("\"\\ud800\"", "surrogate"),
    ] {
        let error = convert(validate(text.as_bytes(), &Limits::VALUE).unwrap_err());
        assert_eq!(error.code(), Code::InvalidValue);
        assert!(error.message().contains(word), "{error}");
    }
    let mut out = Vec::new();
    let large =
        convert(to_vec(&"x".repeat(100), &mut out, &Limits::VALUE.with_bytes(50)).unwrap_err());
    assert_eq!(
        (large.code(), large.limit(), large.actual()),
        (Code::ValueTooLarge, Some(50), Some(51))
    );
}
