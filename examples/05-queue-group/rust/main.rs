//! Queue groups: interchangeable workers share the messages; others get their own copy.
use futures_util::{StreamExt as _, stream::select};
use posthouse::{Hub, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-queue-group").connect().await?;
    let jobs = hub.var("jobs")?;
    let first = jobs.subscribe().queue("workers").await?;
    let second = jobs.subscribe().queue("workers").await?;
    let mut auditor = jobs.subscribe().await?;
    for number in 1..=10 {
        jobs.publish(&json!(number))?;
    }

    let mut work = select(first, second);
    let mut done = Vec::new();
    while done.len() < 10 {
        let Some(job) = work.next().await else { break };
        done.push(job.data_as::<u32>()?);
    }
    done.sort_unstable();
    println!("the workers together: {done:?}");

    let mut seen = Vec::new();
    while seen.len() < 10 {
        let Some(job) = auditor.next().await else { break };
        seen.push(job.data_as::<u32>()?);
    }
    println!("the auditor alone: {seen:?}");
    hub.drain(None).await
}
