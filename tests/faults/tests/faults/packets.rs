//! Bytes in pieces and in lumps: nothing may depend on how the network cuts them.
use posthouse::{Error, Headers, Hub, Value, json};
use posthouse_faults::{Broker, builder, on_each_broker, open, soon, status};
use posthouse_testkit::{Certs, Direction, NatsServer, Proxy};

on_each_broker!(single_bytes, odd_pieces, one_lump, pieces_of_a_websocket);

/// State, events, requests with headers and large bodies through a proxy.
async fn everything_works(hub: &Hub, peer: &Hub) {
    let _handle = peer
        .var("echo")
        .unwrap()
        .handle(|request| async move {
            let headers = request.headers().clone();
            Ok::<_, Error>(posthouse::Answer::new(request.data()).with_headers(headers))
        })
        .await
        .unwrap();
    let mut headers = Headers::new();
    headers.append("X-Tag", "a").unwrap();
    headers.append("x-tag", "b").unwrap();
    let body = json!({"text": "é€😀 \r\nMSG x 1 5\r\n".repeat(300)});
    let echo = hub.var("echo").unwrap();
    for _ in 0..3 {
        let reply = echo.request(&body).headers(headers.clone()).detailed().await.unwrap();
        assert_eq!(reply.data, body);
        assert_eq!(reply.headers.get_all("X-TAG").collect::<Vec<_>>(), ["a", "b"]);
    }
    peer.var("state").unwrap().set(&body).unwrap();
    let mut watch = hub.var("state").unwrap().watch().unwrap();
    while soon("the state", futures_util::StreamExt::next(&mut watch)).await.unwrap().value()
        != Some(body.clone())
    {}
    let mut many: Vec<Value> = Vec::new();
    let mut events =
        soon("a subscription", async { hub.var("n").unwrap().subscribe().await }).await.unwrap();
    for n in 0..100 {
        peer.var("n").unwrap().publish(&json!(n)).unwrap();
    }
    while many.len() < 100 {
        let message = soon("an event", futures_util::StreamExt::next(&mut events)).await.unwrap();
        many.push(message.data());
    }
    assert_eq!(many, (0..100).map(|n| json!(n)).collect::<Vec<_>>());
    assert_eq!(status(hub).reconnects, 0);
}

async fn single_bytes(server: Broker) {
    let proxy = Proxy::to_port(server.port());
    proxy.split(Direction::Both, 1);
    everything_works(&open(proxy.url("nats")).await, &open(server.url()).await).await;
}

async fn odd_pieces(server: Broker) {
    let proxy = Proxy::to_port(server.port());
    proxy.split(Direction::Both, 7);
    everything_works(&open(proxy.url("nats")).await, &open(server.url()).await).await;
}

async fn pieces_of_a_websocket(server: Broker) {
    let proxy = Proxy::to_port(server.websocket_port());
    proxy.split(Direction::Both, 3);
    everything_works(&open(proxy.url("ws")).await, &open(server.url()).await).await;
}

#[tokio::test]
async fn pieces_of_tls() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls(&certs).start();
    let proxy = Proxy::to_port(server.port());
    proxy.split(Direction::Both, 5);
    let hub = builder(proxy.url("tls")).ca_file(&certs.ca).connect().await.unwrap();
    let peer = builder(server.tls_url()).ca_file(&certs.ca).connect().await.unwrap();
    everything_works(&hub, &peer).await;
}

/// Much that comes at once is as good as little by little.
async fn one_lump(server: Broker) {
    let proxy = Proxy::to_port(server.port());
    let hub = builder(proxy.url("nats"))
        .with_numbers(|n| n.ping_interval_ms = 20_000)
        .connect()
        .await
        .unwrap();
    let peer = open(server.url()).await;
    let mut events = hub.var("n").unwrap().subscribe().pending_messages(5_000).await.unwrap();
    proxy.hold(Direction::ToClient);
    for n in 0..2_000 {
        peer.var("n").unwrap().publish(&json!(n)).unwrap();
    }
    peer.flush(None).await.unwrap();
    proxy.flow(Direction::ToClient);
    for n in 0..2_000 {
        let message = soon("an event", futures_util::StreamExt::next(&mut events)).await.unwrap();
        assert_eq!(message.data(), json!(n));
    }
}
