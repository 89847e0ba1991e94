//! Events: to whoever is subscribed now. Patterns: `*` is one level, `>` at the end the rest.
use futures_util::StreamExt as _;
use posthouse::{Hub, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-events").connect().await?;
    // [cut]
    let mut readings = hub.var("sensor.*.temperature")?.subscribe().await?;

    // Nobody is subscribed to this one: it is gone.
    hub.var("sensor.hall.humidity")?.publish(&json!(40))?;
    hub.var("sensor.hall.temperature")?.publish(&json!(19.5))?;
    hub.var("sensor.yard.temperature")?.publish(&json!(-2))?;
    // Equal events are separate messages.
    hub.var("sensor.yard.temperature")?.publish(&json!(-2))?;

    for _ in 0..3 {
        if let Some(message) = readings.next().await {
            println!("{}: {}", message.topic(), message.data());
        }
    }
    // [/cut]
    hub.drain(None).await
}
