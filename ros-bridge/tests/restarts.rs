//! Masters that go, come and are not there yet.
mod support;

use posthouse_ros_bridge::ros::{
    Advertise, Backend, Event, MasterState, Sample, Serve, Subscribe, Subscription,
};
use serde_json::json;
use support::{LONG, Roscore, base64, bytes, text, text_of, until};
use tokio::{sync::broadcast::Receiver, time::timeout};

async fn next(subscription: &Subscription) -> Sample {
    timeout(LONG, subscription.recv()).await.expect("a message in time").expect("an open node")
}

async fn event(events: &mut Receiver<Event>) -> Event {
    timeout(LONG, events.recv()).await.expect("an event in time").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_that_comes_later_is_waited_for() {
    let mut core = Roscore::absent();
    let node = core.node("ours").await;
    let mut events = node.events();
    assert_eq!(node.master(), MasterState::Awaited);
    let subscription = node.subscribe(Subscribe::new("in")).unwrap();
    let publisher = node.advertise(Advertise::new("out", "std_msgs/String")).unwrap();
    assert!(node.topics().await.unwrap_err().message.contains("start roscore"));
    tokio::task::block_in_place(|| core.run());
    assert_eq!(event(&mut events).await, Event::MasterFound { again: false });
    assert_eq!(node.master(), MasterState::Found);
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "advertise", "topic": "in", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "in" }));
    peer.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("first"))] }));
    assert_eq!(text_of(&next(&subscription).await.body), "first");
    peer.ask(&json!({ "do": "subscribe", "topic": "out", "kind": "std_msgs/String" }));
    until("a subscriber", || publisher.subscribers() == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_the_master_is_survived_both_ways() {
    let mut core = Roscore::start();
    let node = core.node("ours").await;
    let mut events = node.events();
    let subscription = node.subscribe(Subscribe::new("in")).unwrap();
    let publisher = node.advertise(Advertise::new("out", "std_msgs/String")).unwrap();
    let mut server = node.serve(Serve::new("flip", "std_srvs/SetBool")).unwrap();
    let served = tokio::spawn(async move {
        while let Some(request) = server.recv().await {
            request.respond(vec![1, 0, 0, 0, 0]);
        }
    });
    let mut old = core.peer("old");
    old.ask(&json!({ "do": "advertise", "topic": "in", "kind": "std_msgs/String" }));
    old.ask(&json!({ "do": "subscribe", "topic": "out", "kind": "std_msgs/String" }));
    old.ask(&json!({ "do": "connected", "topic": "in" }));
    until("a subscriber", || publisher.subscribers() == 1).await;
    while event(&mut events).await != (Event::MasterFound { again: false }) {}

    tokio::task::block_in_place(|| core.stop());
    assert_eq!(event(&mut events).await, Event::MasterLost);
    assert_eq!(node.master(), MasterState::Lost);
    // What is connected goes on without a master.
    old.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("while away"))] }));
    assert_eq!(text_of(&next(&subscription).await.body), "while away");
    publisher.publish(text("while away")).unwrap();
    let taken = old.ask(&json!({ "do": "take", "topic": "out", "count": 1 }));
    assert_eq!(text_of(&bytes(&taken[0])), "while away");

    tokio::task::block_in_place(|| core.run());
    assert_eq!(event(&mut events).await, Event::MasterFound { again: true });
    // The old peer does not make itself known again, but its connections stay, even when others come.
    let mut new = core.peer("new");
    new.ask(&json!({ "do": "advertise", "topic": "in", "kind": "std_msgs/String" }));
    new.ask(&json!({ "do": "subscribe", "topic": "out", "kind": "std_msgs/String" }));
    new.ask(&json!({ "do": "connected", "topic": "in" }));
    until("two subscribers", || publisher.subscribers() == 2).await;
    new.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("new"))] }));
    assert_eq!(text_of(&next(&subscription).await.body), "new");
    old.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("old"))] }));
    assert_eq!(text_of(&next(&subscription).await.body), "old");
    publisher.publish(text("to both")).unwrap();
    for peer in [&mut old, &mut new] {
        let taken = peer.ask(&json!({ "do": "take", "topic": "out", "count": 1 }));
        assert_eq!(text_of(&bytes(&taken[0])), "to both");
    }
    let request = json!({ "do": "call", "service": "flip", "kind": "std_srvs/SetBool", "request": base64(&[1]) });
    assert_eq!(bytes(&new.ask(&request)[0]), [1, 0, 0, 0, 0]);
    drop(old);
    until("one publisher", || subscription.counts().publishers == 1).await;
    node.close(LONG).await.unwrap();
    served.await.unwrap();
    assert!(!core.state().contains("/ours"), "{}", core.state());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_replaced_between_two_looks_is_noticed() {
    let mut core = Roscore::start();
    let node = core.node("ours").await;
    let subscription = node.subscribe(Subscribe::new("in")).unwrap();
    until("registered", || core.state().contains("[\"/in\",[\"/ours\"]]")).await;
    for _ in 0..2 {
        tokio::task::block_in_place(|| {
            core.stop();
            core.run();
        });
        until("registered again", || core.state().contains("[\"/in\",[\"/ours\"]]")).await;
    }
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "advertise", "topic": "in", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "in" }));
    peer.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("hi"))] }));
    assert_eq!(text_of(&next(&subscription).await.body), "hi");
}
