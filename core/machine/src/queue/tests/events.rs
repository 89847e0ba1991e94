//! A batch in a handler's hands: reading, what may be said, and what becomes of each message.
use super::*;
use alloc::vec;

fn message(id: &str, attempts: u32, body: &str) -> Message {
    let body = body.as_bytes().to_vec();
    Message { id: id.into(), attempts, timestamp_ms: 1_764_547_200_000, body }
}

fn settings() -> Settings {
    Settings { retry_delay_ms: 7_000, max_retries: 2, ..Settings::default() }
}

fn event(bodies: &[&str]) -> Event {
    let messages = bodies.iter().enumerate().map(|(n, body)| message(&format!("m{n}"), 1, body));
    Event::new("pages", messages.collect(), settings(), true)
}

fn three() -> Event {
    event(&["{\"n\":0}", "[1]", "\"two\""])
}

fn dispositions(ending: &Ending) -> Vec<(Disposition, bool)> {
    ending.messages.iter().map(|settled| (settled.disposition, settled.told)).collect()
}

const RETURN: Disposition = Disposition::Return { after_seconds: 7 };

#[test]
fn a_batch_is_read_in_the_order_that_numbers_it_and_reading_changes_nothing() {
    let mut event = three();
    let text = concat!(
        r#"{"queue":"pages","messages":[{"id":"m0","attempts":1,"timestamp":1764547200000,"body":{"n":0}},"#,
        r#"{"id":"m1","attempts":1,"timestamp":1764547200000,"body":[1]},"#,
        r#"{"id":"m2","attempts":1,"timestamp":1764547200000,"body":"two"}]}"#
    );
    assert_eq!(event.read_text().as_deref(), Ok(text));
    assert_eq!(event.read_text().as_deref(), Ok(text));
    assert_eq!(event.messages()[2].id, "m2");
    let ending = event.finish(Outcome::Success);
    assert_eq!(dispositions(&ending), [(Disposition::Done, false); 3]);
    assert!(!ending.failed);
}

#[test]
fn what_another_producer_sent_is_read_as_the_same_value_or_not_at_all() {
    let mut event = Event::new(
        "a\"\n名",
        vec![message("\\", 5, " {\"b\":1.0,\"1\":\"\\u0041\"} ")],
        settings(),
        false,
    );
    let text = r#"{"queue":"a\"\n名","messages":[{"id":"\\","attempts":5,"timestamp":1764547200000,"body":{"1":"A","b":1}}]}"#;
    assert_eq!(event.read_text().as_deref(), Ok(text));
    // Reserved keys are no longer looked at, nor how large a body is.
    let large = format!("{{\"$句柄\":\"{}\"}}", "x".repeat(200_000));
    assert!(super::super::read::text("q", &[message("m", 1, &large)]).is_ok());
    for bad in ["", "{", "NaN", "1e999", "\"\\ud800\"", "[1] [2]", "undefined"] {
        let mut event =
            Event::new("q", vec![message("a", 1, "1"), message("b", 1, bad)], settings(), true);
        let Err(Refusal::Error(error)) = event.read_text() else { panic!("{bad}") };
        let wanted = (Code::QueueBodyNotJson, "队列消息正文不是 JSON 值：序号 1", Some(1));
        assert_eq!(told(&error), wanted, "{bad}");
        // It can be caught, and the message got rid of.
        let act = Act { index: 1, disposition: Disposition::Done };
        assert_eq!(event.ack(1.0), Ok(Some(act)));
        assert!(!event.finish(Outcome::Success).failed);
    }
    let bytes = Message { body: b"\"\xff\"".to_vec(), ..message("m", 1, "") };
    let read = Event::new("q", vec![bytes], settings(), true).read_text();
    assert!(matches!(read, Err(Refusal::Error(error)) if error.code() == Code::QueueBodyNotJson));
}

#[test]
fn a_body_nested_deeper_than_32_fails_the_event_whatever_the_handler_does() {
    let mut event = event(&["1", &nested(32, "")]);
    assert!(event.read_text().is_ok());
    let mut event = self::event(&["1", &nested(33, ""), &nested(50_000, "")]);
    let Err(Refusal::Fault(fault)) = event.read_text() else { panic!() };
    assert_eq!(fault.code(), Code::QueueBodyDepth);
    assert!(fault.message().starts_with("message 1 is nested 33 deep; at most 32"), "{fault}");
    assert_eq!(event.ack(0.0), Ok(Some(Act { index: 0, disposition: Disposition::Done })));
    let ending = event.finish(Outcome::Success);
    assert!(ending.failed);
    let wanted = [(Disposition::Done, true), (RETURN, false), (RETURN, false)];
    assert_eq!(dispositions(&ending), wanted);
}

