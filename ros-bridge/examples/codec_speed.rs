//! How fast a laser scan of 1,000 points becomes JSON and bytes again on this machine: `cargo run --release -p
//! posthouse-ros-bridge --example codec_speed`.
use posthouse_core::json::Limits;
use posthouse_ros_bridge::ros::{
    Layout,
    codec::Rules,
    message::{Library, Schema},
};
use std::time::{Duration, Instant};

fn main() {
    let installed = Library::new(Vec::new()).message_schema("sensor_msgs/LaserScan");
    let schema = installed.unwrap_or_else(|_| Schema::from_full_text("p/Scan", SCAN).unwrap());
    let layout = Layout::new(&schema).unwrap();
    let limits = Limits { depth: 32, nodes: 100_000, bytes: 1 << 20 };
    let whole = |value: u32| (value as f32 * 0.017_453).sin().mul_add(4.0, 5.0);
    // Millimetres are what scanners measure; a simulator gives every digit.
    let measured = |value: u32| (whole(value) * 1000.0).round() / 1000.0;
    for (name, range) in [("measured", &measured as &dyn Fn(u32) -> f32), ("simulated", &whole)] {
        let body = scan(range);
        let mut json = Vec::new();
        layout.to_json(&body, Rules::default(), &limits, &mut json).unwrap();
        let text = json.clone();
        let decoded = rate(|| {
            json.clear();
            layout.to_json(&body, Rules::default(), &limits, &mut json).unwrap();
        });
        let mut out = Vec::new();
        let encoded = rate(|| {
            out.clear();
            layout.from_json(&text, Rules::default(), &mut out).unwrap();
        });
        assert_eq!(out, body);
        println!(
            "{name}: {} bytes to {} bytes of JSON, {decoded:.0} a second; back, {encoded:.0} a second",
            body.len(),
            text.len()
        );
    }
}

/// How often a second.
fn rate(mut run: impl FnMut()) -> f64 {
    let (start, mut count) = (Instant::now(), 0_u32);
    while start.elapsed() < Duration::from_secs(1) {
        for _ in 0..50 {
            run();
        }
        count += 50;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

/// 1,000 ranges and as many intensities.
fn scan(range: &dyn Fn(u32) -> f32) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [1_u32, 1_700_000_000, 123_456_789, 5] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(b"laser");
    for value in [-1.57_f32, 1.57, 0.003_14, 0.0, 0.1, 0.05, 30.0] {
        out.extend_from_slice(&value.to_le_bytes());
    }
    out.extend_from_slice(&1000_u32.to_le_bytes());
    out.extend((0..1000).flat_map(|value| range(value).to_le_bytes()));
    out.extend_from_slice(&1000_u32.to_le_bytes());
    out.extend((0..1000).flat_map(|value: u32| ((value % 256) as f32).to_le_bytes()));
    out
}

const SCAN: &str = "uint32 seq\ntime stamp\nstring frame_id\nfloat32[7] angles\nfloat32[] ranges\nfloat32[] intensities\n";
