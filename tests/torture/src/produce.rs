//! A producer: one message or a batch at a time, as fast as they are accepted.
use crate::{Deployment, journal::Journal, random::Random};
use posthouse_queue::{Delay, Queues};
use std::time::Duration;

/// More than so many messages do not wait for consumers: the end must not take long, on any machine.
const BACKLOG: u64 = 300;

/// Waits until consumers have caught up.
async fn until_there_is_room(deployment: &Deployment, queues: &Queues, journal: &Journal) {
    loop {
        match queues.admin().stats("WORK").await {
            Ok(stats) if stats.ready + stats.delayed > BACKLOG => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(_) => return,
            Err(error) if deployment.passes(&error) => (),
            Err(error) => return journal.write(&format!("trouble {error}")),
        }
    }
}

/// Sends until it is killed.
pub async fn run(deployment: &Deployment, journal: &Journal, number: usize, mut random: Random) {
    let queues = deployment.queues();
    for batch in 0_u64.. {
        let count = if random.below(3) == 0 { 1 + random.below(5) } else { 1 };
        let keys: Vec<_> = (0..count).map(|n| format!("{number}-{batch}-{n}")).collect();
        journal.write(&format!("try {number}-{batch} {}", keys.join(" ")));
        let items = keys.iter().map(|key| {
            let delay = if random.below(10) == 0 { 1 + random.below(2) as u32 } else { 0 };
            (
                serde_json::json!({"key": key, "pad": "x".repeat(random.below(2_000) as usize)}),
                Delay::from(delay),
            )
        });
        let items: Vec<_> = items.collect();
        let sent = match items.as_slice() {
            [(body, delay)] => queues.send("WORK", body, *delay).await,
            _ => queues.send_batch("WORK", items).await,
        };
        match sent {
            Ok(()) => journal.write(&format!("sent {number}-{batch}")),
            // It may have been kept.
            Err(error) if deployment.passes(&error) => (),
            Err(error) => journal.write(&format!("trouble {error}")),
        }
        // Leaves the consumers a chance: what is measured here is not speed.
        tokio::time::sleep(Duration::from_millis(2 + random.below(20))).await;
        if batch % 8 == 0 {
            until_there_is_room(deployment, &queues, journal).await;
        }
    }
}