#[test]
fn ack_one_retry_one_and_leave_one() {
    let mut event = three();
    let act = event.ack(0.0).unwrap().unwrap();
    assert_eq!(act, Act { index: 0, disposition: Disposition::Done });
    let act = event.retry(1.0, 30.0).unwrap().unwrap();
    let retry = Disposition::Retry { after_seconds: 30 };
    assert_eq!(act, Act { index: 1, disposition: retry });
    let ending = event.finish(Outcome::Success);
    let wanted = [(Disposition::Done, true), (retry, true), (Disposition::Done, false)];
    assert_eq!(dispositions(&ending), wanted);
}

#[test]
fn the_first_word_of_a_message_counts() {
    let mut event = event(&["0", "1", "2", "3"]);
    let done = |index| Ok(Some(Act { index, disposition: Disposition::Done }));
    let retry = |index, after_seconds| {
        Ok(Some(Act { index, disposition: Disposition::Retry { after_seconds } }))
    };
    assert_eq!(event.ack(0.0), done(0));
    assert_eq!(event.retry(0.0, 30.0), Ok(None));
    assert_eq!(event.retry(1.0, 0.0), retry(1, 7));
    assert_eq!(event.ack(1.0), Ok(None));
    assert_eq!(event.ack(2.0), done(2));
    assert_eq!(event.ack(2.0), Ok(None));
    assert_eq!(event.retry(3.0, 1.0), retry(3, 1));
    assert_eq!(event.retry(3.0, 2.0), Ok(None));
    // What is ignored is still checked.
    assert_eq!(event.retry(0.0, -1.0).unwrap_err().code(), Code::QueueDelay);
    // So is what is only asked about, and nothing is said by that.
    assert_eq!(event.check(3.0, 43_200.0), Ok(()));
    assert_eq!(event.check(3.0, 0.5).unwrap_err().code(), Code::QueueDelay);
    assert_eq!(event.check(4.0, 0.0).unwrap_err().code(), Code::QueueIndex);
    let ending = event.finish(Outcome::Failure);
    assert!(ending.failed);
    let wanted = [
        (Disposition::Done, true),
        (Disposition::Retry { after_seconds: 7 }, true),
        (Disposition::Done, true),
        (Disposition::Retry { after_seconds: 1 }, true),
    ];
    assert_eq!(dispositions(&ending), wanted);
}

#[test]
fn numbers_past_the_batch_and_delays_past_the_day_are_refused() {
    let mut event = three();
    let index = (Code::QueueIndex, "队列消息序号越界", None);
    for n in [3.0, -1.0, 0.5, 2.5, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(told(&event.ack(n).unwrap_err()), index, "{n}");
        assert_eq!(told(&event.retry(n, 0.0).unwrap_err()), index, "{n}");
        assert_eq!(told(&event.retry(n, -1.0).unwrap_err()), index, "{n}");
    }
    let delay = (Code::QueueDelay, "延迟秒数须在 0 至 43200 之间", None);
    for seconds in [-1.0, 43_201.0, 1.5, f64::NAN] {
        assert_eq!(told(&event.retry(0.0, seconds).unwrap_err()), delay, "{seconds}");
    }
    // Nothing was said by all that.
    assert_eq!(dispositions(&event.finish(Outcome::Success)), [(Disposition::Done, false); 3]);
    let mut event = three();
    assert!(event.retry(0.0, 43_200.0).is_ok_and(|act| act.is_some()));
    let none = self::event(&[]).ack(0.0).unwrap_err();
    assert_eq!(told(&none), index);
}

#[test]
fn a_failed_event_brings_back_what_was_not_acknowledged() {
    let mut event = three();
    event.ack(1.0).unwrap();
    let ending = event.finish(Outcome::Failure);
    assert!(ending.failed);
    assert_eq!(
        dispositions(&ending),
        [(RETURN, false), (Disposition::Done, true), (RETURN, false)]
    );
}

