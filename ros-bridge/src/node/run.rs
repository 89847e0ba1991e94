//! The program from start to end.
use super::{
    arguments::{Arguments, Task, USAGE},
    check,
    locate::locate,
    logger,
    signals::Stop,
};
use crate::{
    config::{Config, Surroundings, json_schema, params, reference},
    ros::{
        Backend, Event, LogLevel,
        ros1::{Node, Settings},
    },
    routes::Bridge,
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// The name of the node where nobody gives it another.
const NAME: &str = "posthouse_bridge";
/// How long the end may take; roslaunch waits for 15 s.
const STOP: Duration = Duration::from_secs(4);
/// How often the master is asked for the configuration.
const ASK: Duration = Duration::from_millis(500);

/// The whole program: 0 at an ordered end, 1 after a failure, 2 for a wrong command line or configuration.
pub fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(text) => {
            eprintln!("posthouse_bridge: {text}");
            return ExitCode::from(2);
        }
    };
    let text = match arguments.task {
        Task::Schema => json_schema::text(),
        Task::Reference => reference::text(),
        Task::Version => format!("posthouse_bridge {}\n", env!("CARGO_PKG_VERSION")),
        Task::Help => format!("{USAGE}\n"),
        Task::Run | Task::Check => return run(arguments),
    };
    print!("{text}");
    ExitCode::SUCCESS
}

fn run(arguments: Arguments) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("posthouse_bridge")
        .build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(task(arguments));
            // A lookup of a name may hang; nothing is left that would be worth waiting for.
            runtime.shutdown_timeout(Duration::from_millis(200));
            ended
        }
        Err(error) => Err(Failure(1, format!("the system gives no threads: {error}"))),
    };
    match ended {
        Ok(code) => code,
        Err(Failure(code, text)) => {
            eprintln!("posthouse_bridge: {text}");
            ExitCode::from(code)
        }
    }
}

/// Why the program ends, and the number it ends with.
struct Failure(u8, String);

async fn task(arguments: Arguments) -> Result<ExitCode, Failure> {
    let (settings, rest) = Settings::from_process(NAME, arguments.ros)
        .map_err(|error| Failure(2, error.to_string()))?;
    let file = match &arguments.file {
        Some(path) => Some(locate(path).map_err(|text| Failure(2, text))?),
        None => None,
    };
    if let (Task::Check, Some(file)) = (arguments.task, &file) {
        return check::check(file, settings).await.map_err(|text| Failure(2, text));
    }
    logger::install();
    let mut stop = Stop::new().map_err(|error| Failure(1, format!("no signals: {error}")))?;
    let node = Node::start(settings).await.map_err(|error| Failure(1, error.to_string()))?;
    let node: Arc<dyn Backend> = Arc::new(node);
    if !rest.is_empty() {
        node.log(LogLevel::Warn, &format!("nothing is known of {}", rest.join(" ")));
    }
    // Before anything is awaited: a second node of the name may come at any time.
    let mut events = node.events();
    let outcome = tokio::select! {
        outcome = bridge(&node, file.as_deref()) => outcome,
        why = ended(&mut stop, &mut events) => {
            node.log(LogLevel::Info, &format!("ends: {why}"));
            node.close(STOP).await.ok();
            return Ok(ExitCode::SUCCESS);
        }
    };
    let mut bridge = match outcome {
        Ok(bridge) => bridge,
        Err(failure) => {
            node.log(LogLevel::Fatal, &failure.1);
            node.close(STOP).await.ok();
            return Err(failure);
        }
    };
    let (code, why) = tokio::select! {
        why = ended(&mut stop, &mut events) => (ExitCode::SUCCESS, why),
        why = bridge.failed() => (ExitCode::FAILURE, why),
    };
    node.log(LogLevel::Info, &format!("ends: {why}"));
    tokio::select! {
        () = bridge.stop(STOP) => {}
        // Whoever asks twice is in a hurry.
        _ = stop.wait() => {}
    }
    Ok(code)
}

/// Waits until somebody wants the node to end; why.
async fn ended(stop: &mut Stop, events: &mut Receiver<Event>) -> String {
    loop {
        tokio::select! {
            signal = stop.wait() => return signal.to_owned(),
            event = events.recv() => match event {
                Ok(Event::Shutdown(why)) => return why,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return "the node is closed".to_owned(),
            },
        }
    }
}

/// Finds the configuration and starts the bridge.
async fn bridge(node: &Arc<dyn Backend>, file: Option<&Path>) -> Result<Bridge, Failure> {
    let config = match file {
        Some(file) => Config::from_file(file),
        None => from_master(&**node).await.map_err(|text| Failure(2, text))?,
    };
    let wrong = |problems: crate::config::Problems| {
        Failure(2, format!("the configuration is wrong:\n{problems}"))
    };
    let resolve = |name: &str| node.resolve(name).map_err(|error| error.to_string());
    let config =
        config.and_then(|config| config.resolved(node.node_name(), &resolve)).map_err(wrong)?;
    let text = format!(
        "{}: {} routes into the namespace {:?}",
        config.source,
        config.routes(),
        config.hub.namespace
    );
    node.log(LogLevel::Info, &text);
    Bridge::start(Arc::clone(node), config).map_err(|text| Failure(1, text))
}

/// The configuration that the private parameters hold or name; waits for the master.
async fn from_master(
    node: &dyn Backend,
) -> Result<Result<Config, crate::config::Problems>, String> {
    let mut told = false;
    loop {
        match node.param(node.node_name()).await {
            Ok(parameters) => {
                let parameters = parameters.unwrap_or_default();
                if let Some(path) = parameters.get("config").and_then(|path| path.as_str())
                    && !path.is_empty()
                {
                    return Ok(Config::from_file(&locate(&PathBuf::from(path))?));
                }
                let Some(sections) = params::sections(&parameters) else {
                    let node = node.node_name();
                    return Err(format!(
                        "there is no configuration: give config:=FILE, or set {node}/config to a file, or {node}/hub and the other sections with rosparam"
                    ));
                };
                let source = format!("the parameters of {}", node.node_name());
                let here = std::env::current_dir().unwrap_or_default();
                let around =
                    Surroundings { folder: &here, variable: &|name| std::env::var(name).ok() };
                return Ok(Config::from_tree(&params::tree(&sections), source, &around));
            }
            Err(error) => {
                if !told {
                    node.log(
                        LogLevel::Warn,
                        &format!(
                            "the configuration is with the ROS master, which is awaited: {error}"
                        ),
                    );
                    told = true;
                }
                tokio::time::sleep(ASK).await;
            }
        }
    }
}
