//! Collections: several answers to one request, until enough have come or the window closes.
use posthouse::{Hub, Result, json};
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<()> {
    let hub = Hub::builder("example-collect").connect().await?;
    let roll_call = hub.var("roll-call")?;
    let mut handlers = Vec::new();
    for name in ["saw", "drill", "lathe"] {
        handlers.push(
            roll_call
                .handle(move |_| async move { Ok::<_, posthouse::Error>(json!({"machine": name})) })
                .await?,
        );
    }

    // Ends as soon as three have answered.
    let all = roll_call.request_many(&json!(null)).max_replies(3).detailed().await?;
    let mut names: Vec<String> =
        all.replies.iter().map(|reply| reply.data["machine"].to_string()).collect();
    names.sort();
    println!("{} ({})", names.join(" "), all.reason.as_str());

    // Nobody knows how many there are: the window decides.
    let window = Duration::from_millis(300);
    let some = roll_call.request_many(&json!(null)).timeout(window).detailed().await?;
    println!("{} answers ({})", some.replies.len(), some.reason.as_str());
    drop(handlers);
    hub.drain(None).await
}
