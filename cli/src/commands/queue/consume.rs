//! `posthouse queue consume`: prints messages, or runs a program for each batch, until stopped.
use super::{
    admin::put_body,
    place::{self, Use, store_failure},
};
use crate::{
    args::Consume,
    exit::Failure,
    output::{self, Output},
    signals::Stop,
};
use posthouse_queue::{Batch, Consumer, Disposition, Ending, Outcome};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How a batch is handled.
enum Hand {
    Print,
    #[cfg(unix)]
    Run(super::exec::Program),
}

/// Why a batch failed, and whether the next one would fail as well.
pub struct Failed {
    pub words: String,
    pub for_good: bool,
}

pub async fn run(args: Consume, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let hand = Arc::new(hand(&args, output)?);
    // What is printed one by one is also counted one by one.
    let one_by_one = args.count.is_some() && matches!(*hand, Hand::Print);
    let found = place::open(&args.place, Use::Work, |settings| {
        if one_by_one {
            settings.max_batch_size = 1;
        }
    })
    .await?;
    let consumer = found.queues.consumer(&found.name).await?;
    output::note(&format!("consuming {}", args.place.queue));
    let end = take(&consumer, &hand, &args, &mut stop, output).await;
    consumer.idle().await;
    let closed = found.close().await;
    end?;
    closed?;
    Ok(0)
}

#[cfg(unix)]
fn hand(args: &Consume, output: Output) -> Result<Hand, Failure> {
    let Some(path) = &args.exec else { return Ok(Hand::Print) };
    super::exec::Program::new(path, args.arguments.clone(), output.json).map(Hand::Run)
}

#[cfg(not(unix))]
fn hand(args: &Consume, _: Output) -> Result<Hand, Failure> {
    match args.exec {
        None => Ok(Hand::Print),
        Some(_) => Err(Failure::new(
            crate::exit::USAGE,
            "INVALID_OPTIONS",
            "--exec needs a system with file descriptors that programs inherit: Linux or macOS",
        )),
    }
}

/// Takes batches until told to stop, and waits for those that are handled by then.
async fn take(
    consumer: &Consumer,
    hand: &Arc<Hand>,
    args: &Consume,
    stop: &mut Stop,
    output: Output,
) -> Result<(), Failure> {
    let mut running = JoinSet::new();
    let mut left = args.count.unwrap_or(u64::MAX);
    let mut told = false;
    let mut end = Ok(());
    let mut next = pin!(consumer.next());
    loop {
        tokio::select! {
            batch = &mut next => match batch {
                Ok(Some(batch)) => {
                    running.spawn(handle(batch, hand.clone(), output));
                    left -= 1;
                    if left == 0 {
                        consumer.stop();
                    }
                    next.set(consumer.next());
                }
                Ok(None) => break,
                Err(error) => {
                    end = Err(store_failure(&error));
                    break;
                }
            },
            Some(done) = running.join_next() => {
                if let Ok(Err(failure)) = done {
                    end = Err(failure);
                    consumer.stop();
                }
            }
            () = stop.wait() => {
                told = true;
                consumer.stop();
            }
        }
    }
    let mut patience = pin!(async {
        if told {
            tokio::time::sleep(args.grace).await;
        } else {
            std::future::pending::<()>().await;
        }
    });
    let mut cancelled = false;
    while !running.is_empty() {
        tokio::select! {
            done = running.join_next() => {
                if let Some(Ok(Err(failure))) = done {
                    end = Err(failure);
                }
                continue;
            }
            () = &mut patience, if !cancelled => (),
            () = stop.wait() => (),
        }
        cancelled = true;
        consumer.cancel();
    }
    end
}

/// Handles one batch. An error is one that ends the command.
async fn handle(batch: Batch, hand: Arc<Hand>, output: Output) -> Result<(), Failure> {
    let failed = match &*hand {
        Hand::Print => {
            print(&batch, output);
            None
        }
        #[cfg(unix)]
        Hand::Run(program) => program.run(&batch).await.err(),
    };
    let outcome = if failed.is_some() { Outcome::Failure } else { Outcome::Success };
    let ending = batch.finish(outcome).await;
    let words = failed.as_ref().map(|failed| failed.words.as_str());
    if !matches!(*hand, Hand::Print) {
        report(&batch, &ending, words, output);
    }
    match failed {
        Some(Failed { words, for_good: true }) => {
            Err(Failure::new(crate::exit::FAILED, "HANDLER_ERROR", words))
        }
        _ => Ok(()),
    }
}

fn print(batch: &Batch, output: Output) {
    for message in batch.messages() {
        if output.json {
            let mut line = serde_json::json!({
                "id": message.id, "attempts": message.attempts, "timestamp": message.timestamp_ms,
            });
            put_body(&mut line, &message.body);
            output::line(&line.to_string());
        } else {
            output::line(&String::from_utf8_lossy(&message.body));
        }
    }
}

/// A line for each batch: for scripts what became of it, for people what went wrong.
fn report(batch: &Batch, ending: &Ending, failed: Option<&str>, output: Output) {
    if let Some(words) = failed {
        log::warn!("queue {}: batch {} failed: {words}", batch.queue(), batch.number());
    }
    if !output.json {
        return;
    }
    let count = |wanted: fn(Disposition) -> bool| {
        ending.messages.iter().filter(|message| wanted(message.disposition)).count()
    };
    let mut line = serde_json::json!({
        "batch": batch.number(),
        "messages": batch.len(),
        "failed": ending.failed,
        "done": count(|end| end == Disposition::Done),
        "again": count(|end| matches!(end, Disposition::Retry { .. } | Disposition::Return { .. })),
        "dead": count(|end| end == Disposition::DeadLetter),
        "dropped": count(|end| end == Disposition::Drop),
        "lost": count(|end| end == Disposition::Lost),
    });
    if let Some(words) = failed {
        line["error"] = words.into();
    }
    output::line(&line.to_string());
}

/// How long a program has between SIGTERM and SIGKILL.
pub const LAST_WORDS: Duration = Duration::from_secs(5);
