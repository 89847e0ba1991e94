//! One message: the rules of its body and of its delay.
use super::*;

fn json() -> (Code, String) {
    (Code::QueueBodyJson, "消息体不是有效的 JSON 文字".into())
}

fn size() -> (Code, String) {
    (Code::QueueBodySize, "消息体超过 128000 字节".into())
}

fn depth() -> (Code, String) {
    (Code::QueueBodyDepth, "消息体嵌套不得超过 24 层".into())
}

fn reserved() -> (Code, String) {
    (Code::QueueBodyReserved, "消息体不得含宿主专用之记".into())
}

fn unicode() -> (Code, String) {
    (Code::QueueBodyUnicode, "消息体含孤立代理项".into())
}

#[test]
fn a_body_is_stored_as_a_javascript_engine_writes_it() {
    let page = r#"{"kind":"page","url":"/release/x","version":"v8","refresh":true}"#;
    for (text, body) in [
        (page, page),
        (" [ 1 ,\t2\r\n, { } ] ", "[1,2,{}]"),
        ("null", "null"),
        (" true", "true"),
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("1e2", "100"),
        ("9007199254740993", "9007199254740992"),
        ("-9007199254740993", "-9007199254740992"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("123456789012345680000", "123456789012345680000"),
        ("1e-400", "0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("5e-324", "5e-324"),
        (r#""\u0041\/\u000a\u007f\ud83d\ude00\u2028""#, "\"A/\\n\u{7f}😀\u{2028}\""),
        (r#"{"b":1,"a":2,"b":3}"#, r#"{"b":3,"a":2}"#),
        (r#"{"b":1,"10":1,"9":2,"01":3,"-1":4}"#, r#"{"9":2,"10":1,"b":1,"01":3,"-1":4}"#),
        (r#"{"4294967295":1,"4294967294":2}"#, r#"{"4294967294":2,"4294967295":1}"#),
        (
            r#"{"a":1,"__proto__":{"x":1},"constructor":2}"#,
            r#"{"a":1,"__proto__":{"x":1},"constructor":2}"#,
        ),
        (r#"{"\u0061":1,"a":2}"#, r#"{"a":2}"#),
        (r#"["],[","{\"body\":1}","\\\""]"#, r#"["],[","{\"body\":1}","\\\""]"#),
        (r#"{"$":1,"$句":2,"句柄":3,"x":"$句柄"}"#, r#"{"$":1,"$句":2,"句柄":3,"x":"$句柄"}"#),
    ] {
        assert_eq!(sent(text).as_deref(), Ok(body), "{text}");
        assert_eq!(sent(body).as_deref(), Ok(body), "{text}");
    }
}

#[test]
fn what_is_no_json_text_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "[1,]",
        "{\"a\"}",
        "{a:1}",
        "'a'",
        "01",
        "1.",
        ".5",
        "+1",
        "--1",
        "0x1",
        "1e",
        "1e+",
        "NaN",
        "Infinity",
        "undefined",
        "nul",
        "truE",
        "1 2",
        "[1]]",
        "\"a",
        "\"\t\"",
        r#""\x41""#,
        r#""\u12g4""#,
        "\u{feff}1",
        "\u{a0}1",
        "// c\n1",
        "1e999",
        "-1e999",
        "[1,{\"a\":1e309}]",
    ] {
        assert_eq!(sent(text), Err(json()), "{text}");
    }
    for bytes in
        [b"\"\xff\"".as_slice(), b"\"\xc0\x80\"", b"\"\xed\xa0\"", b"\xed\xa0\x80", b"1\x00"]
    {
        let error = outgoing(bytes, 0.0).unwrap_err();
        assert_eq!((error.code(), error.message().to_string()), json(), "{bytes:?}");
    }
}

#[test]
fn a_lone_surrogate_is_refused_however_it_is_written() {
    for text in [
        r#""\ud800""#,
        r#""a\udc00b""#,
        r#""\ud800\ud800""#,
        r#""\ude00\ud83d""#,
        r#""\uD83Dx""#,
        r#""\ud83d\n""#,
        r#"{"\ud800":1}"#,
        r#"[{"a":["\udfff"]}]"#,
    ] {
        assert_eq!(sent(text), Err(unicode()), "{text}");
    }
    // As languages write them that hold them in their texts.
    let error = outgoing(b"[\"x\xed\xa0\x80\",\"\xed\xbf\xbf\"]", 0.0).unwrap_err();
    assert_eq!((error.code(), error.message().to_string()), unicode());
    assert!(sent("\"\\ud83d\\ude00\u{fffd}\u{d7ff}\u{e000}\"").is_ok());
}

#[test]
fn reserved_keys_are_refused_at_any_depth_however_escaped() {
    for key in
        ["$句柄", "$未定义", "$大整数", "$数字", r"\u0024句柄", r"$\u53e5柄", r"\u0024\u6570\u5B57"]
    {
        for text in [
            format!("{{\"{key}\":\"1\"}}"),
            format!("[1,{{\"a\":{{\"b\":[{{\"x\":1,\"{key}\":null}}]}}}}]"),
            format!("{{\"{key}\":1,\"{key}\":2}}"),
            nested(40, &format!("{{\"{key}\":1}}")),
        ] {
            assert_eq!(sent(&text), Err(reserved()), "{text}");
        }
        assert!(sent(&format!("[\"{key}\"]")).is_ok());
        assert!(sent(&format!("{{\"{key} \":1}}")).is_ok());
    }
}

#[test]
fn a_body_of_128000_bytes_passes_and_one_more_does_not() {
    let text = |bytes: usize| format!("\"{}\"", "a".repeat(bytes - 2));
    assert_eq!(sent(&text(128_000)).unwrap().len(), 128_000);
    assert_eq!(sent(&text(128_001)), Err(size()));
    let error = outgoing(text(128_001).as_bytes(), 0.0).unwrap_err();
    assert_eq!((error.limit(), error.actual()), (Some(128_000), Some(128_001)));
    // Bytes, not characters; the text as given, white space with it.
    let wide = format!("\"{}\"", "名".repeat(42_666));
    assert_eq!(wide.len(), 128_000);
    assert!(sent(&wide).is_ok());
    assert_eq!(sent(&format!(" {wide}")), Err(size()));
    assert_eq!(sent(&format!("{}1", " ".repeat(127_999))).as_deref(), Ok("1"));
    assert_eq!(sent(&format!("{}1", " ".repeat(128_000))), Err(size()));
    // What is refused for its size is not even looked at.
    assert_eq!(sent(&"{".repeat(128_001)), Err(size()));
    // The normalised text may be the longer one.
    let grows = |count: usize| format!("[{}]", ["1e20"].repeat(count).join(","));
    assert_eq!(sent(&grows(5_818)).unwrap().len(), 5_818 * 22 + 1);
    assert_eq!(sent(&grows(5_819)), Err(size()));
    let error = outgoing(grows(5_819).as_bytes(), 0.0).unwrap_err();
    assert_eq!(error.actual(), Some(5_819 * 22 + 1));
}

#[test]
fn nesting_counts_arrays_and_objects_empty_ones_too() {
    for (levels, inner) in [(24, "1"), (23, "[]"), (23, "{}"), (22, "{\"a\":[]}"), (0, "1")] {
        assert!(sent(&nested(levels, inner)).is_ok(), "{levels} {inner}");
        assert_eq!(sent(&nested(levels + 1, inner)).is_ok(), levels < 22, "{levels} {inner}");
    }
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    assert!(sent(&objects(24)).is_ok());
    assert_eq!(sent(&objects(25)), Err(depth()));
    assert_eq!(sent(&nested(25, "")), Err(depth()));
    assert_eq!(sent(&nested(64_000, "")), Err(depth()));
    assert_eq!(sent(&objects(21_000)), Err(depth()));
    let wide = format!("[{}]", [nested(23, "1").as_str()].repeat(100).join(","));
    assert!(sent(&wide).is_ok());
}

#[test]
fn the_first_rule_that_is_broken_gives_the_error() {
    let deep = |inner: &str| nested(30, inner);
    // Syntax behind everything else is still the first.
    assert_eq!(sent(&deep(r#"{"$句柄":"\ud800"},1e999,"#)), Err(json()));
    assert_eq!(sent(&deep(r#"{"$句柄":"\ud800"},1e999"#)), Err(json()));
    assert_eq!(sent(&deep(r#"{"$句柄":"\ud800"}"#)), Err(unicode()));
    assert_eq!(sent(&deep(r#"{"$句柄":1}"#)), Err(reserved()));
    let large = ["1e20"].repeat(6_000).join(",");
    assert_eq!(sent(&deep(&format!("{{\"$句柄\":1}},{large}"))), Err(reserved()));
    assert_eq!(sent(&deep(&large)), Err(size()));
    assert_eq!(sent(&deep("1")), Err(depth()));
    let error = outgoing(b"[1", -1.0).unwrap_err();
    assert_eq!(error.code(), Code::QueueBodyJson);
    assert_eq!(outgoing(b"[1]", -1.0).unwrap_err().code(), Code::QueueDelay);
}

#[test]
fn of_what_is_nested_too_deep_only_what_counts_is_measured() {
    // Duplicates within duplicates, on the way down and beyond the limit: their bytes do not count.
    let large = ["1e20"].repeat(4_000).join(",");
    let twice = |inner: &str| format!("{{\"a\":[{large}],\"b\":0,\"a\":{inner}}}");
    let text = format!("{},{}", nested(30, ""), twice("1"));
    assert_eq!(sent(&nested(1, &text)), Err(depth()));
    let text = format!("[{},{},[{large}]]", nested(30, ""), twice("1"));
    assert_eq!(sent(&text), Err(depth()), "88,001 bytes, once");
    let text = format!("[{},{},[{large}]]", nested(30, ""), twice(&format!("[{large}]")));
    assert_eq!(sent(&text), Err(size()), "and twice");
    let inner = format!("{{\"x\":[{large}],\"x\":1}}");
    let text = format!("[{},{{\"a\":{inner},\"a\":{inner}}},[{large}]]", nested(30, ""));
    assert_eq!(sent(&text), Err(depth()));
    // So much would have to be moved at each of nine thousand levels that it could not be waited for.
    let levels = 9_000;
    let text = format!("{}1{}", "{\"1\":".repeat(levels), ",\"0\":1}".repeat(levels));
    assert_eq!(sent(&text), Err(depth()));
}

#[test]
fn a_delay_is_a_whole_number_of_seconds_up_to_twelve_hours() {
    for (given, seconds) in [(0.0, 0), (-0.0, 0), (1.0, 1), (30.0, 30), (43_200.0, 43_200)] {
        assert_eq!(check_delay(given), Ok(seconds));
        assert_eq!(outgoing(b"1", given).unwrap().delay_seconds, seconds);
    }
    let bad = [
        -1.0,
        43_201.0,
        1.5,
        -0.5,
        0.000_1,
        43_200.5,
        1e300,
        4_294_967_296.0,
        f64::NAN,
        f64::INFINITY,
    ];
    for given in bad.into_iter().chain([f64::NEG_INFINITY]) {
        let error = outgoing(b"1", given).unwrap_err();
        assert_eq!(
            told(&error),
            (Code::QueueDelay, "延迟秒数须在 0 至 43200 之间", None),
            "{given}"
        );
    }
}

#[test]
fn a_store_speaks_in_its_own_words() {
    let error = send_refused("Queue is full");
    assert_eq!(told(&error), (Code::QueueStore, "队列发送失败：Queue is full", None));
    let error = batch_refused("Queue is full");
    assert_eq!(told(&error), (Code::QueueStore, "队列批量发送失败：Queue is full", None));
}

#[test]
fn what_was_replaced_is_no_part_of_the_body() {
    let deep = nested(30, "");
    for gone in [
        "1e999",
        r#""\ud800""#,
        r#"{"$句柄":1}"#,
        deep.as_str(),
        r#"{"\uDABC":[{"$数字":-1e309}]}"#,
    ] {
        let text = format!("[{{\"b\":1,\"a\":{gone},\"a\":2,\"1\":{{\"x\":{gone},\"x\":[]}}}}]");
        assert_eq!(sent(&text).as_deref(), Ok(r#"[{"1":{"x":[]},"b":1,"a":2}]"#), "{text}");
        // The same in another order, which is what stays.
        let text = format!("{{\"a\":2,\"a\":{gone}}}");
        assert!(sent(&text).is_err(), "{text}");
    }
    let large = ["1e20"].repeat(6_000).join(",");
    assert_eq!(sent(&format!("{{\"a\":[{large}],\"a\":0}}")).as_deref(), Ok(r#"{"a":0}"#));
}
