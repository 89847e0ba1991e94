//! Handlers: their order, their failures, what they may call, and their end.
use crate::{Seen, open, pair, soon};
use posthouse::{Answer, Code, Error, Headers, Message, SubscriptionPhase, Value, json};
use posthouse_testkit::{NatsServer, until_async};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;

#[tokio::test]
async fn one_after_the_other_and_different_ones_side_by_side() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen, both) = (Seen::default(), Arc::new(tokio::sync::Barrier::new(2)));
    let serial = b.var("serial").unwrap().subscribe().handler({
        let (running, most, seen) = (Arc::clone(&running), Arc::clone(&most), seen.clone());
        move |message| {
            let (running, most, seen) = (Arc::clone(&running), Arc::clone(&most), seen.clone());
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                seen.note(message.data());
            }
        }
    });
    let _serial = serial.await.unwrap();
    let mut side = Vec::new();
    for name in ["left", "right"] {
        let both = Arc::clone(&both);
        let listener = b.var(name).unwrap().subscribe().handler(move |_| {
            let both = Arc::clone(&both);
            // Each waits for the other: one after the other they would wait for ever.
            async move {
                both.wait().await;
            }
        });
        side.push(listener.await.unwrap());
    }
    for n in 0..100 {
        a.var("serial").unwrap().publish(&json!(n)).unwrap();
    }
    a.var("left").unwrap().publish(&json!(1)).unwrap();
    a.var("right").unwrap().publish(&json!(1)).unwrap();
    seen.wait_for(100).await;
    assert_eq!(seen.all(), (0..100).map(|n| json!(n)).collect::<Vec<_>>());
    assert_eq!(most.load(Ordering::SeqCst), 1);
    until_async("both are done", || {
        side.iter().all(|listener| listener.status().unwrap().pending_messages == 0)
    })
    .await;
}

