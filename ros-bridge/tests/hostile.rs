//! Peers that break every rule: nothing they send ends the node, keeps others from it, or makes it grow.
mod support;

use posthouse_ros_bridge::ros::{
    Advertise, Backend, Layout, Serve, Subscribe,
    message::Schema,
    ros1::{
        Node,
        tcpros::Header,
        xmlrpc::{Value, read_call, write_call, write_response},
    },
};
use serde_json::json;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};
use support::{LONG, Roscore, base64, http_call, text, text_of, until};
use tokio::time::timeout;

fn port_of(node: &Node) -> u16 {
    node.api().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap()
}

/// Sends `bytes` and gives what comes back until the other side closes, or not at all.
fn throw(port: u16, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    // It may be closed before all is sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn post(body: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// The most memory this process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_and_subscribers_that_break_the_rules() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let publisher = node.advertise(Advertise::new("t", "std_msgs/String")).unwrap();
    let _server =
        node.serve(Serve { max_message: 1000, ..Serve::new("s", "std_srvs/Empty") }).unwrap();
    let _input = node.subscribe(Subscribe::new("in")).unwrap();
    until("registered", || core.state().contains("/s\"")).await;
    let api = port_of(&node);
    let protocols = Value::Array(vec![Value::Array(vec!["TCPROS".into()])]);
    let ask = ["/x".into(), "/t".into(), protocols];
    let ask = move || http_call(api, "requestTopic", &ask);
    let first = tokio::task::spawn_blocking(ask.clone()).await.unwrap().unwrap();
    let tcpros = first.as_array().unwrap()[2].as_array().unwrap()[2].as_int().unwrap() as u16;
    let before = peak();

    tokio::task::spawn_blocking(move || {
        // Those that connect and say nothing, as long as the others are at it.
        let silent: Vec<_> = (0..40)
            .flat_map(|_| [api, tcpros])
            .map(|port| TcpStream::connect(("127.0.0.1", port)).unwrap())
            .collect();
        let deep = "<value><array><data>".repeat(5000);
        let many = "<value><i4>1</i4></value>".repeat(150_000);
        let wild = [
            write_call("shutdown2", &[]),
            write_call("requestTopic", &[Value::Int(1)]),
            write_call("requestTopic", &["/x".into(), "/t".into(), Value::Nil]),
            write_call("publisherUpdate", &["/x".into(), "/in".into(), Value::Int(1)]),
            write_call("publisherUpdate", &["/x".into(), "/in".into(), ["", "x", "http://", "http://127.0.0.1:1/", "http://127.0.0.1:99999/", "ftp://a:1"].map(Value::from).into_iter().collect()]),
            write_call("paramUpdate", &[]),
            write_call("getBusInfo", &[]),
            format!("<methodCall><methodName>getPid</methodName><params><param>{deep}"),
            format!("<methodCall><methodName>getPid</methodName><params><param><value><array><data>{many}</data></array></value></param></params></methodCall>"),
            "<!DOCTYPE a [<!ENTITY b 'cc'>]><methodCall/>".to_owned(),
            "<methodCall><methodName>&bomb;</methodName></methodCall>".to_owned(),
            "\u{0}\u{1}<".to_owned(),
            String::new(),
        ];
        for body in &wild {
            throw(api, &post(body));
        }
        for raw in [
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 4000000000\r\n\r\nxx",
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nshort",
            b"\xff\xfe\xfd\r\n\r\n",
            b"no colon\r\nno colon\r\n\r\n",
            &b"x".repeat(1 << 20),
            &[&b"POST / HTTP/1.1\r\n"[..], &b"A: b\r\n".repeat(100_000)].concat(),
            &[&b"POST / HTTP/1.1\r\n\r\n"[..], &b"y".repeat(8 << 20)].concat(),
        ] {
            throw(api, raw);
        }
        let header = |fields: &[(&str, &str)]| Header::new(fields.iter().copied()).encode();
        let long = "x".repeat(1 << 20);
        let too_large = [
            header(&[("service", "/s"), ("md5sum", "*"), ("callerid", "/x")]),
            4_000_000_000_u32.to_le_bytes().to_vec(),
            vec![0; 5000],
        ]
        .concat();
        for (raw, said) in [
            (vec![0xff; 4], ""),
            (vec![0xff; 1 << 20], ""),
            (vec![0; 4], "a field topic or service"),
            (vec![4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], ""),
            (vec![8, 0, 0, 0, 4, 0, 0, 0, b'a', b'b', b'c', b'd'], ""),
            (vec![200, 0, 0, 0, 1, 2, 3], ""),
            (header(&[("topic", "/none"), ("md5sum", "*")]), "/none is not published"),
            (header(&[("topic", "/t")]), "md5sum is missing"),
            (header(&[("topic", "/t"), ("md5sum", "0"), ("type", "a/B")]), "a/B with md5sum 0"),
            (header(&[("service", "/none"), ("md5sum", "*")]), "/none is not offered"),
            (header(&[("service", "/s"), ("md5sum", "1")]), "md5sum 1"),
            (header(&[("service", "/s"), ("md5sum", "*"), ("probe", "1")]), "std_srvs/Empty"),
            (header(&[("x", &long), ("topic", "/no")]), "is not published here"),
            (header(&[("x", &long), ("y", &long), ("z", &long)]), ""),
            (header(&vec![("a", ""); 1000]), ""),
            (too_large, "at most 1000"),
        ] {
            let answer = throw(tcpros, &raw);
            let answer = String::from_utf8_lossy(&answer);
            assert!(answer.contains(said), "{said}: {answer}");
        }
        // Still there for those who behave.
        assert!(ask().is_some());
        drop(silent);
    })
    .await
    .unwrap();
    assert!(peak() - before < 100 << 10, "grew by {} KiB", peak() - before);

    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "subscribe", "topic": "t", "kind": "std_msgs/String" }));
    until("a subscriber", || publisher.subscribers() > 0).await;
    publisher.publish(text("well")).unwrap();
    let taken = peer.ask(&json!({ "do": "take", "topic": "t", "count": 1 }));
    assert_eq!(text_of(&support::bytes(&taken[0])), "well");
}

