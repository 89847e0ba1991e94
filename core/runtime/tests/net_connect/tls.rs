//! TLS: when it comes, whom it trusts, and that nothing goes on without it where it is due.

use super::*;
use posthouse::net::io_error;
use posthouse_testkit::{Binary, Certs, FakeServer, NatsServer, Proxy};

fn with_client(certs: &Certs) -> TlsOptions {
    TlsOptions {
        cert_file: Some(certs.client.cert.clone()),
        key_file: Some(certs.client.key.clone()),
        ..trusting(&certs.ca)
    }
}

fn first(options: TlsOptions) -> TlsOptions {
    TlsOptions { handshake_first: true, ..options }
}

#[tokio::test]
async fn upgrade_after_info() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls(&certs).token("t").start();
    let trusted = tls(trusting(&certs.ca));
    let auth = AuthOptions { token: Some("t".into()), ..nobody() };
    let plain = format!("nats://localhost:{}", server.port());
    for url in [server.tls_url(), plain, format!("tls://127.0.0.1:{}", server.port())] {
        works(&url, &trusted, &auth).await;
    }
    let mut connection = reach(&server.tls_url(), &trusted, &auth).await;
    assert!(connection.connect.tls_required);
    echo(&mut connection, 300_000).await;
}

#[tokio::test]
async fn any_split_of_the_bytes_gives_the_same() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls(&certs).start();
    let proxy = Proxy::to_port(server.port());
    proxy.split(posthouse_testkit::Direction::Both, 1);
    proxy.record();
    works(&format!("nats://localhost:{}", proxy.port()), &tls(trusting(&certs.ca)), &nobody())
        .await;
    let sent = proxy.seen(posthouse_testkit::Direction::ToServer);
    assert_eq!(sent.first(), Some(&0x16), "the first byte sent begins a TLS handshake");
}

#[tokio::test]
async fn the_certificate_has_to_fit() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls_as(&certs.other_host, &certs).start();
    let trusted = tls(trusting(&certs.ca));
    let error = fails(&server.tls_url(), &trusted, &nobody(), Code::InvalidServer).await;
    assert!(error.message().contains("another host"), "{error}");

    let server = NatsServer::builder().tls(&certs).start();
    let stranger = Certs::generate();
    let error =
        fails(&server.tls_url(), &tls(trusting(&stranger.ca)), &nobody(), Code::InvalidServer)
            .await;
    assert!(error.message().contains("tls.ca_file"), "{error}");
}

#[tokio::test]
async fn client_certificates() {
    let certs = Certs::generate();
    let server = NatsServer::builder().mutual_tls(&certs).start();
    works(&server.tls_url(), &tls(with_client(&certs)), &nobody()).await;
    let error =
        fails(&server.tls_url(), &tls(trusting(&certs.ca)), &nobody(), Code::AuthFailed).await;
    assert!(error.message().contains("tls.cert_file"), "{error}");
    let stranger = Certs::generate();
    let wrong = TlsOptions { ca_file: Some(certs.ca.clone()), ..with_client(&stranger) };
    fails(&server.tls_url(), &tls(wrong), &nobody(), Code::AuthFailed).await;
}

#[tokio::test]
async fn tls_before_info() {
    if !Binary::Current.available() {
        return;
    }
    let certs = Certs::generate();
    let server =
        NatsServer::builder().binary(Binary::Current).mutual_tls(&certs).tls_first().start();
    let mut connection =
        reach(&server.tls_url(), &tls(first(with_client(&certs))), &nobody()).await;
    echo(&mut connection, 100_000).await;
    let nats = format!("nats://localhost:{}", server.port());
    works(&nats, &tls(first(with_client(&certs))), &nobody()).await;
    // Without the option both sides wait for each other; the error says what to look at.
    let short = Duration::from_millis(300);
    let error = establish(&at(&nats), &tls(with_client(&certs)), &nobody(), short)
        .await
        .expect_err("silence");
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("handshake_first"), "{error}");
}

