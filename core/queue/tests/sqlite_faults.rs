//! The ground under the file gives way: no room, no right to write, a clock that jumps; and two consumers on it.
//!
//! A disk that is full, and one that may only be read, are small ones in memory. Mounting them needs a namespace of its
//! own, so the test runs itself again inside one. Where the system lets nobody make one the test says so.
#![cfg(target_os = "linux")]
mod common;

use common::{Bench, Folder, START, bodies, message, settle, take, terms};
use posthouse_queue::{
    Batch, Clock, Config, Delay, Queue, Queues, Settled, Settlement, Sqlite, Store as _, Trouble,
};
use std::{
    collections::HashSet,
    convert::Infallible,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

const DISK: &str = "POSTHOUSE_SMALL_DISK";

/// Runs the test `name` of this file again with a disk of so many kilobytes in `DISK`.
fn on_a_small_disk(name: &str, kilobytes: u32) {
    let folder = Folder::new();
    let mount = format!(
        "mount -t tmpfs -o size={kilobytes}k posthouse {} && exec \"$@\"",
        folder.path().display()
    );
    let inside = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &mount, "sh"]).args(words).env(DISK, folder.path());
        command.output()
    };
    if !inside(&["true"]).is_ok_and(|done| done.status.success()) {
        eprintln!("{name}: no namespaces for mounts on this system, not tested");
        return;
    }
    let this = env::current_exe().unwrap();
    let words = [this.to_str().unwrap(), "--exact", name, "--nocapture", "--ignored"];
    let done = inside(&words).unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && out.contains("1 passed"), "{out}{err}");
}

fn disk() -> PathBuf {
    env::var_os(DISK).expect("run by the test of the same name").into()
}

async fn on(path: &Path) -> (Sqlite, Arc<dyn Queue>) {
    let store = Sqlite::open(path).await.unwrap();
    let queue = store.queue("work", terms()).await.unwrap();
    (store, queue)
}

#[test]
fn a_full_disk_refuses_and_loses_nothing() {
    on_a_small_disk("inside_a_full_disk", 8_192);
}

#[tokio::test]
#[ignore = "needs a small disk: run by a_full_disk_refuses_and_loses_nothing"]
async fn inside_a_full_disk() {
    let ballast = disk().join("ballast");
    fs::write(&ballast, vec![0; 7_000_000]).unwrap();
    let (store, queue) = on(&disk().join("queue.db")).await;
    let mut accepted = Vec::new();
    let refused = loop {
        let body = format!("\"{} {}\"", accepted.len(), "x".repeat(3_000));
        match queue.send(vec![message(&body, 0)]).await {
            Ok(()) => accepted.push(body),
            Err(error) => break error,
        }
    };
    assert_eq!(refused.trouble(), Trouble::Full, "{refused}");
    assert_eq!(refused.words(), "database or disk is full");
    assert!(refused.passes());
    // A batch is not there by half either.
    let batch = (0..50).map(|n| message(&format!("\"{n} {}\"", "x".repeat(3_000)), 0)).collect();
    assert_eq!(queue.send(batch).await.unwrap_err().trouble(), Trouble::Full);
    // Whoever comes now finds the file as it is, or is told why not.
    store.close().await.unwrap();
    fs::remove_file(&ballast).unwrap();
    let (_store, queue) = on(&disk().join("queue.db")).await;
    queue.send(vec![message("\"after\"", 0)]).await.unwrap();
    accepted.push("\"after\"".to_owned());
    let taken = take(&queue, 1_000).await;
    assert_eq!(bodies(&taken), accepted);
    for delivery in &taken {
        assert_eq!(settle(&queue, delivery, Settlement::Ack).await, Settled::Done);
    }
}

#[test]
fn a_disk_that_fills_up_under_a_consumer_stops_nothing_for_good() {
    on_a_small_disk("inside_a_disk_that_fills_up", 2_048);
}

#[tokio::test]
#[ignore = "needs a small disk: run by a_disk_that_fills_up_under_a_consumer_stops_nothing_for_good"]
async fn inside_a_disk_that_fills_up() {
    let path = disk().join("queue.db");
    let config = serde_json::json!({
        "queues": {"WORK": {"store": format!("sqlite:{}", path.display()), "queue": "work",
            "settings": {"max_batch_wait": 0, "max_batch_size": 1}}},
        "grants": {"QUEUE": ["WORK"]},
    });
    let queues = Queues::open(Config::json(&config.to_string()).unwrap()).unwrap();
    queues.send_text("WORK", "1", 0).await.unwrap();
    // Everything that is left, to the last byte.
    let ballast = disk().join("ballast");
    let mut left = 4 << 20;
    while left > 0 {
        let mut file = fs::File::options().create(true).append(true).open(&ballast).unwrap();
        if std::io::Write::write_all(&mut file, &vec![0; left]).is_err() {
            left /= 2;
        }
    }
    let refused = loop {
        if let Err(refusal) = queues.send_text("WORK", "2", 0).await {
            break refusal.to_string();
        }
    };
    assert!(refused.contains("队列发送失败：database or disk is full"), "{refused}");
    let (seen, mut news) = watch::channel(0);
    let handler = move |_: Batch| {
        seen.send_modify(|seen| *seen += 1);
        async { Ok::<_, Infallible>(()) }
    };
    let running = queues.consume("WORK", handler).await.unwrap();
    fs::remove_file(&ballast).unwrap();
    queues.send_text("WORK", "3", 0).await.unwrap();
    news.wait_for(|seen| *seen >= 2).await.unwrap();
    running.close().await.unwrap();
}

