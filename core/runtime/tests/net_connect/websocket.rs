//! NATS in WebSocket frames.

use super::*;
use posthouse_testkit::{Binary, Certs, Direction, FakeServer, NatsServer, Proxy};

#[tokio::test]
async fn plain() {
    let server = NatsServer::builder().websocket().token("t").max_payload(4_000_000).start();
    let auth = AuthOptions { token: Some("t".into()), ..nobody() };
    works(&server.ws_url(), &no_tls(), &auth).await;
    works(&format!("ws://t@127.0.0.1:{}/", server.websocket_port()), &no_tls(), &nobody()).await;
    fails(&server.ws_url(), &no_tls(), &nobody(), Code::AuthFailed).await;
    let mut connection = reach(&server.ws_url(), &no_tls(), &auth).await;
    assert!(!connection.connect.tls_required);
    echo(&mut connection, 3_000_000).await;
}

#[tokio::test]
async fn encrypted() {
    let certs = Certs::generate();
    let server = NatsServer::builder().websocket_tls(&certs).start();
    let trusted = tls(trusting(&certs.ca));
    works(&server.wss_url(), &trusted, &nobody()).await;
    let mut connection = reach(&server.wss_url(), &trusted, &nobody()).await;
    assert!(connection.connect.tls_required);
    echo(&mut connection, 700_000).await;
    let stranger = Certs::generate();
    fails(&server.wss_url(), &tls(trusting(&stranger.ca)), &nobody(), Code::InvalidServer).await;
}

#[tokio::test]
async fn tls_on_one_port_only() {
    if !Binary::Current.available() {
        return;
    }
    // INFO speaks of the NATS port; what counts for a WebSocket is its own scheme.
    let certs = Certs::generate();
    let server = NatsServer::builder().binary(Binary::Current).tls(&certs).websocket().start();
    works(&server.ws_url(), &no_tls(), &nobody()).await;
}

#[tokio::test]
async fn any_split_of_the_bytes_gives_the_same() {
    let server = NatsServer::builder().websocket().start();
    let proxy = Proxy::to_port(server.websocket_port());
    proxy.split(Direction::Both, 1);
    let mut connection = reach(&proxy.url("ws"), &no_tls(), &nobody()).await;
    echo(&mut connection, 2_000).await;
}

#[tokio::test]
async fn not_a_websocket() {
    let server = NatsServer::builder().websocket().start();
    // The NATS port answers INFO to everything.
    let url = format!("ws://127.0.0.1:{}", server.port());
    let error = fails(&url, &no_tls(), &nobody(), Code::InvalidServer).await;
    assert!(error.message().contains("does not speak WebSocket"), "{error}");
    // The monitoring port speaks HTTP but nothing of the kind.
    let url = format!("ws://127.0.0.1:{}/nothing", server.monitor_port());
    let error = fails(&url, &no_tls(), &nobody(), Code::InvalidServer).await;
    assert!(error.message().contains("404"), "{error}");
    // And a WebSocket port does not speak NATS by itself.
    let url = format!("nats://127.0.0.1:{}", server.websocket_port());
    let error = establish(&at(&url), &no_tls(), &nobody(), Duration::from_millis(300))
        .await
        .expect_err("an HTTP server waits to be asked");
    assert_eq!(error.code(), Code::Timeout, "{error}");
}

#[tokio::test]
async fn a_server_that_goes_during_the_upgrade() {
    let server = FakeServer::start().await;
    let url = format!("ws://127.0.0.1:{}", server.port());
    let client = tokio::spawn(async move { try_all(&url, &no_tls(), &nobody()).await });
    let mut connection = server.accept().await;
    connection.expect_line("GET / HTTP/1.1").await;
    connection.skip_to("").await;
    connection.close().await;
    let error = client.await.expect("the client").expect_err("closed");
    assert_eq!(error.code(), Code::Disconnected, "{error}");
}