#[test]
fn the_last_delivery_makes_a_dead_letter_or_drops() {
    // Two retries are three deliveries.
    for (dead_letters, last) in [(true, Disposition::DeadLetter), (false, Disposition::Drop)] {
        let messages = (1..=4).map(|attempts| message("m", attempts, "1")).collect::<Vec<_>>();
        let mut event = Event::new("q", messages.clone(), settings(), dead_letters);
        let ending = event.finish(Outcome::Failure);
        let wanted = [(RETURN, false), (RETURN, false), (last, false), (last, false)];
        assert_eq!(dispositions(&ending), wanted);

        let mut event = Event::new("q", messages.clone(), settings(), dead_letters);
        let retry = Disposition::Retry { after_seconds: 5 };
        for (index, disposition) in [retry, retry, last, last].into_iter().enumerate() {
            let act = event.retry(index as f64, 5.0);
            assert_eq!(act, Ok(Some(Act { index, disposition })));
        }
        let mut event = Event::new("q", messages, settings(), dead_letters);
        assert_eq!(dispositions(&event.finish(Outcome::Success)), [(Disposition::Done, false); 4]);
    }
    let once = Settings { max_retries: 0, ..settings() };
    let mut event = Event::new("q", vec![message("m", 1, "1")], once, true);
    assert_eq!(dispositions(&event.finish(Outcome::Failure)), [(Disposition::DeadLetter, false)]);
}

#[test]
fn after_its_end_there_is_no_event() {
    let mut event = three();
    assert!(!event.has_ended());
    event.finish(Outcome::Success);
    assert!(event.has_ended());
    let wanted = (Code::QueueNoEvent, "当前事件不是队列事件", None);
    assert_eq!(told(&event.ack(0.0).unwrap_err()), wanted);
    assert_eq!(told(&event.ack(9.0).unwrap_err()), wanted);
    assert_eq!(told(&event.retry(0.0, -1.0).unwrap_err()), wanted);
    let Err(Refusal::Error(error)) = event.read_text() else { panic!() };
    assert_eq!(told(&error), wanted);
    assert_eq!(told(&no_event()), wanted);
    let again = event.finish(Outcome::Failure);
    assert!(again.messages.is_empty());
}

#[test]
fn a_lost_lease_is_said_to_who_still_wants_to_speak() {
    let mut event = event(&["0", "1", "2", "3"]);
    event.ack(0.0).unwrap();
    for index in 0..3 {
        event.lease_ended(index);
    }
    event.lease_ended(99);
    // The word from before it ended stands.
    assert_eq!(event.ack(0.0), Ok(None));
    let error = event.ack(1.0).unwrap_err();
    assert_eq!((error.code(), error.index()), (Code::QueueLeaseLost, Some(1)));
    assert_eq!(event.retry(2.0, 5.0).unwrap_err().code(), Code::QueueLeaseLost);
    assert_eq!(event.retry(2.0, -5.0).unwrap_err().code(), Code::QueueDelay);
    // The store knew first.
    assert!(event.ack(3.0).unwrap().is_some());
    assert_eq!(event.act_lost(3), lease_lost(3));
    assert_eq!(event.ack(3.0), Err(lease_lost(3)));
    let lost = (Disposition::Lost, false);
    let ending = event.finish(Outcome::Failure);
    assert_eq!(dispositions(&ending), [(Disposition::Done, true), lost, lost, lost]);
}

#[test]
fn a_word_that_the_store_could_not_keep_was_not_said() {
    let mut event = three();
    assert!(event.ack(0.0).unwrap().is_some());
    event.take_back(0);
    event.take_back(9);
    assert!(event.retry(0.0, 4.0).unwrap().is_some());
    event.take_back(0);
    assert_eq!(dispositions(&event.finish(Outcome::Success)), [(Disposition::Done, false); 3]);
}

#[test]
fn a_fault_fails_the_event_even_where_it_was_swallowed() {
    let mut event = three();
    event.ack(2.0).unwrap();
    let Err(Refusal::Fault(fault)) = Deployment::new().binding("X") else { panic!() };
    event.fault(&fault);
    assert!(event.ack(1.0).is_ok(), "the handler goes on for now");
    let ending = event.finish(Outcome::Success);
    assert!(ending.failed);
    assert_eq!(ending.messages[0].disposition, RETURN);
    assert_eq!(ending.messages[2].disposition, Disposition::Done);
    assert_eq!(EVENT_KIND, "queue");
}
