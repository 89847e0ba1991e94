//! What the kit's tests share.
#![allow(dead_code)] // Each test file uses its part.
use posthouse_kit::{
    Dialect, Event, Given, Hub, HubSettings, OpResult, Operation, Reader, Result, SLICE,
    SubscribeOptions, Waiting, Wake,
};
use posthouse_testkit::{NatsServer, PATIENCE};
use std::time::{Duration, Instant};

pub fn settings(server: &NatsServer) -> HubSettings {
    let mut settings =
        HubSettings::new(Dialect::PYTHON, "test", "test/1").namespace(Some("workshop"));
    settings.set("servers", Given::Text(&server.url())).expect("servers");
    settings
}

/// A connected hub.
pub fn open(server: &NatsServer, wake: Wake) -> Hub {
    let hub = Hub::open(settings(server), wake).expect("a hub");
    connect(&hub);
    hub
}

pub fn connect(hub: &Hub) {
    let timeout_ms = Some(PATIENCE.as_millis() as u64);
    finish(&hub.begin_waiting(Operation::Connected { timeout_ms }).expect("begun"))
        .expect("connected");
}

/// Waits in slices, as a host does.
pub fn finish(waiting: &Waiting) -> OpResult {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(result) = waiting.wait(SLICE).expect("not forked") {
            return result;
        }
        assert!(Instant::now() < until, "the operation has not ended");
    }
}

pub fn flush(hub: &Hub) -> OpResult {
    finish(&hub.begin_waiting(Operation::Flush { timeout_ms: 20_000 })?)
}

/// A subscription that is registered, for threads.
pub fn reader(hub: &Hub, name: &str, options: &SubscribeOptions) -> Result<Reader> {
    let (reader, registered) = hub.subscribe_reading(hub.var(name)?, options)?;
    finish(&registered).map_err(|failure| failure.error)?;
    Ok(reader)
}

/// Polls until `wanted` has seen what it wants; gives all events until then.
pub fn poll_until(hub: &Hub, mut wanted: impl FnMut(&Event) -> bool) -> Vec<Event> {
    let until = Instant::now() + PATIENCE;
    let mut all = Vec::new();
    let mut batch = Vec::new();
    loop {
        hub.poll(256, &mut batch).expect("not forked");
        let seen = batch.iter().any(&mut wanted);
        all.append(&mut batch);
        if seen {
            return all;
        }
        assert!(Instant::now() < until, "it has not come; there were {all:?}");
        hub.wait_events(SLICE).expect("not forked");
    }
}

pub fn wait_gone(hub: &Hub) {
    assert!(hub.wait_gone(PATIENCE), "the hub has not let go of everything");
}

pub const SECOND: Duration = Duration::from_secs(1);
