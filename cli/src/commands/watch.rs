//! `posthouse watch`: a line for a variable's state now and after every change, until stopped.
use crate::{
    args::Watch,
    exit::{Failure, OFFLINE},
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use futures_util::{StreamExt as _, stream::SelectAll};
use posthouse::{Change, json};

pub async fn run(args: Watch, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let hub = session::open(&args.connect, Stay::UntilStopped).await?;
    let mut all = SelectAll::new();
    for name in &args.names {
        let name = name.clone();
        all.push(session::var(&hub, &name)?.watch()?.map(move |change| (name.clone(), change)));
    }
    let many = args.names.len() > 1;
    let mut shown = Shown::default();
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            change = all.next() => match change {
                Some((name, change)) => {
                    if output.json {
                        output::line(&line(&name, &change));
                    } else if !shown.is_new(&name, &change) {
                        continue;
                    } else {
                        let value = change.value().map_or("absent".to_owned(), |value| value.to_string());
                        let name = if many { format!("{} ", output.name(&name)) } else { String::new() };
                        output::line(&format!("{name}{value}"));
                    }
                }
                None => return Err(Failure::new(OFFLINE, "CLOSED", "the hub was closed")),
            },
            () = stop.wait() => break,
        }
        left -= 1;
    }
    session::end(hub).await?;
    Ok(0)
}

/// People are shown values; scripts get every change of what is known.
#[derive(Default)]
struct Shown(std::collections::HashMap<String, Option<posthouse::Value>>);

impl Shown {
    /// Whether the value differs from the last one shown; what is not known yet is not shown.
    fn is_new(&mut self, name: &str, change: &Change) -> bool {
        if !change.meta.initialized {
            return false;
        }
        let value = change.value();
        self.0.insert(name.to_owned(), value.clone()) != Some(value)
    }
}

fn line(name: &str, change: &Change) -> String {
    let meta = &change.meta;
    json!({
        "name": name,
        "value": change.value(),
        "initialized": meta.initialized,
        "exists": meta.exists,
        "version": meta.version,
        "pending": meta.pending,
        "connected": meta.connected,
    })
    .to_string()
}
