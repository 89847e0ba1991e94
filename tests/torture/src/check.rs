//! The checker: from the journals and the file, what was promised and what happened.
use crate::{Deployment, fate::DELIVERIES, journal};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

pub struct Verdict {
    pub report: Vec<String>,
    pub faults: Vec<String>,
}

/// One delivery as its consumer wrote it down.
struct Delivery {
    process: usize,
    attempts: u32,
    start: i64,
    /// When its handler ended, or its process.
    leave: Option<i64>,
    /// What the store was told last: done, again, dead; lost. `None`: the process was killed before that was written.
    end: Option<String>,
    id: String,
    timestamp: i64,
}

#[derive(Default)]
struct Facts {
    batches: HashMap<String, Vec<String>>,
    sent: HashSet<String>,
    deliveries: BTreeMap<String, Vec<Delivery>>,
    kills: BTreeMap<usize, i64>,
    /// When the server was killed.
    servers: Vec<i64>,
    troubles: Vec<String>,
}

/// A server without replicas that is killed may have forgotten so much of what it was told last.
const FORGOTTEN_MS: i64 = 2_000;

impl Facts {
    /// How many were killed in that time: each may have had a delivery that nobody wrote down.
    fn killed_between(&self, from: i64, to: i64) -> usize {
        let all = self.kills.values().chain(&self.servers);
        all.filter(|at| (from..=to).contains(*at)).count()
    }

    /// Whether the server may have forgotten what it was told from then on.
    fn forgotten(&self, from: i64, to: i64) -> bool {
        self.servers.iter().any(|at| (from - FORGOTTEN_MS..=to).contains(at))
    }
}

struct Dead {
    id: String,
    timestamp: i64,
    attempts: u32,
}

fn facts(folder: &Path) -> Facts {
    let mut facts = Facts::default();
    for (process, time, words) in journal::read(folder) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["try", batch, ref keys @ ..] => {
                let keys = keys.iter().map(|key| (*key).to_owned()).collect();
                facts.batches.insert(batch.to_owned(), keys);
            }
            ["sent", batch] => drop(facts.sent.insert(batch.to_owned())),
            ["kill", number] => {
                facts.kills.insert(number.parse().expect("a number"), time);
            }
            ["server"] => facts.servers.push(time),
            ["start", key, attempts, id, timestamp] => {
                facts.deliveries.entry(key.to_owned()).or_default().push(Delivery {
                    process,
                    attempts: attempts.parse().expect("attempts"),
                    start: time,
                    leave: None,
                    end: None,
                    id: id.to_owned(),
                    timestamp: timestamp.parse().expect("a time"),
                });
            }
            [
                word @ ("leave" | "acked" | "retried" | "lost" | "done" | "again" | "dead"
                | "dropped" | "untold"),
                key,
                attempts,
            ] => {
                let attempts: u32 = attempts.parse().expect("attempts");
                let all = facts.deliveries.entry(key.to_owned()).or_default();
                let Some(delivery) =
                    all.iter_mut().rfind(|d| d.process == process && d.attempts == attempts)
                else {
                    continue;
                };
                match word {
                    // What its handler gave away before its end it does not handle any more.
                    "leave" => _ = delivery.leave.get_or_insert(time),
                    "acked" | "retried" => {
                        delivery.leave = Some(time);
                        let end = if word == "acked" { "done" } else { "again" };
                        delivery.end = Some(end.to_owned());
                    }
                    _ => delivery.end = Some(word.to_owned()),
                }
            }
            _ => facts.troubles.push(format!("process {process}: {}", words.join(" "))),
        }
    }
    facts
}

