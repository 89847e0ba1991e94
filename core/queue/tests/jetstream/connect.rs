//! Who may connect, and how.
use crate::bed::{message, take_one, terms};
use posthouse_queue::jetstream::{JetStream, JetStreamOptions, JetStreamTls};
use posthouse_queue::{Store as _, Trouble};
use posthouse_testkit::{Binary, Certs, NatsServer, NkeyUser};

fn options(url: &str) -> JetStreamOptions {
    JetStreamOptions::parse(url).unwrap()
}

async fn works(options: JetStreamOptions) {
    let store = JetStream::open(options).await.expect("connecting");
    let queue = store.queue("secured", terms()).await.unwrap();
    queue.send(vec![message("1")]).await.unwrap();
    take_one(&queue).await;
    assert!(!store.describe().contains("s3cret"), "{}", store.describe());
}

async fn refused(options: JetStreamOptions, trouble: Trouble) {
    let error = JetStream::open(options).await.expect_err("refused");
    assert_eq!(error.trouble(), trouble, "{error}");
    assert!(!error.words().contains("s3cret"), "{error}");
}

#[tokio::test]
async fn tokens_users_and_nkeys_open() {
    if !Binary::Current.available() {
        return;
    }
    let builder = || NatsServer::builder().binary(Binary::Current).jetstream();
    let server = builder().token("s3cret").start();
    works(JetStreamOptions { token: Some("s3cret".into()), ..options(&server.url()) }).await;
    works(options(&server.url().replace("//", "//s3cret@"))).await;
    refused(options(&server.url()), Trouble::Forbidden).await;
    let wrong = JetStreamOptions { token: Some("no s3cret".into()), ..options(&server.url()) };
    refused(wrong, Trouble::Forbidden).await;

    let server = builder().user("ann", "s3cret:@").start();
    let given = |password: &str| JetStreamOptions {
        user: Some("ann".into()),
        password: Some(password.into()),
        ..options(&server.url())
    };
    works(given("s3cret:@")).await;
    works(options(&server.url().replace("//", "//ann:s3cret%3A%40@"))).await;
    refused(given("other s3cret"), Trouble::Forbidden).await;

    let user = NkeyUser::generate();
    let server = builder().nkey(&user.public_key).start();
    works(JetStreamOptions { nkey: Some(user.seed.clone()), ..options(&server.url()) }).await;
    let other = NkeyUser::generate();
    let wrong = JetStreamOptions { nkey: Some(other.seed.clone()), ..options(&server.url()) };
    refused(wrong, Trouble::Forbidden).await;
}

#[tokio::test]
async fn encrypted_connections_open_and_no_others() {
    if !Binary::Current.available() {
        return;
    }
    let builder = || NatsServer::builder().binary(Binary::Current).jetstream();
    let certs = Certs::generate();
    let trusting = JetStreamTls { ca_file: Some(certs.ca.clone()), ..JetStreamTls::default() };
    let server = builder().tls(&certs).start();
    works(JetStreamOptions { tls: trusting.clone(), ..options(&server.tls_url()) }).await;
    // Not known to the system.
    refused(options(&server.tls_url()), Trouble::Unreachable).await;

    let server = builder().mutual_tls(&certs).start();
    let known = JetStreamTls {
        cert_file: Some(certs.client.cert.clone()),
        key_file: Some(certs.client.key.clone()),
        ..trusting.clone()
    };
    works(JetStreamOptions { tls: known, ..options(&server.tls_url()) }).await;
    assert!(
        JetStream::open(JetStreamOptions { tls: trusting.clone(), ..options(&server.tls_url()) })
            .await
            .is_err()
    );

    let server = builder().tls(&certs).tls_first().start();
    let first = JetStreamTls { handshake_first: true, ..trusting.clone() };
    works(JetStreamOptions { tls: first, ..options(&server.tls_url()) }).await;

    let server = builder().start();
    refused(JetStreamOptions { tls: trusting, ..options(&server.url()) }, Trouble::Unreachable)
        .await;
}

#[tokio::test]
async fn a_server_that_cannot_is_told_so() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).unwrap();
    refused(options(&format!("nats://{gone}")), Trouble::Unreachable).await;
    refused(options("ws://127.0.0.1:1"), Trouble::Other).await;
    if !Binary::Current.available() {
        return;
    }
    let server = NatsServer::builder().binary(Binary::Current).start();
    let given =
        JetStreamOptions { timeout: std::time::Duration::from_secs(1), ..options(&server.url()) };
    let store = JetStream::open(given).await.unwrap();
    let error = store.queue("q", terms()).await.err().expect("refused");
    assert!(error.words().contains("JetStream"), "{error}");
    // The first of several that answers is taken.
    let server = NatsServer::builder().binary(Binary::Current).jetstream().start();
    works(options(&format!("nats://{gone},{}", server.url()))).await;
}
