//! Which queue a command means: from a configuration, a file, or servers.
//!
//! The command is the deployment's own tool, so every name is granted. A store on servers is opened here and not
//! when it is first used: that nothing answers is a matter of the connection, with an exit code of its own.
use crate::{
    args::{Login, Place},
    exit::{self, Failure, OFFLINE, USAGE},
    session,
};
use posthouse_queue::{
    Binding, Config, Deployment, Queues, Settings, StoreError, Trouble,
    jetstream::{JetStream, JetStreamOptions},
};
use serde_json::{Map, Value};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

const CONFIG: &str = "POSTHOUSE_QUEUE_CONFIG";

/// What a command does with the queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It may be the first who uses it.
    Work,
    /// Where no file is, the name is wrong.
    Look,
}

/// A queue that was found, under the name it was asked for.
pub struct Found {
    pub queues: Queues,
    pub name: String,
}

impl Found {
    pub async fn close(&self) -> Result<(), Failure> {
        self.queues.close().await.map_err(|error| store_failure(&error))
    }
}

/// Finds the queue. `change` may narrow what the deployment says of it for this command.
pub async fn open(
    args: &Place,
    purpose: Use,
    change: impl FnOnce(&mut Settings),
) -> Result<Found, Failure> {
    let (mut binding, folder) = binding(args)?;
    change(&mut binding.settings);
    let store = binding.store.clone();
    let name = args.queue.clone();
    let mut deployment = Deployment::new();
    deployment.bind(&name, binding)?;
    deployment.grant(&name);
    let mut config = Config::from(deployment).folder(&folder);
    if let Some(path) = store.strip_prefix("sqlite:") {
        let path = folder.join(path);
        if purpose == Use::Look && !path.exists() {
            let words = format!("there is no file {}", path.display());
            return Err(Failure::new(USAGE, "INVALID_OPTIONS", words));
        }
    } else if let Ok(options) = JetStreamOptions::parse(&store) {
        let options = with_login(options, &args.login, args.timeout)?;
        let opened = JetStream::open(options).await.map_err(|error| store_failure(&error))?;
        config = config.store(&store, Arc::new(opened));
    }
    Ok(Found { queues: Queues::open(config)?, name })
}

fn binding(args: &Place) -> Result<(Binding, PathBuf), Failure> {
    let store = match (&args.file, args.servers.is_empty()) {
        (Some(path), _) => format!("sqlite:{}", path.display()),
        (None, false) => args.servers.join(","),
        (None, true) => return configured(args),
    };
    let settings = settings(&args.settings)?;
    let text = serde_json::json!({
        "queues": {&args.queue: {"store": store, "queue": args.queue, "settings": settings}},
    });
    let config = Config::json(&text.to_string())?;
    Ok((config.deployment().configured(&args.queue).map_err(fault)?.clone(), PathBuf::new()))
}

/// A queue of a deployment, by its binding or its own name.
fn configured(args: &Place) -> Result<(Binding, PathBuf), Failure> {
    let Some(path) = args.config.clone().or_else(|| std::env::var_os(CONFIG).map(PathBuf::from))
    else {
        let words = format!(
            "where is the queue {:?}? Give --config FILE (or {CONFIG}), --file PATH or --server URL",
            args.queue
        );
        return Err(Failure::new(USAGE, "INVALID_OPTIONS", words));
    };
    if !args.settings.is_empty() {
        let words = "--setting goes with --file and --server; a configuration has its own";
        return Err(Failure::new(USAGE, "INVALID_OPTIONS", words));
    }
    let config = Config::file(&path)?;
    let found = config.deployment().find(&args.queue);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok((found.map_err(fault)?.clone(), folder))
}

fn fault(fault: posthouse_queue::Fault) -> Failure {
    posthouse_queue::Refusal::from(fault).into()
}

/// `NAME=VALUE`, the value a number or a name.
fn settings(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut settings = Map::new();
    for setting in given {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            let words = format!("{setting:?} is no setting; write NAME=VALUE");
            Failure::new(USAGE, "INVALID_OPTIONS", words)
        })?;
        // A queue may well be called 7.
        let text = name == "dead_letter_queue";
        let number = value.parse::<serde_json::Number>().ok().filter(|_| !text);
        settings.insert(name.to_owned(), number.map_or_else(|| value.into(), Value::Number));
    }
    Ok(settings)
}

fn with_login(
    mut options: JetStreamOptions,
    login: &Login,
    timeout: std::time::Duration,
) -> Result<JetStreamOptions, Failure> {
    options.timeout = timeout;
    options.token.clone_from(&login.token);
    options.user.clone_from(&login.user);
    options.password.clone_from(&login.password);
    options.nkey = login.nkey_file.as_deref().map(session::seed).transpose()?;
    options.credentials = login.credentials.as_ref().map(|path| path.display().to_string());
    options.tls.ca_file.clone_from(&login.ca_file);
    options.tls.cert_file.clone_from(&login.cert_file);
    options.tls.key_file.clone_from(&login.key_file);
    options.tls.handshake_first = login.handshake_first;
    Ok(options)
}

/// An error of a store without a contract's text around it.
pub fn store_failure(error: &StoreError) -> Failure {
    let exit = match error.trouble() {
        Trouble::Unreachable | Trouble::Forbidden => OFFLINE,
        _ => exit::FAILED,
    };
    Failure::new(exit, "QUEUE_STORE", error.words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_numbers_and_one_name() {
        let given = ["max_retries=5", "max_batch_wait=0.5", "dead_letter_queue=7"];
        let read = settings(&given.map(str::to_owned)).unwrap();
        assert_eq!(read["max_retries"], 5);
        assert_eq!(read["max_batch_wait"], 0.5);
        assert_eq!(read["dead_letter_queue"], "7");
        assert!(settings(&["max_retries".to_owned()]).unwrap_err().message.contains("NAME=VALUE"));
    }
}
