//! Topics between our node and rospy nodes on a real roscore.
mod support;

use posthouse_ros_bridge::ros::{Advertise, Backend, Code, Event, Sample, Subscribe, Subscription};
use serde_json::json;
use std::time::Duration;
use support::{LONG, Roscore, base64, bytes, text, text_of, until};
use tokio::time::timeout;

async fn next(subscription: &Subscription) -> Sample {
    timeout(LONG, subscription.recv()).await.expect("a message in time").expect("an open node")
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_go_both_ways() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");

    // From rospy, with and without a type.
    let kind = Some("std_msgs/String".to_owned());
    let typed = node.subscribe(Subscribe { kind, ..Subscribe::new("chatter") }).unwrap();
    let any = node.subscribe(Subscribe::new("/chatter")).unwrap();
    peer.ask(&json!({ "do": "advertise", "topic": "chatter", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "chatter" }));
    peer.ask(&json!({ "do": "send", "topic": "chatter", "bodies": [base64(&text("one")), base64(&text("zwei ü"))] }));
    for subscription in [&typed, &any] {
        let first = next(subscription).await;
        assert_eq!(text_of(&first.body), "one");
        assert_eq!((first.number, first.source.latching), (0, false));
        assert_eq!(first.source.node, "/theirs");
        assert_eq!(first.layout.name(), "std_msgs/String");
        assert_eq!(text_of(&next(subscription).await.body), "zwei ü");
        let counts = subscription.counts();
        assert_eq!((counts.received, counts.taken, counts.waiting, counts.dropped), (2, 2, 0, 0));
        assert_eq!(counts.publishers, 1);
    }

    // To rospy, typed and as any message.
    let publisher = node.advertise(Advertise::new("news", "std_msgs/String")).unwrap();
    peer.ask(&json!({ "do": "subscribe", "topic": "news", "kind": "std_msgs/String" }));
    until("a subscriber", || publisher.subscribers() == 1).await;
    publisher.publish(text("hello")).unwrap();
    let taken = peer.ask(&json!({ "do": "take", "topic": "news", "count": 1 }));
    assert_eq!(text_of(&bytes(&taken[0])), "hello");
    assert_eq!(publisher.counts().published, 1);

    // The graph.
    let topics = node.topics().await.unwrap();
    let news = topics.iter().find(|topic| topic.name == "/news").unwrap();
    assert_eq!(news.kind, "std_msgs/String");
    assert_eq!((&*news.publishers[0], &*news.subscribers[0]), ("/ours", "/theirs"));

    // A publisher that goes and comes back.
    peer.ask(&json!({ "do": "unadvertise", "topic": "chatter" }));
    until("no publisher", || typed.counts().publishers == 0).await;
    peer.ask(&json!({ "do": "advertise", "topic": "chatter", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "chatter" }));
    peer.ask(&json!({ "do": "send", "topic": "chatter", "bodies": [base64(&text("back"))] }));
    assert_eq!(text_of(&next(&typed).await.body), "back");

    // What is dropped is taken back, and a closed node leaves nothing behind.
    drop((typed, any));
    until("unsubscribed", || !core.state().contains("[\"/chatter\",[\"/ours\"]]")).await;
    node.close(LONG).await.unwrap();
    assert!(!core.state().contains("/ours"), "{}", core.state());
    assert_eq!(node.subscribe(Subscribe::new("/x")).err().unwrap().code, Code::Closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn latched_messages_reach_the_late_on_both_sides() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let (mut one, mut two) = (core.peer("one"), core.peer("two"));
    for (peer, word) in [(&mut one, "from one"), (&mut two, "from two")] {
        peer.ask(
            &json!({ "do": "advertise", "topic": "map", "kind": "std_msgs/String", "latch": true }),
        );
        peer.ask(&json!({ "do": "send", "topic": "map", "bodies": [base64(&text(word))] }));
    }
    let late = node.subscribe(Subscribe::new("/map")).unwrap();
    let mut words = Vec::new();
    for _ in 0..2 {
        let sample = next(&late).await;
        assert!(sample.source.latching && sample.number == 0);
        words.push((sample.source.node.clone(), text_of(&sample.body)));
    }
    words.sort();
    let wanted = [("/one", "from one"), ("/two", "from two")];
    assert_eq!(words, wanted.map(|(node, word)| (node.to_owned(), word.to_owned())));
    // A second subscription of the same node shares the connections and gets the kept ones, too.
    let later = node.subscribe(Subscribe::new("/map")).unwrap();
    for _ in 0..2 {
        next(&later).await;
    }

    let wanted = Advertise { latch: true, ..Advertise::new("state", "std_msgs/String") };
    let publisher = node.advertise(wanted).unwrap();
    publisher.publish(text("old")).unwrap();
    publisher.publish(text("kept")).unwrap();
    one.ask(&json!({ "do": "subscribe", "topic": "state", "kind": "*" }));
    let taken = one.ask(&json!({ "do": "take", "topic": "state", "count": 1 }));
    assert_eq!(text_of(&bytes(&taken[0])), "kept");
    two.ask(&json!({ "do": "subscribe", "topic": "state", "kind": "std_msgs/String" }));
    let header = two.ask(&json!({ "do": "header", "topic": "state" }));
    assert_eq!(header["latching"], "1");
    assert_eq!(header["callerid"], "/ours");
    assert_eq!(header["type"], "std_msgs/String");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_type_is_refused_on_both_sides_and_said() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "advertise", "topic": "number", "kind": "std_msgs/Int32" }));
    let kind = Some("std_msgs/String".to_owned());
    let wrong = node.subscribe(Subscribe { kind, ..Subscribe::new("number") }).unwrap();
    until("a refusal", || wrong.counts().refused > 0).await;
    let said = wrong.last_refusal().unwrap();
    assert!(said.contains("/number") && said.contains("do not match"), "{said}");
    // One that takes anything gets along with it.
    let any = node.subscribe(Subscribe::new("number")).unwrap();
    drop(wrong);
    peer.ask(&json!({ "do": "connected", "topic": "number" }));
    peer.ask(&json!({ "do": "send", "topic": "number", "bodies": [base64(&[7, 0, 0, 0])] }));
    assert_eq!(next(&any).await.body, [7, 0, 0, 0]);

    let error = node.advertise(Advertise::new("x", "no_such/Type")).err().unwrap();
    assert_eq!(error.code, Code::TypeUnknown);
    let first = node.advertise(Advertise::new("x", "std_msgs/Int32")).unwrap();
    let error = node.advertise(Advertise::new("x", "std_msgs/String")).err().unwrap();
    assert_eq!(error.code, Code::TypeMismatch);
    drop(first);
    node.advertise(Advertise::new("x", "std_msgs/String")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_loses_nothing_silently() {
    const COUNT: u64 = 200_000;
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");
    let wide =
        node.subscribe(Subscribe { queue: COUNT as usize, ..Subscribe::new("burst") }).unwrap();
    let narrow = node.subscribe(Subscribe { queue: 50, ..Subscribe::new("burst") }).unwrap();
    peer.ask(&json!({ "do": "advertise", "topic": "burst", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "burst" }));
    peer.ask(&json!({ "do": "burst", "topic": "burst", "count": COUNT }));
    until("all read", || wide.counts().received == COUNT).await;
    for number in 0..COUNT {
        assert_eq!(text_of(&wide.try_recv().unwrap().body), number.to_string());
    }
    assert_eq!(wide.counts().taken, COUNT);
    let counts = narrow.counts();
    assert_eq!(counts.received, COUNT);
    assert_eq!((counts.dropped, counts.waiting), (COUNT - 50, 50));
    assert_eq!(counts.received, counts.taken + counts.dropped + counts.waiting);
    for number in COUNT - 50..COUNT {
        assert_eq!(text_of(&narrow.try_recv().unwrap().body), number.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_is_counted_and_the_next_one_comes() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");
    let small = node.subscribe(Subscribe { max_message: 100, ..Subscribe::new("t") }).unwrap();
    peer.ask(&json!({ "do": "advertise", "topic": "t", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "t" }));
    let large = text(&"x".repeat(300_000));
    peer.ask(
        &json!({ "do": "send", "topic": "t", "bodies": [base64(&large), base64(&text("small"))] }),
    );
    assert_eq!(text_of(&next(&small).await.body), "small");
    assert_eq!((small.counts().oversize, small.counts().received), (1, 1));

    // Large ones go both ways where they are allowed.
    let any = node.subscribe(Subscribe::new("t")).unwrap();
    drop(small);
    let publisher = node.advertise(Advertise::new("back", "std_msgs/String")).unwrap();
    peer.ask(&json!({ "do": "subscribe", "topic": "back", "kind": "std_msgs/String" }));
    until("a subscriber", || publisher.subscribers() == 1).await;
    publisher.publish(large.clone()).unwrap();
    let taken = peer.ask(&json!({ "do": "take", "topic": "back", "count": 1 }));
    assert_eq!(bytes(&taken[0]), large);
    drop(any);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_subscriber_costs_only_itself() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let other = core.node("other").await;
    let wanted = Advertise { queue: 10, ..Advertise::new("t", "std_msgs/String") };
    let publisher = node.advertise(wanted).unwrap();
    // Connects, says its header and reads no more.
    let port = address_of(&node, "/t").await;
    let mut stuck = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let header = posthouse_ros_bridge::ros::ros1::tcpros::Header::new([
        ("callerid", "/stuck"),
        ("topic", "/t"),
        ("type", "*"),
        ("md5sum", "*"),
    ]);
    tokio::io::AsyncWriteExt::write_all(&mut stuck, &header.encode()).await.unwrap();
    let good = other.subscribe(Subscribe::new("/t")).unwrap();
    until("two subscribers", || publisher.subscribers() == 2).await;
    for number in 0..200 {
        publisher.publish(text(&format!("{number:060000}"))).unwrap();
        next(&good).await;
    }
    let counts = publisher.counts();
    assert_eq!(counts.published, 200);
    assert!(counts.dropped > 0 && counts.sent >= 200, "{counts:?}");
    drop(stuck);
    until("one subscriber", || publisher.subscribers() == 1).await;
}

async fn address_of(node: &posthouse_ros_bridge::ros::ros1::Node, topic: &str) -> u16 {
    use posthouse_ros_bridge::ros::ros1::xmlrpc::Value;
    let port: u16 = node.api().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    let protocols = Value::Array(vec![Value::Array(vec!["TCPROS".into()])]);
    let params = ["/stuck".into(), topic.into(), protocols];
    let answer =
        tokio::task::spawn_blocking(move || support::http_call(port, "requestTopic", &params));
    let answer = answer.await.unwrap().unwrap();
    let address = answer.as_array().unwrap()[2].as_array().unwrap().to_vec();
    address[2].as_int().unwrap() as u16
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_node_of_the_same_name_is_told_and_rosnode_kill_too() {
    let core = Roscore::start();
    let first = core.node("twin").await;
    let mut events = first.events();
    until("registered", || core.state().contains("/twin")).await;
    let second = core.node("twin").await;
    let mut second_events = second.events();
    let reason = loop {
        let event = timeout(LONG, events.recv()).await.unwrap().unwrap();
        if let Event::Shutdown(reason) = event {
            break reason;
        }
    };
    assert!(reason.contains("new node registered with same name"), "{reason}");
    // The first one does not take the name back.
    first.close(Duration::from_secs(5)).await.unwrap();
    let api = second.api().to_owned();
    until("the second has the name", || {
        core.call("lookupNode", &["/twin"]).is_some_and(|uri| uri.as_text() == Some(&api))
    })
    .await;
    let killed = core.command("rosnode").args(["kill", "/twin"]).output().unwrap();
    assert!(killed.status.success());
    while !matches!(timeout(LONG, second_events.recv()).await.unwrap().unwrap(), Event::Shutdown(_))
    {
    }
}

/// A program that ends with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_in_cpp_passes_messages_on() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let wanted = Advertise { latch: true, ..Advertise::new("/from", "sensor_msgs/JointState") };
    let publisher = node.advertise(wanted).unwrap();
    let layout = node.message_type("sensor_msgs/JointState").unwrap();
    let json = br#"{"header":{"seq":3,"stamp":{"secs":1,"nsecs":2},"frame_id":"base"},"name":["a","b"],"position":[0.5,-1.25],"velocity":[],"effort":[3.0]}"#;
    let mut body = Vec::new();
    layout.from_json(json, posthouse_ros_bridge::ros::codec::Rules::default(), &mut body).unwrap();
    publisher.publish(body.clone()).unwrap();
    let mut relay = core.command("/usr/lib/topic_tools/relay");
    relay.args(["/from", "/to", "__name:=relay"]).stdout(std::process::Stdio::null());
    let _relay = Running(relay.stderr(std::process::Stdio::null()).spawn().unwrap());
    let input = node.subscribe(Subscribe::new("/to")).unwrap();
    // The relay offers its topic with the first message and may send that one before we are connected.
    let sample = loop {
        publisher.publish(body.clone()).unwrap();
        if let Ok(sample) = timeout(Duration::from_millis(50), input.recv()).await {
            break sample.unwrap();
        }
    };
    assert_eq!((sample.layout.md5(), &sample.source.node[..]), (layout.md5(), "/relay"));
    // The number of a header is the business of whoever publishes last.
    assert_eq!(sample.body[4..], body[4..]);
    assert_eq!(node.type_of_service("/relay/get_loggers").await.unwrap(), "roscpp/GetLoggers");
}
