//! Variables: from a write to a watch in another process, and what a newcomer has to catch up with.
use crate::{
    contract::{
        Arguments, Failure, Watch, cpu, memory_kb, monotonic_ns, quantile, say, until_stdin_ends,
    },
    hub,
};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::Notify, time::timeout};

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Serialize, Deserialize)]
struct Dated {
    i: i64,
    /// [`monotonic_ns`] of the write.
    t: i64,
    pad: String,
}

/// 100 bytes as JSON where `i` has four digits.
#[derive(Serialize, Deserialize)]
struct Held {
    i: i64,
    s: String,
}

pub(crate) async fn watch(arguments: &Arguments) -> Result<(), Failure> {
    let n: i64 = arguments.number(0)?;
    let hub = hub(&arguments.url, 0).await?;
    let mut changes = hub.var(&arguments.subject)?.watch()?;
    say(&json!({"ready": true, "subject": arguments.subject}))?;
    let before = cpu();
    let (mut took, mut last) = (Vec::new(), -1);
    let see = async {
        while let Some(change) = changes.next().await {
            let Some(dated) = change.value_as::<Dated>()? else { continue };
            // A change of what is known of the value shows the same value again.
            if dated.i > last {
                took.push((monotonic_ns() - dated.t) as f64 / 1e3);
                last = dated.i;
            }
            if last == n - 1 {
                break;
            }
        }
        Ok::<_, Failure>(())
    };
    timeout(LIMIT, see).await??;
    let (seen, cpu) = (took.len(), cpu() - before);
    let (p50, p99) = (quantile(&mut took, 0.5), quantile(&mut took, 0.99));
    say(&json!({"n": n, "seen": seen, "p50_us": p50, "p99_us": p99, "cpu_s": cpu}))?;
    Ok(hub.close().await?)
}

pub(crate) async fn set(arguments: &Arguments) -> Result<(), Failure> {
    let (n, gap): (i64, u64) = (arguments.number(0)?, arguments.number(1)?);
    let hub = hub(&arguments.url, 0).await?;
    let var = hub.var(&arguments.subject)?;
    for i in 0..n {
        var.set_as(&Dated { i, t: monotonic_ns(), pad: "x".repeat(60) })?;
        tokio::time::sleep(Duration::from_micros(gap)).await;
    }
    hub.flush(LIMIT).await?;
    say(&json!({"n": n}))?;
    Ok(hub.close().await?)
}

pub(crate) async fn hold(arguments: &Arguments) -> Result<(), Failure> {
    let k: i64 = arguments.number(0)?;
    let hub = hub(&arguments.url, 0).await?;
    let memory = memory_kb();
    let watch = Watch::start();
    for i in 0..k {
        let var = hub.var(&format!("{}.{i}", arguments.subject))?;
        var.set_as(&Held { i, s: "y".repeat(84) })?;
    }
    let (_, cpu_written) = watch.stop();
    while hub.status()?.pending_variables > 0 {
        hub.flush(LIMIT).await?;
    }
    let (elapsed, cpu) = watch.stop();
    say(&json!({
        "ready": true, "subject": arguments.subject, "set_elapsed_s": elapsed, "set_cpu_s": cpu,
        "written_cpu_s": cpu_written, "memory_kb": memory_kb().saturating_sub(memory),
    }))?;
    until_stdin_ends().await?;
    Ok(hub.close().await?)
}

pub(crate) async fn join(arguments: &Arguments) -> Result<(), Failure> {
    let k: usize = arguments.number(0)?;
    let watch = Watch::start();
    let hub = hub(&arguments.url, 0).await?;
    let connected = Instant::now();
    let memory = memory_kb();
    let seen = Arc::new(AtomicUsize::new(0));
    let all = Arc::new(Notify::new());
    let mut guards = Vec::with_capacity(k);
    for i in 0..k {
        let (seen, all, mut first) = (Arc::clone(&seen), Arc::clone(&all), true);
        let see = move |change: posthouse::Change| {
            if first && matches!(change.value_as::<Held>(), Ok(Some(_))) {
                first = false;
                if seen.fetch_add(1, Ordering::Relaxed) + 1 == k {
                    all.notify_one();
                }
            }
        };
        guards.push(hub.var(&format!("{}.{i}", arguments.subject))?.watch()?.each(see));
    }
    let _ = timeout(LIMIT, all.notified()).await;
    let (elapsed, cpu) = watch.stop();
    say(&json!({
        "n": k, "seen": seen.load(Ordering::Relaxed), "elapsed_s": elapsed,
        "after_connect_s": connected.elapsed().as_secs_f64(), "cpu_s": cpu,
        "memory_kb": memory_kb().saturating_sub(memory),
    }))?;
    Ok(hub.close().await?)
}
