//! Queue messages: a body is accepted by the rules written out over what serde_json reads, and what is stored keeps the
//! value; a batch is its items; an event does what a simple model of it does.
use crate::{input::Input, json::same};
use posthouse_core::{
    Code, Result,
    queue::{Act, Batch, Disposition, Event, Message, Outcome, Outgoing, RESERVED_KEYS, Refusal},
    queue::{Settings, check_delay, outgoing, outgoing_batch},
};
use serde_json::{Value, value::RawValue};

/// How many arrays and objects are open at the deepest place.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(all) => 1 + all.iter().map(depth).max().unwrap_or(0),
        Value::Object(all) => 1 + all.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn reserved(value: &Value) -> bool {
    match value {
        Value::Array(all) => all.iter().any(reserved),
        Value::Object(all) => {
            all.iter().any(|(key, value)| RESERVED_KEYS.contains(&key.as_str()) || reserved(value))
        }
        _ => false,
    }
}

fn body(text: &[u8]) -> Result<Outgoing> {
    let sent = outgoing(text, 0.0);
    // serde_json refuses what overflows, lone surrogates, and what is nested more than 127 deep.
    let value = serde_json::from_slice::<Value>(text).ok();
    match &sent {
        Ok(message) => {
            assert!(text.len() <= 128_000 && message.body.len() <= 128_000);
            let back: Value = serde_json::from_str(&message.body).expect("what is stored is JSON");
            // What was replaced may be anything but a fault of grammar.
            match value {
                Some(value) => assert!(same(&back, &value)),
                None => assert!(message.body.len() < text.len()),
            }
            assert!(depth(&back) <= 24 && !reserved(&back));
            assert_eq!(
                outgoing(message.body.as_bytes(), 0.0).as_ref(),
                Ok(message),
                "once is enough"
            );
            let spaced = format!("\n{}\t", String::from_utf8_lossy(text));
            assert_eq!(outgoing(spaced.as_bytes(), 0.0).as_ref(), Ok(message));
        }
        Err(error) => {
            assert_eq!(error.index(), None);
            match error.code() {
                Code::QueueBodyJson | Code::QueueBodyUnicode => assert!(value.is_none()),
                // A value that another one replaced is no longer seen.
                Code::QueueBodyReserved => assert!(value.as_ref().is_none_or(reserved)),
                Code::QueueBodySize => {}
                Code::QueueBodyDepth => assert!(value.is_none_or(|value| depth(&value) > 24)),
                other => panic!("{other}"),
            }
        }
    }
    sent
}

/// The text of a batch against its items, each by itself.
fn batch(text: &[u8]) {
    let whole = outgoing_batch(text);
    let Ok(items) = serde_json::from_slice::<Vec<&RawValue>>(text) else {
        // It looks at the grammar only, as we do; but we go on where a surrogate is written as a character.
        match whole.map_err(|error| error.code()) {
            Err(Code::QueueBatchJson) => {}
            _ => assert!(std::str::from_utf8(text).is_err()),
        }
        return;
    };
    let apart = || {
        let mut batch = Batch::new(items.len())?;
        for item in &items {
            batch.push_item(item.get().as_bytes())?;
        }
        batch.finish()
    };
    assert_eq!(whole, apart());
    let Ok(messages) = whole else { return };
    for (item, message) in items.iter().zip(&messages) {
        // A field that another one replaced may hold anything.
        let Ok(value) = serde_json::from_str::<Value>(item.get()) else { continue };
        let Value::Object(fields) = value else { panic!("an item is an object") };
        assert!(fields.keys().all(|key| key == "body" || key == "delaySeconds"));
        let stored: Value = serde_json::from_str(&message.body).expect("what is stored is JSON");
        assert!(same(&fields["body"], &stored));
        let delay = fields.get("delaySeconds").map_or(Some(0.0), Value::as_f64);
        assert_eq!(delay.map(check_delay), Some(Ok(message.delay_seconds)));
        assert_eq!(
            body(message.body.as_bytes()).as_ref().map(|same| &same.body),
            Ok(&message.body)
        );
    }
}

fn number(input: &mut Input<'_>) -> f64 {
    match input.below(8) {
        0 => f64::from_bits(input.u64()),
        1 => f64::from(input.byte()) - 2.5,
        2 => 43_199.0 + f64::from(input.byte() % 4),
        _ => f64::from(input.byte() % 6) - 1.0,
    }
}

