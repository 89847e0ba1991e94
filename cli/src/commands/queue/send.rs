//! `posthouse queue send`: one message, a line each, or a batch.
use super::place::{self, Found, Use};
use crate::{
    args::SendWork,
    exit::{Failure, USAGE},
    output::{self, Output},
};
use posthouse_queue::Refusal;
use std::io::{self, BufRead as _, Read as _};

pub async fn run(args: SendWork, output: Output) -> Result<u8, Failure> {
    let found = place::open(&args.place, Use::Work, |_| ()).await?;
    let sent = match args.body.as_deref() {
        given if args.batch => batch(&found, given).await,
        Some("-") | None => lines(&found, &args).await,
        Some(body) => one(&found, body, &args).await.map(|()| 1).map_err(Failure::from),
    };
    let closed = found.close().await;
    let sent = sent?;
    closed?;
    if output.json {
        output::line(&serde_json::json!({"sent": sent}).to_string());
    }
    Ok(0)
}

async fn one(found: &Found, body: &str, args: &SendWork) -> Result<(), Refusal> {
    if args.text {
        found.queues.send(&found.name, body, args.delay).await
    } else {
        found.queues.send_text(&found.name, body, args.delay).await
    }
}

async fn batch(found: &Found, given: Option<&str>) -> Result<u64, Failure> {
    let text = match given {
        Some("-") | None => {
            let mut all = String::new();
            io::stdin().read_to_string(&mut all).map_err(|error| unreadable(&error))?;
            all
        }
        Some(text) => text.to_owned(),
    };
    found.queues.send_batch_text(&found.name, &text).await?;
    // It was accepted, so it is an array.
    let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(&text).unwrap_or_default();
    Ok(items.len() as u64)
}

/// Each line is on the disk, or with the server, before the next one is read.
async fn lines(found: &Found, args: &SendWork) -> Result<u64, Failure> {
    let mut sent = 0;
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| unreadable(&error))?;
        if line.trim().is_empty() && !args.text {
            continue;
        }
        one(found, &line, args).await.map_err(|refusal| {
            let failure = Failure::from(refusal);
            let words =
                format!("line {}: {}; {sent} were sent before", number + 1, failure.message);
            Failure::new(failure.exit, &failure.code, words)
        })?;
        sent += 1;
    }
    Ok(sent)
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(USAGE, "INVALID_MESSAGE", format!("the input cannot be read: {error}"))
}
