//! A subscription at work: messages one after the other, on a thread of its own or in the program's turns.
use crate::{
    callback::{Callback, Closure, Latch},
    core::{Core, LONG},
    message::{Inner, MessageFn},
    scope,
};
use posthouse_kit::{Code, Delivery, Error, Next, Reader, Result, SubId, guard};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    thread::{self, JoinHandle},
};

pub struct Sub {
    pub core: Arc<Core>,
    pub id: SubId,
    pub name: Arc<str>,
    /// Its messages want one answer each.
    pub answering: bool,
    callback: Callback<MessageFn>,
    state: Mutex<State>,
    changed: Condvar,
    /// Releases the subscription when the last one lets go.
    reader: Option<Reader>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The thread calls nothing any more.
    ended: Latch,
}

#[derive(Default)]
struct State {
    /// The message under way is ended later than its callback.
    deferred: bool,
    /// The program has let go, or nothing more comes.
    over: bool,
    /// Messages to give back with the next one taken.
    taken: usize,
}

impl Drop for Sub {
    fn drop(&mut self) {
        self.core.tables().subs.remove(&self.id);
        if self.reader.is_none() {
            // In a child there is nothing to release.
            let _ = self.core.kit.release(self.id);
        }
    }
}

impl Sub {
    pub fn new(
        core: &Arc<Core>,
        id: SubId,
        name: &Arc<str>,
        answering: bool,
        closure: Closure<MessageFn>,
        reader: Option<Reader>,
    ) -> Arc<Self> {
        Arc::new(Self {
            core: Arc::clone(core),
            id,
            name: Arc::clone(name),
            answering,
            callback: Callback::new(closure),
            state: Mutex::default(),
            changed: Condvar::new(),
            reader,
            thread: Mutex::default(),
            ended: Latch::default(),
        })
    }

    /// Starts the thread.
    pub fn start(self: &Arc<Self>) -> Result<()> {
        let sub = Arc::clone(self);
        let thread = thread::Builder::new().name("posthouse-sub".into()).spawn(move || sub.work());
        let thread = thread.map_err(|error| {
            let text = format!("the system gives no thread for the subscription: {error}");
            Error::new(Code::Internal, text)
        })?;
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(self: Arc<Self>) {
        // All that this thread does is the hub's, what closures do when they are dropped included.
        let _inside = scope::enter(self.core.key(), None);
        while let Some(reader) = &self.reader {
            let taken = std::mem::take(&mut self.lock().taken);
            match reader.after(taken, LONG) {
                // A panic is a fault of ours; the message is lost, the next one comes.
                Ok(Next::Item(delivery)) => drop(guard(|| {
                    self.deliver(delivery);
                    Ok(())
                })),
                Ok(Next::Nothing) => {}
                Ok(Next::Ended(_)) | Err(_) => break,
            }
            let state = self.lock();
            let waits = |state: &mut State| state.deferred && !state.over;
            let state = self.changed.wait_while(state, waits);
            if state.unwrap_or_else(PoisonError::into_inner).deferred {
                break;
            }
        }
        self.callback.end();
        self.ended.set();
    }

    /// One message, in a turn of the program's.
    pub fn turn(self: &Arc<Self>) {
        let Some(taken) = self.handled() else { return };
        if let Ok(Some(delivery)) = self.core.kit.next(self.id, taken) {
            self.deliver(delivery);
            if !self.lock().deferred {
                self.core.enqueue(Arc::clone(self));
            }
        }
    }

    /// The last message is handled, although the next is not wanted yet.
    pub fn give_back(&self) {
        if let Some(taken) = self.handled().filter(|taken| *taken > 0) {
            // Only a child, or a hub that is gone, has an error here.
            let _ = self.core.kit.finished(self.id, taken);
        }
    }

    /// How many messages are to be given back; none while one is to be ended later.
    fn handled(&self) -> Option<usize> {
        let mut state = self.lock();
        (!state.deferred).then(|| std::mem::take(&mut state.taken))
    }

    fn deliver(self: &Arc<Self>, delivery: Delivery) {
        let message = Arc::new(Inner::new(self, delivery));
        if !self.core.is_silent()
            && let Some(run) = self.callback.enter()
        {
            let _inside = scope::enter(self.core.key(), Some(self.id));
            message.show(&run);
        }
        if message.returned() {
            self.lock().taken = 1;
        }
    }

    /// The message under way is to be ended later.
    pub fn defer(&self) {
        self.lock().deferred = true;
    }

    /// A deferred message has been given back.
    pub fn resume(self: &Arc<Self>) {
        self.lock().deferred = false;
        self.changed.notify_all();
        if self.core.manual {
            self.core.enqueue(Arc::clone(self));
            // Only a child has an error here.
            let _ = self.core.kit.rouse();
        }
    }

    /// Nothing more is delivered: a thread that waits for a deferred message goes.
    pub fn let_go(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// Nothing more comes.
    pub fn end(&self) {
        self.let_go();
        self.callback.end();
    }

    /// Ends delivery at once. Outside callbacks of this hub, waits until the handler does not run.
    pub fn unsubscribe(&self) -> Result<()> {
        self.core.kit.unsubscribe(self.id)?;
        self.let_go();
        if self.core.inside() {
            self.callback.end();
        } else {
            self.stop();
        }
        Ok(())
    }

    /// Waits until the handler does not run and the thread has gone.
    pub fn stop(&self) {
        self.callback.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            if thread.thread().id() != thread::current().id() {
                // A panic was told where it happened.
                let _ = thread.join();
            }
        } else if self.reader.is_some() && !scope::inside_handler(self.core.key(), self.id) {
            self.ended.wait();
        }
    }

    /// For the end of the process.
    pub fn silence(&self, limit: std::time::Duration) {
        self.callback.stop_within(limit);
    }

    pub fn weak(self: &Arc<Self>) -> Weak<Self> {
        Arc::downgrade(self)
    }
}
