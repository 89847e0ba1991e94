//! The one signal that tells a host that its queue has something.
use posthouse_core::Result;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

/// How a host is told that [`crate::Hub::poll`] has something. One signal a batch: after it none comes
/// until the queue was polled.
pub enum Wake {
    /// Not at all: the host waits with [`crate::Hub::wait_events`], or asks.
    None,
    /// A file descriptor is readable while there are events: see [`crate::Hub::wake_fd`]. Unix only.
    Fd,
    /// A function is called, on whatever thread caused the event, perhaps before [`crate::Hub::open`] has
    /// returned. It must be quick: the network may wait for it.
    Callback(Box<dyn Fn() + Send + Sync>),
}

impl std::fmt::Debug for Wake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Fd => "Fd",
            Self::Callback(_) => "Callback",
        })
    }
}

/// A wake made ready.
pub(crate) enum Waker {
    None,
    #[cfg(unix)]
    Fd(crate::signal::Signal),
    Callback(Callback),
}

impl Waker {
    pub fn new(wake: Wake) -> Result<Self> {
        match wake {
            Wake::None => Ok(Self::None),
            #[cfg(unix)]
            Wake::Fd => Ok(Self::Fd(crate::signal::Signal::new()?)),
            #[cfg(not(unix))]
            Wake::Fd => Err(posthouse_core::Error::new(
                posthouse_core::Code::Unsupported,
                "this system has no file descriptors to wait on: use a wake callback",
            )),
            Wake::Callback(call) => Ok(Self::Callback(Callback::new(call))),
        }
    }

    /// Tells the host. To be called with no lock held.
    pub fn raise(&self) {
        match self {
            Self::None => {}
            #[cfg(unix)]
            Self::Fd(signal) => signal.raise(),
            Self::Callback(callback) => callback.call(),
        }
    }

    /// A batch was taken and there is more: a callback is called again, a descriptor stays readable.
    pub fn again(&self) {
        if let Self::Callback(callback) = self {
            callback.call();
        }
    }

    /// The queue is empty: whatever was raised is answered.
    pub fn clear(&self) {
        #[cfg(unix)]
        if let Self::Fd(signal) = self {
            signal.clear();
        }
    }

    /// No signal from here on.
    pub fn stop(&self) {
        match self {
            Self::None => {}
            #[cfg(unix)]
            Self::Fd(signal) => signal.stop(),
            Self::Callback(callback) => callback.stop(),
        }
    }
}

/// A callback that can be ended for good: whoever ends it knows that it runs nowhere but perhaps
/// around the end itself.
pub(crate) struct Callback {
    state: Mutex<Calls>,
    returned: Condvar,
}

struct Calls {
    /// Gone once it is ended.
    call: Option<Arc<dyn Fn() + Send + Sync>>,
    running: Vec<ThreadId>,
}

impl Callback {
    fn new(call: Box<dyn Fn() + Send + Sync>) -> Self {
        let calls = Calls { call: Some(Arc::from(call)), running: Vec::new() };
        Self { state: Mutex::new(calls), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self) {
        let me = thread::current().id();
        let mut state = self.lock();
        let Some(call) = state.call.clone() else { return };
        state.running.push(me);
        drop(state);
        // Its panic would end the connection whose news it was to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| call()));
        // Before its return is told: whoever ends it may rely on what it holds being let go of.
        drop(call);
        let mut state = self.lock();
        if let Some(at) = state.running.iter().position(|running| *running == me) {
            state.running.swap_remove(at);
        }
        drop(state);
        self.returned.notify_all();
    }

    fn stop(&self) {
        let me = thread::current().id();
        let mut state = self.lock();
        let call = state.call.take();
        let elsewhere = |state: &mut Calls| state.running.iter().any(|running| *running != me);
        let waited = self.returned.wait_while(state, elsewhere);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        // Outside the lock: it may hold anything.
        drop(call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Barrier, OnceLock,
        atomic::{AtomicUsize, Ordering},
    };

    #[test]
    fn a_stop_waits_for_the_call_on_another_thread() {
        let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let returned = Arc::new(AtomicUsize::new(0));
        let callback = {
            let (entered, leave, returned) =
                (Arc::clone(&entered), Arc::clone(&leave), Arc::clone(&returned));
            Callback::new(Box::new(move || {
                entered.wait();
                leave.wait();
                returned.fetch_add(1, Ordering::SeqCst);
            }))
        };
        thread::scope(|scope| {
            scope.spawn(|| callback.call());
            entered.wait();
            let stops = scope.spawn(|| {
                callback.stop();
                returned.load(Ordering::SeqCst)
            });
            leave.wait();
            assert_eq!(stops.join().expect("no panic"), 1);
        });
        callback.call();
        assert_eq!(returned.load(Ordering::SeqCst), 1, "no call after the stop");
    }

    #[test]
    fn a_callback_may_call_and_end_itself() {
        static CALLBACK: OnceLock<Callback> = OnceLock::new();
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let callback = CALLBACK.get_or_init(|| {
            Callback::new(Box::new(|| {
                let callback = CALLBACK.get().expect("it is being called");
                if CALLS.fetch_add(1, Ordering::SeqCst) == 0 {
                    callback.call();
                    callback.stop();
                    callback.call();
                }
                panic!("told to");
            }))
        });
        callback.call();
        assert_eq!(CALLS.load(Ordering::SeqCst), 2);
    }
}
