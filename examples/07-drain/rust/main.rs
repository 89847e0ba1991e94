//! Drain: stop taking new work, finish what was accepted, then close.
use posthouse::{Hub, Result, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-drain").connect().await?;
    let jobs = hub.var("jobs")?;
    let done = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&done);
    let _worker = jobs
        .subscribe()
        .handler(move |_| {
            let counter = Arc::clone(&counter);
            async move {
                // The work itself.
                tokio::time::sleep(Duration::from_millis(20)).await;
                counter.fetch_add(1, Ordering::Relaxed);
            }
        })
        .await?;
    for number in 1..=5 {
        jobs.publish(&json!(number))?;
    }
    hub.flush(None).await?;

    hub.drain(Duration::from_secs(5)).await?;
    println!("done before the hub closed: {}", done.load(Ordering::Relaxed));
    match jobs.publish(&json!(6)) {
        Ok(()) => println!("published"),
        Err(error) => println!("refused: {}", error.code()),
    }
    Ok(())
}
