//! Figures of the JetStream store, in the form of the repository's queue benches: `measure_jetstream OP DIR SECONDS`
//! starts a server that stores in DIR and prints `{"n":…,"elapsed_s":…}`. Operations: enq1, enq100, enq256 (one by one,
//! 256 under way), cons1, cons100, and raw256 and rawid256, which are the client's own publish, without and with an id,
//! on a stream of the same settings.
use async_nats::{HeaderMap, Request};
use posthouse_queue::{
    NewMessage, Queue, Settlement, Stop, Store as _, Terms,
    jetstream::{JetStream, JetStreamOptions},
};
use posthouse_testkit::{Binary, NatsServer};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

const SUBJECT: &str = "posthouse.queue.bench.ready";

fn body(i: usize) -> String {
    format!(
        r#"{{"id":{},"kind":"email.send","to":"someone.longname@example.org","tries":0,"prio":5,"ok":true,"args":{{"template":"welcome","lang":"en","list":[1,2,3,4],"note":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}}}"#,
        1_000_000 + i
    )
}

fn batch(from: usize, count: usize) -> Vec<NewMessage> {
    (from..from + count).map(|i| NewMessage { body: body(i), delay_s: 0 }).collect()
}

/// Runs `send` in `width` tasks until the time is up; how often it was done.
async fn under_way<F: Future<Output = ()> + Send>(
    width: usize,
    time: Duration,
    send: impl Fn(usize) -> F + Send + Sync + 'static,
) -> usize {
    let (next, end, send) = (Arc::new(AtomicUsize::new(0)), Instant::now() + time, Arc::new(send));
    let tasks: Vec<_> = (0..width)
        .map(|_| {
            let (next, send) = (Arc::clone(&next), Arc::clone(&send));
            tokio::spawn(async move {
                while Instant::now() < end {
                    send(next.fetch_add(1, Ordering::Relaxed)).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a task");
    }
    next.load(Ordering::Relaxed)
}

async fn raw(client: async_nats::Client, with_id: bool, time: Duration) -> usize {
    under_way(256, time, move |i| {
        let client = client.clone();
        async move {
            let mut request = Request::new().payload(body(i).into());
            if with_id {
                let mut headers = HeaderMap::new();
                headers.insert("Nats-Msg-Id", format!("{i:032x}"));
                request = request.headers(headers);
            }
            let answer = client.send_request(SUBJECT, request).await.expect("confirmed");
            assert!(answer.payload.starts_with(b"{\"stream\""), "{:?}", answer.payload);
        }
    })
    .await
}

async fn consume(queue: &Arc<dyn Queue>, count: usize, time: Duration, filled: usize) -> usize {
    let (end, never, mut n) = (Instant::now() + time, Stop::never(), 0);
    while Instant::now() < end && n < filled {
        let taken = queue.lease(count, Duration::from_secs(5), &never).await.expect("leased");
        n += taken.len();
        let done: Vec<_> = taken.into_iter().map(|d| (d.ticket, Settlement::Ack)).collect();
        queue.settle(&done).await.expect("settled");
    }
    n
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("measure_jetstream OP DIR SECONDS");
    let (op, dir, seconds) = (next(), next(), next());
    let time = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    let config = format!("jetstream {{ store_dir: \"{dir}\" }}");
    let server = NatsServer::builder().binary(Binary::Current).config(&config).start();
    let store = JetStream::open(JetStreamOptions::parse(&server.url()).expect("an address"));
    let store = store.await.expect("connected");
    let terms = Terms {
        visibility: Duration::from_secs(30),
        retry_delay: Duration::ZERO,
        retention: Duration::from_secs(345_600),
        dead_letter: None,
        in_flight: 100,
    };
    let queue = store.queue("bench", terms).await.expect("a queue");
    let filled = match op.as_str() {
        "cons1" => 10_000,
        "cons100" => 50_000,
        _ => 0,
    };
    for from in (0..filled).step_by(100) {
        queue.send(batch(from, 100)).await.expect("filled");
    }
    let client = async_nats::connect(server.url()).await.expect("connected");
    let start = Instant::now();
    let n = match op.as_str() {
        "enq1" | "enq100" => {
            let (count, mut n) = (if op == "enq1" { 1 } else { 100 }, 0);
            while start.elapsed() < time {
                queue.send(batch(n, count)).await.expect("sent");
                n += count;
            }
            n
        }
        "enq256" => {
            let queue = Arc::clone(&queue);
            under_way(256, time, move |i| {
                let queue = Arc::clone(&queue);
                async move { queue.send(batch(i, 1)).await.expect("sent") }
            })
            .await
        }
        "raw256" => raw(client, false, time).await,
        "rawid256" => raw(client, true, time).await,
        "cons1" => consume(&queue, 1, time, filled).await,
        "cons100" => consume(&queue, 100, time, filled).await,
        other => panic!("no operation {other}"),
    };
    let elapsed = start.elapsed().as_secs_f64();
    let stats = queue.stats().await.expect("figures");
    let expected = if filled > 0 { filled - n } else { n };
    assert_eq!(stats.ready + stats.in_flight, expected as u64, "{stats:?}");
    println!(r#"{{"n":{n},"elapsed_s":{elapsed}}}"#);
}