/// Dead letters by key, and keys of what should not be there any more.
fn left_over(
    deployment: &Deployment,
    faults: &mut Vec<String>,
) -> (HashMap<String, Vec<Dead>>, Vec<String>) {
    let key = |body: &[u8]| {
        let body: serde_json::Value = serde_json::from_slice(body).expect("a body");
        body["key"].as_str().expect("a key").to_owned()
    };
    let mut stuck = Vec::new();
    let mut dead: HashMap<String, Vec<Dead>> = HashMap::new();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let queues = deployment.queues();
        for left in queues.admin().peek("WORK", 100).await.expect("messages") {
            stuck.push(key(&left.body));
        }
        for letter in queues.admin().peek("DEAD", 1_000_000).await.expect("messages") {
            let key = key(&letter.body);
            let letter =
                Dead { id: letter.id, timestamp: letter.timestamp_ms, attempts: letter.attempts };
            dead.entry(key).or_default().push(letter);
        }
        queues.close().await.expect("closed");
    });
    if deployment.server {
        return (dead, stuck);
    }
    let file = rusqlite::Connection::open(deployment.folder().join("queue.db")).expect("the file");
    let sound: String =
        file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    if sound != "ok" {
        faults.push(format!("the file: {sound}"));
    }
    (dead, stuck)
}

/// Compares everything.
/// `kills` is told where it is known.
pub fn check(deployment: &Deployment, kills: Option<u32>) -> Verdict {
    let mut faults = Vec::new();
    let (dead, stuck) = left_over(deployment, &mut faults);
    let facts = facts(deployment.folder());
    let kills = kills.map_or(facts.kills.len() + facts.servers.len(), |kills| kills as usize);
    let mut forgotten = 0;
    for key in stuck {
        let end = facts.deliveries.get(&key).and_then(|all| all.last());
        let done = dead.contains_key(&key) || end.is_some_and(|d| d.end.as_deref() == Some("done"));
        if done && end.is_some_and(|d| facts.forgotten(d.start, i64::MAX)) {
            // The server knows that it is done, gives it to nobody, and has forgotten to remove it.
            forgotten += 1;
        } else {
            faults.push(format!("stuck: {key}, with a dead letter: {}", dead.contains_key(&key)));
        }
    }
    faults.extend(facts.troubles.iter().map(|words| format!("trouble: {words}")));
    let (mut done, mut unknown, mut handed, mut lost, mut most) = (0, 0, 0, 0, 0);
    let no_letters = Vec::new();
    for (batch, keys) in &facts.batches {
        let sent = facts.sent.contains(batch);
        let mut seen = 0;
        for key in keys {
            let letters = dead.get(key).unwrap_or(&no_letters);
            let deliveries = facts.deliveries.get(key).map_or(&[][..], Vec::as_slice);
            seen += usize::from(!deliveries.is_empty() || !letters.is_empty());
            handed += deliveries.len();
            lost += deliveries.iter().filter(|d| d.end.as_deref() == Some("lost")).count();
            most = most.max(deliveries.iter().map(|d| d.attempts).max().unwrap_or(0));
            match of_key(&facts, deliveries, letters, &mut forgotten) {
                Ok(Fate::Done) => done += 1,
                Ok(Fate::Dead | Fate::Absent) if !sent || !letters.is_empty() => (),
                Ok(Fate::MayBeDone) => unknown += 1,
                Ok(_) => faults.push(format!("{key} was accepted and is nowhere")),
                Err(words) => faults.push(format!("{key}: {words}")),
            }
        }
        // One that nobody wrote down was taken by one that died at once; it comes again until it is seen.
        if seen != 0 && seen != keys.len() {
            faults.push(format!("batch {batch}: {seen} of {} messages", keys.len()));
        }
    }
    for key in facts.deliveries.keys().chain(dead.keys()) {
        let batch = key.rsplit_once('-').map_or("", |(batch, _)| batch);
        if !facts.batches.contains_key(batch) {
            faults.push(format!("{key} was never sent"));
        }
    }
    let messages: usize = facts.batches.values().map(Vec::len).sum();
    let letters: usize = dead.values().map(Vec::len).sum();
    let mut report = vec![
        format!(
            "{kills} kills of {} processes{}",
            facts.kills.len(),
            if deployment.server {
                format!(" and the server, {} times", facts.servers.len())
            } else {
                String::new()
            }
        ),
        format!(
            "{messages} messages tried in {} sends, {} of them accepted",
            facts.batches.len(),
            facts.sent.len()
        ),
        format!("{handed} deliveries, up to {most} of one message, {lost} leases lost"),
        format!(
            "{done} done, {letters} dead letters, {unknown} gone with a consumer that was killed before it could write down that they were done"
        ),
        format!("{} faults", faults.len()),
    ];
    if deployment.server {
        let words = format!(
            "{forgotten} times a server that was killed had forgotten what it was told in its last {FORGOTTEN_MS} ms"
        );
        report.insert(report.len() - 1, words);
    }
    Verdict { report, faults }
}

