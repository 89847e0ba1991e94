//! The first program: state and a request by one name, with nothing else installed.
// [cut]
use posthouse::{Error, Hub, Message, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("workshop").connect().await?; // connects, or is the node itself
    let lamp = hub.var("lamp")?;
    lamp.set(&json!({"on": true}))?; // state: shared, merged, works offline
    let answer = |wish: Message| async move { Ok::<_, Error>(json!({"done": wish.data()})) };
    let _handler = lamp.handle(answer).await?; // requests: answered here
    println!("{}", lamp.req(&json!({"on": false})).await?); // and asked
    hub.close().await
}
// [/cut]
