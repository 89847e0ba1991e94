//! `posthouse status`: connects and tells how that went.
use crate::{
    args::Status,
    exit::Failure,
    output::{self, Output},
    session::{self, Stay},
};
use posthouse::Value;

pub async fn run(args: Status, output: Output) -> Result<u8, Failure> {
    let server = &args.connect.server;
    let options = session::builder(args.connect.namespace.as_deref(), server, Stay::Briefly)?;
    let hub = session::connect(options, server.timeout).await?;
    // A round trip, so that its time is known.
    hub.flush(server.timeout).await?;
    let status = serde_json::to_value(hub.status()?).map_err(|error| {
        Failure::new(crate::exit::FAILED, "INTERNAL", format!("the status is no JSON: {error}"))
    })?;
    session::end(hub).await?;
    if output.json {
        output::line(&status.to_string());
    } else {
        print("", &status, output);
    }
    Ok(0)
}

/// A line for each field, with the names of what it is in before it; what is not known is left out.
fn print(name: &str, value: &Value, output: Output) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field } else { &format!("{name}.{field}") };
                print(name, value, output);
            }
        }
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            output::line(&format!("{}  {text}", output.name(&format!("{name:<34}"))));
        }
    }
}
