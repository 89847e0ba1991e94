//! `posthouse status`: connects and tells how that went.
use crate::{
    args::Status,
    exit::Failure,
    output::{self, Output},
    session::{self, Stay},
};
use posthouse::Value;

pub async fn run(args: Status, output: Output) -> Result<u8, Failure> {
    let hub = session::open(&args.connect, Stay::Briefly).await?;
    // A round trip, so that its time is known.
    hub.flush(args.connect.timeout).await?;
    let status = serde_json::to_value(hub.status()?).map_err(|error| {
        Failure::new(crate::exit::FAILED, "INTERNAL", format!("the status is no JSON: {error}"))
    })?;
    session::end(hub).await?;
    if output.json {
        output::line(&status.to_string());
    } else if let Value::Object(fields) = status {
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            output::line(&format!("{}  {value}", output.name(&format!("{name:<18}"))));
        }
    }
    Ok(0)
}
