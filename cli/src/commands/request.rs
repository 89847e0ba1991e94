//! `posthouse req`: one request, its answer on the output.
use crate::{
    args::Req,
    exit::{Failure, INTERRUPTED},
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use posthouse::Value;

pub async fn run(args: Req, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let headers = input::headers(&args.send.headers.headers)?;
    let data = match &args.send.data {
        Some(data) => input::value(data, args.send.text)?,
        None => Value::Null,
    };
    let hub = session::open(&args.connect, Stay::Briefly).await?;
    let var = session::var(&hub, &args.name)?;
    let mut request = var.request(&data).timeout(args.connect.server.timeout);
    if let Some(headers) = headers {
        request = request.headers(headers);
    }
    let answer = tokio::select! {
        answer = request.detailed() => answer?,
        () = stop.wait() => {
            hub.close().await?;
            return Ok(INTERRUPTED);
        }
    };
    if output.json {
        let headers = input::headers_json(&answer.headers);
        output::line(&serde_json::json!({"data": answer.data, "headers": headers}).to_string());
    } else {
        output::line(&answer.data.to_string());
    }
    session::end(hub).await?;
    Ok(0)
}