#[tokio::test]
async fn errors_and_panics_end_only_their_message() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let _handle = b
        .var("x")
        .unwrap()
        .handle(|request| async move {
            match request.data().as_str() {
                Some("error") => Err("told to fail".to_owned()),
                Some("panic") => panic!("told to panic"),
                _ => Ok(request.data()),
            }
        })
        .await
        .unwrap();
    // One that fails before it has even made its future.
    let _listener = b
        .var("y")
        .unwrap()
        .subscribe()
        .handler(|message| {
            assert!(message.data() != json!("panic"), "told to panic early");
            async {}
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    for (wrong, told) in [("error", "told to fail"), ("panic", "told to panic")] {
        let error = x.request(&wrong).timeout(Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(error.code(), Code::Timeout);
        let report = b.status().unwrap().last_error.unwrap();
        assert_eq!(report.code, "HANDLER_ERROR");
        assert!(report.message.contains(told), "{}", report.message);
        assert_eq!(x.request(&json!(1)).await.unwrap(), json!(1));
    }
    a.var("y").unwrap().publish(&json!("panic")).unwrap();
    until_async("it is reported", || {
        b.status().unwrap().last_error.unwrap().message.contains("told to panic early")
    })
    .await;
    assert_eq!(b.status().unwrap().messaging.unwrap().pending_messages, 0);
}

#[tokio::test]
async fn a_handler_may_call_anything_but_drain() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let _echo = a
        .var("echo")
        .unwrap()
        .handle(|request| async move { Ok::<Value, Error>(request.data()) })
        .await
        .unwrap();
    let results = Seen::default();
    let other = b.var("other").unwrap().subscribe().handler(|_| async {}).await.unwrap();
    let own = Arc::new(Mutex::new(None::<Arc<posthouse::Listener>>));
    let listener = b
        .var("go")
        .unwrap()
        .subscribe()
        .handler({
            let (hub, results, own) = (b.clone(), results.clone(), Arc::clone(&own));
            let other = Arc::new(other);
            move |_| {
                let (hub, results) = (hub.clone(), results.clone());
                let (own, other) = (own.lock().unwrap().clone(), Arc::clone(&other));
                async move {
                    let code = |result: posthouse::Result<()>| match result {
                        Ok(()) => json!("ok"),
                        Err(error) => json!(error.code().as_str()),
                    };
                    let own = own.expect("it is there before the message");
                    results.note(code(hub.drain(None).await));
                    results.note(code(own.drain(None).await));
                    results.note(code(other.drain(None).await));
                    results.note(code(hub.flush(None).await));
                    results.note(code(hub.connected(None).await));
                    results.note(hub.var("echo").unwrap().request(&json!("echo")).await.unwrap());
                    results.note(code(hub.var("more").unwrap().publish(&json!(1))));
                    let more = hub.var("more").unwrap().subscribe().await;
                    results.note(code(more.map(drop)));
                    results.note(code(hub.close().await));
                }
            }
        })
        .await
        .unwrap();
    *own.lock().unwrap() = Some(Arc::new(listener));
    a.var("go").unwrap().publish(&json!(1)).unwrap();
    results.wait_for(9).await;
    let refused = json!("DRAIN_IN_HANDLER");
    let expected = json!([refused, refused, "ok", "ok", "ok", "echo", "ok", "ok", "ok"]);
    assert_eq!(json!(results.all()), expected);
    soon(b.close()).await.unwrap();
}

#[tokio::test]
async fn a_drain_in_a_watch_callback_is_refused() {
    let server = NatsServer::start();
    let hub = open(&server).await;
    let seen = Seen::default();
    let (noted, inner) = (seen.clone(), hub.clone());
    let x = hub.var("x").unwrap();
    x.set(&json!(1)).unwrap();
    let _guard = x.watch().unwrap().each(move |_| {
        use futures_util::FutureExt as _;
        let result = inner.drain(None).now_or_never().expect("refused at once");
        noted.note(json!(result.unwrap_err().code().as_str()));
    });
    seen.wait_for(1).await;
    assert_eq!(seen.all()[0], json!("DRAIN_IN_HANDLER"));
}

#[tokio::test]
async fn replies_while_the_handler_runs_and_not_after() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let kept: Arc<Mutex<Option<Message>>> = Arc::default();
    let no_reply = Seen::default();
    let _listener = b
        .var("x")
        .unwrap()
        .subscribe()
        .handler({
            let (kept, no_reply) = (Arc::clone(&kept), no_reply.clone());
            move |message| {
                let (kept, no_reply) = (Arc::clone(&kept), no_reply.clone());
                async move {
                    if message.is_request() {
                        let mut headers = Headers::new();
                        headers.append("n", "2").unwrap();
                        message.reply(&json!(1)).unwrap();
                        message.reply_with(&json!(2), &headers).unwrap();
                        message.reply_as(&(3, "three"), None).unwrap();
                    } else {
                        let error = message.reply(&json!(1)).unwrap_err();
                        no_reply.note(json!(error.code().as_str()));
                    }
                    *kept.lock().unwrap() = Some(message);
                }
            }
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    let many = x.request_many(&json!(null)).max_replies(3).detailed().await.unwrap();
    let data: Vec<&Value> = many.replies.iter().map(|reply| &reply.data).collect();
    assert_eq!(data, [&json!(1), &json!(2), &json!([3, "three"])]);
    assert_eq!(many.replies[1].headers.get("N"), Some("2"));
    until_async("the handler has ended", || {
        b.status().unwrap().messaging.unwrap().pending_messages == 0
    })
    .await;
    let message = kept.lock().unwrap().take().expect("a message");
    assert_eq!(message.reply(&json!("late")).unwrap_err().code(), Code::Closed);
    x.publish(&json!(1)).unwrap();
    no_reply.wait_for(1).await;
    assert_eq!(no_reply.all(), [json!("NO_REPLY_SUBJECT")]);
}

/// A context that outlives its connection cannot send.
#[tokio::test]
async fn no_reply_over_another_connection() {
    let mut server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let (begun, free, seen) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Seen::default());
    let _listener = b
        .var("x")
        .unwrap()
        .subscribe()
        .handler({
            let (begun, free, seen) = (Arc::clone(&begun), Arc::clone(&free), seen.clone());
            move |message| {
                let (begun, free, seen) = (Arc::clone(&begun), Arc::clone(&free), seen.clone());
                async move {
                    begun.notify_one();
                    free.notified().await;
                    let error = message.reply(&json!("late")).unwrap_err();
                    seen.note(json!(error.code().as_str()));
                }
            }
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    let request = tokio::spawn(async move { x.request(&json!(1)).await });
    soon(begun.notified()).await;
    server.restart();
    assert_eq!(soon(request).await.unwrap().unwrap_err().code(), Code::Disconnected);
    until_async("it is connected again", || b.status().unwrap().reconnects == 1).await;
    free.notify_one();
    seen.wait_for(1).await;
    assert_eq!(seen.all(), [json!("DISCONNECTED")]);
}

#[tokio::test]
async fn handles_take_requests_only_and_any_answer() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let _null = b
        .var("null")
        .unwrap()
        .handle(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            async { Ok::<(), Error>(()) }
        })
        .await
        .unwrap();
    let _typed = b
        .var("typed")
        .unwrap()
        .handle(|request| async move {
            let (n, word): (u32, String) = request.data_as()?;
            let mut headers = Headers::new();
            headers.append("X-Word", &word)?;
            Ok::<_, Error>(Answer::new((n + 1, word)).with_headers(headers))
        })
        .await
        .unwrap();
    let null = a.var("null").unwrap();
    null.publish(&json!("an event passes it by")).unwrap();
    assert_eq!(null.request(&json!(null)).await.unwrap(), Value::Null);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let typed = a.var("typed").unwrap();
    let reply = typed.req_as::<(u32, String), _>(&(1, "one")).detailed().await.unwrap();
    assert_eq!(reply.data, (2, "one".to_owned()));
    assert_eq!(reply.headers.get("x-word"), Some("one"));
    // A request whose data is of another type fails in the handler.
    let wrong = typed.request(&json!("no pair")).timeout(Duration::from_millis(200)).await;
    assert_eq!(wrong.unwrap_err().code(), Code::Timeout);
}

#[tokio::test]
async fn dropped_ended_and_detached() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let subscribed = |server: &NatsServer| {
        server.subscriptions().iter().filter(|s| s.starts_with("_msg.")).count()
    };
    let seen = Seen::default();
    let listen = |name: &str| {
        let (var, seen) = (b.var(name).unwrap(), seen.clone());
        async move {
            let handler = move |message: Message| {
                seen.note(json!([message.topic(), message.data()]));
                async {}
            };
            var.subscribe().handler(handler).await.unwrap()
        }
    };
    let (one, two, three) = (listen("one").await, listen("two").await, listen("three").await);
    assert_eq!(subscribed(&server), 3);
    drop(one);
    until_async("it is taken back", || subscribed(&server) == 2).await;
    two.unsubscribe().unwrap();
    until_async("it is taken back", || subscribed(&server) == 1).await;
    assert_eq!(two.status().unwrap().phase, SubscriptionPhase::Ended);
    two.unsubscribe().unwrap();
    three.detach();
    for name in ["one", "two", "three"] {
        a.var(name).unwrap().publish(&json!(1)).unwrap();
    }
    seen.wait_for(1).await;
    a.flush(None).await.unwrap();
    assert_eq!(seen.all(), [json!(["three", 1])]);
    // A detached handler keeps the hub open; closing ends it.
    let closing = b.clone();
    drop((b, two));
    a.var("three").unwrap().publish(&json!(2)).unwrap();
    seen.wait_for(2).await;
    closing.close().await.unwrap();
    until_async("it is taken back", || subscribed(&server) == 0).await;
}

