//! Runs seeds and stops at the first that breaks a rule.
use posthouse_simulation::{Failure, Summary, run};
use std::{
    ops::Range,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

const HELP: &str = "\
Simulates several hubs around a broker under faults, one run a seed.

  --seeds A..B   run the seeds from A up to B; default 0..1000
  --seed N       run one seed
  --trace        with --seed: print what happened
  --help         show this

Ends with 1 and the seed where a rule is broken; the seed gives the same run again.";

struct Given {
    seeds: Range<u64>,
    trace: bool,
}

fn main() -> ExitCode {
    match given(std::env::args().skip(1)) {
        Ok(Some(given)) if given.seeds.end - given.seeds.start == 1 => one(&given),
        Ok(Some(given)) => many(&given.seeds),
        Ok(None) => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn given(mut args: impl Iterator<Item = String>) -> Result<Option<Given>, String> {
    let mut given = Given { seeds: 0..1_000, trace: false };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| format!("{text:?} is no number of a seed"))
        };
        match arg.as_str() {
            "--seed" => {
                let seed = number(&value()?)?;
                given.seeds = seed..seed.saturating_add(1);
            }
            "--seeds" => {
                let text = value()?;
                let (from, to) =
                    text.split_once("..").ok_or_else(|| format!("{text:?} is not like 0..1000"))?;
                given.seeds = number(from)?..number(to)?;
                if given.seeds.is_empty() {
                    return Err(format!("{text:?} has no seed"));
                }
            }
            "--trace" => given.trace = true,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("unknown option {other:?}")),
        }
    }
    Ok(Some(given))
}

fn one(given: &Given) -> ExitCode {
    let seed = given.seeds.start;
    match run(seed, given.trace) {
        Ok(summary) => {
            println!("seed {seed}: {summary:?}");
            ExitCode::SUCCESS
        }
        Err(failure) => broken(&failure),
    }
}

fn broken(failure: &Failure) -> ExitCode {
    for line in &failure.trace {
        println!("{line}");
    }
    println!("seed {}: {}", failure.seed, failure.what);
    println!(
        "replay: cargo run --profile simulation -p posthouse-simulation -- --seed {} --trace",
        failure.seed
    );
    ExitCode::FAILURE
}

fn many(seeds: &Range<u64>) -> ExitCode {
    let next = AtomicU64::new(seeds.start);
    let stop = AtomicBool::new(false);
    let found: Mutex<Option<Failure>> = Mutex::new(None);
    let total = Mutex::new((0_u64, Summary::default()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    // A run that panics must still tell its seed.
                    let result = std::panic::catch_unwind(|| run_checked(seed));
                    let result = result.unwrap_or_else(|_| Err(panicked(seed)));
                    match result {
                        Ok(summary) => add(&total, seeds, &summary),
                        Err(failure) => {
                            stop.store(true, Ordering::Relaxed);
                            if let Ok(mut found) = found.lock() {
                                found.get_or_insert(failure);
                            }
                        }
                    }
                }
            });
        }
    });
    match found.into_inner() {
        Ok(Some(failure)) => broken(&failure),
        _ => ExitCode::SUCCESS,
    }
}

fn panicked(seed: u64) -> Failure {
    Failure { seed, what: "it panicked".to_owned(), trace: Vec::new() }
}

/// Every hundredth seed is run twice: both runs must be the same.
fn run_checked(seed: u64) -> Result<Summary, Failure> {
    let summary = run(seed, false)?;
    if seed.is_multiple_of(100) && run(seed, false)? != summary {
        let what = "the same seed gave another run".to_owned();
        return Err(Failure { seed, what, trace: Vec::new() });
    }
    Ok(summary)
}

fn add(total: &Mutex<(u64, Summary)>, seeds: &Range<u64>, summary: &Summary) {
    let Ok(mut total) = total.lock() else { return };
    total.0 += 1;
    total.1.steps += summary.steps;
    total.1.deliveries += summary.deliveries;
    total.1.connections += summary.connections;
    let (done, sum, all) = (total.0, total.1, seeds.end - seeds.start);
    if done.is_multiple_of(1_000) || done == all {
        println!(
            "{done}/{all} seeds, {} steps, {} messages delivered, {} connections",
            sum.steps, sum.deliveries, sum.connections
        );
    }
}
