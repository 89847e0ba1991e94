//! Requests for one answer and for several: how they end.
use crate::{Seen, builder, open, pair, soon};
use posthouse::{Code, Error, Hub, Value, json};
use posthouse_testkit::{NatsServer, until_async};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

/// A handler that never answers.
async fn silent(hub: &Hub, name: &str) -> posthouse::Listener {
    hub.var(name).unwrap().subscribe().handler(|_| async {}).await.unwrap()
}

fn waiting(hub: &Hub) -> u64 {
    hub.status().unwrap().messaging.unwrap().pending_requests
}

/// R16: nobody there is told by the server's status line, long before the time is over.
#[tokio::test]
async fn nobody_there() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    let nobody = hub.var("nobody").unwrap();
    let error = soon(async { nobody.request(&json!(1)).timeout(LONG).await }).await.unwrap_err();
    assert_eq!(error.code(), Code::NoResponders);
    let body = json!(1);
    let many = nobody.request_many(&body).timeout(LONG).detailed();
    let error = soon(many).await.unwrap_err();
    assert_eq!(error.error.code(), Code::NoResponders);
    assert!(error.partial_replies.is_empty());
}

/// R18: the window is absolute, whatever comes; late answers change nothing.
#[tokio::test]
async fn a_window_is_not_lengthened_by_answers() {
    let server = NatsServer::start();
    let b = open(&server).await;
    let a = builder(&server).with_numbers(|n| n.messaging.replies = 1_000).connect().await.unwrap();
    let _listener = b
        .var("ticks")
        .unwrap()
        .subscribe()
        .handler(|request| async move {
            // As long as anybody could take it for a life sign; the caller leaves much sooner.
            for n in 0..2_000 {
                if request.reply(&json!(n)).is_err() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .unwrap();
    let ticks = a.var("ticks").unwrap();
    let body = json!(1);
    let many = ticks.request_many(&body).timeout(Duration::from_millis(500)).max_replies(1_000);
    let result = soon(many.detailed()).await.unwrap();
    assert_eq!(result.reason.as_str(), "deadline");
    assert!(!result.replies.is_empty() && result.replies.len() <= 51, "{}", result.replies.len());
    drop(b);
    let c = open(&server).await;
    let _other = c
        .var("five")
        .unwrap()
        .subscribe()
        .handler(|request| async move {
            for n in 0..10 {
                request.reply(&json!(n)).unwrap();
            }
        })
        .await
        .unwrap();
    let five = a.var("five").unwrap();
    let result = soon(five.request_many(&json!(1)).max_replies(5).detailed()).await.unwrap();
    assert_eq!(result.reason.as_str(), "maxReplies");
    let data: Vec<Value> = result.replies.into_iter().map(|reply| reply.data).collect();
    assert_eq!(data, [json!(0), json!(1), json!(2), json!(3), json!(4)]);
    assert_eq!(waiting(&a), 0);
    a.flush(None).await.unwrap();
    assert_eq!(a.status().unwrap().messaging.unwrap().pending_messages, 0);
}

#[tokio::test]
async fn what_a_collection_may_ask_for() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let x = a.var("x").unwrap();
    let error = x.request_many(&json!(1)).max_replies(17).detailed().await.unwrap_err();
    assert_eq!(error.error.code(), Code::InvalidOptions);
    let error = x.request_many(&json!(1)).max_bytes(2 << 20).detailed().await.unwrap_err();
    assert_eq!(error.error.code(), Code::InvalidOptions);
    // An empty window is a result.
    let _silent = silent(&b, "x").await;
    let none = x.request_many(&json!(1)).timeout(Duration::from_millis(50)).await.unwrap();
    assert!(none.is_empty());
}

/// Whatever ends a collection early, the answers until then are in its error.
#[tokio::test]
async fn partial_replies() {
    let mut server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let _listener = b
        .var("x")
        .unwrap()
        .subscribe()
        .handler(|request| async move {
            request.reply(&json!("first")).unwrap();
            request.reply(&json!("second")).unwrap();
            if request.data() == json!("much") {
                request.reply(&json!("x".repeat(500))).unwrap();
            }
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    let error = x.request_many(&json!("much")).max_bytes(100).detailed().await.unwrap_err();
    assert_eq!(error.error.code(), Code::BufferOverflow);
    assert_eq!(error.error.limit(), Some(100));
    let data: Vec<&Value> = error.partial_replies.iter().map(|reply| &reply.data).collect();
    assert_eq!(data, [&json!("first"), &json!("second")]);
    let both = async { x.request_many(&json!("few")).timeout(LONG).detailed().await };
    let lose = async {
        until_async("both have come", || {
            a.status().unwrap().messaging.unwrap().pending_messages == 2
        })
        .await;
        server.kill();
    };
    let (failed, ()) = soon(async { tokio::join!(both, lose) }).await;
    let failed = failed.unwrap_err();
    assert_eq!(failed.error.code(), Code::Disconnected);
    assert_eq!(failed.partial_replies.len(), 2);
}

#[tokio::test]
async fn dropping_and_cancelling() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let _silent = silent(&b, "x").await;
    let x = a.var("x").unwrap();
    let body = json!(1);
    let mut request = Box::pin(x.request(&body).timeout(LONG).detailed());
    assert!(futures_util::FutureExt::now_or_never(&mut request).is_none());
    assert_eq!(waiting(&a), 1);
    drop(request);
    assert_eq!(waiting(&a), 0);
    let stop = tokio::sync::Notify::new();
    let request = x.request(&body).timeout(LONG).cancel_on(stop.notified());
    let both = async { tokio::join!(request.detailed(), async { stop.notify_one() }) };
    let error = soon(both).await.0.unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    let many = x.request_many(&body).timeout(LONG).cancel_on(async {}).detailed();
    assert_eq!(soon(many).await.unwrap_err().error.code(), Code::Cancelled);
    assert_eq!(waiting(&a), 0);
    // One that is answered does not care about its signal.
    let _echo = b
        .var("echo")
        .unwrap()
        .handle(|request| async move { Ok::<Value, Error>(request.data()) })
        .await
        .unwrap();
    let echo = a.var("echo").unwrap();
    let answered = echo.request(&body).cancel_on(std::future::pending()).await;
    assert_eq!(answered.unwrap(), body);
}

#[tokio::test]
async fn as_many_as_allowed_and_no_more() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let _silent = silent(&b, "x").await;
    let x = a.var("x").unwrap();
    let body = json!(1);
    let mut requests = Vec::new();
    for _ in 0..64 {
        let mut request = Box::pin(x.request(&body).timeout(LONG).detailed());
        assert!(futures_util::FutureExt::now_or_never(&mut request).is_none());
        requests.push(request);
    }
    let error = x.request(&body).await.unwrap_err();
    assert_eq!(error.code(), Code::BufferOverflow);
    assert_eq!((error.limit(), error.actual()), (Some(64), Some(65)));
    requests.pop();
    let late = x.request(&body).timeout(Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(late.code(), Code::Timeout);
    soon(a.close()).await.unwrap();
    for request in requests {
        assert_eq!(soon(request).await.unwrap_err().code(), Code::Closed);
    }
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Reading<'a> {
    sensor: &'a str,
    celsius: f64,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Owned {
    sensor: String,
    celsius: f64,
}

#[tokio::test]
async fn types_of_the_program_go_in_and_out() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let seen = Seen::default();
    let noted = seen.clone();
    let _listener = b
        .var("reading")
        .unwrap()
        .subscribe()
        .handler(move |message| {
            // Borrowed from the message: nothing is copied.
            let reading: Owned = message.data_as().unwrap();
            noted.note(json!([reading.sensor, reading.celsius]));
            assert_eq!(message.data_as::<u8>().unwrap_err().code(), Code::InvalidMessage);
            async {}
        })
        .await
        .unwrap();
    let reading = Reading { sensor: "kitchen", celsius: 21.5 };
    a.var("reading").unwrap().pub_as(&reading, None).unwrap();
    seen.wait_for(1).await;
    assert_eq!(seen.all(), [json!(["kitchen", 21.5])]);
    let var = a.var("state").unwrap();
    var.set_as(&reading).unwrap();
    let owned: Owned = var.get_as().unwrap().unwrap();
    assert_eq!(owned, Owned { sensor: "kitchen".into(), celsius: 21.5 });
    assert_eq!(var.get_as::<u8>().unwrap_err().code(), Code::InvalidValue);
    assert_eq!(a.var("absent").unwrap().get_as::<u8>().unwrap(), None);
    let _echo = b
        .var("echo")
        .unwrap()
        .handle(|request| async move { Ok::<Value, Error>(request.data()) })
        .await
        .unwrap();
    let echo = a.var("echo").unwrap();
    assert_eq!(echo.req_as::<Owned, _>(&reading).await.unwrap(), owned);
    let wrong = echo.req_as::<u8, _>(&reading).await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidMessage);
    let many = echo.request_many(&reading).typed::<Owned>().max_replies(1).await.unwrap();
    assert_eq!(many, [owned]);
    // What is no JSON is refused here.
    for (value, code) in [
        (json!(9_007_199_254_740_993_u64), Code::InvalidMessage),
        (json!("x".repeat(70_000)), Code::MessageTooLarge),
    ] {
        assert_eq!(a.var("x").unwrap().publish(&value).unwrap_err().code(), code);
    }
    let not_finite = a.var("x").unwrap().pub_as(&f64::NAN, None).unwrap_err();
    assert_eq!(not_finite.code(), Code::InvalidMessage);
    assert_eq!(var.set_as(&f64::INFINITY).unwrap_err().code(), Code::InvalidValue);
}
