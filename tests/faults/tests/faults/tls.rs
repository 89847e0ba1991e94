//! TLS: every mode, and every mismatch of the two sides.
use posthouse::{Builder, Code, json};
use posthouse_faults::{Seen, builder, soon, status};
use posthouse_testkit::{Binary, Certs, FakeServer, NatsServer};

async fn works(builder: Builder) {
    let hub = builder.connect().await.unwrap();
    let seen = Seen::default();
    seen.subscribe(&hub, "x").await;
    let body = json!("x".repeat(60_000));
    for _ in 0..20 {
        hub.var("x").unwrap().publish(&body).unwrap();
    }
    seen.wait_for(20).await;
    hub.drain(None).await.unwrap();
}

async fn fails(builder: Builder, code: Code) {
    let hub = builder.open().unwrap();
    let error = soon("the refusal", hub.connected(None)).await.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(status(&hub).last_error.is_some());
}

#[tokio::test]
async fn upgrade_as_the_server_asks() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls(&certs).start();
    works(builder(server.tls_url()).ca_file(&certs.ca)).await;
    works(builder(format!("nats://localhost:{}", server.port())).ca_file(&certs.ca)).await;
    // Not our authority, and not this server's name.
    fails(builder(server.tls_url()), Code::InvalidServer).await;
    let other = NatsServer::builder().tls_as(&certs.other_host, &certs).start();
    fails(builder(other.tls_url()).ca_file(&certs.ca), Code::InvalidServer).await;
}

#[tokio::test]
async fn both_sides_show_certificates() {
    let certs = Certs::generate();
    let server = NatsServer::builder().mutual_tls(&certs).start();
    let with = |certs: &Certs| {
        builder(server.tls_url()).client_certificate(&certs.client.cert, &certs.client.key)
    };
    works(with(&certs).ca_file(&certs.ca)).await;
    fails(builder(server.tls_url()).ca_file(&certs.ca), Code::AuthFailed).await;
    fails(with(&Certs::generate()).ca_file(&certs.ca), Code::AuthFailed).await;
}

#[tokio::test]
async fn tls_before_the_first_word() {
    if !Binary::Current.available() {
        return;
    }
    let certs = Certs::generate();
    let server = NatsServer::builder().binary(Binary::Current).tls(&certs).tls_first().start();
    works(builder(server.tls_url()).ca_file(&certs.ca).tls_handshake_first(true)).await;
    // The server waits for TLS, we for INFO.
    let waiting = builder(server.tls_url())
        .ca_file(&certs.ca)
        .timeout(std::time::Duration::from_millis(400))
        .open()
        .unwrap();
    let error = waiting.connected(std::time::Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("handshake_first"), "{error}");
}

#[tokio::test]
async fn the_other_mismatches() {
    let certs = Certs::generate();
    let plain = NatsServer::start();
    // TLS is asked for and not to be had: nothing is sent in the clear.
    fails(builder(format!("tls://127.0.0.1:{}", plain.port())), Code::InvalidServer).await;
    fails(builder(plain.url()).ca_file(&certs.ca), Code::InvalidServer).await;
    let first = builder(plain.url()).ca_file(&certs.ca).tls_handshake_first(true);
    fails(first, Code::InvalidServer).await;
    // A server that requires TLS today and none tomorrow is not believed.
    let fake = FakeServer::start().await;
    let hub = builder(fake.url()).ca_file(&certs.ca).open().unwrap();
    let mut connection = fake.accept().await;
    connection.send(fake.info("")).await;
    connection.expect_end().await;
    assert!(!connection.seen().windows(7).any(|w| w == b"CONNECT"));
    hub.close().await.unwrap();
}

#[tokio::test]
async fn websockets() {
    let certs = Certs::generate();
    let plain = NatsServer::builder().websocket().start();
    works(builder(plain.ws_url())).await;
    let secure = NatsServer::builder().websocket_tls(&certs).start();
    works(builder(secure.wss_url()).ca_file(&certs.ca)).await;
    fails(builder(secure.wss_url()), Code::InvalidServer).await;
    // The wrong port: no WebSocket there.
    fails(builder(format!("ws://127.0.0.1:{}", plain.port())), Code::InvalidServer).await;
    // The other way round each waits for the other.
    let silent = builder(format!("nats://127.0.0.1:{}", plain.websocket_port()))
        .timeout(std::time::Duration::from_millis(400))
        .open()
        .unwrap();
    let error = silent.connected(std::time::Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("is it one?"), "{error}");
}
