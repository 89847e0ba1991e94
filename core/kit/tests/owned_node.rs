//! The local node: owned by the first hub, released with it, taken over by the next.
mod common;

use common::*;
use posthouse_kit::{
    Connection, Dialect, Event, Given, Hub, HubSettings, Level, Next, Operation, SubscribeOptions,
    Wake,
};
use posthouse_testkit::{PATIENCE, until};
use std::net::{Ipv4Addr, TcpListener};

fn settings(port: u16) -> HubSettings {
    HubSettings::new(Dialect::C, "c", "c/11").namespace(Some("home")).local_port(port)
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn the_first_hub_is_the_node_and_the_next_takes_over() {
    let port = free_port();
    let first = Hub::open(settings(port), Wake::None).expect("a hub");
    connect(&first);
    assert_eq!(first.owned_node().map(|at| at.port()), Some(port));
    let told = |e: &Event| {
        matches!(e, Event::Log { level: Level::Info, code: None, message }
            if message.contains(&port.to_string()))
    };
    poll_until(&first, told);

    let second = Hub::open(settings(port), Wake::None).expect("a hub");
    connect(&second);
    assert_eq!(second.owned_node(), None);
    let messages = reader(&second, "x", &SubscribeOptions::default()).expect("subscribed");
    first.publish(first.var("x").expect("x"), b"1", None).expect("sent");
    assert!(matches!(messages.next(PATIENCE), Ok(Next::Item(_))));

    let drain = first.begin_waiting(Operation::Drain { timeout_ms: 20_000 }).expect("begun");
    finish(&drain).expect("drained");
    assert_eq!(first.owned_node(), None);
    until("the second hub is the node", || second.owned_node().is_some());
    connect(&second);
    until("the subscription is back", || {
        second.subscription_status(messages.sub()).is_ok_and(|status| status.ready)
    });
    flush(&second).expect("flushed");
    second.publish(second.var("x").expect("x"), b"2", None).expect("sent");
    loop {
        match messages.next(PATIENCE) {
            Ok(Next::Item(message)) if &*message.payload == b"2" => break,
            Ok(Next::Item(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    second.close().expect("closed");
    wait_gone(&second);
    // Gone means that the port is free again.
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("the port is free");
}

#[test]
fn a_hub_that_must_own_the_node_says_who_is_in_the_way() {
    let foreign = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = foreign.local_addr().expect("an address").port();
    let mut settings = settings(port);
    settings.set("node", Given::Flag(true)).expect("node");
    let hub = Hub::open(settings, Wake::None).expect("a hub");
    let connected = hub.begin_waiting(Operation::Connected { timeout_ms: Some(20_000) });
    let failure = finish(&connected.expect("begun")).expect_err("refused");
    assert_eq!(failure.error.code(), posthouse_kit::Code::InvalidServer);
    assert!(failure.error.message().contains(&port.to_string()), "{}", failure.error);
    assert_ne!(hub.connection(), Ok(Connection::Connected));
}
