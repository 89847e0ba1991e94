//! Torture of a queue: producers and consumers are killed with -9 at random moments, and at the end
//! a checker proves from what they wrote down that nothing accepted was lost, nothing done came
//! back, attempts were right, nobody handled a message while another one did, and dead letters are
//! exact.
//!
//! `posthouse-torture [--minutes M] [--kills N] [--seed N] [--store sqlite|jetstream] [--keep FOLDER | --check FOLDER]`; see the README beside.
mod check;
mod consume;
mod fate;
mod journal;
mod produce;
mod random;

use fate::DELIVERIES;
use journal::{Journal, now_ms};
use posthouse_queue::{Code, Config, Queues, Refusal};
use posthouse_testkit::{Binary, NatsServer};
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
const CONFIG: &str = "queues.json";
/// A consumer that died is heard of no more for so long.
pub const VISIBILITY_MS: u64 = 3_000;
/// How long the end may take until every message is done or dead.
const PATIENCE: Duration = Duration::from_secs(120);

/// What all processes share: written once, read by each.
pub struct Deployment {
    folder: PathBuf,
    /// The store is behind a server, which is killed too: operations may fail while it is away.
    pub server: bool,
}

impl Deployment {
    fn write(folder: &Path, store: &str) -> Self {
        let config = serde_json::json!({
            "queues": {
                "WORK": {"store": store, "queue": "work", "settings": {
                    "max_batch_size": 5, "max_batch_wait": 0.02, "max_retries": DELIVERIES - 1, "max_concurrency": 2,
                    "visibility_timeout": VISIBILITY_MS as f64 / 1_000.0, "dead_letter_queue": "dead",
                }},
                "DEAD": {"store": store, "queue": "dead"},
            },
            "grants": {"QUEUE": ["WORK"]},
        });
        fs::create_dir_all(folder).expect("a folder");
        fs::write(folder.join(CONFIG), config.to_string()).expect("a configuration");
        Self::read(folder)
    }

    fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(CONFIG)).expect("a configuration");
        Self { folder: folder.to_owned(), server: text.contains("nats://") }
    }

    /// Where the journals are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The queues, for a process of its own.
    pub fn queues(&self) -> Queues {
        let config = Config::file(self.folder.join(CONFIG)).expect("a good configuration");
        Queues::open(config).expect("queues")
    }

    /// Whether an error is only that the server is away.
    pub fn passes(&self, refusal: &Refusal) -> bool {
        self.server && matches!(refusal, Refusal::Error(error) if error.code() == Code::QueueStore)
    }
}

struct Options {
    minutes: f64,
    /// With fewer kills than this nothing was shown.
    kills: u32,
    seed: u64,
    folder: PathBuf,
    keep: bool,
    jetstream: bool,
    /// Only check what lies in the folder.
    again: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [role, folder, number, seed] = &args[..]
        && !role.starts_with("--")
    {
        let number: usize = number.parse().expect("the number of the process");
        let random = Random::new(seed.parse().expect("a seed"));
        let journal = Journal::open(Path::new(folder), number);
        let deployment = Deployment::read(Path::new(folder));
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        match role.as_str() {
            "producer" => runtime.block_on(produce::run(&deployment, &journal, number, random)),
            _ => runtime.block_on(consume::run(&deployment, &journal)),
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
    if options.again {
        let deployment = Deployment::read(&options.folder);
        if deployment.server {
            eprintln!("--check is for SQLite: the server, and what it kept, is gone");
            return ExitCode::from(2);
        }
        return tell(&options, &check::check(&deployment, None));
    }
    let server = options
        .jetstream
        .then(|| NatsServer::builder().binary(Binary::Current).jetstream().start());
    let store = server.as_ref().map_or_else(|| "sqlite:queue.db".to_owned(), NatsServer::url);
    let deployment = Deployment::write(&options.folder, &store);
    let (kills, _server) = torture(&options, &deployment, server);
    let mut verdict = check::check(&deployment, Some(kills));
    if kills < options.kills {
        verdict.faults.push(format!("only {kills} kills, not {}", options.kills));
    }
    tell(&options, &verdict)
}

fn tell(options: &Options, verdict: &check::Verdict) -> ExitCode {
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
    let mut options = Options {
        minutes: 1.0,
        kills: 1,
        seed,
        folder,
        keep: false,
        jetstream: false,
        again: false,
    };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let wrong = || format!("{name} cannot be {value:?}");
        match name.as_str() {
            "--minutes" => options.minutes = value.parse().map_err(|_| wrong())?,
            "--kills" => options.kills = value.parse().map_err(|_| wrong())?,
            "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
            "--store" if value == "sqlite" => options.jetstream = false,
            "--store" if value == "jetstream" => options.jetstream = true,
            "--store" => return Err(wrong()),
            "--check" => {
                (options.folder, options.keep, options.again) = (value.into(), true, true);
            }
            "--keep" => (options.folder, options.keep) = (value.into(), true),
            _ => {
                let usage = "usage: posthouse-torture [--minutes M] [--kills N] [--seed N] [--store sqlite|jetstream] [--keep FOLDER | --check FOLDER]";
                return Err(usage.into());
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
fn torture(
    options: &Options,
    deployment: &Deployment,
    mut server: Option<NatsServer>,
) -> (u32, Option<NatsServer>) {
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
        // The server's turn comes less often: it takes everybody with it for a while.
        let place = cast.random.below(running.len() as u64) as usize;
        if let Some(server) = server.as_mut().filter(|_| cast.random.below(12) == 0) {
            server.kill();
            journal.write("server");
            server.restart();
            kills += 1;
            continue;
        }
        kill(&mut running[place], &journal);
        kills += 1;
        running[place] = cast.start(role(place));
    }
    for one in &mut running[..PRODUCERS] {
        kill(one, &journal);
        kills += 1;
    }
    wait_for_the_end(deployment);
    for one in &mut running[PRODUCERS..] {
        kill(one, &journal);
    }
    (kills, server)
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
fn wait_for_the_end(deployment: &Deployment) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let queues = deployment.queues();
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
