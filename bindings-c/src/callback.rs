//! The program's functions: closures that are dropped exactly once, and callbacks that can be ended for
//! good while they may be running.
use std::{
    ffi::c_void,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

/// What C gives: a context, a function that gets it first, and one that ends it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Raw<F> {
    context: *mut c_void,
    call: Option<F>,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl<F> Raw<F> {
    pub const NONE: Self = Self { context: std::ptr::null_mut(), call: None, drop: None };
}

/// A closure that this library owns.
pub struct Closure<F>(Raw<F>);

// SAFETY: the header says that closures are called and dropped on any thread.
unsafe impl<F> Send for Closure<F> {}
// SAFETY: as above; what may be called by several threads at once says so in the header.
unsafe impl<F> Sync for Closure<F> {}

impl<F: Copy> Closure<F> {
    pub fn new(raw: Raw<F>) -> Self {
        Self(raw)
    }

    pub fn is_given(&self) -> bool {
        self.0.call.is_some()
    }

    /// Calls it, by way of `with`, which knows its arguments.
    pub fn call(&self, with: impl FnOnce(F, *mut c_void)) {
        if let Some(call) = self.0.call {
            with(call, self.0.context);
        }
    }
}

impl<F> Drop for Closure<F> {
    fn drop(&mut self) {
        if let Some(drop) = self.0.drop {
            // SAFETY: the context is the one that the function was given with, and this is the only call.
            unsafe { drop(self.0.context) };
        }
    }
}

/// A closure that can be ended for good: whoever ends it knows that it runs nowhere but perhaps around
/// the end itself.
pub struct Callback<F> {
    state: Mutex<State<F>>,
    returned: Condvar,
}

struct State<F> {
    /// Gone once it is ended.
    closure: Option<Arc<Closure<F>>>,
    running: Vec<ThreadId>,
}

/// One run of a callback.
pub struct Run<'a, F> {
    callback: &'a Callback<F>,
    closure: Option<Arc<Closure<F>>>,
}

impl<F: Copy> Callback<F> {
    pub fn new(closure: Closure<F>) -> Self {
        let state = State { closure: Some(Arc::new(closure)), running: Vec::new() };
        Self { state: Mutex::new(state), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run, unless it was ended.
    pub fn enter(&self) -> Option<Run<'_, F>> {
        let mut state = self.lock();
        let closure = state.closure.clone()?;
        state.running.push(thread::current().id());
        Some(Run { callback: self, closure: Some(closure) })
    }

    /// No run begins from here on; those that run may go on.
    pub fn end(&self) {
        let closure = self.lock().closure.take();
        // Outside the lock: it may do anything.
        drop(closure);
    }

    /// Ends it and waits for runs on other threads.
    pub fn stop(&self) {
        self.stop_within(Duration::MAX);
    }

    /// The same with a limit; says whether none runs elsewhere.
    pub fn stop_within(&self, limit: Duration) -> bool {
        let me = thread::current().id();
        let until = Instant::now().checked_add(limit);
        let mut state = self.lock();
        let closure = state.closure.take();
        let elsewhere = |state: &State<F>| state.running.iter().any(|running| *running != me);
        while elsewhere(&state) {
            let left = until.map_or(limit, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let waited = self.returned.wait_timeout(state, left.min(Duration::from_secs(3600)));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let quiet = !elsewhere(&state);
        drop(state);
        drop(closure);
        quiet
    }
}

impl<F: Copy> Run<'_, F> {
    pub fn call(&self, with: impl FnOnce(F, *mut c_void)) {
        if let Some(closure) = &self.closure {
            closure.call(with);
        }
    }
}

impl<F> Drop for Run<'_, F> {
    fn drop(&mut self) {
        // Before its return is told: whoever ends it may rely on what it holds being let go of.
        drop(self.closure.take());
        let me = thread::current().id();
        let mut state = self.callback.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = state.running.iter().position(|running| *running == me) {
            state.running.swap_remove(at);
        }
        drop(state);
        self.callback.returned.notify_all();
    }
}

/// Something that happens once and that threads wait for.
#[derive(Default)]
pub struct Latch {
    done: Mutex<bool>,
    told: Condvar,
}

impl Latch {
    pub fn set(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    pub fn is_set(&self) -> bool {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn wait(&self) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.told.wait_while(done, |done| !*done));
    }
}