#[tokio::test]
async fn unsubscribe_discards_what_waits_and_lets_the_handler_finish() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let (free, begun) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let finished = Arc::new(AtomicBool::new(false));
    let listener = b
        .var("x")
        .unwrap()
        .subscribe()
        .handler({
            let (free, begun, finished) =
                (Arc::clone(&free), Arc::clone(&begun), Arc::clone(&finished));
            move |_| {
                let (free, finished) = (Arc::clone(&free), Arc::clone(&finished));
                begun.fetch_add(1, Ordering::SeqCst);
                async move {
                    free.notified().await;
                    finished.store(true, Ordering::SeqCst);
                }
            }
        })
        .await
        .unwrap();
    for n in 0..10 {
        a.var("x").unwrap().publish(&json!(n)).unwrap();
    }
    until_async("all have come", || {
        listener.status().unwrap().pending_messages == 10 && begun.load(Ordering::SeqCst) == 1
    })
    .await;
    listener.unsubscribe().unwrap();
    free.notify_one();
    until_async("the one that ran has finished", || finished.load(Ordering::SeqCst)).await;
    until_async("nothing is left", || b.status().unwrap().messaging.unwrap().pending_messages == 0)
        .await;
    assert_eq!(begun.load(Ordering::SeqCst), 1);
}

