//! Reconnect: state works offline and is merged on return; messages need a connection.
//!
//! Stop the broker when this says `connected`, and start it again when it says `offline`.
use futures_util::StreamExt as _;
use posthouse::{Connection, Hub, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-reconnect").connect().await?;
    let counter = hub.var("counter")?;
    counter.set(&json!(1))?;
    hub.flush(None).await?;
    println!("connected");

    let mut states = hub.watch();
    while states.next().await.is_some_and(|status| status.connection == Connection::Connected) {}
    counter.set(&json!(2))?;
    println!("offline: the value is {}", counter.get(json!(null))?);
    if let Err(error) = counter.publish(&json!("lost")) {
        println!("offline: a message is refused with {}", error.code());
    }

    hub.connected(None).await?;
    let mut changes = counter.watch()?;
    while changes.next().await.is_some_and(|change| change.meta.pending) {}
    println!("connected again: the value is {}, confirmed", counter.get(json!(null))?);
    hub.drain(None).await
}
