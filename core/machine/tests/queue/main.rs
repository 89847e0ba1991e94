//! Bodies of queue messages against a JavaScript engine: what is stored is what `JSON.stringify(JSON.parse(text))` gives
//! there, and what is refused is what breaks a rule there. The texts come from a seed.
// The engine is another program; the machine itself starts none.
#![allow(clippy::disallowed_methods)]

mod corpus;
mod engine;

use corpus::{Corpus, Kind};
use engine::{Verdict, judge};
use posthouse_core::{Code, queue::outgoing};

const TEXTS: usize = 100_000;
const SEED: u64 = 1;

/// What the contract says of a text, by what the engine found: the body that is stored, or the first broken rule.
fn wanted(text: &str, verdict: &Verdict) -> Result<String, Code> {
    let Verdict::Value { normal, depth, overflow, lone, reserved } = verdict else {
        return Err(if text.len() > 128_000 { Code::QueueBodySize } else { Code::QueueBodyJson });
    };
    if text.len() > 128_000 {
        Err(Code::QueueBodySize)
    } else if *overflow {
        Err(Code::QueueBodyJson)
    } else if *lone {
        Err(Code::QueueBodyUnicode)
    } else if *reserved {
        Err(Code::QueueBodyReserved)
    } else if normal.len() > 128_000 {
        Err(Code::QueueBodySize)
    } else if *depth > 24 {
        Err(Code::QueueBodyDepth)
    } else {
        Ok(normal.clone())
    }
}

#[test]
fn a_body_is_what_a_javascript_engine_makes_of_it() {
    let texts: Vec<(Kind, String)> = Corpus::new(SEED).take(TEXTS).collect();
    let verdicts = judge(texts.iter().map(|(_, text)| text.as_str()));
    assert_eq!(verdicts.len(), texts.len());
    let mut changed = 0;
    let mut refused = std::collections::BTreeMap::new();
    for ((kind, text), verdict) in texts.iter().zip(&verdicts) {
        let ours = outgoing(text.as_bytes(), 0.0).map(|message| message.body);
        let ours = ours.map_err(|error| error.code());
        assert_eq!(ours, wanted(text, verdict), "{kind:?}: {text}");
        match ours {
            Ok(body) => {
                changed += usize::from(body != *text);
                // Once is enough.
                assert_eq!(outgoing(body.as_bytes(), 0.0).map(|again| again.body), Ok(body));
            }
            Err(code) => *refused.entry(code.as_str()).or_insert(0) += 1,
        }
    }
    println!("{} texts, {changed} changed, refused: {refused:?}", texts.len());
    // A corpus that shows nothing is no proof.
    assert!(changed > TEXTS / 3);
    for code in [
        "QUEUE_BODY_JSON",
        "QUEUE_BODY_UNICODE",
        "QUEUE_BODY_RESERVED",
        "QUEUE_BODY_SIZE",
        "QUEUE_BODY_DEPTH",
    ] {
        assert!(refused.get(code).is_some_and(|count| *count > 10), "{code}: {refused:?}");
    }
}