#[test]
fn a_disk_that_may_only_be_read_says_so() {
    on_a_small_disk("inside_a_disk_that_may_only_be_read", 4_096);
}

#[tokio::test]
#[ignore = "needs a small disk: run by a_disk_that_may_only_be_read_says_so"]
async fn inside_a_disk_that_may_only_be_read() {
    let path = disk().join("queue.db");
    let (store, queue) = on(&path).await;
    queue.send(vec![message("1", 0)]).await.unwrap();
    store.close().await.unwrap();
    let mount = |how: &str| {
        let done = Command::new("mount").args(["-o", how]).arg(disk()).status().unwrap();
        assert!(done.success());
    };
    mount("remount,ro");
    let Err(error) = Sqlite::open(&path).await else { panic!("it was opened") };
    assert_eq!(error.trouble(), Trouble::Forbidden, "{error}");
    assert!(error.words().contains(path.to_str().unwrap()), "{error}");
    mount("remount,rw");
    let (_store, queue) = on(&path).await;
    assert_eq!(bodies(&take(&queue, 10).await), ["1"]);
}

#[tokio::test]
async fn a_clock_set_forward_and_back_doubles_nothing() {
    let bench = Bench::new(terms()).await;
    bench.queue.send(vec![message("1", 0), message("2", 7_200)]).await.unwrap();
    let first = bench.take(10).await.remove(0);
    // An hour that did not pass ends the lease: the next holder's word counts, the first one's does not.
    bench.seconds(3_600);
    let second = bench.take(10).await;
    assert_eq!((bodies(&second), second[0].attempts), (vec!["1"], 2));
    bench.seconds(-3_600);
    assert_eq!(bench.settle(&first, Settlement::Ack).await, Settled::Lost);
    assert!(bench.take(10).await.is_empty());
    assert_eq!(bench.settle(&second[0], Settlement::Ack).await, Settled::Done);
    // What is delayed comes by the clock as it is.
    bench.seconds(7_199);
    assert!(bench.take(10).await.is_empty());
    bench.seconds(1);
    assert_eq!(bodies(&bench.take(10).await), ["2"]);
    bench.seconds(-3_600);
    // A restart at the wrong time does not make it come twice.
    let bench = bench.restart().await;
    assert!(bench.take(10).await.is_empty());
    bench.seconds(3_600 + 30);
    assert_eq!(bench.take(10).await[0].attempts, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_consumers_on_one_file_share_the_work() {
    const MESSAGES: usize = 400;
    let folder = Folder::new();
    let open = || {
        let config = serde_json::json!({
            "queues": {"WORK": {"store": "sqlite:queue.db", "queue": "work",
                "settings": {"max_batch_wait": 0, "max_batch_size": 3}}},
            "grants": {"QUEUE": ["WORK"]},
        });
        let config = Config::json(&config.to_string()).unwrap().folder(folder.path());
        Queues::open(config.clock(Clock::manual(START))).unwrap()
    };
    let (here, there) = (open(), open());
    let (count, mut news) = watch::channel(0);
    let seen = Arc::new(Mutex::new([HashSet::new(), HashSet::new()]));
    let mut running = Vec::new();
    for (place, queues) in [&here, &there].into_iter().enumerate() {
        let (seen, count) = (seen.clone(), count.clone());
        let handler = move |batch: Batch| {
            let value = batch.read_batch().unwrap();
            let mut seen = seen.lock().unwrap();
            for message in value.messages {
                assert!(seen.iter().all(|ids| !ids.contains(&message.id)), "handled twice");
                assert_eq!(message.attempts, 1);
                seen[place].insert(message.id);
            }
            let all: usize = seen.iter().map(HashSet::len).sum();
            drop(seen);
            count.send_replace(all);
            async { Ok::<_, Infallible>(()) }
        };
        running.push(queues.consume("WORK", handler).await.unwrap());
    }
    for batch in 0..MESSAGES / 100 {
        let items = (0..100).map(|n| (batch * 100 + n, Delay::NONE));
        here.send_batch("WORK", items).await.unwrap();
    }
    news.wait_for(|all| *all == MESSAGES).await.unwrap();
    for running in running {
        running.close().await.unwrap();
    }
    assert_eq!(there.admin().stats("WORK").await.unwrap().ready, 0);
    here.close().await.unwrap();
    there.close().await.unwrap();
}
