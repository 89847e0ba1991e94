//! Several messages at once: all of them or none.
use super::*;

fn batch(text: &str) -> Result<Vec<(String, u32)>, Error> {
    let messages = outgoing_batch(text.as_bytes())?;
    Ok(messages.into_iter().map(|message| (message.body, message.delay_seconds)).collect())
}

fn refused(text: &str) -> (Code, String, Option<usize>) {
    let error = batch(text).expect_err(text);
    (error.code(), error.message().to_string(), error.index())
}

#[test]
fn every_item_is_restored() {
    let text = r#" [ {"body":"],["} , {"delaySeconds" : 30.0, "body":{"body":1}},
        {"body":"{\"body\":1}","delaySeconds":43200},{"b\u006fdy":[1.0,"\\\""]}, {"body":null,"delaySeconds":3e1},
        {"body":{"delaySeconds":1,"contentType":2,"2":1,"1":2}}, {"body":1,"body":2,"delaySeconds":1.5,"delaySeconds":0}]"#;
    let wanted = [
        (r#""],[""#, 0),
        (r#"{"body":1}"#, 30),
        (r#""{\"body\":1}""#, 43_200),
        (r#"[1,"\\\""]"#, 0),
        ("null", 30),
        (r#"{"1":2,"2":1,"delaySeconds":1,"contentType":2}"#, 0),
        ("2", 0),
    ];
    let wanted: Vec<_> = wanted.map(|(body, delay)| (body.to_string(), delay)).into();
    assert_eq!(batch(text), Ok(wanted));
}

#[test]
fn a_batch_is_the_text_of_an_array() {
    let wanted = (Code::QueueBatchJson, "批量消息不是有效的 JSON 数组文字".to_string(), None);
    for text in [
        "",
        "{}",
        "1",
        "\"[]\"",
        "null",
        "[",
        "[{]",
        "[{\"body\":1},]",
        "[{\"body\":1}] x",
        "[{'body':1}]",
    ] {
        assert_eq!(refused(text), wanted, "{text}");
    }
    let error = outgoing_batch(b"[{\"body\":\"\xff\"}]").unwrap_err();
    assert_eq!(error.code(), Code::QueueBatchJson);
    assert_eq!(refused(&"[".repeat(1_000_000)), wanted);
}

#[test]
fn a_batch_has_1_to_100_items() {
    let of = |count: usize| format!("[{}]", [r#"{"body":1}"#].repeat(count).join(","));
    assert_eq!(batch(&of(1)).unwrap().len(), 1);
    assert_eq!(batch(&of(100)).unwrap().len(), 100);
    let none = (Code::QueueBatchCount, "批量消息不得为空".to_string(), None);
    assert_eq!(refused(" [ ] "), none);
    assert_eq!(told(&Batch::new(0).unwrap_err()), (none.0, none.1.as_str(), None));
    let many = (Code::QueueBatchCount, "批量消息不得超过 100 条".to_string(), None);
    assert_eq!(refused(&of(101)), many);
    assert_eq!(refused(&of(90_000)), many);
    assert_eq!(told(&Batch::new(101).unwrap_err()), (many.0, many.1.as_str(), None));
    let error = outgoing_batch(of(101).as_bytes()).unwrap_err();
    assert_eq!((error.limit(), error.actual()), (Some(100), Some(101)));
    // How many there are is looked at before what they are.
    assert_eq!(refused(&format!("[{}]", ["1"].repeat(101).join(","))), many);
}

#[test]
fn an_item_has_a_body_and_perhaps_a_delay_and_nothing_else() {
    for item in [
        "1",
        "null",
        "\"body\"",
        "[]",
        "[{\"body\":1}]",
        "{}",
        "{\"delaySeconds\":1}",
        "{\"body\":1,\"contentType\":\"json\"}",
        "{\"contentType\":\"json\",\"body\":1}",
        "{\"Body\":1}",
        "{\"body\":1,\"delay_seconds\":1}",
        "{\"body\":1,\"\":[{}]}",
        "{\"body\\ud800\":1}",
        "{\"body\":1,\"delaySeconds\\udc00\":{}}",
        "{\"body \":1}",
        // The shape comes before what is in it.
        "{\"body\":1e999,\"x\":1}",
        "{\"delaySeconds\":-1}",
    ] {
        let text = format!("[{{\"body\":1}},{item},7]");
        let wanted = (Code::QueueBatchItem, "批量消息第 1 项格式不合".to_string(), Some(1));
        assert_eq!(refused(&text), wanted, "{text}");
        let mut batch = Batch::new(2).unwrap();
        batch.push_item(b"{\"body\":1}").unwrap();
        let error = batch.push_item(item.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.message().to_string(), error.index()), wanted, "{item}");
    }
    assert_eq!(Batch::new(1).unwrap().push_item(b"{").unwrap_err().code(), Code::QueueBatchItem);
}

#[test]
fn the_body_of_an_item_obeys_the_rules_of_one_message() {
    let deep = nested(25, "");
    let large = format!("\"{}\"", "a".repeat(127_999));
    let grown = format!("[{}]", ["1e20"].repeat(6_000).join(","));
    for (body, code, text) in [
        ("1e999", Code::QueueBodyJson, "消息体不是有效的 JSON 文字"),
        ("[\"\\ud800\"]", Code::QueueBodyUnicode, "消息体含孤立代理项"),
        ("{\"\\u0024句柄\":1}", Code::QueueBodyReserved, "消息体不得含宿主专用之记"),
        (large.as_str(), Code::QueueBodySize, "消息体超过 128000 字节"),
        (grown.as_str(), Code::QueueBodySize, "消息体超过 128000 字节"),
        (deep.as_str(), Code::QueueBodyDepth, "消息体嵌套不得超过 24 层"),
    ] {
        let text_of_batch = format!("[{{\"body\":1}},{{\"body\":2}},{{\"body\" : {body} }}]");
        assert_eq!(refused(&text_of_batch), (code, text.to_string(), Some(2)));
        let mut batch = Batch::new(2).unwrap();
        batch.push(b"1", 0.0).unwrap();
        assert_eq!(told(&batch.push(body.as_bytes(), 0.0).unwrap_err()), (code, text, Some(1)));
        // Before a delay that is wrong, too.
        let text_of_batch = format!("[{{\"delaySeconds\":-1,\"body\":{body}}}]");
        assert_eq!(refused(&text_of_batch).0, code);
    }
    let error = outgoing_batch(b"[{\"body\":\"\xed\xa0\x80\"}]").unwrap_err();
    assert_eq!((error.code(), error.index()), (Code::QueueBodyUnicode, Some(0)));
    // Neither the array nor the item counts as a level, and white space around a body not as its text.
    let most = format!("[ {{ \"body\" : {} }} ]", nested(24, "1"));
    assert_eq!(batch(&most).unwrap()[0].0, nested(24, "1"));
    let full = format!("[{{\"body\":{:2000}\"{}\"{:2000}}}]", " ", "a".repeat(127_998), " ");
    assert_eq!(batch(&full).unwrap()[0].0.len(), 128_000);
}

#[test]
fn a_delay_must_be_a_whole_number_null_included() {
    let wanted = (Code::QueueDelay, "延迟秒数须在 0 至 43200 之间".to_string(), Some(0));
    for delay in [
        "1.5",
        "-1",
        "43201",
        "null",
        "true",
        "\"30\"",
        "[30]",
        "{}",
        "1e999",
        "-1e999",
        "\"\\ud800\"",
    ] {
        assert_eq!(
            refused(&format!("[{{\"body\":1,\"delaySeconds\":{delay}}}]")),
            wanted,
            "{delay}"
        );
    }
    let mut batch = Batch::new(1).unwrap();
    let error = batch.push(b"1", f64::NAN).unwrap_err();
    assert_eq!(told(&error), (wanted.0, wanted.1.as_str(), Some(0)));
}

#[test]
fn a_delay_may_be_given_as_text_by_itself() {
    for (text, seconds) in [("0", 0), ("-0", 0), (" 30.0 ", 30), ("3e1", 30), ("43200", 43_200)] {
        assert_eq!(check_delay_text(Some(text.as_bytes())), Ok(seconds), "{text}");
    }
    assert_eq!(check_delay_text(None), Ok(0));
    for text in
        ["", "+1", "1.", ".5", "inf", "NaN", "1.5", "null", "\"1\"", "[1]", "1e999", "43201", "1 2"]
    {
        assert_eq!(
            check_delay_text(Some(text.as_bytes())).unwrap_err().code(),
            Code::QueueDelay,
            "{text}"
        );
    }
    let mut batch = Batch::new(3).unwrap();
    batch.push_parts(b" [] ", Some(b"5")).unwrap();
    batch.push_parts(b"1", None).unwrap();
    let error = batch.push_parts(b"1", Some(b"null")).unwrap_err();
    assert_eq!((error.code(), error.index()), (Code::QueueDelay, Some(2)));
}

#[test]
fn the_first_item_that_is_wrong_gives_the_error() {
    let text = r#"[{"body":1},{"body":1,"delaySeconds":-1},{"body":1e999},{"x":1}]"#;
    assert_eq!(
        refused(text),
        (Code::QueueDelay, "延迟秒数须在 0 至 43200 之间".to_string(), Some(1))
    );
}

#[test]
fn bodies_are_together_at_most_256000_bytes() {
    let item = |bytes: usize| format!("{{\"body\":\"{}\"}}", "a".repeat(bytes - 2));
    let two = format!("[{},{}]", item(128_000), item(128_000));
    assert_eq!(batch(&two).unwrap().len(), 2);
    let wanted = (Code::QueueBatchSize, "批量消息合计超过 256000 字节".to_string(), None);
    let three = format!("[{},{},{{\"body\":1}}]", item(128_000), item(128_000));
    assert_eq!(refused(&three), wanted);
    let error = outgoing_batch(three.as_bytes()).unwrap_err();
    assert_eq!((error.limit(), error.actual()), (Some(256_000), Some(256_001)));
    // What is counted is normalised.
    let spaced = format!("[{},{},{{\"body\":[{:9000}]}}]", item(128_000), item(127_998), " ");
    assert_eq!(batch(&spaced).unwrap().len(), 3);
    // An item that is wrong comes first.
    let wrong = format!("[{},{},{{\"body\":1}},{{}}]", item(128_000), item(128_000));
    assert_eq!(refused(&wrong).0, Code::QueueBatchItem);
}

#[test]
fn the_text_of_a_batch_is_at_most_1_mib() {
    let of = |bytes: usize| {
        let rest = "[{\"body\":1}]".len();
        format!("{}[{{\"body\":1}}]", " ".repeat(bytes - rest))
    };
    assert_eq!(batch(&of(1_048_576)).unwrap().len(), 1);
    let wanted = (Code::QueueBatchText, "批量消息文字超过 1048576 字节".to_string(), None);
    assert_eq!(refused(&of(1_048_577)), wanted);
    assert_eq!(refused(&"x".repeat(1_048_577)), wanted);
}

#[test]
fn item_by_item_gives_what_the_text_gives() {
    let mut batch = Batch::new(3).unwrap();
    batch.push(b" {\"2\":0,\"1\":0} ", 30.0).unwrap();
    batch.push_item(b" {\"delaySeconds\":30,\"body\": {\"2\":0,\"1\":0} } ").unwrap();
    batch.push_item(b"{\"body\":0}").unwrap();
    let messages = batch.finish().unwrap();
    assert_eq!(messages[0], messages[1]);
    assert_eq!(messages[0], Outgoing { body: "{\"1\":0,\"2\":0}".into(), delay_seconds: 30 });
    assert_eq!(messages[2], Outgoing { body: "0".into(), delay_seconds: 0 });
    let text = br#"[{"body":{"2":0,"1":0},"delaySeconds":30},{"body":{"2":0,"1":0},"delaySeconds":30},{"body":0}]"#;
    assert_eq!(outgoing_batch(text), Ok(messages));
}
