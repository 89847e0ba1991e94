//! Events and requests.
use crate::{
    NAMESPACE,
    load::{Reading, cpu, percentile, stdin_ended},
    out,
};
use posthouse::{Answer, Code, Error, Hub, Variable};
use serde_json::json;
use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// The subject that a message of this name has on the wire.
fn wire(name: &str) -> String {
    let mut subject = String::from("_msg.v1");
    for part in [NAMESPACE].into_iter().chain(name.split('.')) {
        subject.push('.');
        for byte in part.bytes() {
            write!(subject, "{byte:02x}").expect("a String takes it");
        }
    }
    subject
}

pub async fn publish(hub: &Hub, subject: &str, n: u64) {
    let var = hub.var(subject).expect("a name");
    let (cpu_before, start) = (cpu(), Instant::now());
    for i in 0..n {
        while let Err(error) = var.pub_as(&Reading::new(i), None) {
            assert_eq!(error.code(), Code::BufferOverflow, "{error}");
            hub.flush(None).await.expect("a flush");
        }
    }
    hub.flush(Duration::from_secs(60)).await.expect("a flush");
    let elapsed = start.elapsed().as_secs_f64();
    out(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu() - cpu_before}));
}

/// What the handler counts.
struct Count {
    received: u64,
    sum: u64,
    first: Option<(Instant, f64)>,
    last: Option<(Instant, f64)>,
}

pub async fn subscribe(hub: &Hub, subject: &str, n: u64) {
    let done = Arc::new(Notify::new());
    let count = Arc::new(Mutex::new(Count { received: 0, sum: 0, first: None, last: None }));
    let subscribe = hub.var(subject).expect("a name").subscribe();
    let subscribe = subscribe.pending_messages(1_000_000).pending_bytes(256 << 20);
    let _listener = subscribe
        .handler({
            let (done, count) = (Arc::clone(&done), Arc::clone(&count));
            move |message| {
                let reading: Reading = message.data_as().expect("a reading");
                let mut count = count.lock().expect("no panic with it");
                if count.received == 0 {
                    count.first = Some((Instant::now(), cpu()));
                }
                count.received += 1;
                count.sum += reading.seq;
                if count.received == n {
                    count.last = Some((Instant::now(), cpu()));
                    done.notify_one();
                }
                async {}
            }
        })
        .await
        .expect("a subscription");
    out(&json!({"ready": true, "subject": wire(subject)}));
    // Ends 1.5 s after the last message where some were lost.
    let mut before = 0;
    while tokio::time::timeout(Duration::from_millis(1_500), done.notified()).await.is_err() {
        let mut count = count.lock().expect("no panic with it");
        if count.received > 0 && count.received == before {
            count.last = Some((Instant::now(), cpu()));
            break;
        }
        before = count.received;
    }
    let count = count.lock().expect("no panic with it");
    let (Some((start, cpu_before)), Some((end, cpu_after))) = (count.first, count.last) else {
        panic!("nothing was received");
    };
    let elapsed = (end - start).as_secs_f64();
    out(&json!({
        "n": n, "received": count.received, "elapsed_s": elapsed,
        "cpu_s": cpu_after - cpu_before, "check": count.sum,
    }));
}

pub async fn respond(hub: &Hub, subject: &str) {
    let _handle = hub
        .var(subject)
        .expect("a name")
        .handle(|request| async move { Ok::<_, Error>(Answer::new(request.data_as::<Reading>()?)) })
        .pending_messages(10_000)
        .await
        .expect("a handler");
    out(&json!({"ready": true, "subject": wire(subject)}));
    stdin_ended().await;
    out(&json!({"cpu_s": cpu()}));
}

async fn one(var: &Variable, i: u64) -> f64 {
    let start = Instant::now();
    let answer: Reading = var.req_as(&Reading::new(i)).await.expect("an answer");
    assert_eq!(answer.seq, 1_000_000 + i);
    start.elapsed().as_secs_f64() * 1e6
}

pub async fn request(hub: &Hub, subject: &str, n: u64, at_a_time: u64) {
    let var = hub.var(subject).expect("a name");
    for i in 0..200 {
        one(&var, i).await;
    }
    let (cpu_before, start) = (cpu(), Instant::now());
    let mut times = Vec::new();
    if at_a_time == 1 {
        for i in 0..n {
            times.push(one(&var, i).await);
        }
    } else {
        let next = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let workers: Vec<_> = (0..at_a_time)
            .map(|_| {
                let (var, next) = (var.clone(), Arc::clone(&next));
                tokio::spawn(async move {
                    let mut times = Vec::new();
                    loop {
                        let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if i >= n {
                            return times;
                        }
                        times.push(one(&var, i).await);
                    }
                })
            })
            .collect();
        for worker in workers {
            times.extend(worker.await.expect("a worker"));
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    let cpu_s = cpu() - cpu_before;
    let (p50, p99) = (percentile(&mut times, 0.5), percentile(&mut times, 0.99));
    out(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu_s, "p50_us": p50, "p99_us": p99}));
}
