//! A consumer: writes down every delivery and what became of it.
use crate::{Deployment, VISIBILITY_MS, fate::Fate, journal::Journal};
use posthouse_queue::{Batch, Code, Consumer, Disposition, Outcome};
use std::time::Duration;

/// Handles batches until it is killed.
pub async fn run(deployment: &Deployment, journal: &Journal) {
    let queues = deployment.queues();
    let consumer = loop {
        match queues.consumer("WORK").await {
            Ok(consumer) => break consumer,
            Err(error) if deployment.passes(&error) => (),
            Err(error) => return journal.write(&format!("trouble {error}")),
        }
    };
    tokio::join!(work(deployment, &consumer, journal), work(deployment, &consumer, journal));
}

async fn work(deployment: &Deployment, consumer: &Consumer, journal: &Journal) {
    loop {
        match consumer.next().await {
            Ok(Some(batch)) => handle(deployment, &batch, journal).await,
            Ok(None) => return,
            Err(error) => return journal.write(&format!("trouble {error}")),
        }
    }
}

async fn handle(deployment: &Deployment, batch: &Batch, journal: &Journal) {
    let value = match batch.read_batch() {
        Ok(value) => value,
        Err(error) => {
            journal.write(&format!("trouble {error}"));
            batch.finish(Outcome::Failure).await;
            return;
        }
    };
    let messages: Vec<_> = value
        .messages
        .iter()
        .map(|message| {
            let key = message.body["key"].as_str().unwrap_or("?").to_owned();
            (key, message.attempts)
        })
        .collect();
    for (message, (key, attempts)) in value.messages.iter().zip(&messages) {
        journal.write(&format!("start {key} {attempts} {} {}", message.id, message.timestamp));
    }
    let mut outcome = Outcome::Success;
    for (index, (key, attempts)) in messages.iter().enumerate() {
        let said = match crate::fate::of(key) {
            Fate::AckThenFail => {
                outcome = Outcome::Failure;
                Some(("acked", batch.ack(index).await))
            }
            Fate::Retry if *attempts < 3 => Some(("retried", batch.retry(index, 1).await)),
            Fate::Plain | Fate::Retry => None,
            Fate::Poison => {
                outcome = Outcome::Failure;
                None
            }
            Fate::Slow => {
                tokio::time::sleep(Duration::from_millis(VISIBILITY_MS * 3 / 2)).await;
                None
            }
        };
        match said {
            None => tokio::time::sleep(Duration::from_millis(3)).await,
            Some((word, Ok(()))) => journal.write(&format!("{word} {key} {attempts}")),
            Some((_, Err(error))) if error.code() == Code::QueueLeaseLost => {
                journal.write(&format!("lost {key} {attempts}"));
            }
            // It is told at the end once more.
            Some((_, Err(error))) if deployment.passes(&error.clone().into()) => (),
            Some((_, Err(error))) => journal.write(&format!("trouble {error}")),
        }
    }
    for (key, attempts) in &messages {
        journal.write(&format!("leave {key} {attempts}"));
    }
    let ending = batch.finish(outcome).await;
    for ((key, attempts), end) in messages.iter().zip(&ending.messages) {
        let word = match end.disposition {
            Disposition::Lost => "lost",
            _ if !end.told => "untold",
            Disposition::Done => "done",
            Disposition::Retry { .. } | Disposition::Return { .. } => "again",
            Disposition::DeadLetter => "dead",
            Disposition::Drop => "dropped",
        };
        journal.write(&format!("{word} {key} {attempts}"));
    }
}
