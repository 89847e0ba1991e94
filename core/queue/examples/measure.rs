//! Figures of the SQLite store, in the form of the repository's queue benches: `measure OP DIR SECONDS`
//! prints `{"n":…,"elapsed_s":…}`. Operations: enq1, enq1x8, enq1x64, enq100, enq100x8, cons1, cons100, and raw1 and
//! raw100, which are SQLite alone with full sync on the same disk.
use posthouse_queue::{NewMessage, Queue, Settlement, Sqlite, Stop, Store as _, Terms};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

fn body(i: usize) -> String {
    format!(
        r#"{{"id":{},"kind":"email.send","to":"someone.longname@example.org","tries":0,"prio":5,"ok":true,"args":{{"template":"welcome","lang":"en","list":[1,2,3,4],"note":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}}}"#,
        1_000_000 + i
    )
}

fn batch(from: usize, count: usize) -> Vec<NewMessage> {
    (from..from + count).map(|i| NewMessage { body: body(i), delay_s: 0 }).collect()
}

async fn send(queue: Arc<dyn Queue>, tasks: usize, count: usize, time: Duration) -> usize {
    let end = Instant::now() + time;
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut n = 0;
                while Instant::now() < end {
                    queue.send(batch(n, count)).await.expect("sent");
                    n += count;
                }
                n
            })
        })
        .collect();
    let mut n = 0;
    for task in tasks {
        n += task.await.expect("a task");
    }
    n
}

async fn consume(queue: &Arc<dyn Queue>, count: usize, time: Duration) -> usize {
    let (end, never, mut n) = (Instant::now() + time, Stop::never(), 0);
    while Instant::now() < end {
        let taken = queue.lease(count, Duration::ZERO, &never).await.expect("leased");
        if taken.is_empty() {
            break;
        }
        n += taken.len();
        let done: Vec<_> = taken.into_iter().map(|d| (d.ticket, Settlement::Ack)).collect();
        queue.settle(&done).await.expect("settled");
    }
    n
}

fn raw(path: &Path, count: usize, time: Duration) -> usize {
    let conn = rusqlite::Connection::open(path).expect("opened");
    conn.execute_batch(
        "pragma journal_mode=WAL; pragma synchronous=FULL;
         create table q(id integer primary key, status int not null default 0, t real, body text not null);
         create index q_s on q(status, id)",
    )
    .expect("set up");
    let mut insert = conn.prepare("insert into q(t, body) values(?, ?)").expect("prepared");
    let (end, mut n) = (Instant::now() + time, 0);
    while Instant::now() < end {
        conn.execute_batch("begin immediate").expect("begun");
        for i in n..n + count {
            insert.execute((1.5, body(i))).expect("inserted");
        }
        conn.execute_batch("commit").expect("committed");
        n += count;
    }
    n
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("measure OP DIR SECONDS");
    let (op, dir, seconds) = (next(), next(), next());
    let time = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    let path = Path::new(&dir).join("q.db");
    if let Some(count) = op.strip_prefix("raw") {
        let start = Instant::now();
        let n = raw(&path, count.parse().expect("a count"), time);
        return println!(r#"{{"n":{n},"elapsed_s":{}}}"#, start.elapsed().as_secs_f64());
    }
    let store = Sqlite::open(&path).await.expect("opened");
    let terms = Terms {
        visibility: Duration::from_secs(30),
        retry_delay: Duration::ZERO,
        retention: Duration::from_secs(345_600),
        dead_letter: None,
        in_flight: 100,
    };
    let queue = store.queue("bench", terms).await.expect("a queue");
    let fill: usize = std::env::var("BENCH_FILL").map_or(0, |n| n.parse().expect("a number"));
    let backlog = match op.as_str() {
        "cons1" => fill.max(10_000),
        "cons100" => fill.max(50_000),
        _ => fill,
    };
    for from in (0..backlog).step_by(100) {
        queue.send(batch(from, 100)).await.expect("filled");
    }
    let start = Instant::now();
    let n = match op.as_str() {
        "enq1" => {
            // The one producer is the main task: no other thread comes between it and the store.
            let mut n = 0;
            while start.elapsed() < time {
                queue.send(batch(n, 1)).await.expect("sent");
                n += 1;
            }
            n
        }
        "enq1x8" => send(queue, 8, 1, time).await,
        "enq1x64" => send(queue, 64, 1, time).await,
        "enq100" => send(queue, 1, 100, time).await,
        "enq100x8" => send(queue, 8, 100, time).await,
        "cons1" => consume(&queue, 1, time).await,
        "cons100" => consume(&queue, 100, time).await,
        other => panic!("no operation {other}"),
    };
    println!(r#"{{"n":{n},"elapsed_s":{}}}"#, start.elapsed().as_secs_f64());
}
