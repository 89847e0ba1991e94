//! Variables, instances and the hub's status as streams and callbacks.
use crate::{Seen, open, pair, soon};
use futures_util::StreamExt as _;
use posthouse::{Connection, Presence, json};
use posthouse_testkit::{NatsServer, until_async};

#[tokio::test]
async fn a_watch_begins_with_the_state_and_gives_the_last() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let (x, y) = (a.var("x").unwrap(), b.var("x").unwrap());
    x.set(&json!(0)).unwrap();
    let mut watch = x.watch().unwrap();
    let first = soon(watch.next()).await.unwrap();
    assert_eq!(first.value(), Some(json!(0)));
    assert!(first.meta.initialized);
    let mut theirs = y.watch().unwrap().values();
    for n in 1..=500 {
        x.set(&json!(n)).unwrap();
    }
    // States in between may be passed over, and they never go back.
    let mut last = -1;
    while last < 500 {
        let value = soon(theirs.next()).await.unwrap().and_then(|v| v.as_i64()).unwrap_or(-1);
        assert!(value >= last, "{value} after {last}");
        last = value;
    }
    while soon(watch.next()).await.unwrap().meta.pending {}
    assert!(!x.meta().unwrap().pending);
    y.delete().unwrap();
    while soon(watch.next()).await.unwrap().value().is_some() {}
    assert_eq!(x.get(json!("fallback")).unwrap(), json!("fallback"));
    assert_eq!(x.meta().unwrap().exists, Some(false));
    // null is a value.
    x.set(&json!(null)).unwrap();
    assert_eq!(x.value().unwrap(), Some(json!(null)));
    assert_eq!(x.get(json!("fallback")).unwrap(), json!(null));
    a.close().await.unwrap();
    soon(async { while watch.next().await.is_some() {} }).await;
}

#[tokio::test]
async fn each_stops_with_its_guard() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    let x = hub.var("x").unwrap();
    let seen = Seen::default();
    let noted = seen.clone();
    x.set(&json!(1)).unwrap();
    let guard = x.watch().unwrap().each(move |change| noted.note(change.value().unwrap()));
    seen.wait_for(1).await;
    guard.stop();
    let count = seen.all().len();
    x.set(&json!(2)).unwrap();
    hub.flush(None).await.unwrap();
    let mut other = x.watch().unwrap();
    while soon(other.next()).await.unwrap().value() != Some(json!(2)) {}
    assert_eq!(seen.all().len(), count);
    // Dropped is stopped; a panic is reported and stops nothing.
    let noted = seen.clone();
    let guard = x.watch().unwrap().each(move |change| {
        noted.note(change.value().unwrap());
        panic!("told to");
    });
    seen.wait_for(count + 1).await;
    x.set(&json!(3)).unwrap();
    until_async("it goes on", || seen.all().last() == Some(&json!(3))).await;
    until_async("it is reported", || hub.status().unwrap().last_error.is_some()).await;
    assert_eq!(hub.status().unwrap().last_error.unwrap().code, "HANDLER_ERROR");
    drop(guard);
    until_async("the watches are gone", || hub.status().unwrap().subscriptions == 1).await;
}

#[tokio::test]
async fn ready_waits_until_it_is_known() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    a.var("there").unwrap().set(&json!(1)).unwrap();
    soon(a.ready()).await.unwrap();
    let c = open(&server).await;
    let (there, absent) = (c.var("there").unwrap(), c.var("absent").unwrap());
    soon(there.ready()).await.unwrap();
    soon(absent.ready()).await.unwrap();
    assert_eq!(there.value().unwrap(), Some(json!(1)));
    assert_eq!(absent.meta().unwrap().exists, Some(false));
    soon(b.ready()).await.unwrap();
}

#[tokio::test]
async fn instances_come_and_go() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let mut watch = a.instances().watch();
    let online = |list: &[posthouse::Instance], id: &str| {
        list.iter().any(|i| i.instance_id == id && i.state == Presence::Online)
    };
    loop {
        let list = soon(watch.next()).await.unwrap();
        if online(&list, a.instance_id()) && online(&list, b.instance_id()) {
            break;
        }
    }
    assert_eq!(a.instances().list().unwrap().len(), 2);
    assert_ne!(a.instance_id(), b.instance_id());
}

#[tokio::test]
async fn the_status_is_told_until_the_end() {
    let mut server = NatsServer::start();
    let hub = open(&server).await;
    let mut watch = hub.watch();
    assert_eq!(soon(watch.next()).await.unwrap().connection, Connection::Connected);
    server.kill();
    while soon(watch.next()).await.unwrap().connection != Connection::Offline {}
    server.restart();
    while soon(watch.next()).await.unwrap().connection != Connection::Connected {}
    let closing = hub.clone();
    let close = tokio::spawn(async move { closing.close().await });
    let mut last = None;
    while let Some(status) = soon(watch.next()).await {
        last = Some(status.connection);
    }
    assert_eq!(last, Some(Connection::Closed));
    close.await.unwrap().unwrap();
    // One that begins after the end tells that and ends.
    let mut late = hub.watch();
    assert_eq!(soon(late.next()).await.unwrap().connection, Connection::Closed);
    assert!(soon(late.next()).await.is_none());
}
