//! A thermostat: holds its state, tells the temperature, takes a new target. It gets warmer while a heater
//! says that it is on.
use futures_util::StreamExt as _;
use posthouse::{Hub, Result, Value, json};
use serde::Deserialize;
use std::time::Duration;

/// What somebody wants of the thermostat.
#[derive(Deserialize)]
struct Wish {
    from: String,
    degrees: f64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let namespace = std::env::args().nth(1).unwrap_or_else(|| "demo".to_owned());
    let hub = Hub::builder(namespace.as_str()).connect().await?;
    match hub.owned_node().await {
        Some(address) => println!("nobody listened, so this hub is the node: {address}"),
        None => println!("connected to the node that was there"),
    }

    let state = hub.var("thermostat")?;
    state.set(&json!({"target": 20.0, "heating": false}))?;

    let held = state.clone();
    let _target = hub
        .var("thermostat.target")?
        .handle(move |wish| {
            let state = held.clone();
            async move {
                let Wish { from, degrees: target } = wish.data_as()?;
                println!("<- {from:<11} request: {target} degrees");
                let mut now = state.get(json!({}))?;
                let before = std::mem::replace(&mut now["target"], json!(target));
                state.set(&now)?;
                println!("-> {from:<11} answer: it was {before}, it is {target}");
                Ok::<_, posthouse::Error>(json!({"before": before, "now": target}))
            }
        })
        .await?;
    let _here = hub
        .var("roll-call")?
        .handle(|_| async { Ok::<_, posthouse::Error>(json!("thermostat in Rust")) })
        .await?;
    let mut end = hub.var("demo.end")?.subscribe().await?;
    println!("ready");

    let temperature = hub.var("room.temperature")?;
    let heater = hub.var("heater")?;
    let mut degrees = 20.0;
    let mut clock = tokio::time::interval(Duration::from_millis(100));
    loop {
        tokio::select! {
            _ = clock.tick() => {}
            _ = end.next() => break,
        }
        let mut now = state.get(json!({}))?;
        let target = now["target"].as_f64().unwrap_or(degrees);
        let warm = heater.get(json!({}))?["on"] == true;
        degrees = if warm && degrees < target { degrees + 0.5 } else { degrees };
        temperature.publish(&json!(degrees))?;
        let heating = Value::Bool(degrees < target);
        if now["heating"] != heating {
            println!("-> all         state: at {degrees} degrees, heating {heating}");
            now["heating"] = heating;
            state.set(&now)?;
        }
    }
    println!("<- shell       event: the end; leaving in order");
    hub.drain(None).await
}
