//! Plays the shared scenarios with an agent of every language on every broker.
//!
//! A scenario (`scenarios/*.toml`) says what happens and what has to be seen; agents are programs that
//! do it through their language's public interface and speak JSON lines. The runner starts brokers
//! and agents, compares, and prints a table. The README beside it tells the format.

mod agent;
mod broker;
mod expand;
mod index;
mod language;
mod pattern;
mod plan;
mod props;
mod raw;
mod report;
mod scenario;
mod stage;
mod worker;

use std::{cell::RefCell, path::PathBuf, process::ExitCode, rc::Rc};

use clap::Parser;
use tokio::{sync::Mutex, task::LocalSet};

use crate::{
    index::Index,
    language::Language,
    plan::{Cell, Outcome, cells},
    scenario::{BROKERS, Scenario},
    worker::{Shared, Worker},
};

/// Plays the shared scenarios with an agent of every language on every broker.
#[derive(Parser)]
#[command(name = "posthouse-conformance", version)]
struct Arguments {
    /// Only scenarios whose name contains this; may be given several times.
    #[arg(long)]
    filter: Vec<String>,
    /// The agents, by the name of their file in `expectations`.
    #[arg(long, value_delimiter = ',', default_value = "rust,python")]
    agent: Vec<String>,
    /// Plays only where this one of the agents takes part.
    #[arg(long, value_name = "AGENT")]
    with: Option<String>,
    /// The kinds of broker: node, nats-2.9, nats.
    #[arg(long, value_delimiter = ',', default_values_t = BROKERS.map(str::to_owned))]
    broker: Vec<String>,
    /// How many cells are played at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The directory of the corpus: agents, expectations, index.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR")))]
    here: PathBuf,
    /// The directory of the scenarios; `scenarios` in the corpus' directory otherwise.
    #[arg(long)]
    scenarios: Option<PathBuf>,
    /// Only lists the scenarios.
    #[arg(long)]
    list: bool,
    /// Only prints which scenario shows which rule of the contract.
    #[arg(long)]
    index: bool,
    /// Only checks that every rule of the contract is shown or has a reason.
    #[arg(long)]
    check_index: bool,
    /// Prints each cell as it ends.
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match work(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("posthouse-conformance: {why}");
            ExitCode::from(2)
        }
    }
}

fn work(arguments: &Arguments) -> Result<bool, String> {
    let here =
        arguments.here.canonicalize().map_err(|e| format!("{}: {e}", arguments.here.display()))?;
    let directory = arguments.scenarios.clone().unwrap_or_else(|| here.join("scenarios"));
    let mut scenarios = Scenario::load_all(&directory)?;
    if arguments.index || arguments.check_index {
        return check_index(arguments, &here, &scenarios);
    }
    scenarios.retain(|s| {
        arguments.filter.is_empty() || arguments.filter.iter().any(|part| s.name.contains(part))
    });
    if arguments.list {
        for scenario in &scenarios {
            println!("{:40} {} [{}]", scenario.name, scenario.title, scenario.rules.join(" "));
        }
        return Ok(true);
    }
    if let Some(unknown) = arguments.broker.iter().find(|kind| !BROKERS.contains(&kind.as_str())) {
        return Err(format!("`{unknown}` is no kind of broker: {}", BROKERS.join(", ")));
    }
    for kind in &arguments.broker {
        broker::available(kind)?;
    }
    let languages = arguments
        .agent
        .iter()
        .map(|name| Language::load(&here, name))
        .collect::<Result<Vec<_>, _>>()?;
    if scenarios.is_empty() {
        return Err("no scenario is left to play".into());
    }
    let results = play_all(arguments, scenarios.clone(), languages.clone())?;
    Ok(report::print(&scenarios, &languages, &results))
}

fn check_index(
    arguments: &Arguments,
    here: &std::path::Path,
    scenarios: &[Scenario],
) -> Result<bool, String> {
    let contract = here.join("../../docs/contract.md");
    let index = Index::load(&contract, &here.join("index/not-shown.toml"), scenarios)?;
    if arguments.index {
        index.print();
    }
    let faults = index.faults(scenarios);
    for fault in &faults {
        println!("{fault}");
    }
    println!("index: {} faults", faults.len());
    Ok(faults.is_empty())
}

fn play_all(
    arguments: &Arguments,
    scenarios: Vec<Scenario>,
    languages: Vec<Language>,
) -> Result<Vec<(Cell, Outcome)>, String> {
    let mut queue = cells(&scenarios, &languages, &arguments.broker);
    if let Some(with) = &arguments.with {
        queue.retain(|cell| cell.cast.iter().any(|&index| languages[index].name == *with));
        if queue.is_empty() {
            return Err(format!("`{with}` takes part in nothing; is it among the agents?"));
        }
    }
    queue.reverse();
    let queue = Rc::new(RefCell::new(queue));
    let results = Rc::new(RefCell::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| e.to_string())?;
    let local = LocalSet::new();
    let shared = Rc::new(Shared {
        scenarios,
        languages,
        local_node: Mutex::new(()),
        runs: std::cell::Cell::new(1),
    });
    local.block_on(&runtime, async {
        let mut workers = Vec::new();
        for _ in 0..arguments.jobs.max(1) {
            let (queue, results, shared) = (queue.clone(), results.clone(), shared.clone());
            let verbose = arguments.verbose;
            workers.push(tokio::task::spawn_local(async move {
                let mut worker = Worker::new(shared.clone());
                loop {
                    let Some(cell) = queue.borrow_mut().pop() else { break };
                    let begun = std::time::Instant::now();
                    let outcome = worker.play(&cell).await;
                    if verbose {
                        let name = &shared.scenarios[cell.scenario].name;
                        let mark = match &outcome {
                            Outcome::Passed => "ok",
                            Outcome::Failed(_) => "FAILED",
                            Outcome::Skipped(_) => "skipped",
                        };
                        eprintln!(
                            "{mark:8}{name} {} {:?} {} ms",
                            cell.broker,
                            cell.cast,
                            begun.elapsed().as_millis()
                        );
                    }
                    results.borrow_mut().push((cell, outcome));
                }
            }));
        }
        for worker in workers {
            worker.await.map_err(|e| format!("a worker failed: {e}"))?;
        }
        Ok::<_, String>(())
    })?;
    let mut results = results.take();
    results.sort_by_key(|(cell, _)| (cell.scenario, cell.broker.clone(), cell.cast.clone()));
    Ok(results)
}
