//! Opening and ending hubs: from many tasks, without tokio, many of them, and once they are closed.
use crate::{Seen, builder, open, pair, soon};
use posthouse::{Code, Connection, Error, Hub, Value, json};
use posthouse_testkit::{NatsServer, until_async};
use std::time::Duration;

/// The plainest executor there is: this thread sleeps until it is woken.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::park();
    }
}

/// Everything that a program does, driven by an executor that is not tokio's.
#[test]
fn any_executor_will_do() {
    let server = NatsServer::start();
    block_on(async {
        let hub = builder(&server).connect().await.unwrap();
        let seen = Seen::default();
        let noted = seen.clone();
        let _listener = hub
            .var("x")
            .unwrap()
            .subscribe()
            .handler(move |message| {
                noted.note(message.data());
                async {}
            })
            .await
            .unwrap();
        let _handle = hub
            .var("ask")
            .unwrap()
            .handle(|request| async move { Ok::<Value, Error>(request.data()) })
            .await
            .unwrap();
        let watched = Seen::default();
        let noted = watched.clone();
        let state = hub.var("state").unwrap();
        let _guard = state.watch().unwrap().each(move |change| {
            if let Some(value) = change.value() {
                noted.note(value);
            }
        });
        hub.var("x").unwrap().publish(&json!(1)).unwrap();
        assert_eq!(hub.var("ask").unwrap().request(&json!(2)).await.unwrap(), json!(2));
        state.set(&json!(3)).unwrap();
        hub.flush(None).await.unwrap();
        posthouse_testkit::until("all was seen", || {
            seen.all() == [json!(1)] && watched.all().last() == Some(&json!(3))
        });
        hub.ready().await.unwrap();
        hub.drain(None).await.unwrap();
        hub.close().await.unwrap();
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_from_many_tasks_at_once() {
    let server = NatsServer::start();
    let hub = builder(&server).open().unwrap();
    let _echo = {
        hub.connected(None).await.unwrap();
        hub.var("echo")
            .unwrap()
            .handle(|request| async move { Ok::<Value, Error>(request.data()) })
            .await
            .unwrap()
    };
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let hub = hub.clone();
            tokio::spawn(async move {
                hub.connected(None).await.unwrap();
                hub.ready().await.unwrap();
                hub.var(&format!("v{n}")).unwrap().set(&json!(n)).unwrap();
                assert_eq!(hub.var("echo").unwrap().request(&json!(n)).await.unwrap(), json!(n));
                hub.flush(None).await.unwrap();
            })
        })
        .collect();
    for task in tasks {
        soon(task).await.unwrap();
    }
    let ends: Vec<_> = (0..20)
        .map(|n| {
            let hub = hub.clone();
            tokio::spawn(async move {
                if n % 5 == 4 { hub.close().await } else { hub.drain(None).await }
            })
        })
        .collect();
    for end in ends {
        // A drain may find the hub closed by another task; nothing else may go wrong.
        match soon(end).await.unwrap() {
            Ok(()) => {}
            Err(error) => assert_eq!(error.code(), Code::Closed, "{error}"),
        }
    }
    assert_eq!(hub.state().unwrap(), Connection::Closed);
}

#[tokio::test]
async fn a_second_drain_joins_the_first() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let both = async { tokio::join!(b.drain(None), b.drain(Duration::from_millis(1))) };
    let (first, second) = soon(both).await;
    first.unwrap();
    second.unwrap();
    drop(a);
}

#[tokio::test]
async fn while_draining_and_after_the_end() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let free = std::sync::Arc::new(tokio::sync::Notify::new());
    let waits = std::sync::Arc::clone(&free);
    let _handle = b
        .var("x")
        .unwrap()
        .handle(move |_| {
            let waits = std::sync::Arc::clone(&waits);
            async move {
                waits.notified().await;
                Ok::<Value, Error>(json!("answered while draining"))
            }
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    let request = tokio::spawn(async move { x.request(&json!(1)).await });
    until_async("it runs", || b.status().unwrap().messaging.unwrap().in_flight_handlers == 1).await;
    let y = b.var("y").unwrap();
    let draining = b.clone();
    let drain = tokio::spawn(async move { draining.drain(None).await });
    until_async("it drains", || y.set(&json!(1)).is_err()).await;
    let code = |error: Error| error.code();
    assert_eq!(code(y.set(&json!(1)).unwrap_err()), Code::Draining);
    assert_eq!(code(y.delete().unwrap_err()), Code::Draining);
    assert_eq!(code(y.publish(&json!(1)).unwrap_err()), Code::Draining);
    assert_eq!(code(y.request(&json!(1)).await.unwrap_err()), Code::Draining);
    assert_eq!(code(y.subscribe().await.unwrap_err()), Code::Draining);
    assert_eq!(code(b.flush(None).await.unwrap_err()), Code::Draining);
    free.notify_one();
    let answer = soon(request).await.unwrap().unwrap();
    assert_eq!(answer, json!("answered while draining"));
    soon(drain).await.unwrap().unwrap();
    for result in [
        b.var("z").map(drop),
        y.set(&json!(1)),
        y.publish(&json!(1)),
        y.request(&json!(1)).await.map(drop),
        y.subscribe().await.map(drop),
        y.watch().map(drop),
        b.connected(None).await,
        b.ready().await,
        b.flush(None).await,
        b.drain(None).await,
    ] {
        assert_eq!(code(result.unwrap_err()), Code::Closed);
    }
    b.close().await.unwrap();
}

/// Offline a drain can confirm nothing: it ends at its time.
#[tokio::test]
async fn drain_offline() {
    let mut server = NatsServer::start();
    let hub = open(&server).await;
    server.kill();
    until_async("it is lost", || hub.state().unwrap() != Connection::Connected).await;
    hub.var("x").unwrap().set(&json!(1)).unwrap();
    let error = soon(hub.drain(Duration::from_millis(100))).await.unwrap_err();
    assert_eq!(error.code(), Code::DrainTimeout);
    soon(hub.close()).await.unwrap();
}

/// Variables written just before a drain are there for those who come later.
#[tokio::test]
async fn drain_flushes_variables() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    for n in 0..500 {
        b.var(&format!("v{n}")).unwrap().set(&json!(n)).unwrap();
    }
    soon(b.drain(None)).await.unwrap();
    a.flush(None).await.unwrap();
    assert_eq!(a.var("v499").unwrap().value().unwrap(), Some(json!(499)));
}

#[tokio::test]
async fn the_last_one_dropped_closes_it() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    let var = hub.var("x").unwrap();
    let watch = var.watch().unwrap();
    drop((hub, var));
    assert_eq!(server.connections().len(), 1);
    drop(watch);
    until_async("the connection is gone", || server.connections().is_empty()).await;
    // Also one that never connected.
    drop(Hub::builder("x").servers(["nats://127.0.0.1:1"]).open().unwrap());
}
