//! Prints what the JSON functions cost, in nanoseconds a call:
//! `cargo run --release -p posthouse-core --example json_speed`.
// The clock is what this program is for; the machine itself has none.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use posthouse_core::json::{self, Limits};
use serde::{Deserialize, Serialize};
use std::{hint::black_box, time::Instant};

#[derive(Serialize, Deserialize)]
struct Reading {
    id: u32,
    name: String,
    value: f64,
    unit: String,
    ok: bool,
    tags: Vec<String>,
    at: String,
}

const SMALL: &str = r#"{"id":1234,"name":"greenhouse-7","value":21.5,"unit":"celsius","ok":true,"tags":["north","roof"],"at":"2026-11-30T12:00:00Z"}"#;

/// The best of several rounds, which is what the code costs when nothing else runs.
fn measure(what: &str, mut body: impl FnMut()) {
    let rounds = 20_000;
    let best = (0..15).map(|_| {
        let start = Instant::now();
        for _ in 0..rounds {
            body();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds)
    });
    println!("{what:42} {:8.1} ns", best.fold(f64::INFINITY, f64::min));
}

fn main() {
    let limits = Limits::VALUE;
    let numbers = format!("[{}]", ["12.25", "-7", "1e3", "0.1", "123456789"].join(","));
    let text = format!("{{\"text\":\"{}\"}}", "plain words, ".repeat(40));
    let unicode = format!("{{\"text\":\"{}\"}}", "传感器温度".repeat(30));
    let large = format!("[{}]", vec![SMALL; 30].join(","));
    for (name, text) in [
        ("small object", SMALL),
        ("numbers", &numbers),
        ("one long string", &text),
        ("one long string, Chinese", &unicode),
        ("30 objects", &large),
    ] {
        let bytes = text.as_bytes();
        measure(&format!("validate, {name}, {} B", bytes.len()), || {
            json::validate(black_box(bytes), &limits).expect("valid");
        });
    }
    let mut out = Vec::with_capacity(65_536);
    measure(&format!("canonical, small object, {} B", SMALL.len()), || {
        out.clear();
        json::canonical(black_box(SMALL.as_bytes()), &mut out, &limits).expect("valid");
    });
    measure(&format!("normalize, small object, {} B", SMALL.len()), || {
        out.clear();
        json::normalize(black_box(SMALL.as_bytes()), &mut out, &limits).expect("valid");
    });
    let reading: Reading = serde_json::from_str(SMALL).expect("valid");
    measure("to_vec, small struct", || {
        out.clear();
        json::to_vec(black_box(&reading), &mut out, &limits).expect("valid");
    });
    measure("serde_json::to_vec, small struct", || {
        black_box(serde_json::to_vec(black_box(&reading)).expect("valid"));
    });
    let value: serde_json::Value = serde_json::from_str(SMALL).expect("valid");
    measure("to_vec, small Value", || {
        out.clear();
        json::to_vec(black_box(&value), &mut out, &limits).expect("valid");
    });
    measure("serde_json::to_vec, small Value", || {
        black_box(serde_json::to_vec(black_box(&value)).expect("valid"));
    });
    measure("serde_json::from_slice, small struct", || {
        black_box(serde_json::from_slice::<Reading>(black_box(SMALL.as_bytes())).expect("valid"));
    });
}
