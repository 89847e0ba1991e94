//! `posthouse instances`: the programs of a namespace, as their reports show them.
use crate::{
    args::Instances,
    exit::{Failure, OFFLINE},
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use futures_util::StreamExt as _;
use posthouse::{Hub, Instance};

pub async fn run(args: Instances, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let stay = if args.watch { Stay::UntilStopped } else { Stay::Briefly };
    let hub = session::open(&args.connect, stay).await?;
    // Reports come when they come; a listing can only be as complete as the time it listened.
    tokio::select! {
        () = tokio::time::sleep(args.listen) => {}
        () = stop.wait() => {}
    }
    if args.watch {
        let mut lists = hub.instances().watch();
        loop {
            tokio::select! {
                list = lists.next() => match list {
                    Some(list) => print(&others(&hub, list), output),
                    None => return Err(Failure::new(OFFLINE, "CLOSED", "the hub was closed")),
                },
                () = stop.wait() => break,
            }
        }
    } else {
        print(&others(&hub, hub.instances().list()?), output);
    }
    session::end(hub).await?;
    Ok(0)
}

/// The list without this command's own hub.
fn others(hub: &Hub, list: Vec<Instance>) -> Vec<Instance> {
    list.into_iter().filter(|instance| instance.instance_id != hub.instance_id()).collect()
}

fn print(list: &[Instance], output: Output) {
    if output.json {
        output::line(&serde_json::json!({"instances": list}).to_string());
        return;
    }
    if list.is_empty() {
        output::note("no other program is in the namespace");
    }
    for instance in list {
        let status = &instance.status;
        output::line(&format!(
            "{}  {}  {} {}  {}  {} variables  {}",
            output.name(&instance.instance_id),
            format!("{:?}", instance.state).to_lowercase(),
            status.sdk,
            status.version,
            status.health,
            status.variables,
            status.server.as_deref().unwrap_or("-"),
        ));
    }
}