/// A publisher that answers requestTopic rightly and then sends `bytes` to whoever connects.
fn false_publisher(core: &Roscore, name: &str, topic: &str, bytes: Vec<u8>) {
    let data = TcpListener::bind("127.0.0.1:0").unwrap();
    let api = TcpListener::bind("127.0.0.1:0").unwrap();
    let data_port = data.local_addr().unwrap().port();
    let uri = format!("http://127.0.0.1:{}/", api.local_addr().unwrap().port());
    thread::spawn(move || {
        for stream in data.incoming().flatten() {
            let mut stream = stream;
            let mut length = [0; 4];
            if stream.read_exact(&mut length).is_ok() {
                let mut header = vec![0; u32::from_le_bytes(length) as usize];
                let _ = stream.read_exact(&mut header);
            }
            let _ = stream.write_all(&bytes);
        }
    });
    thread::spawn(move || {
        for stream in api.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let (method, _) = read_call(std::str::from_utf8(&body).unwrap()).unwrap();
            let protocol = match &*method {
                "requestTopic" => Value::Array(vec![
                    "TCPROS".into(),
                    "127.0.0.1".into(),
                    Value::Int(data_port.into()),
                ]),
                _ => Value::Int(0),
            };
            let answer = write_response(&Value::Array(vec![Value::Int(1), "".into(), protocol]));
            let _ = write!(
                reader.get_mut(),
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}",
                answer.len()
            );
        }
    });
    let params = [name, topic, "std_msgs/String", &uri].map(Value::from);
    http_call(core.port, "registerPublisher", &params).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn publishers_that_break_the_rules() {
    let core = Roscore::start();
    let node = core.node("ours").await;
    let wanted = Subscribe { max_message: 1 << 20, ..Subscribe::new("in") };
    let input = node.subscribe(wanted).unwrap();
    let layout = Layout::new(&Schema::from_full_text("std_msgs/String", "string data\n").unwrap());
    let layout = layout.unwrap();
    let good = [("type", "std_msgs/String"), ("md5sum", layout.md5())];
    let header = |fields: &[(&str, &str)]| Header::new(fields.iter().copied()).encode();
    let with = |definition: &str| {
        header(&[good[0], good[1], ("message_definition", definition), ("callerid", "/bad")])
    };
    let frame = |length: u32, body: &[u8]| [&length.to_le_bytes()[..], body].concat();
    let cases = [
        vec![0xff; 100],
        header(&[]),
        header(&[("error", &"no ".repeat(10_000))]),
        header(&[good[0]]),
        header(&[("type", "../../etc/passwd"), ("md5sum", "0"), ("message_definition", "A a")]),
        header(&[("type", "a/B"), ("md5sum", "0"), ("message_definition", "B b")]),
        header(&[
            ("type", "a/B"),
            ("md5sum", "0"),
            ("message_definition", &"int8 a\n".repeat(100_000)),
        ]),
        header(&[("type", "a/B"), ("md5sum", "*"), ("message_definition", "int8 a")]),
        // Right headers, and then lengths that are lies.
        [with("string data\n"), frame(u32::MAX, &[0; 1000])].concat(),
        [with("string data\n"), frame(1 << 19, &[0; 1000])].concat(),
        [with("string data\n"), vec![1, 0]].concat(),
        // One that is whole and not a message of the type, then one that is.
        [with("string data\n"), frame(3, &[9, 9, 9]), frame(6, &[2, 0, 0, 0, b'o', b'k'])].concat(),
    ];
    let before = peak();
    tokio::task::block_in_place(|| {
        for (number, bytes) in cases.into_iter().enumerate() {
            false_publisher(&core, &format!("/bad{number}"), "/in", bytes);
        }
    });
    // The one whose second message is whole is heard, again and again: it closes the connection each time.
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.push(timeout(LONG, input.recv()).await.unwrap().unwrap().body);
    }
    assert!(seen.contains(&vec![9, 9, 9]) && seen.contains(&vec![2, 0, 0, 0, b'o', b'k']));
    assert!(input.counts().refused > 0);
    let mut peer = core.peer("theirs");
    peer.ask(&json!({ "do": "advertise", "topic": "in", "kind": "std_msgs/String" }));
    peer.ask(&json!({ "do": "connected", "topic": "in" }));
    peer.ask(&json!({ "do": "send", "topic": "in", "bodies": [base64(&text("well"))] }));
    loop {
        let sample = timeout(LONG, input.recv()).await.unwrap().unwrap();
        if sample.source.node == "/theirs" {
            assert_eq!(text_of(&sample.body), "well");
            break;
        }
    }
    assert!(peak() - before < 100 << 10, "grew by {} KiB", peak() - before);
}
