//! Three servers that keep every message three times, of which one goes away under load.
use crate::bed::{message, settle, settle_all, take, take_one, terms, text};
use posthouse_queue::jetstream::{JetStream, JetStreamOptions};
use posthouse_queue::{NewMessage, Settled, Settlement, Stopper, Store as _, Terms};
use posthouse_testkit::{Binary, Cluster, until_async};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const PRODUCERS: usize = 4;
const EACH: usize = 250;

fn cluster() -> Option<Cluster> {
    if !Binary::Current.available() {
        return None;
    }
    let cluster = Cluster::start(3, |_, builder| builder.binary(Binary::Current).jetstream());
    cluster.wait_jetstream();
    Some(cluster)
}

async fn store(cluster: &Cluster, first: usize) -> JetStream {
    let servers = (0..3).map(|n| cluster[(first + n) % 3].url()).collect();
    let options = JetStreamOptions {
        servers,
        replicas: Some(3),
        timeout: Duration::from_secs(60),
        ..JetStreamOptions::default()
    };
    JetStream::open(options).await.expect("connecting")
}

/// What was done with one message.
#[derive(Default)]
struct Life {
    /// Of each delivery: the id, the place in the stream, and how manieth it was.
    deliveries: Vec<(String, u64, u32)>,
    done: bool,
    /// It came once more although the server had confirmed that it is done.
    came_back: bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "three servers, a minute, and not yet steady on a busy machine: make test-cluster"]
async fn a_killed_server_loses_nothing() {
    let Some(mut cluster) = cluster() else { return };
    let terms = Terms { visibility: Duration::from_secs(10), ..terms() };
    let sent = Arc::new(AtomicUsize::new(0));
    let lives: Arc<Mutex<HashMap<String, Life>>> = Arc::default();
    let mut producing = Vec::new();
    for producer in 0..PRODUCERS {
        let store = store(&cluster, producer).await;
        let queue = store.queue("load", terms.clone()).await.expect("opening");
        let sent = Arc::clone(&sent);
        producing.push(tokio::spawn(async move {
            let _store = store;
            for n in 0..EACH / 5 {
                let bodies: Vec<NewMessage> =
                    (0..5).map(|m| message(&format!("\"{producer}-{}\"", n * 5 + m))).collect();
                if n % 2 == 0 {
                    queue.send(bodies).await.expect("a batch is accepted in the end");
                } else {
                    for body in bodies {
                        queue.send(vec![body]).await.expect("a message is accepted in the end");
                    }
                }
                sent.fetch_add(5, Ordering::Relaxed);
            }
        }));
    }
    let stopper = Stopper::new();
    let mut consuming = Vec::new();
    for consumer in 0..3 {
        let store = store(&cluster, consumer).await;
        let queue = store.queue("load", terms.clone()).await.expect("opening");
        let (lives, stop) = (Arc::clone(&lives), stopper.signal());
        consuming.push(tokio::spawn(async move {
            let _store = store;
            while !stop.is_stopped() {
                // What fails here because nobody leads passes.
                let Ok(deliveries) = queue.lease(10, Duration::from_secs(5), &stop).await else {
                    continue;
                };
                for delivery in deliveries {
                    let again = {
                        let mut lives = lives.lock().unwrap();
                        let life = lives.entry(text(&delivery)).or_default();
                        life.deliveries.push((
                            delivery.id.clone(),
                            delivery.ticket.message,
                            delivery.attempts,
                        ));
                        life.came_back |= life.done;
                        life.deliveries.len() == 1 && delivery.ticket.message.is_multiple_of(7)
                    };
                    let settlement =
                        if again { Settlement::Retry { delay_s: 1 } } else { Settlement::Ack };
                    let asked = [(delivery.ticket.clone(), settlement)];
                    if let Ok(answer) = queue.settle(&asked).await
                        && answer[0] == Settled::Done
                        && !again
                    {
                        lives.lock().unwrap().get_mut(&text(&delivery)).unwrap().done = true;
                    }
                }
            }
        }));
    }
    let all = PRODUCERS * EACH;
    for _ in 0..2 {
        let before = sent.load(Ordering::Relaxed);
        until_async("some more was sent", || {
            let now = sent.load(Ordering::Relaxed);
            now == all || now >= before + all / 8
        })
        .await;
        let leader = tokio::task::block_in_place(|| cluster.stream_leader("posthouse-queue-load"));
        tokio::task::block_in_place(|| {
            cluster[leader].kill();
            cluster[leader].restart();
            cluster.wait_jetstream();
        });
    }
    for producer in producing {
        producer.await.unwrap();
    }
    // Every wait of the kit has its own patience; here several may be needed one after the other.
    for part in 1..=8 {
        let wanted = all * part / 8;
        until_async("it was handled", || {
            lives.lock().unwrap().values().filter(|life| life.done).count() >= wanted
        })
        .await;
    }
    stopper.stop();
    for consumer in consuming {
        consumer.await.unwrap();
    }
    let lives = lives.lock().unwrap();
    for (body, life) in lives.iter() {
        // Every delivery that somebody got has a number of its own, in order, and it was one message only.
        let deliveries = &life.deliveries;
        assert!(deliveries.is_sorted_by(|a, b| a.2 < b.2), "{body}: {deliveries:?}");
        assert!(deliveries.iter().all(|(id, ..)| *id == deliveries[0].0), "{body}: {deliveries:?}");
        assert!(deliveries.len() <= 4, "{body}: {deliveries:?}");
    }
    // A new leader may not know of the last moment's acknowledgements; of more than that it must.
    let came_back: Vec<_> = lives.values().filter(|life| life.came_back).collect();
    for life in &came_back {
        eprintln!("came back after it was done: {:?}", life.deliveries);
    }
    assert!(came_back.len() <= all / 50, "{} came back after they were done", came_back.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "three servers, a minute, and not yet steady on a busy machine: make test-cluster"]
async fn leases_and_due_times_outlive_the_leader() {
    let Some(mut cluster) = cluster() else { return };
    let (a, b) = (store(&cluster, 0).await, store(&cluster, 1).await);
    let terms = Terms { visibility: Duration::from_secs(10), ..terms() };
    let (a, b) =
        (a.queue("led", terms.clone()).await.unwrap(), b.queue("led", terms).await.unwrap());
    a.send(vec![message("1"), message("2"), message("3")]).await.unwrap();
    let taken = take(&a, 3).await;
    settle(&a, &taken[0], Settlement::Release).await;
    settle(&a, &taken[1], Settlement::Retry { delay_s: 3 }).await;
    let asked = std::time::Instant::now();
    let leader = tokio::task::block_in_place(|| cluster.stream_leader("posthouse-queue-led"));
    tokio::task::block_in_place(|| cluster[leader].kill());
    // Two of three are enough.
    settle_all(&a, &taken[2..], Settlement::Ack).await;
    for _ in 0..2 {
        let again = take_one(&b).await;
        // The old leader may have sent it to somebody who never got it.
        if again.id == taken[0].id {
            assert!((1..=2).contains(&again.attempts), "{}", again.attempts);
        } else {
            assert_eq!(again.id, taken[1].id);
            assert!((2..=3).contains(&again.attempts), "{}", again.attempts);
            assert!(asked.elapsed() >= Duration::from_secs(3));
        }
        assert_eq!(settle(&b, &again, Settlement::Ack).await, Settled::Done);
    }
    assert_eq!(b.stats().await.unwrap().in_flight, 0);
}
