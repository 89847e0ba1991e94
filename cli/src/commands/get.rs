//! `posthouse get`: a variable's value, as soon as it is known.
use crate::{
    args::Get,
    exit::{ABSENT, Failure},
    input,
    output::{self, Output},
    session::{self, Stay},
};

pub async fn run(args: Get, output: Output) -> Result<u8, Failure> {
    let fallback = args.fallback.as_deref().map(|text| input::parse(text, false)).transpose()?;
    let hub = session::open(&args.connect, Stay::Briefly).await?;
    let var = session::var(&hub, &args.name)?;
    var.ready().await?;
    let value = var.value()?;
    hub.close().await?;
    let exists = value.is_some();
    let value = value.or(fallback);
    if output.json {
        let line = serde_json::json!({"name": args.name, "value": value, "exists": exists});
        output::line(&line.to_string());
    } else if let Some(value) = &value {
        output::line(&value.to_string());
    } else {
        output::note(&format!("posthouse: {} has no value", args.name));
    }
    Ok(if value.is_some() { 0 } else { ABSENT })
}
