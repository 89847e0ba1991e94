//! `posthouse serve` as a process: it listens, speaks, and ends when it is told to.
mod common;

use common::Served;
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
};

#[test]
fn it_greets_and_ends_on_a_signal() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let served = Served::start(&[]);
        let stream = TcpStream::connect(served.addr()).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        let mut info = String::new();
        lines.read_line(&mut info).unwrap();
        let info: Value = serde_json::from_str(info.strip_prefix("INFO ").unwrap()).unwrap();
        assert_eq!(info["max_payload"], 1_048_576);
        assert_eq!(info["headers"], true);
        (&stream).write_all(b"CONNECT {\"verbose\":false}\r\nPING\r\n").unwrap();
        let mut pong = String::new();
        lines.read_line(&mut pong).unwrap();
        assert_eq!(pong, "PONG\r\n");
        let ended = served.end(signal);
        assert!(ended.status.success(), "{ended:?}");
        // The connection was ended too, not left hanging.
        let mut rest = Vec::new();
        _ = lines.read_to_end(&mut rest);
    }
}

#[test]
fn a_port_in_use_is_refused_with_what_to_do() {
    let served = Served::start(&[]);
    let port = served.addr().port().to_string();
    let done = common::posthouse(&["serve", "--no-ws", "--port", &port]);
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("INVALID_SERVER") && said.contains("--port"), "{said}");
}

#[test]
fn it_tells_where_it_takes_web_sockets() {
    let mut child = common::command(&["serve", "--json", "--port", "0", "--ws-port", "0"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    let addr = event["ws"].as_str().and_then(|url| url.strip_prefix("ws://")).unwrap();
    TcpStream::connect(addr).unwrap();
    common::kill(&child, libc::SIGINT);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_token_is_asked_for_and_never_printed() {
    let served = Served::start(&["--token", "open-sesame"]);
    let stream = TcpStream::connect(served.addr()).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut info = String::new();
    lines.read_line(&mut info).unwrap();
    assert!(info.contains("\"auth_required\":true"), "{info}");
    (&stream).write_all(b"CONNECT {\"auth_token\":\"wrong\"}\r\nPING\r\n").unwrap();
    let mut refusal = String::new();
    lines.read_line(&mut refusal).unwrap();
    assert!(refusal.contains("Authorization Violation"), "{refusal}");
    let ended = served.end(libc::SIGTERM);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!said.contains("sesame"), "{said}");
}

#[test]
fn wrong_options_are_refused_by_name() {
    let done = common::posthouse(&["serve", "--prot", "0"]);
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("--prot") && said.contains("--port"), "{said}");
    let done = common::posthouse(&["serve", "--max-payload", "1GiB", "--port", "0"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("max_payload"));
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let done = common::posthouse(&["completions", shell]);
        assert!(done.status.success());
        assert!(String::from_utf8_lossy(&done.stdout).contains("serve"), "{shell}");
    }
}