enum Fate {
    Done,
    Dead,
    /// The consumer of the last delivery was killed: it may have told the store.
    MayBeDone,
    /// Never seen.
    Absent,
}

/// What became of one message. `forgotten` counts what a killed server explains.
fn of_key(
    facts: &Facts,
    deliveries: &[Delivery],
    letters: &[Dead],
    forgotten: &mut u32,
) -> Result<Fate, String> {
    if letters.len() > 1 {
        return Err(format!("{} dead letters", letters.len()));
    }
    let killed = |process: usize| facts.kills.get(&process).copied().unwrap_or(i64::MAX);
    for (index, now) in deliveries.iter().enumerate() {
        if now.attempts > DELIVERIES {
            return Err(format!("delivery {} of {DELIVERIES}", now.attempts));
        }
        let first = &deliveries[0];
        if (&now.id, now.timestamp) != (&first.id, first.timestamp) {
            return Err("its id or timestamp changed".to_owned());
        }
        let (after, before) = match index.checked_sub(1).map(|before| &deliveries[before]) {
            Some(before) => (before.attempts, before.start),
            None => (0, 0),
        };
        // A delivery that nobody wrote down was taken by a consumer that was killed before it could.
        let silent = now.attempts.checked_sub(after + 1).map(|silent| silent as usize);
        let possible = facts.killed_between(before, now.start);
        if silent.is_none_or(|silent| silent > possible) {
            if index > 0 && facts.forgotten(before, now.start) {
                *forgotten += 1;
                continue;
            }
            return Err(format!(
                "attempts went from {after} to {} with {possible} kills between",
                now.attempts
            ));
        }
        let Some(next) = deliveries.get(index + 1) else { continue };
        match now.end.as_deref() {
            Some("done" | "dead" | "dropped") if facts.forgotten(now.start, next.start) => {
                *forgotten += 1;
                continue;
            }
            Some(end @ ("done" | "dead" | "dropped")) => {
                return Err(format!("came back after {end}, delivery {}", now.attempts));
            }
            Some("lost") => continue,
            _ => (),
        }
        let until = now.leave.unwrap_or(i64::MAX).min(killed(now.process));
        if next.start < until && facts.forgotten(now.start, next.start) {
            *forgotten += 1;
        } else if next.start < until {
            return Err(format!(
                "deliveries {} and {} at the same time: {} before {until}",
                now.attempts, next.attempts, next.start
            ));
        }
    }
    let Some(last) = deliveries.last() else {
        return match letters {
            [] => Ok(Fate::Absent),
            [letter] if letter.attempts == 0 => Ok(Fate::Dead),
            _ => Err("a dead letter with attempts".to_owned()),
        };
    };
    if let [letter] = letters {
        if (&letter.id, letter.timestamp, letter.attempts) != (&last.id, last.timestamp, 0) {
            return Err("its dead letter has another id, timestamp or attempts".to_owned());
        }
        if last.end.as_deref() == Some("done") {
            if !facts.forgotten(last.start, i64::MAX) {
                return Err("done and a dead letter".to_owned());
            }
            *forgotten += 1;
        }
        let silent = DELIVERIES - last.attempts;
        let possible = facts.killed_between(last.start, i64::MAX);
        if silent as usize > possible {
            return Err(format!("dead after {} deliveries and {possible} kills", last.attempts));
        }
        return Ok(Fate::Dead);
    }
    match last.end.as_deref() {
        Some("done") => Ok(Fate::Done),
        Some("again" | "untold") if facts.killed_between(last.start, i64::MAX) > 0 => {
            // Taken once more by one that was killed, which may have done it.
            Ok(Fate::MayBeDone)
        }
        None | Some("lost") => Ok(Fate::MayBeDone),
        Some(end) => Err(format!("nowhere, though its last delivery ended with {end}")),
    }
}
