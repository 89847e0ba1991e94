//! What the environment says where the program says nothing.
use crate::role::{Process, say};
use posthouse::Hub;
use posthouse_testkit::{Creds, NatsServer};
use std::time::Duration;

/// Opens a hub that is told nothing, or a server only.
pub async fn role() {
    let mut builder = Hub::builder("local").timeout(Duration::from_secs(5));
    if let Ok(url) = std::env::var("TEST_SERVER") {
        builder = builder.servers([url]);
    }
    match builder.connect().await {
        Ok(hub) => say(&hub.status().unwrap().server.unwrap()),
        Err(error) => say(error.code().as_str()),
    }
}

fn told(environment: &[(&str, &str)]) -> String {
    let mut process = Process::start("environment", environment);
    let said = process.hears();
    process.finish();
    said
}

#[test]
fn servers_and_credentials() {
    let open = NatsServer::start();
    let url = open.url();
    assert_eq!(told(&[("POSTHOUSE_SERVERS", &format!(" {url} ,, nats://127.0.0.1:1"))]), url);
    let guarded = NatsServer::builder().token("T0K3N").start();
    let url = guarded.url();
    assert_eq!(told(&[("POSTHOUSE_SERVERS", &url)]), "AUTH_FAILED");
    let token = ("POSTHOUSE_TOKEN", "T0K3N");
    assert_eq!(told(&[("POSTHOUSE_SERVERS", &url), token]), url);
    // What the program gives wins: its servers, and the credentials in their addresses.
    let wrong = ("POSTHOUSE_SERVERS", "nats://127.0.0.1:1");
    assert_eq!(told(&[wrong, token, ("TEST_SERVER", &url)]), url);
    let with = format!("nats://T0K3N@127.0.0.1:{}", guarded.port());
    assert_eq!(told(&[("TEST_SERVER", &with), ("POSTHOUSE_TOKEN", "other")]), url);
    let creds = Creds::generate();
    let server = NatsServer::builder().creds(&creds).start();
    let file = creds.user("ann").file;
    let file = file.to_str().expect("a path in UTF-8");
    let url = server.url();
    assert_eq!(told(&[("POSTHOUSE_SERVERS", &url), ("POSTHOUSE_CREDENTIALS", file)]), url);
}

#[test]
fn what_is_wrong_is_told() {
    assert_eq!(told(&[("POSTHOUSE_SERVERS", "http://x")]), "INVALID_SERVER");
    assert_eq!(told(&[("POSTHOUSE_LOCAL_PORT", "many")]), "INVALID_OPTIONS");
    // Empty is as good as absent.
    let port = crate::free_port().to_string();
    let local = told(&[("POSTHOUSE_SERVERS", ""), ("POSTHOUSE_LOCAL_PORT", &port)]);
    assert_eq!(local, format!("nats://127.0.0.1:{port}"));
}
