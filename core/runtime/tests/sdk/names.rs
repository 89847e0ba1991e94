//! Names, queue names and headers: what works, what is refused, and that nothing of it is sent.
use crate::{builder, open, pair, soon};
use futures_util::StreamExt as _;
use posthouse::{Code, Error, Headers, Hub, Value, json};
use posthouse_testkit::{Direction, NatsServer, Proxy};

/// R12: spaces and every script work, in names and queue names.
#[tokio::test]
async fn names_that_work() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let longest = "é".repeat(64);
    for name in ["living room.temperature", "sensor/a", "传感器.温度", "😀", &longest] {
        let (x, y) = (a.var(name).unwrap(), b.var(name).unwrap());
        let mut events = y.subscribe().queue("job worker.队列").await.unwrap();
        x.publish(&json!(name)).unwrap();
        let message = soon(events.next()).await.unwrap();
        assert_eq!((message.topic(), message.data()), (name, json!(name)));
        drop((message, events));
        let _handle = y
            .handle(|request| async move { Ok::<Value, Error>(json!(request.topic())) })
            .queue("job worker")
            .await
            .unwrap();
        assert_eq!(x.request(&json!(1)).await.unwrap(), json!(name));
    }
    // Patterns see the names as they are.
    let mut rooms = b.var("living room.*").unwrap().subscribe().await.unwrap();
    let mut all = b.var(">").unwrap().subscribe().await.unwrap();
    a.var("living room.light").unwrap().publish(&json!(1)).unwrap();
    assert_eq!(soon(rooms.next()).await.unwrap().topic(), "living room.light");
    assert_eq!(soon(all.next()).await.unwrap().topic(), "living room.light");
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> Code {
    result.unwrap_err().code()
}

/// R12, R38: what is refused is refused before a byte is sent.
#[tokio::test]
async fn names_and_headers_that_are_refused() {
    let server = NatsServer::start();
    let proxy = Proxy::to_port(server.port());
    let hub = Hub::builder("workshop").servers([proxy.url("nats")]).connect().await.unwrap();
    soon(hub.ready()).await.unwrap();
    proxy.record();
    let too_long = "語".repeat(43);
    for name in ["a\r\nPUB x 1\r\n1", "a\u{7f}", "a\0", "a\tb", "", &too_long] {
        assert_eq!(code(hub.var(name)), Code::InvalidName, "{name:?}");
        assert_eq!(code(Hub::builder(name).open()), Code::InvalidName, "{name:?}");
    }
    for name in ["a..b", "a.", ".a", "sensor.*", ">", "a*"] {
        let var = hub.var(name).unwrap();
        assert_eq!(code(var.publish(&json!(1))), Code::InvalidTopic, "{name:?}");
        assert_eq!(code(var.request(&json!(1)).await), Code::InvalidTopic, "{name:?}");
    }
    for pattern in ["a.>.b", "a*", ">a", "a..*"] {
        let var = hub.var(pattern).unwrap();
        assert_eq!(code(var.subscribe().await), Code::InvalidTopic, "{pattern:?}");
        let handle = var.handle(|_| async { Ok::<Value, Error>(json!(1)) });
        assert_eq!(code(handle.await), Code::InvalidTopic, "{pattern:?}");
    }
    let x = hub.var("x").unwrap();
    for queue in ["q\nb", "q\r\n", "*", "a.>", "", "q\u{0}"] {
        let error = x.subscribe().queue(queue).await.unwrap_err();
        assert!(matches!(error.code(), Code::InvalidTopic | Code::InvalidName), "{queue:?}");
    }
    let mut headers = Headers::new();
    for (name, value) in [
        ("x", "a\r\nPUB x 1\r\n1"),
        ("x", "a\nb"),
        ("x", "a\0"),
        ("x", "a\tb"),
        ("x", "é"),
        ("a:b", "v"),
        ("a b", "v"),
        ("a\r\n", "v"),
        ("", "v"),
    ] {
        assert_eq!(code(headers.append(name, value)), Code::InvalidHeaders, "{name:?} {value:?}");
    }
    for n in 0..33 {
        headers.append(&format!("h{n}"), "v").unwrap();
    }
    assert_eq!(code(x.publish_with(&json!(1), &headers)), Code::MessageTooLarge);
    let mut large = Headers::new();
    large.append("x", &"v".repeat(4_100)).unwrap();
    assert_eq!(code(x.request(&json!(1)).headers(large).await), Code::MessageTooLarge);
    // A secret is one line, which is seen before anything is sent, and not shown.
    let guarded = NatsServer::builder().token("other").start();
    let refused = builder(&guarded).token("tok\r\nPUB x 1\r\n1").open().unwrap_err();
    assert_eq!(refused.code(), Code::InvalidOptions);
    assert!(!refused.message().contains("PUB"), "{refused}");
    x.publish(&json!("sentinel")).unwrap();
    hub.flush(None).await.unwrap();
    let sent = proxy.seen(Direction::ToServer);
    let asked = sent.split(|&b| b == b'\n').any(|line| line.starts_with(b"SUB "));
    assert!(!asked, "{}", sent.escape_ascii());
    let mut lines = sent.split(|&b| b == b'\n').filter(|line| line.starts_with(b"PUB _msg"));
    assert_eq!(lines.clone().count(), 1, "{}", sent.escape_ascii());
    assert!(lines.all(|line| line.ends_with(b" 10\r")), "{}", sent.escape_ascii());
    assert_eq!(hub.status().unwrap().reconnects, 0);
}

/// R21: every value in its order, in any case; lower case on the wire.
#[tokio::test]
async fn several_values_of_one_key() {
    let server = NatsServer::start();
    let proxy = Proxy::to_port(server.port());
    proxy.record();
    let a = Hub::builder("workshop").servers([proxy.url("nats")]).connect().await.unwrap();
    let b = open(&server).await;
    let mut events = b.var("x").unwrap().subscribe().await.unwrap();
    let mut headers = Headers::new();
    for (name, value) in [("X-Tag", "a"), ("other", "1"), ("X-Tag", "b"), ("x-tag", "  c d ")] {
        headers.append(name, value).unwrap();
    }
    a.var("x").unwrap().publish_with(&json!(1), &headers).unwrap();
    let message = soon(events.next()).await.unwrap();
    let got = message.headers();
    assert_eq!(got.get("X-TAG"), Some("a"));
    assert_eq!(got.get_all("x-Tag").collect::<Vec<_>>(), ["a", "b", "c d"]);
    let mut names: Vec<&str> = got.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["other", "x-tag", "x-tag", "x-tag"]);
    let sent = proxy.seen(Direction::ToServer);
    assert!(!sent.windows(5).any(|w| w == b"X-Tag"), "{}", sent.escape_ascii());
}
