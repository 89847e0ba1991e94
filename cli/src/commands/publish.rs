//! `posthouse pub`: one event, or one for each line of the input.
use crate::{
    args::Pub,
    exit::Failure,
    input,
    output::{self, Output},
    session::{self, Stay},
};
use posthouse::{Code, Headers, Hub, Value, Variable};
use std::io::{self, BufRead as _, IsTerminal as _};

pub async fn run(args: Pub, output: Output) -> Result<u8, Failure> {
    let headers = input::headers(&args.headers.headers)?;
    let given = args.data.as_deref().map(|data| input::value(data, args.text)).transpose()?;
    let hub = session::open(&args.connect, Stay::Briefly).await?;
    let var = session::var(&hub, &args.name)?;
    let sent = match given {
        Some(data) => send(&hub, &var, &data, headers.as_ref()).await.map(|()| 1),
        None if io::stdin().is_terminal() => {
            send(&hub, &var, &Value::Null, headers.as_ref()).await.map(|()| 1)
        }
        None => lines(&hub, &var, args.text, headers.as_ref()).await,
    }?;
    hub.flush(args.connect.server.timeout).await?;
    session::end(hub).await?;
    if output.json {
        output::line(&serde_json::json!({"published": sent}).to_string());
    }
    Ok(0)
}

async fn lines(
    hub: &Hub,
    var: &Variable,
    text: bool,
    headers: Option<&Headers>,
) -> Result<u64, Failure> {
    let mut sent = 0;
    // Reading blocks only this command; the hub's input and output have a thread of their own.
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| {
            Failure::new(
                crate::exit::USAGE,
                "INVALID_MESSAGE",
                format!("the input cannot be read: {error}"),
            )
        })?;
        if line.trim().is_empty() && !text {
            continue;
        }
        let data = input::parse(&line, text).map_err(|failure| {
            let message =
                format!("line {}: {}; {sent} were sent before", sent + 1, failure.message);
            Failure::new(failure.exit, &failure.code, message)
        })?;
        send(hub, var, &data, headers).await?;
        sent += 1;
    }
    Ok(sent)
}

/// Publishes, and where the outbound budget is full waits until the broker has caught up.
async fn send(
    hub: &Hub,
    var: &Variable,
    data: &Value,
    headers: Option<&Headers>,
) -> Result<(), Failure> {
    match var.pub_as(data, headers) {
        Err(error) if error.code() == Code::BufferOverflow => {
            hub.flush(None).await?;
            Ok(var.pub_as(data, headers)?)
        }
        other => Ok(other?),
    }
}
