//! What exists already: taken as it is where it is right, refused with a reason where it is not.
use crate::bed::{api, client, message, open, queue, server, take_one, terms};
use posthouse_queue::{Store as _, Terms, Trouble};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn other_settings_are_refused_with_a_reason() {
    let Some(server) = server() else { return };
    queue(&server, "strict", terms()).await;
    let store = open(&server).await;
    for (other, word) in [
        (Terms { visibility: Duration::from_secs(31), ..terms() }, "ack_wait"),
        (Terms { retry_delay: Duration::from_secs(5), ..terms() }, "ack_wait"),
        (Terms { retention: Duration::from_secs(60), ..terms() }, "max_age"),
    ] {
        let error = store.queue("strict", other).await.err().expect("refused");
        assert_eq!(error.trouble(), Trouble::Mismatch);
        assert!(error.words().contains(word), "{error}");
    }
    // What only concerns this process does not matter.
    store.queue("strict", Terms { in_flight: 5, ..terms() }).await.unwrap();
}

#[tokio::test]
async fn streams_and_consumers_of_others_are_refused() {
    let Some(server) = server() else { return };
    let (client, store) = (client(&server).await, open(&server).await);
    let subjects = |name: &str| {
        json!([
            format!("posthouse.queue.{name}.ready"),
            format!("posthouse.queue.{name}.later.*"),
            format!("posthouse.queue.{name}.own.*")
        ])
    };
    let stream = json!({"name": "posthouse-queue-theirs", "subjects": subjects("theirs"), "retention": "limits",
        "storage": "memory", "max_age": 3_600_000_000_000_u64});
    api(&client, "STREAM.CREATE.posthouse-queue-theirs", stream).await;
    let error = store.queue("theirs", terms()).await.err().expect("refused");
    assert_eq!(error.trouble(), Trouble::Mismatch);
    assert!(error.words().contains("retention") && error.words().contains("storage"), "{error}");

    queue(&server, "limited", terms()).await;
    let info = api(&client, "CONSUMER.INFO.posthouse-queue-limited.workers", json!(null)).await;
    let mut config = info["config"].clone();
    config["max_deliver"] = json!(3);
    let change = json!({"stream_name": "posthouse-queue-limited", "config": config});
    api(&client, "CONSUMER.DURABLE.CREATE.posthouse-queue-limited.workers", change).await;
    let error = store.queue("limited", terms()).await.err().expect("refused");
    assert!(error.words().contains("max_deliver is 3 and has to be -1"), "{error}");
}

#[tokio::test]
async fn what_an_administrator_may_change_is_taken() {
    let Some(server) = server() else { return };
    queue(&server, "tuned", terms()).await;
    let client = client(&server).await;
    let name = "posthouse-queue-tuned";
    let mut config =
        api(&client, &format!("STREAM.INFO.{name}"), json!(null)).await["config"].take();
    (config["description"], config["max_bytes"]) = (json!("the pages"), json!(1 << 20));
    api(&client, &format!("STREAM.UPDATE.{name}"), config).await;
    queue(&server, "tuned", terms()).await;
}

#[tokio::test]
async fn names_of_all_kinds_are_queues_of_their_own() {
    let Some(server) = server() else { return };
    let store = open(&server).await;
    for name in ["a.b", "a b", "队列", "*", ">", "a/b", "A", "a"] {
        let queue = store.queue(name, terms()).await.unwrap();
        assert_eq!(queue.name(), name);
        queue.send(vec![message("1")]).await.unwrap();
        assert_eq!(queue.stats().await.unwrap().ready, 1, "{name}");
        take_one(&queue).await;
    }
    let error = store.queue(&"x".repeat(300), terms()).await.err().expect("refused");
    assert_eq!(error.trouble(), Trouble::Mismatch);
}

#[tokio::test]
async fn two_that_open_at_once_make_one_queue() {
    let Some(server) = server() else { return };
    let opened = (0..8).map(|_| async {
        let queue = queue(&server, "race", terms()).await;
        queue.send(vec![message("1")]).await.unwrap();
    });
    futures_util::future::join_all(opened).await;
    assert_eq!(queue(&server, "race", terms()).await.stats().await.unwrap().ready, 8);
}

#[tokio::test]
async fn a_consumer_that_was_deleted_is_made_again() {
    let Some(server) = server() else { return };
    let queue = queue(&server, "deleted", terms()).await;
    let client = client(&server).await;
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { take_one(&queue).await }
    });
    posthouse_testkit::until_async("a worker waits", || {
        let page = server.monitor("/jsz?consumers=1");
        page["account_details"][0]["stream_detail"][0]["consumer_detail"][0]["num_waiting"] == 1
    })
    .await;
    api(&client, "CONSUMER.DELETE.posthouse-queue-deleted.workers", json!(null)).await;
    queue.send(vec![message("1")]).await.unwrap();
    waiting.await.unwrap();
}
