//! What is JSON, and where it stops being JSON.
use super::*;
use alloc::format;

#[test]
fn texts_that_are_json() {
    let good = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.5",
        "-1e-5",
        "1E+2",
        "\"\"",
        "[]",
        "{}",
        " [ ] ",
        "\t{\r\n}\n",
        "[1,2]",
        "[ 1 , [ ] , { } ]",
        r#"{"a":1}"#,
        r#"{"a":{"b":[{}]},"a":2}"#,
        r#"{"":""}"#,
        r#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00\ud83d\ude00""#,
        "\"\u{7f}\u{2028}é😀\u{ffff}\"",
        r#""\u0000""#,
        "\"12345678\"",
        "\"1234567\\n\"",
        "\"é234567\"",
    ];
    for text in good {
        assert_eq!(validate(text.as_bytes(), &Limits::VALUE), Ok(()), "{text}");
        serde_json::from_str::<serde_json::Value>(text).unwrap();
    }
}

#[test]
fn texts_that_are_not_json_and_where() {
    let bad: &[(&[u8], Fault, usize)] = &[
        (b"", Fault::Syntax, 0),
        (b"  ", Fault::Syntax, 2),
        (b"\0", Fault::Syntax, 0),
        (b"1\0", Fault::Syntax, 1),
        (b"[\0]", Fault::Syntax, 1),
        (b"\xEF\xBB\xBF1", Fault::Syntax, 0),
        (b"\x0B1", Fault::Syntax, 0),
        (b"\xC2\xA01", Fault::Syntax, 0),
        (b"nul", Fault::Syntax, 0),
        (b"nulll", Fault::Syntax, 4),
        (b"True", Fault::Syntax, 0),
        (b"NaN", Fault::Syntax, 0),
        (b"Infinity", Fault::Syntax, 0),
        (b"-Infinity", Fault::Syntax, 1),
        (b"undefined", Fault::Syntax, 0),
        (b"'a'", Fault::Syntax, 0),
        (b"+1", Fault::Syntax, 0),
        (b"-", Fault::Syntax, 1),
        (b"01", Fault::Syntax, 1),
        (b"-01", Fault::Syntax, 2),
        (b"1.", Fault::Syntax, 2),
        (b".5", Fault::Syntax, 0),
        (b"1.e5", Fault::Syntax, 2),
        (b"1e", Fault::Syntax, 2),
        (b"1e+", Fault::Syntax, 3),
        (b"0x10", Fault::Syntax, 1),
        (b"1_000", Fault::Syntax, 1),
        (b"1 2", Fault::Syntax, 2),
        (b"[", Fault::Syntax, 1),
        (b"]", Fault::Syntax, 0),
        (b"[1", Fault::Syntax, 2),
        (b"[1,", Fault::Syntax, 3),
        (b"[1,]", Fault::Syntax, 3),
        (b"[,1]", Fault::Syntax, 1),
        (b"[1 2]", Fault::Syntax, 3),
        (b"[1}", Fault::Syntax, 2),
        (b"[}", Fault::Syntax, 1),
        (b"{]", Fault::Syntax, 1),
        (b"{", Fault::Syntax, 1),
        (b"{1:2}", Fault::Syntax, 1),
        (b"{a:1}", Fault::Syntax, 1),
        (b"{\"a\"}", Fault::Syntax, 4),
        (b"{\"a\" 1}", Fault::Syntax, 5),
        (b"{\"a\":}", Fault::Syntax, 5),
        (b"{\"a\":1,}", Fault::Syntax, 7),
        (b"{\"a\":1]", Fault::Syntax, 6),
        (b"{\"a\":1 \"b\":2}", Fault::Syntax, 7),
        (b"{,}", Fault::Syntax, 1),
        (b"{}}", Fault::Syntax, 2),
        (b"\"", Fault::Syntax, 1),
        (b"\"abc", Fault::Syntax, 4),
        (b"\"abcdefgh", Fault::Syntax, 9),
        (b"\"\\", Fault::Syntax, 1),
        (b"\"\\\"", Fault::Syntax, 3),
        (b"\"\\a\"", Fault::Syntax, 1),
        (b"\"\\u12\"", Fault::Syntax, 1),
        (b"\"\\u123g\"", Fault::Syntax, 1),
        (b"\"\\u+123\"", Fault::Syntax, 1),
        (b"\"\\U0041\"", Fault::Syntax, 1),
        (b"\"a\nb\"", Fault::Syntax, 2),
        (b"\"a\tb\"", Fault::Syntax, 2),
        (b"\"abcdefgh\x1f\"", Fault::Syntax, 9),
        (b"// x\n1", Fault::Syntax, 0),
        (b"\"\\ud800\"", Fault::Unicode, 1),
        (b"\"\\udc00\"", Fault::Unicode, 1),
        (b"\"x\\ud800\\u0041\"", Fault::Unicode, 2),
        (b"\"\\ud800\\ud800\"", Fault::Unicode, 1),
        (b"\"\\ude00\\ud83d\"", Fault::Unicode, 1),
        (b"\"\\ud800x\"", Fault::Unicode, 1),
        (b"{\"\\ud800\":1}", Fault::Unicode, 2),
        (b"\"\\ud800\\u12\"", Fault::Syntax, 7),
        (b"\"\xFF\"", Fault::Unicode, 1),
        (b"\"a\xC3\"", Fault::Unicode, 2),
        (b"\"\xC0\x80\"", Fault::Unicode, 1),
        (b"\"\xED\xA0\x80\"", Fault::Unicode, 1),
        (b"\"\xF4\x90\x80\x80\"", Fault::Unicode, 1),
        (b"[1e999]", Fault::Number, 1),
        (b"[1,-9007199254740992]", Fault::Number, 3),
        (b"1e300", Fault::Number, 0),
    ];
    for &(text, fault, at) in bad {
        let shown = String::from_utf8_lossy(text);
        let error = validate(text, &Limits::VALUE).expect_err(&shown);
        assert_eq!((error.fault, error.at), (fault, at), "{shown}");
        assert_eq!(rewritten(canonical, text), Err(error), "{shown}");
    }
}

