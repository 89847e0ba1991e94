//! Turns: events are taken from the kit and become calls of the program's functions, on the hub's own
//! thread or on the one that the program gives.
use crate::{
    callback::Closure,
    core::{Core, LONG, Tables, Turn},
    hub::Answer,
    operation::DoneFn,
    scope,
    slice::Str,
    watch::HubWatch,
};
use posthouse_kit::{Code, Error, Event, Level, OpResult, Result, guard};
use std::{
    sync::{Arc, PoisonError},
    thread,
};

/// Events taken at a time.
const BATCH: usize = 256;

impl Core {
    /// The thread of a hub whose callbacks are not the program's to run.
    pub fn start_dispatcher(self: &Arc<Self>) -> Result<()> {
        let core = Arc::clone(self);
        let thread = thread::Builder::new().name("posthouse-hub".into()).spawn(move || {
            // All that this thread does is the hub's, what closures do when they are dropped included.
            let _inside = scope::enter(core.key(), None);
            while !core.ended.is_set() {
                // A panic is a fault of ours; what it was about is lost, the rest goes on.
                let turned = guard(|| core.turn(BATCH));
                if turned.is_err_and(|error| error.code() == Code::Forked)
                    || (!core.ended.is_set() && core.kit.wait_events(LONG).is_err())
                {
                    return;
                }
            }
        });
        let thread = thread.map_err(|error| {
            Error::new(Code::Internal, format!("the system gives no thread for the hub: {error}"))
        })?;
        *self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(())
    }

    /// Runs callbacks for at most `max` events and messages; says whether there is more to do.
    pub fn turn(self: &Arc<Self>, max: usize) -> Result<bool> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let _inside = scope::enter(self.key(), None);
        let Turn { events } = &mut *turn;
        // A statement of its own: no callback runs under the lock.
        let fresh = std::mem::take(&mut self.tables().fresh);
        for watch in fresh {
            watch.tell(self);
        }
        let mut left = max;
        let mut more = true;
        let mut gone = false;
        while more && left > 0 {
            more = self.kit.poll(left.min(BATCH), events)?;
            left = left.saturating_sub(events.len());
            for event in events.drain(..) {
                gone |= matches!(event, Event::Gone);
                self.handle(event);
            }
        }
        if gone {
            self.finish();
        }
        while left > 0 {
            let Some(sub) = self.tables().ready.pop_front() else { break };
            sub.turn();
            left -= 1;
        }
        // The program may wait for a drain now, which waits for these.
        let waiting: Vec<_> = self.tables().ready.iter().cloned().collect();
        for sub in &waiting {
            sub.give_back();
        }
        let waits = more || !waiting.is_empty();
        if waits && self.manual {
            self.kit.rouse()?;
        }
        Ok(waits)
    }

    fn handle(self: &Arc<Self>, event: Event) {
        match event {
            Event::Done { op, result } => {
                let closure = self.tables().operations.remove(&op);
                if let Some(closure) = closure {
                    self.tell_end(&closure, result);
                }
            }
            Event::Ready { sub } => {
                let sub = self.tables().subs.get(&sub).and_then(std::sync::Weak::upgrade);
                if let Some(sub) = sub {
                    self.enqueue(sub);
                }
            }
            Event::Ended { sub, error: _ } => {
                let sub = self.tables().subs.get(&sub).and_then(std::sync::Weak::upgrade);
                if let Some(sub) = sub {
                    sub.end();
                }
            }
            Event::Watch { watch } => {
                let watcher = self.tables().watches.get(&watch).cloned();
                if let Some(watcher) = watcher {
                    watcher.tell(self);
                }
            }
            Event::Status => self.tell_watches(|tables| &tables.status),
            Event::Instances => self.tell_watches(|tables| &tables.instances),
            Event::Log { level, code, message } => {
                let code = code.map_or(Str::NONE, |code| Str::of(code.as_str().as_bytes()));
                self.tell_line(level, code, &message);
            }
            Event::LogsLost { count } => {
                let line = format!("{count} lines were lost: nobody fetched them");
                self.tell_line(Level::Warning, Str::NONE, &line);
            }
            Event::Ask { ask, what } => {
                let mut answer = Answer::default();
                if !self.is_silent() {
                    let _inside = scope::enter(self.key(), None);
                    self.ask.call(|call, context| {
                        // SAFETY: the program's function, with its context and what is ours for the call.
                        unsafe { call(context, Str::of(what.as_bytes()), &raw mut answer) };
                    });
                }
                let answer = answer.0.ok_or_else(|| {
                    Error::new(Code::HandlerError, format!("the program gave no {what}"))
                });
                // Only a child has an error here, and no one there waits.
                let _ = self.kit.tell(ask, answer);
            }
            // What comes behind them is handled before the turn sees to the end.
            Event::Closed | Event::Gone => {}
        }
    }

    /// The hub has let go of everything: nothing is left to be told but ends.
    fn finish(self: &Arc<Self>) {
        let mut tables = self.tables();
        tables.gone = true;
        let Tables { operations, watches, status, instances, fresh, ready, .. } = &mut *tables;
        let mut operations = std::mem::take(operations);
        let watches = std::mem::take(watches);
        let watchers: Vec<Arc<HubWatch>> =
            [std::mem::take(status), std::mem::take(instances)].concat();
        let left = (std::mem::take(fresh), std::mem::take(ready));
        drop(tables);
        drop(left);
        // An end that had come before its callback was given stands behind the hub's own; none is
        // added once `gone` is set.
        let mut late = Vec::new();
        while self.kit.poll(BATCH, &mut late).unwrap_or(false) {}
        for event in late {
            if let Event::Done { op, result } = event
                && let Some(closure) = operations.remove(&op)
            {
                self.tell_end(&closure, result);
            }
        }
        for closure in operations.into_values() {
            let ended = Error::new(Code::Closed, "the hub ended before this did; open a new hub");
            self.tell_end(&closure, Err(ended.into()));
        }
        for watch in watches.into_values() {
            watch.end();
        }
        for watch in watchers {
            watch.end();
        }
        self.ended.set();
    }

    fn tell_end(self: &Arc<Self>, closure: &Closure<DoneFn>, result: OpResult) {
        if !self.is_silent() {
            let _inside = scope::enter(self.key(), None);
            crate::operation::tell(closure, result);
        }
    }

    fn tell_watches(self: &Arc<Self>, which: impl FnOnce(&Tables) -> &Vec<Arc<HubWatch>>) {
        let watches = which(&self.tables()).clone();
        for watch in watches {
            watch.tell(self);
        }
    }

    fn tell_line(self: &Arc<Self>, level: Level, code: Str, line: &str) {
        if !self.log.is_given() || self.is_silent() {
            return;
        }
        let level = match level {
            Level::Debug => 0,
            Level::Info => 1,
            Level::Warning => 2,
        };
        let _inside = scope::enter(self.key(), None);
        // SAFETY: the program's function, with its context and texts for the call.
        self.log
            .call(|call, context| unsafe { call(context, level, code, Str::of(line.as_bytes())) });
    }
}
