//! Requests: one answer, or a reason why there is none.
use posthouse::{Hub, Result, json};

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-request").connect().await?;
    // [cut]
    let sum = hub.var("sum")?;
    let handler = sum
        .handle(|request| async move {
            let numbers: Vec<i64> = request.data_as()?;
            Ok::<_, posthouse::Error>(json!({"sum": numbers.iter().sum::<i64>()}))
        })
        .await?;
    println!("answer: {}", sum.request(&json!([1, 2, 3])).await?);

    // A handler's failure is recorded on its side; a business failure is data. Here nobody listens
    // at all, which the broker says at once.
    handler.drain(None).await?;
    match sum.request(&json!([4])).await {
        Ok(answer) => println!("answer: {answer}"),
        Err(error) => println!("refused: {}", error.code()),
    }
    // [/cut]
    hub.drain(None).await
}