#[tokio::test]
async fn tls_first_at_a_server_that_greets_first() {
    let certs = Certs::generate();
    let server = NatsServer::builder().tls(&certs).start();
    let options = tls(first(trusting(&certs.ca)));
    let error = fails(&server.tls_url(), &options, &nobody(), Code::InvalidServer).await;
    assert!(error.message().contains("handshake_first"), "{error}");
}

#[tokio::test]
async fn tls_asked_for_is_never_passed_over() {
    let certs = Certs::generate();
    let server = NatsServer::builder().websocket().start();
    let proxy = Proxy::to_port(server.port());
    proxy.record();
    let plain = format!("nats://127.0.0.1:{}", proxy.port());
    for (url, options) in [
        (format!("tls://127.0.0.1:{}", proxy.port()), TlsOptions::default()),
        (plain.clone(), trusting(&certs.ca)),
    ] {
        let auth = AuthOptions { token: Some("hunter2".into()), ..nobody() };
        let error = fails(&url, &tls(options), &auth, Code::InvalidServer).await;
        assert!(error.message().contains("offers no TLS"), "{error}");
    }
    // A TLS hello is answered by the end of the connection; that the server did not take it for
    // anything else is what counts.
    assert!(try_all(&plain, &tls(first(trusting(&certs.ca))), &nobody()).await.is_err());
    let sent = proxy.seen(posthouse_testkit::Direction::ToServer);
    assert!(!sent.windows(7).any(|w| w == b"hunter2" || w == b"CONNECT"));
    let ws =
        fails(&server.ws_url(), &tls(trusting(&certs.ca)), &nobody(), Code::InvalidServer).await;
    assert!(ws.message().contains("wss://"), "{ws}");
}

#[tokio::test]
async fn a_server_that_required_tls_cannot_take_it_back() {
    let certs = Certs::generate();
    let secure = NatsServer::builder().tls(&certs).start();
    let plain = NatsServer::start();
    let proxy = Proxy::to_port(secure.port());
    let url = format!("nats://localhost:{}", proxy.port());
    // No TLS option at all would mean the system's roots, which do not know the test's authority;
    // what is remembered is remembered before the certificate is looked at.
    let cache = no_tls();
    fails(&url, &cache, &nobody(), Code::InvalidServer).await;
    proxy.retarget(format!("127.0.0.1:{}", plain.port()));
    let error = fails(&url, &cache, &nobody(), Code::InvalidServer).await;
    assert!(error.message().contains("required it before"), "{error}");
    works(&url, &no_tls(), &nobody()).await;
}

#[tokio::test]
async fn nothing_unencrypted_may_follow_info() {
    let certs = Certs::generate();
    let server = FakeServer::start().await;
    let url = server.url();
    let options = tls(trusting(&certs.ca));
    let client = tokio::spawn(async move { try_all(&url, &options, &nobody()).await });
    let mut connection = server.accept().await;
    connection.send(server.info("\"tls_required\":true") + "MSG a 1 0\r\n\r\n").await;
    let error = client.await.expect("the client").expect_err("refused");
    assert_eq!(error.code(), Code::InvalidServer);
    assert!(error.message().contains("unencrypted"), "{error}");
    connection.expect_end().await;
    assert!(connection.seen().is_empty(), "nothing may be sent");
}

#[test]
fn errors_after_the_handshake_are_explained() {
    use std::io;
    let alert = tokio_rustls::rustls::Error::AlertReceived(
        tokio_rustls::rustls::AlertDescription::CertificateRequired,
    );
    let error = io_error("tls://h:1", &io::Error::new(io::ErrorKind::InvalidData, alert));
    assert_eq!(error.code(), Code::AuthFailed);
    let reset = io_error("tls://h:1", &io::ErrorKind::ConnectionReset.into());
    assert_eq!(reset.code(), Code::Disconnected);
}
