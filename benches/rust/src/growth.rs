//! How cost grows with the number of subscriptions of a hub and of hubs in a process. Growth with
//! the number of variables is measured by the modes of `state`.
use crate::{
    ROOM,
    contract::{Arguments, Failure, Reading, Watch, memory_kb, say},
    hub, roomy, wire,
};
use posthouse::{Hub, Listener, Message};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{sleep, timeout},
};

const SECONDS: f64 = 60.0;
const LIMIT: Duration = Duration::from_secs(60);
/// Events of which a hub may be behind.
const AHEAD: i64 = 64;
/// How long the hubs are left alone to see what they cost at rest.
const REST: Duration = Duration::from_secs(3);

/// Counts messages of several subscriptions.
#[derive(Clone)]
struct Count {
    left: Arc<AtomicI64>,
    all: Arc<Notify>,
}

impl Count {
    fn new(wanted: i64) -> Self {
        Self { left: Arc::new(AtomicI64::new(wanted)), all: Arc::default() }
    }

    async fn listen(&self, hub: &Hub, name: &str) -> posthouse::Result<Listener> {
        let count = self.clone();
        let handler = move |message: Message| {
            if message.data_as::<Reading>().is_ok()
                && count.left.fetch_sub(1, Ordering::Relaxed) == 1
            {
                count.all.notify_one();
            }
            async {}
        };
        let mut subscribe = hub.var(name)?.subscribe().timeout(LIMIT);
        if roomy() {
            subscribe = subscribe.pending_messages(ROOM.0).pending_bytes(ROOM.1);
        }
        subscribe.handler(handler).await
    }

    /// How many of those sent have not come yet.
    fn under_way(&self, wanted: i64, sent: i64) -> i64 {
        sent - (wanted - self.left.load(Ordering::Relaxed))
    }

    /// Waits for the last message; gives how many did not come.
    async fn missing(&self) -> i64 {
        let _ = timeout(LIMIT, self.all.notified()).await;
        self.left.load(Ordering::Relaxed)
    }
}

/// `grow-subs K N`: K subscriptions, then N events, each to the next of them.
pub(crate) async fn subscriptions(arguments: &Arguments) -> Result<(), Failure> {
    let (k, n): (usize, i64) = (arguments.number(0)?, arguments.number(1)?);
    let hub = hub(&arguments.url, k).await?;
    let count = Count::new(n);
    let memory = memory_kb();
    let watch = Watch::start();
    let mut listeners = Vec::with_capacity(k);
    for i in 0..k {
        listeners.push(count.listen(&hub, &format!("{}.{i}", arguments.subject)).await?);
    }
    let (subscribe_s, subscribe_cpu) = watch.stop();
    let memory = memory_kb().saturating_sub(memory);
    let names: Vec<String> = (0..k).map(|i| wire(&format!("{}.{i}", arguments.subject))).collect();
    say(&json!({"ready": true, "subject": names.first(), "subjects": names}))?;
    // The publisher is another process, and paced: nothing may be dropped.
    let watch = Watch::start();
    let missing = count.missing().await;
    let (elapsed, cpu) = watch.stop();
    say(&json!({
        "n": n, "received": n - missing, "elapsed_s": elapsed, "cpu_s": cpu, "of": k,
        "make_s": subscribe_s, "make_cpu_s": subscribe_cpu, "memory_kb": memory,
    }))?;
    drop(listeners);
    Ok(hub.close().await?)
}

/// `grow-hubs K N`: K hubs of one namespace in this process, first at rest; then the first
/// publishes N / K events that all of them receive.
pub(crate) async fn hubs(arguments: &Arguments) -> Result<(), Failure> {
    let (k, n): (i64, i64) = (arguments.number(0)?, arguments.number(1)?);
    let rounds = (n / k).max(1);
    let count = Count::new(rounds * k);
    let memory = memory_kb();
    let watch = Watch::start();
    let mut opening = JoinSet::new();
    for _ in 0..k {
        let (url, subject, count) =
            (arguments.url.clone(), arguments.subject.clone(), count.clone());
        opening.spawn(async move {
            let hub = hub(&url, 0).await?;
            let listener = count.listen(&hub, &subject).await?;
            Ok::<_, posthouse::Error>((hub, listener))
        });
    }
    let mut hubs = Vec::new();
    while let Some(opened) = opening.join_next().await {
        hubs.push(opened??);
    }
    let (make_s, make_cpu) = watch.stop();
    let memory = memory_kb().saturating_sub(memory);
    let watch = Watch::start();
    sleep(REST).await;
    let (rest, rest_cpu) = watch.stop();
    let Some((first, _)) = hubs.first() else { return Err("no hubs were asked for".into()) };
    let var = first.var(&arguments.subject)?;
    let watch = Watch::start();
    for i in 0..rounds {
        var.pub_as(&Reading::new(i), None)?;
        // No faster than the hubs can take it: their queues are bounded.
        while count.under_way(rounds * k, (i + 1) * k) > AHEAD * k && watch.stop().0 < SECONDS {
            first.flush(LIMIT).await?;
        }
    }
    let missing = count.missing().await;
    let (elapsed, cpu) = watch.stop();
    say(&json!({
        "n": rounds * k, "received": rounds * k - missing, "elapsed_s": elapsed, "cpu_s": cpu,
        "of": k, "make_s": make_s, "make_cpu_s": make_cpu, "memory_kb": memory,
        "rest_cpu_share": rest_cpu / rest,
    }))?;
    for (hub, _) in &hubs {
        hub.close().await?;
    }
    Ok(())
}
