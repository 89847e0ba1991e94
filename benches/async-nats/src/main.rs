//! async-nats with typed serde as a program of the benches: `bench-async-nats MODE URL SUBJECT
//! NUMBERS…`. `benches/README.md` says what each mode does and prints.
#[path = "../../rust/src/contract.rs"]
#[allow(dead_code)]
mod contract;

use async_nats::Client;
use contract::{
    Arguments, FIRST, Failure, Reading, Receipt, WARM_UP, Watch, cpu, quantile, say,
    until_stdin_ends,
};
use futures_util::StreamExt;
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

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::read()?;
    let client = async_nats::connect(&arguments.url).await?;
    match arguments.mode.as_str() {
        "pub" => publish(&client, &arguments).await,
        "sub" => subscribe(&client, &arguments).await,
        "resp" => respond(&client, &arguments).await,
        "req" => request(&client, &arguments).await,
        other => Err(format!("there is no mode {other:?}").into()),
    }
}

async fn publish(client: &Client, arguments: &Arguments) -> Result<(), Failure> {
    let n: i64 = arguments.number(0)?;
    let watch = Watch::start();
    for i in 0..n {
        let body = serde_json::to_vec(&Reading::new(i))?;
        client.publish(arguments.subject.clone(), body.into()).await?;
    }
    client.flush().await?;
    let (elapsed, cpu) = watch.stop();
    say(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu}))
}

async fn subscribe(client: &Client, arguments: &Arguments) -> Result<(), Failure> {
    let mut messages = client.subscribe(arguments.subject.clone()).await?;
    client.flush().await?;
    let receipt = Arc::new(Mutex::new(Receipt::new(arguments.number(0)?)));
    let all = Arc::new(Notify::new());
    let (count, done) = (Arc::clone(&receipt), Arc::clone(&all));
    tokio::spawn(async move {
        while let Some(message) = messages.next().await {
            if let Ok(reading) = serde_json::from_slice::<Reading>(&message.payload)
                && count.lock().unwrap_or_else(PoisonError::into_inner).take(&reading)
            {
                done.notify_one();
            }
        }
    });
    say(&json!({"ready": true, "subject": arguments.subject}))?;
    let received = || receipt.lock().unwrap_or_else(PoisonError::into_inner).received;
    let mut last = 0;
    while timeout(SILENCE, all.notified()).await.is_err() {
        let now = received();
        if now > 0 && now == last {
            break;
        }
        last = now;
    }
    say(&receipt.lock().unwrap_or_else(PoisonError::into_inner).report())
}

async fn respond(client: &Client, arguments: &Arguments) -> Result<(), Failure> {
    let mut requests = client.subscribe(arguments.subject.clone()).await?;
    client.flush().await?;
    say(&json!({"ready": true, "subject": arguments.subject}))?;
    let answering = client.clone();
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let (Some(reply), Ok(reading)) =
                (request.reply, serde_json::from_slice::<Reading>(&request.payload))
            else {
                continue;
            };
            let Ok(body) = serde_json::to_vec(&reading) else { continue };
            if let Err(error) = answering.publish(reply, body.into()).await {
                eprintln!("an answer was not sent: {error}");
            }
        }
    });
    until_stdin_ends().await?;
    say(&json!({"cpu_s": cpu()}))
}

/// Asks and checks the answer; gives the microseconds that it took.
async fn ask(client: &Client, subject: &str, i: i64) -> Result<f64, Failure> {
    let began = Instant::now();
    let body = serde_json::to_vec(&Reading::new(i))?;
    let answer = client.request(subject.to_owned(), body.into()).await?;
    let answer: Reading = serde_json::from_slice(&answer.payload)?;
    if answer.seq != FIRST + i {
        return Err(format!("request {i} got the answer of {}", answer.seq - FIRST).into());
    }
    Ok(began.elapsed().as_secs_f64() * 1e6)
}

async fn request(client: &Client, arguments: &Arguments) -> Result<(), Failure> {
    let (n, in_flight): (i64, usize) = (arguments.number(0)?, arguments.number(1)?);
    for i in 0..WARM_UP {
        ask(client, &arguments.subject, i).await?;
    }
    let mut took = Vec::new();
    let watch = Watch::start();
    if in_flight == 1 {
        for i in 0..n {
            took.push(ask(client, &arguments.subject, i).await?);
        }
    } else {
        let next = Arc::new(AtomicI64::new(0));
        let mut askers = JoinSet::new();
        for _ in 0..in_flight {
            let (client, next) = (client.clone(), Arc::clone(&next));
            let subject = arguments.subject.clone();
            askers.spawn(async move {
                let mut took = Vec::new();
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= n {
                        return Ok::<_, Failure>(took);
                    }
                    took.push(ask(&client, &subject, i).await?);
                }
            });
        }
        while let Some(asker) = askers.join_next().await {
            took.extend(asker??);
        }
    }
    let (elapsed, cpu) = watch.stop();
    let (p50, p99) = (quantile(&mut took, 0.5), quantile(&mut took, 0.99));
    say(&json!({"n": n, "elapsed_s": elapsed, "cpu_s": cpu, "p50_us": p50, "p99_us": p99}))
}
