//! Many hubs in one process: its own program, for it needs the I/O thread for itself.
use posthouse::{Hub, json};
use posthouse_testkit::{NatsServer, until_async};
use std::time::Duration;

/// A debug build on a busy machine has a lot to do for 200 hubs that greet each other.
const LONG: Duration = Duration::from_secs(120);

/// 200 hubs share one thread and see each other.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_hubs_on_one_thread() {
    let server = NatsServer::start();
    let opening: Vec<_> = (0..200)
        .map(|_| {
            let builder = Hub::builder("many").servers([server.url()]).timeout(LONG);
            tokio::spawn(async move { builder.connect().await })
        })
        .collect();
    let mut hubs = Vec::new();
    for hub in opening {
        hubs.push(tokio::time::timeout(LONG, hub).await.unwrap().unwrap().unwrap());
    }
    hubs[0].var("x").unwrap().set(&json!("for all")).unwrap();
    until_async("all know it", || {
        hubs.iter().all(|hub| hub.var("x").unwrap().value().unwrap() == Some(json!("for all")))
    })
    .await;
    #[cfg(target_os = "linux")]
    {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let names = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
        assert_eq!(names.filter(|name| name.trim() == "posthouse-io").count(), 1);
    }
    let closing: Vec<_> =
        hubs.into_iter().map(|hub| tokio::spawn(async move { hub.close().await })).collect();
    for close in closing {
        tokio::time::timeout(LONG, close).await.unwrap().unwrap().unwrap();
    }
    until_async("all connections are gone", || server.connections().is_empty()).await;
}
