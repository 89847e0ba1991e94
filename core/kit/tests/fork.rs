//! Forks: a child of a process with hubs is refused at once and never hangs; a child of one without
//! may open its own. One test: forks are the whole process's.
#![cfg(unix)]
mod common;

use common::*;
use posthouse_kit::{
    Code, Hub, Operation, Result, SLICE, SubscribeOptions, Wake, forked, guard, shutdown,
};
use posthouse_testkit::{NatsServer, PATIENCE};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Instant,
};

/// Runs `child` in a forked child and gives its exit code; kills it if it hangs.
fn in_child(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child runs `child` and exits without returning into the test's harness. What it
    // may touch of other threads' is what this test is about.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child at once, running nothing of the parent's.
        unsafe { libc::_exit(code) };
    }
    assert!(pid > 0, "fork: {}", std::io::Error::last_os_error());
    let until = Instant::now() + PATIENCE;
    loop {
        let mut status = 0;
        // SAFETY: our own child; the pointer is valid for the call.
        let waited = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
        if waited == pid {
            assert!(libc::WIFEXITED(status), "the child was ended: {status}");
            return libc::WEXITSTATUS(status);
        }
        if Instant::now() > until {
            // SAFETY: our own child, not waited for yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        thread::yield_now();
    }
}

fn refused<T>(result: Result<T>) -> bool {
    result.is_err_and(|error| error.code() == Code::Forked)
}

#[test]
fn children_are_refused_and_never_hang() {
    let server = NatsServer::start();
    // Before the first hub a fork means nothing.
    let code = in_child(|| {
        let hub = open(&server, Wake::Fd);
        hub.set(hub.var("from").unwrap(), b"\"the child\"").unwrap();
        let flushed = flush(&hub).is_ok();
        drop(hub);
        shutdown();
        i32::from(forked() || !flushed)
    });
    assert_eq!(code, 0);

    let hub = open(&server, Wake::Fd);
    assert!(!forked());
    let var = hub.var("x").unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Keeps all locks busy, so that some fork catches them locked.
        scope.spawn(|| {
            let mut events = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let _ = hub.publish(var, b"1", None);
                hub.begin(Operation::Flush { timeout_ms: 9_000 }).unwrap();
                hub.poll(256, &mut events).unwrap();
                events.clear();
            }
        });
        for _ in 0..50 {
            let reader = hub.subscribe_reading(var, &SubscribeOptions::default()).unwrap();
            let code = in_child(|| {
                let mut events = Vec::new();
                let all = [
                    forked(),
                    refused(hub.publish(var, b"1", None)),
                    refused(hub.set(var, b"1")),
                    refused(hub.get(var)),
                    refused(hub.status()),
                    refused(hub.poll(9, &mut events)),
                    refused(hub.wait_events(SLICE)),
                    refused(hub.begin(Operation::Flush { timeout_ms: 1 })),
                    refused(reader.1.wait(SLICE)),
                    refused(reader.0.next(SLICE)),
                    refused(hub.close()),
                    refused(Hub::open(settings(&server), Wake::None)),
                    refused(guard(|| hub.var("y"))),
                    hub.is_closed() && hub.is_gone() && hub.wait_gone(SLICE),
                    hub.owned_node().is_none(),
                ];
                hub.stop_waking();
                drop(reader);
                drop(hub.clone());
                shutdown();
                // A child's child is one, too.
                let deeper = in_child(|| i32::from(!refused(hub.publish(var, b"1", None))));
                all.iter()
                    .position(|ok| !ok)
                    .map_or(deeper, |at| i32::try_from(at).unwrap_or(98) + 1)
            });
            assert_eq!(code, 0, "the check of this number fails in a child");
        }
        over.store(true, Ordering::Relaxed);
    });
    // The parent goes on as if nothing had happened.
    hub.publish(var, b"2", None).unwrap();
    flush(&hub).unwrap();
}
