//! The SDK's main job on real servers: state, events and requests between hubs.
use futures_util::StreamExt as _;
use posthouse::{Code, Error, Headers, Hub, Value, json};
use posthouse_testkit::NatsServer;
use std::time::Duration;

async fn pair(server: &NatsServer) -> (Hub, Hub) {
    let open = || Hub::builder("workshop").servers([server.url()]).connect();
    (open().await.unwrap(), open().await.unwrap())
}

#[tokio::test]
async fn state_travels_and_is_watched() {
    let server = NatsServer::builder().start();
    let (a, b) = pair(&server).await;
    let mut watch = b.var("lamp").unwrap().watch().unwrap();
    a.var("lamp").unwrap().set(&json!({"on": true})).unwrap();
    loop {
        let change = watch.next().await.unwrap();
        if change.value() == Some(json!({"on": true})) {
            break;
        }
    }
    a.flush(None).await.unwrap();
    assert!(!a.var("lamp").unwrap().meta().unwrap().pending);
    a.var("lamp").unwrap().delete().unwrap();
    while watch.next().await.unwrap().value().is_some() {}
    // A newcomer learns what was there before it.
    a.var("kept").unwrap().set(&json!(1)).unwrap();
    let c = Hub::builder("workshop").servers([server.url()]).connect().await.unwrap();
    c.var("kept").unwrap().ready().await.unwrap();
    assert_eq!(c.var("kept").unwrap().value().unwrap(), Some(json!(1)));
}

#[tokio::test]
async fn events_and_requests() {
    let server = NatsServer::builder().start();
    let (a, b) = pair(&server).await;
    let mut all = b.var("sensor.*").unwrap().subscribe().await.unwrap();
    let mut headers = Headers::new();
    headers.append("X-Trace", "42").unwrap();
    a.var("sensor.temp").unwrap().publish_with(&json!(21.5), &headers).unwrap();
    let message = all.next().await.unwrap();
    assert_eq!((message.topic(), message.data()), ("sensor.temp", json!(21.5)));
    assert_eq!(message.headers().get("x-trace"), Some("42"));
    assert!(!message.is_request());
    drop(message);

    let lamp = b.var("lamp").unwrap();
    let _handle = lamp
        .handle(|request| async move {
            let data = request.data();
            if data == json!("fail") {
                return Err(Error::new(Code::Internal, "told to"));
            }
            Ok::<Value, Error>(json!({"got": data}))
        })
        .await
        .unwrap();
    let lamp = a.var("lamp").unwrap();
    assert_eq!(lamp.request(&json!(1)).await.unwrap(), json!({"got": 1}));
    let failed = lamp.request(&json!("fail")).timeout(Duration::from_millis(200)).await;
    assert_eq!(failed.unwrap_err().code(), Code::Timeout);
    let nobody = a.var("nobody").unwrap().request(&json!(null)).await;
    assert_eq!(nobody.unwrap_err().code(), Code::NoResponders);
    let many = lamp.request_many(&json!(2)).max_replies(1).detailed().await.unwrap();
    assert_eq!(many.replies.len(), 1);
    assert_eq!(many.reason.as_str(), "maxReplies");
    assert_eq!(b.status().unwrap().last_error.unwrap().code, "HANDLER_ERROR");
    b.drain(None).await.unwrap();
    assert_eq!(b.var("x").unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn a_restarted_server_is_found_again() {
    let mut server = NatsServer::builder().start();
    let (a, b) = pair(&server).await;
    let mut events = b.var("tick").unwrap().subscribe().await.unwrap();
    server.kill();
    let mut status = a.watch();
    while status.next().await.unwrap().connection == posthouse::Connection::Connected {}
    a.var("offline").unwrap().set(&json!("kept")).unwrap();
    let refused = a.var("tick").unwrap().publish(&json!(1)).unwrap_err();
    assert_eq!(refused.code(), Code::Disconnected);
    server.restart();
    a.connected(None).await.unwrap();
    b.connected(None).await.unwrap();
    a.var("tick").unwrap().publish(&json!(2)).unwrap();
    assert_eq!(events.next().await.unwrap().data(), json!(2));
    let mut watch = b.var("offline").unwrap().watch().unwrap();
    while watch.next().await.unwrap().value() != Some(json!("kept")) {}
}
