//! Services between our node and rospy nodes on a real roscore.
mod support;

use posthouse_ros_bridge::ros::{Backend, Code, Serve};
use serde_json::json;
use std::time::Duration;
use support::{LONG, Roscore, base64, bytes};

/// The encoded response of std_srvs/SetBool.
fn response(success: bool, message: &str) -> Vec<u8> {
    let mut out = vec![u8::from(success)];
    out.extend_from_slice(&support::text(message));
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn we_call_rospy() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");
    for (service, mode) in [("good", "good"), ("bad", "fail"), ("slow", "hang")] {
        peer.ask(
            &json!({ "do": "serve", "service": service, "kind": "std_srvs/SetBool", "mode": mode }),
        );
    }
    assert_eq!(node.type_of_service("/good").await.unwrap(), "std_srvs/SetBool");
    assert!(node.services().await.unwrap().contains(&"/good".to_owned()));
    for persistent in [false, true] {
        let client = node.client("good", "std_srvs/SetBool", persistent).unwrap();
        for flag in [true, false, true] {
            let said = if flag { "said True" } else { "said False" };
            let answer = client.call(vec![u8::from(flag)], LONG).await.unwrap();
            assert_eq!(answer, response(flag, said));
        }
        let bad = node.client("bad", "std_srvs/SetBool", persistent).unwrap();
        for _ in 0..2 {
            let error = bad.call(vec![1], LONG).await.unwrap_err();
            assert_eq!(error.code, Code::ServiceFailed);
            assert!(error.message.contains("this service always fails"), "{error}");
        }
        let slow = node.client("slow", "std_srvs/SetBool", persistent).unwrap();
        let error = slow.call(vec![1], Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout);
    }
    let error = node.client("none", "std_srvs/SetBool", false).unwrap();
    assert_eq!(error.call(vec![1], LONG).await.unwrap_err().code, Code::ServiceUnknown);
    let wrong = node.client("good", "std_srvs/Trigger", false).unwrap();
    let error = wrong.call(vec![], LONG).await.unwrap_err();
    assert_eq!(error.code, Code::TypeMismatch);
    assert!(error.message.contains("md5sum"), "{error}");

    // A provider that was replaced: the kept connection is not used.
    let client = node.client("good", "std_srvs/SetBool", true).unwrap();
    client.call(vec![1], LONG).await.unwrap();
    peer.ask(&json!({ "do": "unserve", "service": "good" }));
    drop(peer);
    let mut peer = core.peer("theirs");
    peer.ask(
        &json!({ "do": "serve", "service": "good", "kind": "std_srvs/SetBool", "mode": "good" }),
    );
    assert_eq!(client.call(vec![0], LONG).await.unwrap(), response(false, "said False"));
}

#[tokio::test(flavor = "multi_thread")]
async fn rospy_calls_us() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let mut peer = core.peer("theirs");
    let mut server = node.serve(Serve::new("flip", "std_srvs/SetBool")).unwrap();
    let again = node.serve(Serve::new("flip", "std_srvs/SetBool")).err().unwrap();
    assert_eq!(again.code, Code::SettingInvalid);
    let serving = tokio::spawn(async move {
        for number in 0.. {
            let Some(request) = server.recv().await else { break };
            assert_eq!(request.caller, "/theirs");
            match number {
                0..4 => {
                    let flag = request.body[0] == 1;
                    request.respond(response(!flag, "flipped"));
                }
                4 => request.fail("out of coins"),
                _ => drop(request),
            }
        }
    });
    let mut call = |body: u8, persistent: bool, times: u32| {
        peer.try_ask(&json!({ "do": "call", "service": "flip", "kind": "std_srvs/SetBool",
            "request": base64(&[body]), "persistent": persistent, "times": times }))
    };
    let answers = call(1, false, 1).unwrap();
    assert_eq!(bytes(&answers[0]), response(false, "flipped"));
    let answers = call(0, true, 3).unwrap();
    for number in 0..3 {
        assert_eq!(bytes(&answers[number]), response(true, "flipped"));
    }
    let error = call(1, false, 1).unwrap_err();
    assert!(error.contains("out of coins"), "{error}");
    let error = call(1, false, 1).unwrap_err();
    assert!(error.contains("gave no answer"), "{error}");

    let listed = core.command("rosservice").args(["info", "/flip"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("Type: std_srvs/SetBool"), "{listed}");
    node.close(LONG).await.unwrap();
    serving.await.unwrap();
    assert!(!core.state().contains("/flip"));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_requests_than_may_wait_fail_at_once() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let other = core.node("other").await;
    let wanted = Serve { queue: 2, ..Serve::new("busy", "std_srvs/Empty") };
    let mut server = node.serve(wanted).unwrap();
    let clients: Vec<_> =
        (0..3).map(|_| other.client("busy", "std_srvs/Empty", false).unwrap()).collect();
    support::until("registered", || core.state().contains("/busy")).await;
    let mut calls: Vec<_> = clients
        .into_iter()
        .map(|it| tokio::spawn(async move { it.call(vec![], LONG).await }))
        .collect();
    // Two wait; the third is told.
    let mut ended = Vec::new();
    support::until("a refusal", || {
        calls.retain_mut(|call| {
            let done = call.is_finished();
            if done {
                ended.push(std::mem::replace(call, tokio::spawn(async { Ok(vec![]) })));
            }
            !done
        });
        !ended.is_empty()
    })
    .await;
    let error = ended.pop().unwrap().await.unwrap().unwrap_err();
    assert!(error.message.contains("busy"), "{error}");
    for _ in 0..2 {
        server.recv().await.unwrap().respond(vec![]);
    }
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), Vec::<u8>::new());
    }
    // A caller that gives up is not wanted any more.
    let client = other.client("busy", "std_srvs/Empty", false).unwrap();
    client.call(vec![], Duration::from_millis(300)).await.unwrap_err();
    let request = server.recv().await.unwrap();
    support::until("the caller has gone", || !request.is_wanted()).await;
}
