//! `posthouse sub`: a line for each message, until stopped.
use crate::{
    args::Sub,
    exit::{FAILED, Failure},
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, SelectAll},
};
use posthouse::{Message, Subscription};

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
        all.push(Box::pin(to_the_end(subscribe.await?)));
    }
    output::note(&format!("listening on {}", args.names.join(", ")));
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            message = all.next() => {
                let closed = || Failure::new(FAILED, "CLOSED", "the hub is closed");
                let message = message.unwrap_or_else(|| Err(closed()))?;
                print(&message, &args, output);
            }
            () = stop.wait() => break,
        }
        left -= 1;
    }
    if left == 0 {
        // More than was asked for is not wanted, and must not hold up the end.
        drop(all);
        session::end(hub).await?;
        return Ok(0);
    }
    // The end waits until what was accepted before has been printed.
    let rest = async {
        while let Some(Ok(message)) = all.next().await {
            print(&message, &args, output);
        }
    };
    tokio::join!(session::end(hub), rest).0?;
    Ok(0)
}

/// The messages of one subscription, and at its end why it ended: among others that go on, the end of
/// one would not be noticed.
fn to_the_end(subscription: Subscription) -> impl Stream<Item = Result<Message, Failure>> {
    stream::unfold(Some(subscription), |state| async {
        let mut subscription = state?;
        match subscription.next().await {
            Some(message) => Some((Ok(message), Some(subscription))),
            None => subscription.error().map(|error| (Err(error.into()), None)),
        }
    })
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
