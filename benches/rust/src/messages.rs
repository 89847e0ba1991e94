//! Events and requests.
use crate::{
    ROOM,
    contract::{
        Arguments, FIRST, Failure, Reading, Receipt, WARM_UP, Watch, cpu, quantile, say,
        until_stdin_ends,
    },
    hub, roomy, wire,
};
use posthouse::{Answer, Code, Error, Message, Variable};
use serde_json::json;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::Notify, task::JoinSet, time::timeout};

/// A subscriber gives up when nothing has come for so long.
const SILENCE: Duration = Duration::from_millis(1500);
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
const FLUSH_LIMIT: Duration = Duration::from_secs(60);

pub(crate) async fn publish(arguments: &Arguments) -> Result<(), Failure> {
    let n: i64 = arguments.number(0)?;
    let hub = hub(&arguments.url, 0).await?;
    let var = hub.var(&arguments.subject)?;
    let mut waits = 0;
    let watch = Watch::start();
    for i in 0..n {
        // The outbound buffer is bounded: full, it has to be waited for.
        while let Err(error) = var.pub_as(&Reading::new(i), None) {
            if error.code() != Code::BufferOverflow {
                return Err(error.into());
            }
            waits += 1;
            hub.flush(FLUSH_LIMIT).await?;
        }
    }
    hub.flush(FLUSH_LIMIT).await?;
    let (elapsed, cpu) = watch.stop();
    say(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu, "overflow_waits": waits}))?;
    Ok(hub.close().await?)
}

pub(crate) async fn subscribe(arguments: &Arguments) -> Result<(), Failure> {
    let hub = hub(&arguments.url, 0).await?;
    let receipt = Arc::new(Mutex::new(Receipt::new(arguments.number(0)?)));
    let all = Arc::new(Notify::new());
    let mut subscribe = hub.var(&arguments.subject)?.subscribe();
    if roomy() {
        subscribe = subscribe.pending_messages(ROOM.0).pending_bytes(ROOM.1);
    }
    let (count, done) = (Arc::clone(&receipt), Arc::clone(&all));
    let handler = move |message: Message| {
        let reading = message.data_as::<Reading>();
        if let Ok(reading) = &reading
            && count.lock().unwrap_or_else(PoisonError::into_inner).take(reading)
        {
            done.notify_one();
        }
        async {}
    };
    let listener = subscribe.handler(handler).await?;
    say(&json!({"ready": true, "subject": wire(&arguments.subject)}))?;
    let received = || receipt.lock().unwrap_or_else(PoisonError::into_inner).received;
    let mut last = 0;
    while timeout(SILENCE, all.notified()).await.is_err() {
        let now = received();
        if now > 0 && now == last {
            break;
        }
        last = now;
    }
    let mut report = receipt.lock().unwrap_or_else(PoisonError::into_inner).report();
    report["own_drops"] = json!(listener.status()?.dropped_messages);
    say(&report)?;
    Ok(hub.close().await?)
}

pub(crate) async fn respond(arguments: &Arguments) -> Result<(), Failure> {
    let hub = hub(&arguments.url, 0).await?;
    let answer = |message: Message| async move {
        Ok::<_, Error>(Answer::new(message.data_as::<Reading>()?))
    };
    let _handler = hub.var(&arguments.subject)?.handle(answer).await?;
    say(&json!({"ready": true, "subject": wire(&arguments.subject)}))?;
    until_stdin_ends().await?;
    say(&json!({"cpu_s": cpu()}))?;
    Ok(hub.close().await?)
}

/// Asks and checks the answer; gives the microseconds that it took.
async fn ask(var: &Variable, i: i64) -> Result<f64, Failure> {
    let began = Instant::now();
    let answer: Reading = var.req_as(&Reading::new(i)).timeout(REQUEST_LIMIT).await?;
    if answer.seq != FIRST + i {
        return Err(format!("request {i} got the answer of {}", answer.seq - FIRST).into());
    }
    Ok(began.elapsed().as_secs_f64() * 1e6)
}

pub(crate) async fn request(arguments: &Arguments) -> Result<(), Failure> {
    let (n, in_flight): (i64, usize) = (arguments.number(0)?, arguments.number(1)?);
    let hub = hub(&arguments.url, 0).await?;
    let var = hub.var(&arguments.subject)?;
    for i in 0..WARM_UP {
        ask(&var, i).await?;
    }
    let mut took = Vec::new();
    let watch = Watch::start();
    if in_flight == 1 {
        for i in 0..n {
            took.push(ask(&var, i).await?);
        }
    } else {
        let next = Arc::new(AtomicI64::new(0));
        let mut askers = JoinSet::new();
        for _ in 0..in_flight {
            let (var, next) = (var.clone(), Arc::clone(&next));
            askers.spawn(async move {
                let mut took = Vec::new();
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= n {
                        return Ok::<_, Failure>(took);
                    }
                    took.push(ask(&var, i).await?);
                }
            });
        }
        while let Some(asker) = askers.join_next().await {
            took.extend(asker??);
        }
    }
    let (elapsed, cpu) = watch.stop();
    let (p50, p99) = (quantile(&mut took, 0.5), quantile(&mut took, 0.99));
    say(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu, "p50_us": p50, "p99_us": p99}))?;
    Ok(hub.close().await?)
}
