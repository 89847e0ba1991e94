//! Figures of the SQLite store, in the form of the repository's queue benches: `measure OP DIR SECONDS`
//! prints `{"n":…,"elapsed_s":…}`. Operations: enq1, enq1x8, enq1x64, enq100, enq100x8, cons1, cons100; turn (sends a hundred,
//! takes and acknowledges a hundred, while BENCH_FILL others wait, BENCH_DELAY seconds from being due); arrive (from sending to a handler in
//! another process, with `p50_us`); and raw1, raw100 and rawcons100, which are SQLite alone with full sync on the same disk.
use posthouse_queue::{NewMessage, Queue, Settlement, Sqlite, Stop, Store as _, Terms};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
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

/// Sends, takes and acknowledges a hundred at a time while others wait.
async fn turn(queue: &Arc<dyn Queue>, time: Duration) -> usize {
    let (end, never, mut n) = (Instant::now() + time, Stop::never(), 0);
    while Instant::now() < end {
        queue.send(batch(n, 100)).await.expect("sent");
        let taken = queue.lease(100, Duration::ZERO, &never).await.expect("leased");
        assert_eq!(taken.len(), 100);
        n += taken.len();
        let done: Vec<_> = taken.into_iter().map(|d| (d.ticket, Settlement::Ack)).collect();
        queue.settle(&done).await.expect("settled");
    }
    n
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    u64::try_from(since.as_micros()).expect("a time")
}

/// The other process: says how long each message took, until one is 0.
async fn arrivals(queue: &Arc<dyn Queue>) {
    let (never, mut times) = (Stop::never(), Vec::new());
    loop {
        let taken = queue.lease(1, Duration::from_secs(30), &never).await.expect("leased");
        let now = now_us();
        let [message] = &taken[..] else { panic!("nothing came") };
        let sent: u64 = str::from_utf8(&message.body).expect("text").parse().expect("a time");
        queue.settle(&[(message.ticket.clone(), Settlement::Ack)]).await.expect("settled");
        if sent == 0 {
            break;
        }
        times.push(now.saturating_sub(sent));
    }
    times.sort_unstable();
    let (n, p50, p99) = (times.len(), times[times.len() / 2], times[times.len() * 99 / 100]);
    println!(r#"{{"n":{n},"elapsed_s":1,"p50_us":{p50},"p99_us":{p99}}}"#);
}

async fn arrive(queue: &Arc<dyn Queue>, dir: &str, time: Duration) {
    let this = std::env::current_exe().expect("this program");
    let mut other = std::process::Command::new(this)
        .args(["arrivals", dir, "0"])
        .env_remove("BENCH_FILL")
        .spawn()
        .expect("another process");
    let one = |body: String| vec![NewMessage { body, delay_s: 0 }];
    let end = Instant::now() + time;
    while Instant::now() < end {
        // One at a time: what is measured is waking up.
        tokio::time::sleep(Duration::from_millis(10)).await;
        queue.send(one(now_us().to_string())).await.expect("sent");
    }
    queue.send(one("0".to_owned())).await.expect("sent");
    assert!(other.wait().expect("its end").success());
}

/// Takes and deletes in two transactions, as a queue has to.
fn raw_consume(conn: &mut rusqlite::Connection, count: usize, time: Duration) -> (usize, Duration) {
    let fill = conn.transaction().expect("begun");
    for i in 0..50_000 {
        fill.execute("insert into q(t, body) values(1.5, ?)", [body(i)]).expect("inserted");
    }
    fill.commit().expect("committed");
    let (start, mut n) = (Instant::now(), 0);
    while start.elapsed() < time {
        let mut take = conn
            .prepare_cached("update q set status = 1 where id in (select id from q where status = 0 order by id limit ?) returning id, body")
            .expect("prepared");
        let rows = take.query_map([i64::try_from(count).expect("a count")], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?))
        });
        let taken: Vec<(i64, String)> =
            rows.expect("taken").map(|row| row.expect("a row")).collect();
        if taken.is_empty() {
            break;
        }
        conn.execute_batch("begin immediate").expect("begun");
        let mut delete = conn.prepare_cached("delete from q where id = ?").expect("prepared");
        for (id, _) in &taken {
            delete.execute([id]).expect("deleted");
        }
        conn.execute_batch("commit").expect("committed");
        n += taken.len();
    }
    (n, start.elapsed())
}

fn raw(path: &Path, what: &str, time: Duration) -> (usize, Duration) {
    let mut conn = rusqlite::Connection::open(path).expect("opened");
    conn.execute_batch(
        "pragma journal_mode=WAL; pragma synchronous=FULL;
         create table q(id integer primary key, status int not null default 0, t real, body text not null);
         create index q_s on q(status, id)",
    )
    .expect("set up");
    if let Some(count) = what.strip_prefix("cons") {
        return raw_consume(&mut conn, count.parse().expect("a count"), time);
    }
    let count: usize = what.parse().expect("a count");
    let start = Instant::now();
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
    (n, start.elapsed())
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("measure OP DIR SECONDS");
    let (op, dir, seconds) = (next(), next(), next());
    let time = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    let path = Path::new(&dir).join("q.db");
    if let Some(what) = op.strip_prefix("raw") {
        let (n, elapsed) = raw(&path, what, time);
        return println!(r#"{{"n":{n},"elapsed_s":{}}}"#, elapsed.as_secs_f64());
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
    let number = |name: &str| std::env::var(name).map_or(0, |n| n.parse().expect("a number"));
    let delay_s = number("BENCH_DELAY");
    for from in (0..backlog).step_by(100) {
        let mut many = batch(from, 100);
        for message in &mut many {
            message.delay_s = delay_s;
        }
        queue.send(many).await.expect("filled");
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
        "turn" => turn(&queue, time).await,
        "arrive" => return arrive(&queue, &dir, time).await,
        "arrivals" => return arrivals(&queue).await,
        other => panic!("no operation {other}"),
    };
    println!(r#"{{"n":{n},"elapsed_s":{}}}"#, start.elapsed().as_secs_f64());
}
