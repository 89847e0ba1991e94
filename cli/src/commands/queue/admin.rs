//! What somebody who looks after a queue needs: its figures, its messages, and a hand on its tap.
use super::place::{self, Use};
use crate::{
    args::{Peek, Place, Redrive},
    exit::Failure,
    output::{self, Output},
};
use posthouse_queue::Peeked;
use serde_json::{Value, json};

pub async fn stats(args: Place, output: Output) -> Result<u8, Failure> {
    let found = place::open(&args, Use::Look, |_| ()).await?;
    let stats = found.queues.admin().stats(&found.name).await;
    found.close().await?;
    let stats = stats?;
    if output.json {
        let line = json!({
            "queue": args.queue, "ready": stats.ready, "delayed": stats.delayed, "inFlight": stats.in_flight,
            "oldestMs": stats.oldest_ms, "dead": stats.dead, "dropped": stats.dropped,
            "expired": stats.expired, "paused": stats.paused,
        });
        output::line(&line.to_string());
        return Ok(0);
    }
    let none = || "-".to_owned();
    let rows = [
        ("ready", stats.ready.to_string()),
        ("delayed", stats.delayed.to_string()),
        ("in flight", stats.in_flight.to_string()),
        ("oldest", stats.oldest_ms.map_or_else(none, |ms| format!("{:.1} s", ms as f64 / 1_000.0))),
        ("dead", stats.dead.map_or_else(none, |dead| dead.to_string())),
        ("dropped", stats.dropped.to_string()),
        ("expired", stats.expired.to_string()),
        ("paused", if stats.paused { "yes" } else { "no" }.to_owned()),
    ];
    for (name, value) in rows {
        output::line(&format!("{} {value}", output.name(&format!("{name:9}"))));
    }
    Ok(0)
}

pub async fn peek(args: Peek, output: Output) -> Result<u8, Failure> {
    let found = place::open(&args.place, Use::Look, |_| ()).await?;
    let messages = found.queues.admin().peek(&found.name, args.max).await;
    found.close().await?;
    for message in messages? {
        if output.json {
            output::line(&as_json(&message).to_string());
        } else {
            let held = if message.in_flight { " in flight" } else { "" };
            let attempts = message.attempts;
            let body = String::from_utf8_lossy(&message.body);
            output::line(&format!("{} {attempts}{held} {body}", output.name(&message.id)));
        }
    }
    Ok(0)
}

fn as_json(message: &Peeked) -> Value {
    let mut line = json!({
        "id": message.id, "attempts": message.attempts, "timestamp": message.timestamp_ms,
        "due": message.due_ms, "inFlight": message.in_flight,
    });
    put_body(&mut line, &message.body);
    line
}

/// A body under `body`; one that is no JSON, which another producer put there, as text under `bodyText`.
pub fn put_body(line: &mut Value, body: &[u8]) {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => line["body"] = value,
        Err(_) => line["bodyText"] = String::from_utf8_lossy(body).into(),
    }
}

pub async fn purge(args: Place, output: Output) -> Result<u8, Failure> {
    let found = place::open(&args, Use::Look, |_| ()).await?;
    let purged = found.queues.admin().purge(&found.name).await;
    found.close().await?;
    tell("purged", &purged?.into(), output);
    Ok(0)
}

pub async fn redrive(args: Redrive, output: Output) -> Result<u8, Failure> {
    let found = place::open(&args.place, Use::Look, |_| ()).await?;
    let redriven = found.queues.admin().redrive(&found.name, args.max).await;
    found.close().await?;
    tell("redriven", &redriven?.into(), output);
    Ok(0)
}

pub async fn pause(args: Place, output: Output, paused: bool) -> Result<u8, Failure> {
    let found = place::open(&args, Use::Look, |_| ()).await?;
    let admin = found.queues.admin();
    let done =
        if paused { admin.pause(&found.name).await } else { admin.resume(&found.name).await };
    found.close().await?;
    done?;
    if output.json {
        tell("paused", &paused.into(), output);
    }
    Ok(0)
}

fn tell(what: &str, value: &Value, output: Output) {
    if output.json {
        output::line(&json!({what: value}).to_string());
    } else {
        output::line(&format!("{what} {value}"));
    }
}
