//! Shared state: from a write to its watcher, and how a newcomer catches up.
use crate::{
    load::{cpu, monotonic_ns, percentile, stdin_ended},
    open, out,
};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use posthouse::Hub;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
struct Stamp {
    i: u64,
    t: u64,
    pad: String,
}

pub async fn watch(hub: &Hub, subject: &str, n: u64) {
    let mut watch = hub.var(subject).expect("a name").watch().expect("an open hub");
    out(&json!({"ready": true, "subject": subject}));
    let (mut seen, mut last, mut times) = (0_u64, None, Vec::new());
    while let Some(change) = watch.next().await {
        let Some(stamp) = change.value_as::<Stamp>().expect("a stamp") else { continue };
        // A change of what is known besides is no new value.
        if last == Some(stamp.i) {
            continue;
        }
        last = Some(stamp.i);
        seen += 1;
        times.push(monotonic_ns().saturating_sub(stamp.t) as f64 / 1e3);
        if stamp.i + 1 == n {
            break;
        }
    }
    let (p50, p99) = (percentile(&mut times, 0.5), percentile(&mut times, 0.99));
    out(&json!({"n": n, "seen": seen, "p50_us": p50, "p99_us": p99}));
}

pub async fn set(hub: &Hub, subject: &str, n: u64, gap_us: u64) {
    let var = hub.var(subject).expect("a name");
    let mut due = tokio::time::Instant::now();
    for i in 0..n {
        let stamp = Stamp { i, t: monotonic_ns(), pad: "x".repeat(60) };
        var.set_as(&stamp).expect("a value");
        due += Duration::from_micros(gap_us);
        tokio::time::sleep_until(due).await;
    }
    hub.flush(None).await.expect("a flush");
    out(&json!({"n": n}));
}

pub async fn hold(hub: &Hub, subject: &str, k: u64) {
    let (cpu_before, start) = (cpu(), Instant::now());
    for i in 0..k {
        let var = hub.var(&format!("{subject}.{i}")).expect("a name");
        var.set_as(&json!({"i": i, "pad": "x".repeat(80)})).expect("a value");
    }
    hub.flush(Duration::from_secs(60)).await.expect("a flush");
    let elapsed = start.elapsed().as_secs_f64();
    out(&json!({
        "ready": true, "subject": subject, "set_elapsed_s": elapsed,
        "set_cpu_s": cpu() - cpu_before,
    }));
    stdin_ended().await;
}

pub async fn join(url: &str, subject: &str, k: u64) {
    let (cpu_before, start) = (cpu(), Instant::now());
    let hub = open(url).await;
    let connected = Instant::now();
    let mut waiting: FuturesUnordered<_> = (0..k)
        .map(|i| {
            let var = hub.var(&format!("{subject}.{i}")).expect("a name");
            let mut watch = var.watch().expect("an open hub");
            async move {
                while let Some(change) = watch.next().await {
                    if change.value().is_some() {
                        return true;
                    }
                }
                false
            }
        })
        .collect();
    let mut seen = 0;
    while let Some(one) = waiting.next().await {
        seen += u64::from(one);
    }
    out(&json!({
        "n": k, "seen": seen, "elapsed_s": start.elapsed().as_secs_f64(),
        "after_connect_s": connected.elapsed().as_secs_f64(), "cpu_s": cpu() - cpu_before,
    }));
}
