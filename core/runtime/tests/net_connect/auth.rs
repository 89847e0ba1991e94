//! Every way to say who we are.

use super::*;
use posthouse::net::Credential;
use posthouse_testkit::{Creds, NatsServer, NkeyUser};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn token(token: &str) -> AuthOptions {
    AuthOptions { token: Some(token.into()), ..nobody() }
}

fn user(user: &str, password: &str) -> AuthOptions {
    AuthOptions { user: Some(user.into()), password: Some(password.into()), ..nobody() }
}

fn nkey(seed: &str) -> AuthOptions {
    AuthOptions { nkey: Some(seed.into()), ..nobody() }
}

fn credentials(source: &str) -> AuthOptions {
    AuthOptions { credentials: Some(source.into()), ..nobody() }
}

#[tokio::test]
async fn nothing_asked() {
    let server = NatsServer::start();
    works(&server.url(), &no_tls(), &nobody()).await;
    // Credentials that nobody asks for do no harm.
    works(&server.url(), &no_tls(), &token("t")).await;
    works(&server.url(), &no_tls(), &nkey(&NkeyUser::generate().seed)).await;
    let mut connection = reach(&server.url(), &no_tls(), &nobody()).await;
    assert_eq!(connection.peer, format!("127.0.0.1:{}", server.port()));
    let info: serde_json::Value = serde_json::from_slice(&connection.info).expect("JSON");
    assert_eq!(info["server_name"], "test");
    echo(&mut connection, 500_000).await;
}

#[tokio::test]
async fn ipv6_loopback() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("skipped: this machine has no IPv6 loopback");
        return;
    }
    let server = NatsServer::builder().host("::1").start();
    works(&server.url(), &no_tls(), &nobody()).await;
}

#[tokio::test]
async fn tokens() {
    let server = NatsServer::builder().token("t%k/en:x").start();
    works(&server.url(), &no_tls(), &token("t%k/en:x")).await;
    works(&format!("nats://t%25k%2Fen%3Ax@127.0.0.1:{}", server.port()), &no_tls(), &nobody())
        .await;
    fails(&server.url(), &no_tls(), &nobody(), Code::AuthFailed).await;
    let error = fails(&server.url(), &no_tls(), &token("hunter2"), Code::AuthFailed).await;
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn users() {
    let server = NatsServer::builder().user("ann", "p@ss").user("bob", "x").start();
    works(&server.url(), &no_tls(), &user("ann", "p@ss")).await;
    let url = format!("nats://ann:p%40ss@127.0.0.1:{}", server.port());
    works(&url, &no_tls(), &nobody()).await;
    fails(&server.url(), &no_tls(), &user("ann", "x"), Code::AuthFailed).await;
    // The options win over the URL.
    fails(&url, &no_tls(), &user("ann", "x"), Code::AuthFailed).await;
}

#[tokio::test]
async fn nkeys() {
    let key = NkeyUser::generate();
    let server = NatsServer::builder().nkey(&key.public_key).start();
    works(&server.url(), &no_tls(), &nkey(&key.seed)).await;
    let stranger = NkeyUser::generate();
    fails(&server.url(), &no_tls(), &nkey(&stranger.seed), Code::AuthFailed).await;
    let error = fails(&server.url(), &no_tls(), &nkey(&key.seed[1..]), Code::InvalidOptions).await;
    assert!(!format!("{error:?}").contains(&key.seed[1..]));
}

#[tokio::test]
async fn credentials_files() {
    let creds = Creds::generate();
    let ann = creds.user("ann");
    let path = ann.file.to_str().expect("a path in UTF-8");
    let server = NatsServer::builder().creds(&creds).start();
    works(&server.url(), &no_tls(), &credentials(path)).await;
    let text = std::fs::read_to_string(&ann.file).expect("reading");
    works(&server.url(), &no_tls(), &credentials(&text)).await;
    let strangers = Creds::generate();
    let text = std::fs::read_to_string(strangers.user("ann").file).expect("reading");
    fails(&server.url(), &no_tls(), &credentials(&text), Code::AuthFailed).await;
    fails(&server.url(), &no_tls(), &credentials("/no/such.creds"), Code::InvalidOptions).await;
    // A server that knows no nkeys cannot check them.
    let other = NatsServer::builder().token("t").start();
    fails(&other.url(), &no_tls(), &credentials(path), Code::AuthFailed).await;
}

#[tokio::test]
async fn callbacks_are_asked_anew_at_every_attempt() {
    let server = NatsServer::builder().token("new").start();
    let asked = Arc::new(AtomicUsize::new(0));
    let auth = AuthOptions {
        token: Some(Credential::blocking({
            let asked = Arc::clone(&asked);
            move || Ok(["old", "new"][asked.fetch_add(1, Ordering::SeqCst).min(1)].to_owned())
        })),
        ..nobody()
    };
    fails(&server.url(), &no_tls(), &auth, Code::AuthFailed).await;
    works(&server.url(), &no_tls(), &auth).await;
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_rotated_file_is_read_anew_at_every_attempt() {
    let creds = Creds::generate();
    let server = NatsServer::builder().creds(&creds).start();
    let path = creds.dir().write("rotated.creds", "nothing yet");
    let auth = credentials(path.to_str().expect("a path in UTF-8"));
    fails(&server.url(), &no_tls(), &auth, Code::InvalidOptions).await;
    std::fs::copy(creds.user("ann").file, &path).expect("copying");
    works(&server.url(), &no_tls(), &auth).await;
}

#[tokio::test]
async fn a_callback_that_never_answers_ends_with_the_time() {
    let server = NatsServer::builder().token("t").start();
    let auth = AuthOptions {
        token: Some(Credential::Async(Arc::new(|| Box::pin(std::future::pending())))),
        ..nobody()
    };
    let error = establish(&at(&server.url()), &no_tls(), &auth, Duration::from_millis(100))
        .await
        .expect_err("no answer");
    assert_eq!(error.code(), Code::Timeout);
    assert!(error.message().contains("credentials"), "{error}");
}