/// An event, and beside it what has been said first of each message.
fn event(input: &mut Input<'_>) {
    let bodies: [&[u8]; 4] = [b"1", b" {\"b\":1,\"1\":2.50} ", b"{", b"\"\\ud800\""];
    let dead_letters = input.below(2) == 0;
    let settings = Settings {
        max_retries: input.below(4),
        retry_delay_ms: 1_000 * input.below(3) as u64,
        ..Settings::default()
    };
    let messages: Vec<Message> = (0..input.below(5))
        .map(|index| Message {
            id: index.to_string(),
            attempts: 1 + u32::from(input.byte() % 5),
            timestamp_ms: 5,
            body: if input.below(9) == 0 { vec![b'['; 40] } else { input.pick(&bodies).to_vec() },
        })
        .collect();
    let count = messages.len();
    let mut said: Vec<Option<Disposition>> = vec![None; count];
    let mut event = Event::new("q", messages.clone(), settings, dead_letters);
    let again = |index: usize, wanted| match (
        messages[index].attempts as usize > settings.max_retries,
        dead_letters,
    ) {
        (false, _) => wanted,
        (true, true) => Disposition::DeadLetter,
        (true, false) => Disposition::Drop,
    };
    while let Some(step) = input.next() {
        let ack = step % 5 == 0;
        match step % 5 {
            0 | 1 => {
                let n = number(input);
                let delay = if ack { 0.0 } else { number(input) };
                let done = if ack { event.ack(n) } else { event.retry(n, delay) };
                let index =
                    (0..count).find(|index| (*index as f64).to_bits() == (n + 0.0).to_bits());
                let Some(index) = index else {
                    assert_eq!(done.unwrap_err().code(), Code::QueueIndex);
                    continue;
                };
                let Ok(seconds) = check_delay(delay) else {
                    assert_eq!(done.unwrap_err().code(), Code::QueueDelay);
                    continue;
                };
                if let Some(before) = said[index] {
                    match before {
                        Disposition::Lost => {
                            assert_eq!(done.unwrap_err().code(), Code::QueueLeaseLost);
                        }
                        _ => assert_eq!(done, Ok(None)),
                    }
                    continue;
                }
                let own = settings.retry_delay_seconds();
                let after_seconds = if seconds == 0 { own } else { seconds };
                let retry = again(index, Disposition::Retry { after_seconds });
                let disposition = if ack { Disposition::Done } else { retry };
                assert_eq!(done, Ok(Some(Act { index, disposition })));
                said[index] = Some(disposition);
                match input.below(6) {
                    0 => {
                        event.take_back(index);
                        said[index] = None;
                    }
                    1 => {
                        assert_eq!(event.act_lost(index).code(), Code::QueueLeaseLost);
                        said[index] = Some(Disposition::Lost);
                    }
                    _ => {}
                }
            }
            2 => {
                let index = input.below(7);
                event.lease_ended(index);
                if let Some(said @ None) = said.get_mut(index) {
                    *said = Some(Disposition::Lost);
                }
            }
            _ => match event.read_text() {
                Ok(text) => {
                    let value: Value = serde_json::from_str(&text).expect("a batch is JSON");
                    assert_eq!(value["messages"].as_array().map(Vec::len), Some(count));
                }
                Err(Refusal::Error(error)) => {
                    let bad =
                        messages.iter().position(|message| !bodies[..2].contains(&&*message.body));
                    assert_eq!((error.code(), error.index()), (Code::QueueBodyNotJson, bad));
                }
                Err(Refusal::Fault(fault)) => panic!("forty brackets are no JSON: {fault}"),
            },
        }
    }
    let failed = count.is_multiple_of(2);
    let ending = event.finish(if failed { Outcome::Failure } else { Outcome::Success });
    assert_eq!((ending.failed, ending.messages.len()), (failed, count));
    for (index, settled) in ending.messages.iter().enumerate() {
        let after_seconds = settings.retry_delay_seconds();
        let unsaid = if failed {
            again(index, Disposition::Return { after_seconds })
        } else {
            Disposition::Done
        };
        assert_eq!(settled.disposition, said[index].unwrap_or(unsaid));
        let told = said[index].is_some_and(|said| said != Disposition::Lost);
        assert_eq!(settled.told, told);
    }
    assert_eq!(event.ack(0.0).unwrap_err().code(), Code::QueueNoEvent);
    assert!(event.finish(Outcome::Success).messages.is_empty());
}

/// First byte: a body, the text of a batch, or an event. Then the text, or choices.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    match input.next() {
        Some(b'B') => drop(body(input.0)),
        Some(b'A') => batch(input.0),
        Some(b'E') => event(&mut input),
        _ => {
            drop(body(data));
            batch(data);
        }
    }
}
