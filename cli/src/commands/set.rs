//! `posthouse set` and `posthouse delete`: writing state for everyone.
use crate::{
    args::{Connect, Delete, Set},
    exit::Failure,
    input,
    output::{self, Output},
    session::{self, Stay},
    signals::Stop,
};
use posthouse::{Hub, Variable, json};

pub async fn run(args: Set, output: Output) -> Result<u8, Failure> {
    let mut stop = Stop::new()?;
    let value = input::value(&args.value, args.text)?;
    let stay = if args.hold { Stay::UntilStopped } else { Stay::Briefly };
    let (hub, var) = open(&args.connect, &args.name, stay).await?;
    // Whoever told of an earlier write keeps the next one, too.
    let kept = var.meta()?.version.is_some();
    var.set(&value)?;
    hub.flush(args.connect.server.timeout).await?;
    report(&var, output)?;
    if args.hold {
        output::note(&format!("holding {}; Ctrl-C lets it go", args.name));
        stop.wait().await;
    } else if !kept && is_alone(&hub)? {
        output::note(&format!(
            "posthouse: {} no other program is in the namespace, so nobody keeps the value; --hold stays and keeps it",
            output.alarm("warning:")
        ));
    }
    session::end(hub).await?;
    Ok(0)
}

pub async fn delete(args: Delete, output: Output) -> Result<u8, Failure> {
    let (hub, var) = open(&args.connect, &args.name, Stay::Briefly).await?;
    var.delete()?;
    hub.flush(args.connect.server.timeout).await?;
    report(&var, output)?;
    session::end(hub).await?;
    Ok(0)
}

/// Connects and waits until the present version is known, so that the write wins over it.
async fn open(connect: &Connect, name: &str, stay: Stay) -> Result<(Hub, Variable), Failure> {
    let hub = session::open(connect, stay).await?;
    let var = session::var(&hub, name)?;
    var.ready().await?;
    Ok((hub, var))
}

fn report(var: &Variable, output: Output) -> Result<(), Failure> {
    if output.json {
        let version = var.meta()?.version;
        output::line(
            &json!({"name": var.name(), "value": var.value()?, "version": version}).to_string(),
        );
    }
    Ok(())
}

/// Whether no other program of the namespace has been heard of. Where nobody holds the variable, the
/// others had their time to report while `ready` waited.
fn is_alone(hub: &Hub) -> Result<bool, Failure> {
    Ok(hub.instances().list()?.iter().all(|instance| instance.instance_id == hub.instance_id()))
}
