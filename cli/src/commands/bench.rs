//! `posthouse bench`: two hubs in this process, one broker between them.
use crate::{
    args::Bench,
    exit::Failure,
    output::{self, Output},
    session::{self, Stay},
};
use futures_util::StreamExt as _;
use posthouse::{Code, Hub, Value, Variable, json};
use std::time::{Duration, Instant};

/// How long no event may arrive before the rest counts as lost.
const SILENCE: Duration = Duration::from_secs(2);
const PENDING_MESSAGES: usize = 1_000_000;
const PENDING_BYTES: usize = 1 << 30;

pub async fn run(args: Bench, output: Output) -> Result<u8, Failure> {
    let server = &args.connect.server;
    // One namespace for both, where none is given too.
    let options = session::builder(args.connect.namespace.as_deref(), server, Stay::UntilStopped)?;
    let sender = session::connect(options, server.timeout).await?;
    // What arrives faster than it is taken is to be counted, not dropped.
    let options = session::builder(Some(sender.namespace()), server, Stay::UntilStopped)?
        .with_numbers(|numbers| {
            numbers.messaging.pending_messages = PENDING_MESSAGES;
            numbers.messaging.pending_bytes = PENDING_BYTES;
        });
    let receiver = session::connect(options, server.timeout).await?;
    // A text of such a length that the JSON has the wanted size.
    let body = Value::String("x".repeat(args.size.saturating_sub(2)));
    let (sent, received) = events(&args, &sender, &receiver, &body).await?;
    let waits = requests(&args, &sender, &receiver, &body).await?;
    session::end(sender).await?;
    session::end(receiver).await?;
    let at = |part: f64| {
        waits.get(((waits.len() as f64 - 1.0) * part) as usize).copied().unwrap_or_default()
    };
    let (p50, p99) = (at(0.5).as_secs_f64() * 1e6, at(0.99).as_secs_f64() * 1e6);
    if output.json {
        let line = json!({
            "bytes": args.size,
            "sent_per_second": sent.rate().round(),
            "received_per_second": received.rate().round(),
            "sent": sent.count,
            "received": received.count,
            "requests": waits.len(),
            "request_p50_us": p50.round(),
            "request_p99_us": p99.round(),
        });
        output::line(&line.to_string());
        return Ok(0);
    }
    output::line(&format!("events of {} bytes", args.size));
    output::line(&format!("  sent      {:>10.0} a second  ({})", sent.rate(), sent.count));
    output::line(&format!("  received  {:>10.0} a second  ({})", received.rate(), received.count));
    output::line(&format!("requests, one after the other ({})", waits.len()));
    output::line(&format!("  p50 {p50:>8.0} µs   p99 {p99:>8.0} µs"));
    Ok(0)
}

/// So many in so much time.
struct Pace {
    count: u64,
    time: Duration,
}

impl Pace {
    fn rate(&self) -> f64 {
        self.count as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

async fn events(
    args: &Bench,
    sender: &Hub,
    receiver: &Hub,
    body: &Value,
) -> Result<(Pace, Pace), Failure> {
    let name = "posthouse.bench.event";
    let mut stream = session::var(receiver, name)?
        .subscribe()
        .pending_messages(PENDING_MESSAGES)
        .pending_bytes(PENDING_BYTES)
        .await?;
    let var = session::var(sender, name)?;
    let start = Instant::now();
    let total = args.events;
    let sending = async {
        for _ in 0..total {
            push(sender, &var, body).await?;
        }
        sender.flush(None).await?;
        Ok::<_, Failure>(start.elapsed())
    };
    let receiving = async {
        let (mut count, mut last) = (0, start);
        while count < total {
            match tokio::time::timeout(SILENCE, stream.next()).await {
                Ok(Some(_)) => {
                    count += 1;
                    last = Instant::now();
                }
                _ => break,
            }
        }
        Pace { count, time: last - start }
    };
    let (time, received) = tokio::join!(sending, receiving);
    Ok((Pace { count: total, time: time? }, received))
}

async fn push(hub: &Hub, var: &Variable, body: &Value) -> Result<(), Failure> {
    while let Err(error) = var.publish(body) {
        if error.code() != Code::BufferOverflow {
            return Err(error.into());
        }
        hub.flush(None).await?;
    }
    Ok(())
}

/// The time of each request, shortest first.
async fn requests(
    args: &Bench,
    sender: &Hub,
    receiver: &Hub,
    body: &Value,
) -> Result<Vec<Duration>, Failure> {
    let name = "posthouse.bench.request";
    let listener = session::var(receiver, name)?
        .handle(|message| async move { Ok::<_, std::convert::Infallible>(message.data()) })
        .await?;
    let var = session::var(sender, name)?;
    let mut waits = Vec::with_capacity(args.requests as usize);
    for _ in 0..args.requests {
        let start = Instant::now();
        var.request(body).timeout(args.connect.server.timeout).await?;
        waits.push(start.elapsed());
    }
    drop(listener);
    waits.sort_unstable();
    Ok(waits)
}
