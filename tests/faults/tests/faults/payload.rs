//! max_payload: small, shrinking, and counted with the headers.
use posthouse::{Answer, Code, Error, Headers, Hub, json};
use posthouse_faults::{builder, open, reconnected, soon, status};
use posthouse_testkit::{FakeServer, NatsServer, NodeProcess, until_async};
use std::time::Duration;

fn refused(hub: &Hub, bytes: usize, limit: u64) {
    let error = hub.var("big").unwrap().publish(&json!("x".repeat(bytes - 2))).unwrap_err();
    assert_eq!(error.code(), Code::MessageTooLarge, "{error}");
    assert_eq!((error.limit(), error.actual()), (Some(limit), Some(bytes as u64)));
}

/// R22: headers and payload together, also in a handler's answer; the connection stays.
#[tokio::test]
async fn headers_count() {
    let server = NatsServer::builder().max_payload(1_024).start();
    headers_count_at(&server.url()).await;
}

#[tokio::test]
async fn headers_count_at_the_owned_node() {
    let node = NodeProcess::start(&["--max-payload", "1024"]);
    headers_count_at(&node.url()).await;
}

async fn headers_count_at(url: &str) {
    let (a, b) = (open(url).await, open(url).await);
    let mut headers = Headers::new();
    headers.append("x-sixty", &"h".repeat(60 - 12 - 4 - 7)).unwrap();
    assert_eq!(headers.encoded_len(), 60);
    let body = json!("b".repeat(998));
    let x = a.var("x").unwrap();
    let error = x.publish_with(&body, &headers).unwrap_err();
    assert_eq!(error.code(), Code::MessageTooLarge);
    assert_eq!((error.limit(), error.actual()), (Some(1_024), Some(1_060)));
    let error = x.request(&body).headers(headers.clone()).await.unwrap_err();
    assert_eq!(error.code(), Code::MessageTooLarge);
    let _handle = b
        .var("x")
        .unwrap()
        .handle(move |_| {
            let answer = Answer::new("b".repeat(998)).with_headers(headers.clone());
            async move { Ok::<_, Error>(answer) }
        })
        .await
        .unwrap();
    let error = x.request(&json!(1)).timeout(Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert_eq!(status(&b).last_error.unwrap().code, "MESSAGE_TOO_LARGE");
    for hub in [a, b] {
        hub.flush(None).await.unwrap();
        assert_eq!(status(&hub).reconnects, 0);
    }
}

/// The next node takes less than the last.
#[tokio::test]
async fn another_node_takes_less() {
    let mut large = NatsServer::builder().max_payload(10_000).start();
    let small = NatsServer::builder().max_payload(1_000).start();
    let hub = builder("unused")
        .servers([large.url(), small.url()])
        .with_numbers(|n| n.selection.cooldown_ms = 1_000_000)
        .connect()
        .await
        .unwrap();
    assert_eq!(status(&hub).server, Some(large.url()));
    hub.var("big").unwrap().publish(&json!("x".repeat(5_000))).unwrap();
    hub.var("state").unwrap().set(&json!("x".repeat(5_000))).unwrap();
    hub.flush(None).await.unwrap();
    large.kill();
    reconnected(&hub, 1).await;
    assert_eq!(status(&hub).server, Some(small.url()));
    refused(&hub, 5_000, 1_000);
    hub.var("big").unwrap().publish(&json!("x".repeat(900))).unwrap();
    hub.flush(None).await.unwrap();
    // A record that is too large for it stays pending, and the connection stays.
    hub.var("state").unwrap().set(&json!("y".repeat(5_000))).unwrap();
    hub.flush(None).await.unwrap();
    assert!(hub.var("state").unwrap().meta().unwrap().pending);
    assert_eq!(status(&hub).reconnects, 1);
}

/// A server that tells of its new limit while we are connected.
#[tokio::test]
async fn an_info_shrinks_it() {
    let fake = FakeServer::start().await;
    let hub = builder(fake.url()).open().unwrap();
    let (mut connection, _) = fake.accept_ready("").await;
    let answering = tokio::spawn(async move {
        let mut pings = 0;
        while let Some(line) = connection.line().await {
            if line == "PING" {
                pings += 1;
                if pings == 3 {
                    let info = fake.info("").replace("1048576", "500");
                    assert!(info.contains("\"max_payload\":500"), "{info}");
                    connection.send(info).await;
                }
                connection.send("PONG\r\n").await;
            }
        }
    });
    soon("a connection", hub.connected(None)).await.unwrap();
    let big = hub.var("big").unwrap();
    until_async("the limit is known", || big.publish(&json!("x".repeat(700))).is_err()).await;
    refused(&hub, 702, 500);
    assert_eq!(status(&hub).reconnects, 0);
    hub.close().await.unwrap();
    answering.await.unwrap();
}

/// A server that takes less from one moment to the next cuts whoever does not know; the next
/// connection knows.
#[tokio::test]
async fn a_reload_shrinks_it() {
    let mut server = NatsServer::builder().max_payload(10_000).start();
    let hub = open(server.url()).await;
    server.reload(|settings| settings.max_payload(1_000));
    let big = hub.var("big").unwrap();
    if big.publish(&json!("x".repeat(5_000))).is_ok() {
        reconnected(&hub, 1).await;
    }
    refused(&hub, 5_000, 1_000);
    hub.flush(None).await.unwrap();
}
