//! The wake signal of a live hub: one a batch, by descriptor and by callback.
#![cfg(unix)]
mod common;

use common::*;
use posthouse_kit::{Event, Hub, Operation, Outcome, Wake};
use posthouse_testkit::{NatsServer, PATIENCE, until};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Whether the descriptor is readable within the time.
fn readable(hub: &Hub, timeout_ms: i32) -> bool {
    let fd = hub.wake_fd().expect("a descriptor");
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&raw mut poll, 1, timeout_ms) == 1 }
}

fn drain(hub: &Hub) -> Vec<Event> {
    let mut events = Vec::new();
    while hub.poll(256, &mut events).expect("not forked") {}
    events
}

#[test]
fn the_descriptor_is_readable_while_events_wait() {
    let server = NatsServer::start();
    let hub = open(&server, Wake::Fd);
    let ops: Vec<_> = (0..20)
        .map(|_| hub.begin(Operation::Flush { timeout_ms: 20_000 }).expect("begun"))
        .collect();
    let mut done = Vec::new();
    while done.len() < ops.len() {
        assert!(readable(&hub, PATIENCE.as_millis() as i32), "there is more to come");
        let mut events = Vec::new();
        // Less than there may be: it must stay readable for the rest.
        let more = hub.poll(3, &mut events).expect("not forked");
        assert!(events.len() <= 3);
        assert!(!more || readable(&hub, 0), "what is left makes it readable");
        done.extend(events.into_iter().filter_map(|event| match event {
            Event::Done { op, result: Ok(Outcome::Unit) } => Some(op),
            _ => None,
        }));
    }
    assert_eq!(done, ops);
    hub.stop_waking();
    hub.close().expect("closed");
    wait_gone(&hub);
    assert!(!readable(&hub, 0));
    assert_eq!(drain(&hub).last(), Some(&Event::Gone));
}

#[test]
fn a_callback_is_called_once_until_the_queue_was_polled() {
    let server = NatsServer::start();
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let count = move || {
        counter.fetch_add(1, Ordering::SeqCst);
    };
    let hub = open(&server, Wake::Callback(Box::new(count)));
    until("the greeting's events were told", || calls.load(Ordering::SeqCst) == 1);
    for round in 1..=5 {
        drain(&hub);
        // Nothing is under way but health reports, which only this hub itself causes.
        let before = calls.load(Ordering::SeqCst);
        for _ in 0..10 {
            flush_queued(&hub);
        }
        let told = calls.load(Ordering::SeqCst) - before;
        assert_eq!(told, 1, "round {round}: one call for ten batches that nobody took");
    }
    hub.stop_waking();
    let before = calls.load(Ordering::SeqCst);
    drain(&hub);
    hub.close().expect("closed");
    wait_gone(&hub);
    assert_eq!(calls.load(Ordering::SeqCst), before, "no call after the stop");
}

/// Puts the end of a flush into the queue, and returns when it is there.
fn flush_queued(hub: &Hub) {
    hub.begin(Operation::Flush { timeout_ms: 20_000 }).expect("begun");
    // Ends come in order: this one's is later.
    flush(hub).expect("flushed");
}
