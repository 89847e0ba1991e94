//! What else a node does in a graph: parameters, time, log, names.
mod support;

use posthouse_ros_bridge::ros::{Advertise, Backend, Code, LogLevel, Subscribe, Time, ros1::Node};
use serde_json::json;
use std::time::Duration;
use support::{LONG, Roscore, base64, bytes, text, until};

#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_read_and_set() {
    let core = Roscore::start();
    let settings = core.settings("ours", &["_rate:=10", "_name:=abc", "_list:=[1, 2.5]"]);
    let node = Node::start(settings).await.unwrap();
    let mut peer = core.peer("theirs");
    until("the arguments are parameters", || {
        peer.ask(&json!({ "do": "param", "name": "/ours/list" })) == json!([1, 2.5])
    })
    .await;
    assert_eq!(node.param("~rate").await.unwrap(), Some(json!(10)));
    assert_eq!(node.param("/ours/name").await.unwrap(), Some(json!("abc")));
    assert_eq!(node.param("~none").await.unwrap(), None);
    let tree = json!({
        "a": { "b": [1, "two", true, 0.5], "text": "<&> \"' ü\n" },
        "n": -5,
        "empty": [],
        "words": ""
    });
    peer.ask(&json!({ "do": "set_param", "name": "/tree", "value": tree }));
    assert_eq!(node.param("/tree").await.unwrap(), Some(tree.clone()));
    node.set_param("/copy", &tree).await.unwrap();
    assert_eq!(peer.ask(&json!({ "do": "param", "name": "/copy" })), tree);
    let error = node.set_param("/x", &json!({ "big": 1_i64 << 40 })).await.unwrap_err();
    assert_eq!(error.code, Code::ValueInvalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_log_reach_rosout_and_the_file() {
    let core = Roscore::start();
    let file = core.home().join("ours.log");
    let argument = format!("__log:={}", file.display());
    let node = Node::start(core.settings("ours", &[&argument])).await.unwrap();
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "subscribe", "topic": "/rosout", "kind": "rosgraph_msgs/Log" }));
    // Lines are not kept for those who come later, so they are said until one is heard.
    let heard = tokio::spawn(async move {
        loop {
            let taken = peer.ask(&json!({ "do": "take", "topic": "/rosout", "count": 1 }));
            let body = bytes(&taken[0]);
            if String::from_utf8_lossy(&body).contains("all is well") {
                return body;
            }
        }
    });
    until("a line", || {
        node.log(LogLevel::Warn, "all is well");
        heard.is_finished()
    })
    .await;
    let body = heard.await.unwrap();
    assert_eq!(body[16], LogLevel::Warn as u8);
    node.log(LogLevel::Debug, "only for the file");
    let lines = std::fs::read_to_string(&file).unwrap();
    assert!(lines.contains("[WARN] ") && lines.contains(": all is well\n"), "{lines}");
    assert!(lines.contains("only for the file"), "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn time_is_the_clocks_where_it_is_simulated() {
    let core = Roscore::start();
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "set_param", "name": "/use_sim_time", "value": true }));
    let node = core.node("ours").await;
    peer.ask(&json!({ "do": "advertise", "topic": "/clock", "kind": "rosgraph_msgs/Clock" }));
    peer.ask(&json!({ "do": "connected", "topic": "/clock" }));
    let time = [5_u32.to_le_bytes(), 7_u32.to_le_bytes()].concat();
    peer.ask(&json!({ "do": "send", "topic": "/clock", "bodies": [base64(&time)] }));
    until("the time", || node.now() == Time { secs: 5, nsecs: 7 }).await;
    drop(node);
    peer.ask(&json!({ "do": "set_param", "name": "/use_sim_time", "value": false }));
    let node = core.node("ours").await;
    let mut events = node.events();
    let _ = tokio::time::timeout(LONG, events.recv()).await;
    assert!(node.now().secs > 1_600_000_000);
    assert!(!core.state().contains("[\"/clock\",[\"/ours\"]]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_remaps_hold_for_everything() {
    let core = Roscore::start();
    let arguments = ["__ns:=/robot", "__name:=b", "in:=/far/in", "~out:=near"];
    let node = Node::start(core.settings("ours", &arguments)).await.unwrap();
    assert_eq!(node.node_name(), "/robot/b");
    let subscription = node.subscribe(Subscribe::new("in")).unwrap();
    let publisher = node.advertise(Advertise::new("~out", "std_msgs/String")).unwrap();
    assert_eq!((subscription.topic(), publisher.topic()), ("/far/in", "/robot/near"));
    until("registered", || {
        let state = core.state();
        state.contains("[\"/far/in\",[\"/robot/b\"]]")
            && state.contains("[\"/robot/near\",[\"/robot/b\"]]")
    })
    .await;
    // The tools see a node like any other.
    let info = core.command("rosnode").args(["info", "/robot/b"]).output().unwrap();
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    assert!(info.contains("/robot/near [std_msgs/String]"), "{info}");
    assert!(info.contains(&format!("Pid: {}", std::process::id())), "{info}");
    let wanted = Advertise { latch: true, ..Advertise::new("latched", "std_msgs/String") };
    let latched = node.advertise(wanted).unwrap();
    latched.publish(text("seen by rostopic")).unwrap();
    let echo = core.command("rostopic").args(["echo", "-n1", "/robot/latched"]).output().unwrap();
    let echo = String::from_utf8_lossy(&echo.stdout).into_owned();
    assert!(echo.contains("seen by rostopic"), "{echo}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_let_go_just_before_the_end_is_taken_back_too() {
    let core = Roscore::start();
    for step in 0..12 {
        let node = core.node("ours").await;
        let mut topics = Vec::new();
        for number in 0..20 {
            topics.push(
                node.advertise(Advertise::new(format!("/t{number}"), "std_msgs/String")).unwrap(),
            );
        }
        until("registered", || {
            (0..20).all(|number| core.state().contains(&format!("[\"/t{number}\",[\"/ours\"]]")))
        })
        .await;
        drop(topics);
        // The end comes while the loop takes them back.
        tokio::time::sleep(step * Duration::from_micros(300)).await;
        node.close(LONG).await.unwrap();
        assert!(!core.state().contains("/ours"), "{}", core.state());
    }
}
