//! Torture of a queue: producers and consumers are killed with -9 at random moments, and at the end
//! a checker proves from what they wrote down that nothing accepted was lost, nothing done came
//! back, attempts were right, nobody handled a message while another one did, and dead letters are
//! exact.
//!
//! `posthouse-torture [--minutes M] [--seed N] [--keep FOLDER]`; see the README beside.
mod check;
mod consume;
mod fate;
mod journal;
mod produce;
mod random;

use fate::DELIVERIES;
use journal::{Journal, now_ms};
use posthouse_queue::{Config, Queues};
use random::Random;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

const PRODUCERS: usize = 3;
const CONSUMERS: usize = 3;
/// A consumer that died is heard of no more for so long.
pub const VISIBILITY_MS: u64 = 3_000;
/// How long the end may take until every message is done or dead.
const PATIENCE: Duration = Duration::from_secs(120);

/// The deployment that all processes share.
pub fn config(folder: &Path) -> Config {
    let config = serde_json::json!({
        "queues": {
            "WORK": {"store": "sqlite:queue.db", "queue": "work", "settings": {
                "max_batch_size": 5, "max_batch_wait": 0.02, "max_retries": DELIVERIES - 1, "max_concurrency": 2,
                "visibility_timeout": VISIBILITY_MS as f64 / 1_000.0, "dead_letter_queue": "dead",
            }},
            "DEAD": {"store": "sqlite:queue.db", "queue": "dead"},
        },
        "grants": {"QUEUE": ["WORK"]},
    });
    Config::json(&config.to_string()).expect("a good configuration").folder(folder)
}

struct Options {
    minutes: f64,
    seed: u64,
    folder: PathBuf,
    keep: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [role, folder, number, seed] = &args[..]
        && !role.starts_with("--")
    {
        let number: usize = number.parse().expect("the number of the process");
        let random = Random::new(seed.parse().expect("a seed"));
        let journal = Journal::open(Path::new(folder), number);
        let queues = Queues::open(config(Path::new(folder))).expect("queues");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        match role.as_str() {
            "producer" => runtime.block_on(produce::run(&queues, &journal, number, random)),
            _ => runtime.block_on(consume::run(&queues, &journal)),
        }
        return ExitCode::SUCCESS;
    }
    let options = match options(&args) {
        Ok(options) => options,
        Err(words) => {
            eprintln!("{words}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}, {} minutes, {}", options.seed, options.minutes, options.folder.display());
    let kills = torture(&options);
    let verdict = check::check(&options.folder, kills);
    for line in &verdict.report {
        println!("{line}");
    }
    if verdict.faults.is_empty() {
        if !options.keep {
            let _ = fs::remove_dir_all(&options.folder);
        }
        return ExitCode::SUCCESS;
    }
    for fault in verdict.faults.iter().take(50) {
        eprintln!("FAULT {fault}");
    }
    eprintln!(
        "{} faults with seed {}; everything is kept in {}",
        verdict.faults.len(),
        options.seed,
        options.folder.display()
    );
    ExitCode::FAILURE
}

fn options(args: &[String]) -> Result<Options, String> {
    let seed = now_ms().unsigned_abs();
    let folder = env::temp_dir().join(format!("posthouse-torture-{}", std::process::id()));
    let mut options = Options { minutes: 1.0, seed, folder, keep: false };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let wrong = || format!("{name} cannot be {value:?}");
        match name.as_str() {
            "--minutes" => options.minutes = value.parse().map_err(|_| wrong())?,
            "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
            "--keep" => (options.folder, options.keep) = (value.into(), true),
            _ => {
                return Err(
                    "usage: posthouse-torture [--minutes M] [--seed N] [--keep FOLDER]".into()
                );
            }
        }
    }
    Ok(options)
}

struct Cast<'a> {
    options: &'a Options,
    random: Random,
    count: usize,
}

impl Cast<'_> {
    /// Starts a process with a journal of its own.
    fn start(&mut self, role: &str) -> (usize, Child) {
        self.count += 1;
        let seed = self.random.next().to_string();
        let child = Command::new(env::current_exe().expect("this program"))
            .arg(role)
            .arg(&self.options.folder)
            .args([self.count.to_string(), seed])
            .spawn()
            .expect("a process");
        (self.count, child)
    }
}

/// Kills until the time is over, then lets consumers come to the end; says how many were killed.
fn torture(options: &Options) -> u32 {
    fs::create_dir_all(&options.folder).expect("a folder");
    let journal = Journal::open(&options.folder, 0);
    let mut cast = Cast { options, random: Random::new(options.seed), count: 0 };
    let role = |place: usize| if place < PRODUCERS { "producer" } else { "consumer" };
    let mut running: Vec<_> =
        (0..PRODUCERS + CONSUMERS).map(|place| cast.start(role(place))).collect();
    let start = Instant::now();
    let mut kills = 0;
    while start.elapsed() < Duration::from_secs_f64(options.minutes * 60.0) {
        // Not to wait for anything: when it happens is what is random.
        thread::sleep(Duration::from_millis(100 + cast.random.below(700)));
        let place = cast.random.below(running.len() as u64) as usize;
        kill(&mut running[place], &journal);
        kills += 1;
        running[place] = cast.start(role(place));
    }
    for one in &mut running[..PRODUCERS] {
        kill(one, &journal);
        kills += 1;
    }
    wait_for_the_end(options);
    for one in &mut running[PRODUCERS..] {
        kill(one, &journal);
    }
    kills
}

fn kill((number, child): &mut (usize, Child), journal: &Journal) {
    if let Ok(Some(status)) = child.try_wait() {
        journal.write(&format!("ended {number} {status}"));
    }
    let _ = child.kill();
    let _ = child.wait();
    journal.write(&format!("kill {number}"));
}

/// Returns once nothing waits any more, or the patience is over: then the checker finds what is left.
fn wait_for_the_end(options: &Options) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let queues = Queues::open(config(&options.folder)).expect("queues");
        let admin = queues.admin();
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let stats = admin.stats("WORK").await.expect("figures");
            if stats.ready + stats.delayed + stats.in_flight == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        queues.close().await.expect("closed");
    });
}