/// R34: a hub's drain ends after the last handler and its answer.
#[tokio::test]
async fn drain_finishes_what_was_accepted() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let seen = Seen::default();
    let noted = seen.clone();
    let _listener = b
        .var("event")
        .unwrap()
        .subscribe()
        .handler(move |message| {
            let noted = noted.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                noted.note(message.data());
            }
        })
        .await
        .unwrap();
    let handle = b
        .var("ask")
        .unwrap()
        .handle(|request| async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok::<Value, Error>(request.data())
        })
        .await
        .unwrap();
    let requests: Vec<_> = (0..10)
        .map(|n| {
            let ask = a.var("ask").unwrap();
            tokio::spawn(async move { ask.request(&json!(n)).await })
        })
        .collect();
    for n in 0..10 {
        a.var("event").unwrap().publish(&json!(n)).unwrap();
    }
    a.flush(None).await.unwrap();
    until_async("all have come", || {
        seen.all().len() + handle.status().unwrap().pending_messages >= 10
    })
    .await;
    soon(b.drain(None)).await.unwrap();
    assert_eq!(seen.all().len(), 10);
    for (n, request) in requests.into_iter().enumerate() {
        assert_eq!(soon(request).await.unwrap().unwrap(), json!(n));
    }
    assert_eq!(server.connections().len(), 1);
}

/// R35: a drain that takes too long says so, and leaves nothing behind.
#[tokio::test]
async fn drain_past_its_time() {
    let server = NatsServer::start();
    let (a, b) = pair(&server).await;
    let late = Seen::default();
    let noted = late.clone();
    let begun = Arc::new(Notify::new());
    let (told, free) = (Arc::clone(&begun), Arc::new(Notify::new()));
    let waits = Arc::clone(&free);
    let _handle = b
        .var("x")
        .unwrap()
        .handle(move |request| {
            let (noted, told, waits) = (noted.clone(), Arc::clone(&told), Arc::clone(&waits));
            async move {
                told.notify_one();
                waits.notified().await;
                noted.note(request.data());
                Ok::<Value, Error>(json!("late"))
            }
        })
        .await
        .unwrap();
    let x = a.var("x").unwrap();
    let request =
        tokio::spawn(async move { x.request(&json!(1)).timeout(Duration::from_secs(1)).await });
    soon(begun.notified()).await;
    let error = soon(b.drain(Duration::from_millis(200))).await.unwrap_err();
    assert_eq!(error.code(), Code::DrainTimeout);
    soon(b.close()).await.unwrap();
    until_async("the connection is gone", || server.connections().len() == 1).await;
    free.notify_one();
    late.wait_for(1).await;
    assert_eq!(soon(request).await.unwrap().unwrap_err().code(), Code::Timeout);
}