#[test]
fn depth_counts_levels_below_the_root() {
    let limits = Limits { depth: 2, ..Limits::VALUE };
    for (text, good) in [
        ("1", true),
        ("[[1]]", true),
        ("[[[]]]", true),
        ("[[{}]]", true),
        ("[[[1]]]", false),
        ("[[[[]]]]", false),
        (r#"{"a":{"b":1}}"#, true),
        (r#"{"a":{"b":{"c":1}}}"#, false),
        ("[[1],[1],[[],{}]]", true),
    ] {
        let wanted = if good { None } else { Some(Fault::Depth) };
        assert_eq!(fault(validate(text.as_bytes(), &limits)), wanted, "{text}");
    }
    let nested =
        |levels, inner: &str| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, inner, good) in
        [(32, "1", true), (33, "1", false), (32, "[]", true), (33, "[]", false)]
    {
        let result = validate(nested(levels, inner).as_bytes(), &Limits::VALUE);
        assert_eq!(result.is_ok(), good, "{levels} {inner}");
    }
    let error = validate("[".repeat(60_000).as_bytes(), &Limits::VALUE).unwrap_err();
    assert_eq!((error.fault, error.limit), (Fault::Depth, 32));
    let deepest = Limits { depth: usize::MAX, ..Limits::VALUE };
    assert_eq!(validate(nested(63, "1").as_bytes(), &deepest), Ok(()));
    assert_eq!(fault(validate(nested(64, "1").as_bytes(), &deepest)), Some(Fault::Depth));
    let flat = Limits { depth: 0, ..Limits::VALUE };
    assert_eq!(validate(b"[ ]", &flat), Ok(()));
    assert_eq!(fault(validate(b"[1]", &flat)), Some(Fault::Depth));
}

#[test]
fn nodes_count_values_of_every_kind_but_no_keys() {
    let array = |count: usize| format!("[{}]", alloc::vec!["1"; count].join(","));
    assert_eq!(validate(array(19_999).as_bytes(), &Limits::VALUE), Ok(()));
    let error = validate(array(20_000).as_bytes(), &Limits::VALUE).unwrap_err();
    assert_eq!((error.fault, error.limit), (Fault::Nodes, 20_000));
    let limits = Limits { nodes: 4, ..Limits::VALUE };
    assert_eq!(validate(br#"{"a":{"b":1},"c":2}"#, &limits), Ok(()));
    assert_eq!(fault(validate(br#"{"a":{"b":1},"c":[2]}"#, &limits)), Some(Fault::Nodes));
    let none = Limits { nodes: 0, ..Limits::VALUE };
    assert_eq!(fault(validate(b"1", &none)), Some(Fault::Nodes));
}

#[test]
fn size_is_that_of_the_text_read_or_written() {
    let limits = Limits::VALUE.with_bytes(10);
    assert_eq!(validate(b"\"12345678\"", &limits), Ok(()));
    let error = validate(b"\"123456789\"", &limits).unwrap_err();
    assert_eq!((error.fault, error.limit, error.at), (Fault::Size, 10, 11));
    let mut out = Vec::new();
    canonical(b"  [ 1 , 2 , 3 ]  ", &mut out, &limits).unwrap();
    assert_eq!(out, b"[1,2,3]");
    canonical(br#"{"a":"long text","a":1}"#, &mut out, &limits).unwrap();
    assert_eq!(out, br#"[1,2,3]{"a":1}"#);
    let error = canonical(b"[1e5,1e3]", &mut out, &limits).unwrap_err();
    assert_eq!((error.fault, error.limit, error.at), (Fault::Size, 10, 13));
    assert_eq!(out, br#"[1,2,3]{"a":1}"#);
}

#[test]
fn every_cut_of_a_text_is_refused() {
    let text = r#" {"a":[1,2.5e3,"x\u00e9\ud83d\ude00",true,false,null],"bcdefghijk":{"é":{}}} "#;
    validate(text.as_bytes(), &Limits::VALUE).unwrap();
    for cut in 0..text.len() - 1 {
        let error = validate(&text.as_bytes()[..cut], &Limits::VALUE).unwrap_err();
        assert!(error.at <= cut, "{cut}");
    }
}
