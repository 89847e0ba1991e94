//! The end of the process: no callback runs while the program's statics are taken down.
use crate::{core::Core, watch};
use posthouse_kit as kit;
use std::{
    sync::{Arc, Mutex, Once, PoisonError, Weak, atomic::Ordering},
    time::{Duration, Instant},
};

static HUBS: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

/// How long the end of the process waits for callbacks that run.
const PATIENCE: Duration = Duration::from_secs(1);

/// A hub is open from here on.
pub fn register(core: &Arc<Core>) {
    static ONCE: Once = Once::new();
    let mut hubs = HUBS.lock().unwrap_or_else(PoisonError::into_inner);
    hubs.retain(|hub| hub.strong_count() > 0);
    hubs.push(Arc::downgrade(core));
    drop(hubs);
    ONCE.call_once(|| {
        extern "C" fn at_exit() {
            stop();
        }
        // SAFETY: a function of this library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
    });
}

/// Ends all hubs without their programs' help: callbacks that run get a moment, others do not begin.
pub fn stop() {
    if kit::forked() {
        return;
    }
    let hubs = std::mem::take(&mut *HUBS.lock().unwrap_or_else(PoisonError::into_inner));
    let hubs: Vec<Arc<Core>> = hubs.iter().filter_map(Weak::upgrade).collect();
    let until = Instant::now() + PATIENCE;
    let left = || until.saturating_duration_since(Instant::now());
    for core in &hubs {
        core.silent.store(true, Ordering::Release);
    }
    for core in &hubs {
        watch::silence(core, left());
        for sub in core.subs() {
            sub.let_go();
            sub.silence(left());
        }
        let operations = std::mem::take(&mut core.tables().operations);
        drop(operations);
    }
    kit::shutdown();
    for core in &hubs {
        // Threads that only wait go now; one that runs a callback, or this very one, is left alone.
        while !core.manual && !core.inside() && !core.ended.is_set() && !left().is_zero() {
            std::thread::yield_now();
        }
    }
}
