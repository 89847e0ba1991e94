//! `posthouse collect`: one request, a line for each answer of the window.
use crate::{
    args::Collect,
    exit::{Failure, INTERRUPTED},
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use posthouse::{Reply, Value};

pub async fn run(args: Collect, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let headers = input::headers(&args.send.headers.headers)?;
    let data = match &args.send.data {
        Some(data) => input::value(data, args.send.text)?,
        None => Value::Null,
    };
    let hub = session::open(&args.connect, Stay::Briefly).await?;
    let var = session::var(&hub, &args.name)?;
    let mut request = var.request_many(&data).timeout(args.window).max_replies(args.max);
    if let Some(headers) = headers {
        request = request.headers(headers);
    }
    let result = tokio::select! {
        result = request.detailed() => result,
        () = stop.wait() => {
            hub.close().await?;
            return Ok(INTERRUPTED);
        }
    };
    let result = match result {
        Ok(result) => result,
        Err(failed) => {
            // What came before the failure is worth as much as it would have been.
            failed.partial_replies.iter().for_each(|reply| print(reply, output));
            return Err(failed.error.into());
        }
    };
    result.replies.iter().for_each(|reply| print(reply, output));
    let (count, reason) = (result.replies.len(), result.reason.as_str());
    if output.json {
        output::line(&serde_json::json!({"replies": count, "reason": reason}).to_string());
    } else {
        output::note(&format!("{count} answers, ended by {reason}"));
    }
    session::end(hub).await?;
    Ok(0)
}

fn print(reply: &Reply, output: Output) {
    if output.json {
        let headers = input::headers_json(&reply.headers);
        output::line(&serde_json::json!({"data": reply.data, "headers": headers}).to_string());
    } else {
        output::line(&reply.data.to_string());
    }
}
