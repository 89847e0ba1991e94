//! Servers that are silent, gone, or something else.

use super::*;
use posthouse_testkit::{FakeServer, NatsServer, Proxy};

/// Connects to a fake server that does what `script` says with the one client.
async fn against<F>(script: impl FnOnce(FakeServer) -> F) -> Error
where
    F: Future<Output = ()>,
{
    let server = FakeServer::start().await;
    let url = server.url();
    let client = async { try_all(&url, &no_tls(), &nobody()).await };
    let (result, ()) = tokio::join!(client, script(server));
    result.expect_err("no NATS server, no connection")
}

#[tokio::test]
async fn nobody_listens() {
    let proxy = Proxy::to_port(1);
    proxy.refuse();
    let error = fails(&proxy.url("nats"), &no_tls(), &nobody(), Code::Disconnected).await;
    assert!(error.message().contains("nothing listens"), "{error}");
}

#[tokio::test]
async fn no_such_host() {
    let url = "nats://no-such-host.invalid:4222";
    fails(url, &no_tls(), &nobody(), Code::Disconnected).await;
}

#[tokio::test]
async fn silence() {
    let server = FakeServer::start().await;
    let endpoint = at(&server.url());
    let (tls, auth) = (no_tls(), nobody());
    let short = Duration::from_millis(100);
    let error = establish(&endpoint, &tls, &auth, short).await.expect_err("silence");
    assert_eq!(error.code(), Code::Timeout);
    // The client has let go of the connection.
    server.accept().await.expect_end().await;
}

#[tokio::test]
async fn silence_after_connect() {
    let server = FakeServer::start().await;
    let endpoint = at(&server.url());
    let (tls, auth) = (no_tls(), nobody());
    let client = probe(&endpoint, &tls, &auth, Duration::from_millis(300));
    let script = async {
        let mut connection = server.accept().await;
        connection.send(server.info("")).await;
        connection.expect_line("CONNECT ").await;
        connection.expect_line("PING").await;
        connection.expect_end().await;
    };
    let (result, ()) = tokio::join!(client, script);
    assert_eq!(result.expect_err("silence").code(), Code::Timeout);
}

#[tokio::test]
async fn a_frozen_server() {
    let server = NatsServer::start();
    server.freeze();
    let short = Duration::from_millis(100);
    let error = establish(&at(&server.url()), &no_tls(), &nobody(), short)
        .await
        .expect_err("the kernel accepts, nobody greets");
    assert_eq!(error.code(), Code::Timeout);
    server.thaw();
    works(&server.url(), &no_tls(), &nobody()).await;
}

#[tokio::test]
async fn strangers() {
    for (words, code) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], Code::InvalidServer),
        (b"220 mail.example ESMTP hunter2\r\n", Code::InvalidServer),
        (&[0, 1, 2, 3, 255, 254], Code::InvalidServer),
        (b"INFO hunter2\r\n", Code::InvalidServer),
        (b"INFO {\"tls_required\":\"hunter2\"}\r\n", Code::InvalidServer),
        (b"", Code::Disconnected),
        (b"INFO {\"server_id\":", Code::Disconnected),
    ] {
        let error = against(|server| async move {
            let mut connection = server.accept().await;
            connection.send(words).await;
            connection.close().await;
        })
        .await;
        assert_eq!(error.code(), code, "{error}");
        assert!(!error.message().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn an_info_without_end() {
    let error = against(|server| async move {
        let mut connection = server.accept().await;
        connection.send(b"INFO {\"x\":\"").await;
        connection.send(vec![b'x'; posthouse::net::MAX_INFO_BYTES]).await;
        connection.expect_end().await;
    })
    .await;
    assert_eq!(error.code(), Code::InvalidServer);
    assert_eq!(error.limit(), Some(posthouse::net::MAX_INFO_BYTES as u64));
}

#[tokio::test]
async fn a_reset() {
    let error = against(|server| async move {
        let mut connection = server.accept().await;
        connection.send(b"INFO {").await;
        connection.reset();
    })
    .await;
    assert_eq!(error.code(), Code::Disconnected);
}

#[tokio::test]
async fn a_full_server() {
    let server = NatsServer::builder().config("max_connections: 1").start();
    let mut holder = reach(&server.url(), &no_tls(), &nobody()).await;
    echo(&mut holder, 1).await;
    let error = fails(&server.url(), &no_tls(), &nobody(), Code::Disconnected).await;
    assert!(error.message().contains("maximum connections exceeded"), "{error}");
}

#[tokio::test]
async fn what_follows_info_is_kept() {
    let server = FakeServer::start().await;
    let endpoint = at(&server.url());
    let (tls, auth) = (no_tls(), nobody());
    let client = establish(&endpoint, &tls, &auth, LONG);
    let script = async {
        let mut connection = server.accept().await;
        connection.send(server.info("") + "PING\r\n").await;
        connection
    };
    let (result, _connection) = tokio::join!(client, script);
    let mut established = result.expect("a connection");
    while established.leftover.len() < 6 {
        established.stream.read_buf(&mut established.leftover).await.expect("reading");
    }
    assert_eq!(established.leftover, b"PING\r\n");
}
