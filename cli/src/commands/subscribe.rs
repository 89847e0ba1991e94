//! `posthouse sub`: a line for each message, until stopped.
use crate::{
    args::Sub,
    exit::{FAILED, Failure},
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use futures_util::{StreamExt as _, stream::SelectAll};
use posthouse::Message;

pub async fn run(args: Sub, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let hub = session::open(&args.connect, Stay::UntilStopped).await?;
    let mut all = SelectAll::new();
    for name in &args.names {
        let mut subscribe =
            session::var(&hub, name)?.subscribe().timeout(args.connect.server.timeout);
        if let Some(queue) = &args.queue {
            subscribe = subscribe.queue(queue);
        }
        all.push(subscribe.await?);
    }
    output::note(&format!("listening on {}", args.names.join(", ")));
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            message = all.next() => {
                let Some(message) = message else {
                    let text = "the subscription ended: the hub is closed, or the broker refused it";
                    return Err(Failure::new(FAILED, "CLOSED", text));
                };
                print(&message, &args, output);
            }
            () = stop.wait() => break,
        }
        left -= 1;
    }
    session::end(hub).await?;
    Ok(0)
}

fn print(message: &Message, args: &Sub, output: Output) {
    let data = message.data();
    if output.json {
        let line = serde_json::json!({
            "topic": message.topic(),
            "data": data,
            "headers": input::headers_json(message.headers()),
            "request": message.is_request(),
        });
        output::line(&line.to_string());
    } else if args.data {
        output::line(&data.to_string());
    } else {
        output::line(&format!("{} {data}", output.name(message.topic())));
    }
}
