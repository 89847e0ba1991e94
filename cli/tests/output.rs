//! Colours, readers that go away, and interrupted commands.
mod common;

use common::{Running, Served, said};
use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

#[test]
fn colours_come_only_when_wanted() {
    let node = Served::start(&[]);
    let colored = |command: &mut std::process::Command| {
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
        done.stdout.contains(&0x1b)
    };
    // The output is no terminal here.
    assert!(!colored(&mut node.command(&["status"])));
    assert!(colored(&mut node.command(&["status", "--color", "always"])));
    assert!(!colored(&mut node.command(&["status", "--color", "always", "--json"])));
    assert!(!colored(node.command(&["status", "--color", "auto"]).env("NO_COLOR", "1")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_coloured_unless_no_color_is_set() {
    let node = Served::start(&[]);
    for (no_color, colored) in [("", true), ("1", false)] {
        let (terminal, other_end) = terminal();
        let mut command = node.command(&["status"]);
        command.env("NO_COLOR", no_color).stdout(Stdio::from(other_end));
        assert!(command.status().unwrap().success());
        drop(command);
        // Reading a terminal whose other end is closed ends with an error, after what was printed.
        let mut printed = Vec::new();
        let mut lines = BufReader::new(terminal);
        while lines.read_until(b'\n', &mut printed).is_ok_and(|count| count > 0) {}
        assert!(String::from_utf8_lossy(&printed).contains("connected"));
        assert_eq!(printed.contains(&0x1b), colored, "NO_COLOR={no_color:?}");
    }
}

/// Both ends of a terminal.
#[cfg(target_os = "linux")]
fn terminal() -> (std::fs::File, std::os::fd::OwnedFd) {
    use std::os::fd::{FromRawFd as _, OwnedFd};
    let (mut main, mut other) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: both places are ours, and no name, settings or size are asked for.
    let made =
        unsafe { libc::openpty(&raw mut main, &raw mut other, none, none.cast(), none.cast()) };
    assert_eq!(made, 0);
    // SAFETY: both were opened just now and belong to nobody else.
    unsafe { (OwnedFd::from_raw_fd(main).into(), OwnedFd::from_raw_fd(other)) }
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let node = Served::start(&[]);
    let mut child =
        node.command(&["sub", "x"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let mut note = String::new();
    notes.read_line(&mut note).unwrap();
    assert!(note.contains("listening"), "{note}");
    drop(child.stdout.take());
    assert!(node.run(&["pub", "x", "1"]).status.success());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    note.clear();
    notes.read_line(&mut note).unwrap();
    assert_eq!(note, "");
}

#[test]
fn ctrl_c_ends_a_waiting_request_with_130() {
    let node = Served::start(&[]);
    let mut silent = Running::start(&node, &["sub", "silent"]);
    silent.wait_for("listening");
    let request = Running::start(&node, &["req", "--timeout", "1m", "silent"]);
    // The request is on its way once the other side has it.
    silent.wait_for("silent null");
    let ended = request.interrupt();
    assert_eq!(ended.status.code(), Some(130), "{}", said(&ended));
    assert!(silent.interrupt().status.success());
}

#[test]
fn commands_end_when_the_node_has_gone() {
    let node = Served::start(&[]);
    let mut sub = Running::start(&node, &["sub", "x"]);
    sub.wait_for("listening");
    assert!(node.end(libc::SIGTERM).status.success());
    sub.wait_for("DISCONNECTED");
    let ended = sub.interrupt();
    assert!(ended.status.success(), "{}", said(&ended));
}
