//! State: a value that every program of the namespace shares.
use futures_util::StreamExt as _;
use posthouse::{Hub, Result, Value, json};

#[tokio::main]
async fn main() -> Result<()> {
    // Two programs would have a hub each; here both are in one.
    let workshop = Hub::builder("example-state").connect().await?;
    let office = Hub::builder("example-state").connect().await?;

    // [cut]
    let lamp = workshop.var("lamp")?;
    println!("before: {}", lamp.get(json!("nothing"))?);

    // A watch fires with the present state first, then after every change.
    let seen = office.var("lamp")?;
    let mut changes = seen.watch()?.values();
    lamp.set(&json!({"on": true, "level": 0.8}))?;
    until(&mut changes, Option::is_some).await;
    println!("office sees: {}", seen.get(Value::Null)?);

    // Falsy values are values.
    seen.set(&json!(0))?;
    let mut changes = lamp.watch()?.values();
    until(&mut changes, |value| *value == Some(json!(0))).await;
    println!("workshop sees: {}", lamp.get(json!("nothing"))?);

    lamp.delete()?;
    let mut changes = seen.watch()?.values();
    until(&mut changes, Option::is_none).await;
    println!("after: {}", seen.get(json!("nothing"))?);
    // [/cut]
    workshop.drain(None).await?;
    office.drain(None).await
}

/// Waits until a watch shows what is wanted.
async fn until(
    changes: &mut (impl futures_util::Stream<Item = Option<Value>> + Unpin),
    wanted: impl Fn(&Option<Value>) -> bool,
) {
    while let Some(value) = changes.next().await {
        if wanted(&value) {
            return;
        }
    }
}
