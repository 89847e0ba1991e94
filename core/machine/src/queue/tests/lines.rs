//! What a program writes that runs for one batch.
use super::*;
use alloc::vec;

#[test]
fn a_line_acknowledges_or_retries() {
    for (text, line) in [
        (r#"{"ack":0}"#, Line::Ack { index: 0.0 }),
        (r#" {"ack": 12.0} "#, Line::Ack { index: 12.0 }),
        (r#"{"retry":1,"delaySeconds":30}"#, Line::Retry { index: 1.0, delay: 30.0 }),
        (r#"{"delaySeconds":0,"retry":1}"#, Line::Retry { index: 1.0, delay: 0.0 }),
        (r#"{"retry":1}"#, Line::Retry { index: 1.0, delay: 0.0 }),
        (r#"{"ack":-1}"#, Line::Ack { index: -1.0 }),
        (r#"{"retry":0,"delaySeconds":1.5}"#, Line::Retry { index: 0.0, delay: 1.5 }),
    ] {
        assert_eq!(Line::parse(text.as_bytes()), Ok(line), "{text}");
    }
}

#[test]
fn any_other_line_is_an_error_that_shows_it() {
    let long = format!("{{\"ack\":0{}}}", " ".repeat(2_000));
    for text in [
        "",
        "ack 0",
        "{}",
        "{\"ack\":\"0\"}",
        "{\"ack\":null}",
        "{\"ack\":0,\"retry\":0}",
        "{\"ack\":0,\"delaySeconds\":1}",
        "{\"delaySeconds\":1}",
        "{\"ack\":0,\"ack\":1}",
        "{\"ack\":0,\"x\":1}",
        "[0]",
        "{\"ack\":0}{\"ack\":1}",
        "{\"ack\":1e999}",
        long.as_str(),
    ] {
        let error = Line::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), Code::HandlerError, "{text}");
        assert!(error.message().contains("{\"ack\":n}") && error.message().len() < 300, "{error}");
    }
    assert!(Line::parse(b"{\"ack\":\xff}").is_err());
}

#[test]
fn a_line_does_what_the_handler_would() {
    let message = Message { id: "m".into(), attempts: 1, timestamp_ms: 0, body: b"1".to_vec() };
    let mut event = Event::new("q", vec![message.clone(), message], Settings::default(), false);
    let act = Line::Ack { index: 0.0 }.apply(&mut event);
    assert_eq!(act, Ok(Some(Act { index: 0, disposition: Disposition::Done })));
    let act = Line::Retry { index: 1.0, delay: 9.0 }.apply(&mut event);
    let disposition = Disposition::Retry { after_seconds: 9 };
    assert_eq!(act, Ok(Some(Act { index: 1, disposition })));
    let error = Line::Ack { index: 2.0 }.apply(&mut event).unwrap_err();
    assert_eq!(error.code(), Code::QueueIndex);
}
