//! What all handles of one hub share: the kit's hub, the program's callbacks, and the threads.
use crate::{
    callback::{Closure, Latch},
    hub::{AskFn, LogFn},
    operation::DoneFn,
    scope,
    watch::{HubWatch, Watcher},
    worker::Sub,
};
use posthouse_kit::{self as kit, Event, Op, Result, SLICE, SubId, WatchId};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

/// Longer than anybody waits at a time; waits are repeated.
pub const LONG: Duration = Duration::from_secs(3600);

/// One hub.
pub struct Core {
    pub kit: kit::Hub,
    /// The program runs the callbacks.
    pub manual: bool,
    pub camel_case: bool,
    pub ask: Closure<AskFn>,
    pub log: Closure<LogFn>,
    tables: Mutex<Tables>,
    /// Held by whoever runs callbacks that are not a subscription's.
    pub turn: Mutex<Turn>,
    /// The thread that does, where it is ours.
    pub dispatcher: Mutex<Option<JoinHandle<()>>>,
    /// The last callback that is not a subscription's has returned.
    pub ended: Latch,
    /// The process ends: no callback begins any more.
    pub silent: AtomicBool,
}

/// The program's callbacks, by what they wait for. An entry is made under the lock together with what it
/// waits for, so that no event comes before it.
#[derive(Default)]
pub struct Tables {
    pub operations: HashMap<Op, Closure<DoneFn>>,
    pub watches: HashMap<WatchId, Arc<Watcher>>,
    pub status: Vec<Arc<HubWatch>>,
    pub instances: Vec<Arc<HubWatch>>,
    /// Watches of the hub that want their first state, which no event announces.
    pub fresh: Vec<Arc<HubWatch>>,
    /// Owned by the program's handles and by those that run them.
    pub subs: HashMap<SubId, Weak<Sub>>,
    /// With messages, in the order of their turns; for programs that run the callbacks.
    pub ready: VecDeque<Arc<Sub>>,
    pub gone: bool,
}

/// What a turn reuses.
#[derive(Default)]
pub struct Turn {
    pub events: Vec<Event>,
}

impl Core {
    pub fn new(
        kit: kit::Hub,
        manual: bool,
        camel_case: bool,
        ask: Closure<AskFn>,
        log: Closure<LogFn>,
    ) -> Self {
        Self {
            kit,
            manual,
            camel_case,
            ask,
            log,
            tables: Mutex::default(),
            turn: Mutex::default(),
            dispatcher: Mutex::default(),
            ended: Latch::default(),
            silent: AtomicBool::new(false),
        }
    }

    pub fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What tells this hub from others while it lives.
    pub fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Whether this thread runs a callback of this hub.
    pub fn inside(&self) -> bool {
        scope::inside(self.key())
    }

    pub fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Acquire)
    }

    /// A subscription has a turn, unless the hub is gone.
    pub fn enqueue(&self, sub: Arc<Sub>) {
        let mut tables = self.tables();
        if tables.gone {
            // What is let go of here may need the lock.
            drop(tables);
        } else {
            tables.ready.push_back(sub);
        }
    }

    pub fn subs(&self) -> Vec<Arc<Sub>> {
        self.tables().subs.values().filter_map(Weak::upgrade).collect()
    }

    /// Ends the hub. Outside its callbacks, waits until everything is gone and no callback runs.
    pub fn close(self: &Arc<Self>) -> Result<()> {
        self.kit.close()?;
        let subs = self.subs();
        for sub in &subs {
            sub.let_go();
        }
        if self.inside() {
            return Ok(());
        }
        if self.manual {
            while !self.ended.is_set() {
                self.turn(usize::MAX)?;
                if !self.ended.is_set() {
                    self.kit.wait_events(SLICE)?;
                }
            }
            // The wake that told of the end may still run on its thread.
            self.kit.stop_waking();
        } else {
            self.ended.wait();
            let dispatcher = self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner).take();
            // It has ended but for its very last steps; a panic was told where it happened.
            dispatcher.map(JoinHandle::join);
        }
        for sub in subs {
            sub.stop();
        }
        Ok(())
    }
}
