//! A link whose bytes vanish without an end of stream: a router that forgot us, a pulled cable.
use posthouse::{Code, json};
use posthouse_faults::{Broker, Seen, lost, on_each_broker, open, reconnected, watchful};
use posthouse_testkit::{Direction, NatsServer, Proxy};
use std::time::Duration;

on_each_broker!(at_1_hz, at_1_khz, only_what_the_server_says_is_lost, a_frozen_server,);

/// Publishing at this pace while the link is dead: what is written proves nothing.
async fn notices(server: Broker, direction: Direction, pause: Duration) {
    let proxy = Proxy::to_port(server.port());
    // An attempt to connect whose bytes were swallowed, too, has to be given up first.
    let hub = watchful(proxy.url("nats")).timeout(Duration::from_secs(2));
    let hub = hub.connect().await.unwrap();
    let peer = open(server.url()).await;
    let seen = Seen::default();
    seen.subscribe(&peer, "tick").await;
    let tick = hub.var("tick").unwrap();
    let publishing = tokio::spawn(async move {
        let mut accepted = 0;
        loop {
            match tick.publish(&json!(accepted)) {
                Ok(()) => accepted += 1,
                Err(error) => return error,
            }
            tokio::time::sleep(pause).await;
        }
    });
    seen.wait_for(2).await;
    proxy.swallow(direction);
    lost(&hub).await;
    let error = posthouse_faults::soon("the refusal", publishing).await.unwrap();
    assert_eq!(error.code(), Code::Disconnected);
    proxy.flow(direction);
    reconnected(&hub, 1).await;
    let count = seen.count();
    hub.var("tick").unwrap().publish(&json!("again")).unwrap();
    seen.wait_for(count + 1).await;
    assert_eq!(seen.all().last(), Some(&json!("again")));
}

async fn at_1_hz(server: Broker) {
    notices(server, Direction::Both, Duration::from_secs(1)).await;
}

async fn at_1_khz(server: Broker) {
    notices(server, Direction::Both, Duration::from_millis(1)).await;
}

async fn only_what_the_server_says_is_lost(server: Broker) {
    notices(server, Direction::ToClient, Duration::from_millis(1)).await;
}

/// A server that is alive to the kernel only.
async fn a_frozen_server(server: Broker) {
    let hub = watchful(server.url()).connect().await.unwrap();
    server.freeze();
    lost(&hub).await;
    server.thaw();
    reconnected(&hub, 1).await;
}

/// A server that greets and then never answers does not hold up the search for another.
#[tokio::test]
async fn silence_after_the_greeting_is_an_attempt_that_failed() {
    let fake = posthouse_testkit::FakeServer::start().await;
    let server = NatsServer::start();
    let hub = watchful(fake.url()).servers([fake.url(), server.url()]).open().unwrap();
    let mut silent = fake.accept().await;
    silent.send(fake.info("")).await;
    silent.expect_line("CONNECT ").await;
    posthouse_faults::soon("the other server", hub.connected(None)).await.unwrap();
    assert_eq!(posthouse_faults::status(&hub).server, Some(server.url()));
    silent.expect_end().await;
}
