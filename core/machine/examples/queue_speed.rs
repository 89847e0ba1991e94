//! Prints what it costs to check and normalise bodies near the limit, in microseconds a call:
//! `cargo run --release -p posthouse-core --example queue_speed`.
// The clock is what this program is for; the machine itself has none.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use posthouse_core::{
    queue::{Event, Message, Settings, outgoing, outgoing_batch},
    rng::Rng,
};
use std::{fmt::Write as _, hint::black_box, time::Instant};

const LIMIT: usize = 128_000;

/// The best of several rounds, which is what the code costs when nothing else runs.
fn measure(what: &str, bytes: usize, mut body: impl FnMut()) {
    let best = (0..60).map(|_| {
        let start = Instant::now();
        body();
        start.elapsed().as_secs_f64() * 1e6
    });
    let best = best.fold(f64::INFINITY, f64::min);
    println!("{what:44} {bytes:9} B {best:8.1} µs {:6.0} MB/s", bytes as f64 / best);
}

/// An array of as many items as fit into the limit.
fn filled(mut item: impl FnMut(usize) -> String) -> String {
    let mut text = String::from("[");
    for index in 0.. {
        let next = item(index);
        if text.len() + next.len() + 1 >= LIMIT {
            break;
        }
        if index > 0 {
            text.push(',');
        }
        text.push_str(&next);
    }
    text.push(']');
    text
}

fn main() {
    let mut rng = Rng::new(1);
    // Between 0 and 1000, with all the digits that a double has.
    let mut double = move || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * 1000.0;
    let record = |index: usize| {
        format!(
            r#"{{"id":{index},"name":"greenhouse-{index}","value":21.5,"unit":"celsius","ok":true,"tags":["north","roof"],"at":"2026-11-30T12:00:00Z"}}"#
        )
    };
    let bodies = [
        ("records", filled(record)),
        (
            "records, keys not in order, spaced",
            filled(|index| {
                format!("{{ \"b\": {index}, \"10\": 1, \"9\": 2, \"a\": \"x\", \"b\": \"y\" }}")
            }),
        ),
        ("integers", filled(|index| index.to_string())),
        ("short decimals", filled(|index| format!("{}.{:02}", index % 1000, index % 97))),
        ("doubles of 17 digits", filled(|_| double().to_string())),
        ("one string", format!("\"{}\"", "plain words, ".repeat(LIMIT / 13))),
        ("one string, Chinese", format!("\"{}\"", "传感器温度".repeat(LIMIT / 15))),
        ("one string, every character escaped", format!("\"{}\"", r"\u4f20".repeat(LIMIT / 6 - 1))),
        ("empty arrays", filled(|_| "[]".into())),
        ("one object of many keys, shuffled", {
            let members = filled(|index| format!("\"k{}\":0", index * 7919 % 100_003));
            format!("{{{}}}", &members[1..members.len() - 1])
        }),
    ];
    for (name, text) in &bodies {
        assert!(text.len() <= LIMIT);
        measure(&format!("outgoing, {name}"), text.len(), || {
            black_box(outgoing(black_box(text.as_bytes()), 0.0).expect("good"));
        });
    }
    let small = record(1234);
    let rounds = 1_000;
    measure("outgoing, 1,000 times a small record", small.len() * rounds, || {
        for _ in 0..rounds {
            black_box(outgoing(black_box(small.as_bytes()), 30.0).expect("good"));
        }
    });
    let mut text = String::from("[");
    for index in 0..100 {
        let comma = if index > 0 { "," } else { "" };
        write!(text, "{comma}{{\"body\":{small},\"delaySeconds\":30}}").expect("memory");
    }
    text.push(']');
    measure("outgoing_batch, 100 small records", text.len(), || {
        black_box(outgoing_batch(black_box(text.as_bytes())).expect("good"));
    });
    let message = |index: usize| Message {
        id: format!("{index:032x}"),
        attempts: 1,
        timestamp_ms: 1_764_547_200_000,
        body: small.clone().into_bytes(),
    };
    let messages = (0..100).map(message).collect();
    let mut event = Event::new("pages", messages, Settings::default(), false);
    let bytes = event.read_text().expect("good").len();
    measure("read_text, 100 small records", bytes, || {
        black_box(event.read_text().expect("good"));
    });
    // What is refused must not cost more than what is good.
    let levels = 9_000;
    let deep = format!("{}1{}", "{\"1\":".repeat(levels), ",\"0\":1}".repeat(levels));
    let arrays = "[".repeat(LIMIT / 2) + &"]".repeat(LIMIT / 2);
    for (name, text) in [("deep objects, out of order", &deep), ("deep arrays", &arrays)] {
        measure(&format!("refused: {name}"), text.len(), || {
            black_box(outgoing(black_box(text.as_bytes()), 0.0).expect_err("too deep"));
        });
    }
}
