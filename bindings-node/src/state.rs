//! What belongs to one environment, the main one's or a worker's: its hubs, and its error class.
//!
//! An environment that ends takes its hubs with it: first their wakes are stopped, which waits for one
//! that runs, then they are closed. The last environment ends the network thread, too.
#![expect(clippy::unnecessary_wraps, reason = "all functions of a table have one form")]
use crate::{
    call::{Call, Functions, function},
    events,
    js::{Env, Kept, Shared, Value},
    queue::{self, QueueSlot},
    subscription::Subscription,
    wake::Wake,
};
use napi_sys as sys;
use posthouse_kit::{Code, Error, Hub, Result, SubId};
use posthouse_queue::Fault;
use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::c_void,
    ptr,
    rc::Rc,
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering},
};

/// How many environments have loaded the addon.
static ENVIRONMENTS: AtomicUsize = AtomicUsize::new(0);

pub(crate) struct State {
    /// By number; what JavaScript has let go of leaves a hole, so no number is used twice.
    hubs: RefCell<Vec<Option<Rc<Slot>>>>,
    /// The same for queues.
    queues: RefCell<Vec<Option<Rc<QueueSlot>>>>,
    error: RefCell<Option<Kept>>,
    /// Reused for bodies on their way in and texts on their way out.
    pub(crate) buffer: RefCell<Vec<u8>>,
    /// Where the JavaScript half writes bodies.
    pub(crate) shared: RefCell<Option<Shared>>,
}

/// A hub of this environment.
pub(crate) struct Slot {
    pub(crate) hub: Hub,
    pub(crate) wake: Arc<Wake>,
    pub(crate) subscriptions: RefCell<HashMap<SubId, Subscription>>,
}

impl Slot {
    /// Nothing of this hub reaches JavaScript from here on.
    pub(crate) fn end(&self) {
        self.hub.stop_waking();
        self.wake.release();
    }
}

pub(crate) const FUNCTIONS: Functions = &[
    function!(c"setError", set_error),
    function!(c"share", share),
    function!(c"forget", forget),
    function!(c"version", version),
];

/// Gives an environment its state; `None` if Node refuses.
pub(crate) fn install(env: Env) -> Option<()> {
    let state = Box::into_raw(Box::new(State {
        hubs: RefCell::default(),
        queues: RefCell::default(),
        error: RefCell::new(None),
        buffer: RefCell::default(),
        shared: RefCell::new(None),
    }));
    // SAFETY: the state lives until `ended`, which Node calls once, last, on this thread.
    unsafe {
        let status = sys::napi_set_instance_data(env.raw(), state.cast(), None, ptr::null_mut());
        if status != sys::Status::napi_ok {
            drop(Box::from_raw(state));
            return None;
        }
        ENVIRONMENTS.fetch_add(1, Ordering::SeqCst);
        sys::napi_add_env_cleanup_hook(env.raw(), Some(ended), env.raw().cast());
    }
    Some(())
}

/// The environment ends.
unsafe extern "C" fn ended(env: *mut c_void) {
    // SAFETY: the hook was given its environment, and Node calls it on that one's thread.
    let env = unsafe { Env::new(env.cast()) };
    let state = State::pointer(env);
    if state.is_null() {
        return;
    }
    // SAFETY: made by `install`; taken out of the environment first, so nobody finds it any more.
    let state = unsafe {
        sys::napi_set_instance_data(env.raw(), ptr::null_mut(), None, ptr::null_mut());
        Box::from_raw(state)
    };
    for slot in state.hubs.take().into_iter().flatten() {
        slot.end();
        let _ = slot.hub.close();
    }
    state.end_queues();
    if ENVIRONMENTS.fetch_sub(1, Ordering::SeqCst) == 1 {
        queue::shutdown();
        posthouse_kit::shutdown();
    }
}

impl State {
    fn pointer(env: Env) -> *mut Self {
        let mut data = ptr::null_mut();
        // SAFETY: the environment is live; without data the pointer stays null.
        unsafe { sys::napi_get_instance_data(env.raw(), &raw mut data) };
        data.cast()
    }

    pub(crate) fn of<'a>(env: Env) -> Option<&'a Self> {
        // SAFETY: set by `install` and freed only when the environment ends, outside of any call.
        unsafe { Self::pointer(env).as_ref() }
    }

    /// The hub of a number.
    pub(crate) fn slot(&self, id: u64) -> Result<Rc<Slot>> {
        self.hubs
            .borrow()
            .get(id as usize)
            .and_then(Clone::clone)
            .ok_or_else(|| Error::new(Code::Closed, "the hub is gone; open a new one"))
    }

    /// Takes a hub in and gives it its number.
    pub(crate) fn add(&self, hub: Hub, wake: Arc<Wake>) -> u64 {
        let slot = Slot { hub, wake, subscriptions: RefCell::default() };
        let mut hubs = self.hubs.borrow_mut();
        hubs.push(Some(Rc::new(slot)));
        hubs.len() as u64 - 1
    }

    /// The queues of a number.
    pub(crate) fn queues(&self, id: u64) -> Result<Rc<QueueSlot>> {
        let queues = self.queues.borrow();
        let found = queues.get(id as usize).and_then(Clone::clone);
        found.ok_or_else(|| Error::new(Code::Closed, "these queues are closed; open them again"))
    }

    /// Takes queues in and gives them their number.
    pub(crate) fn add_queues(&self, slot: QueueSlot) -> u64 {
        let mut queues = self.queues.borrow_mut();
        queues.push(Some(Rc::new(slot)));
        queues.len() as u64 - 1
    }

    /// Ends queues that JavaScript has no use for any more.
    pub(crate) fn forget_queues(&self, id: u64) {
        let slot = self.queues.borrow_mut().get_mut(id as usize).and_then(Option::take);
        if let Some(slot) = slot {
            slot.end();
        }
    }

    /// Ends all of them: what their handlers had in hands comes again.
    pub(crate) fn end_queues(&self) {
        let all = self.queues.take();
        all.into_iter().flatten().for_each(|queues| queues.end());
    }

    /// Throws an error of the core as the package's own class.
    #[cold]
    pub(crate) fn throw(&self, env: Env, error: &Error) {
        let figure = |figure: Option<u64>| figure.map_or(env.undefined(), |n| env.number(n));
        let rest = [
            figure(error.limit()),
            figure(error.actual()),
            figure(error.index().map(|index| index as u64)),
        ];
        self.throw_words(env, error.code(), error.message(), &rest);
    }

    /// Throws what no program may catch as an error.
    #[cold]
    pub(crate) fn throw_fault(&self, env: Env, fault: &Fault) {
        let none = env.undefined();
        let rest = [none, none, none, env.boolean(true)];
        self.throw_words(env, fault.code(), fault.message(), &rest);
    }

    fn throw_words(&self, env: Env, code: Code, message: &str, rest: &[Value]) {
        let made = self.error.borrow().as_ref().map(|class| env.kept(class)).and_then(|class| {
            let words = [env.string(code.as_str().as_bytes()), env.string(message.as_bytes())];
            env.instance(class, &[&words, rest].concat())
        });
        match made {
            Some(made) => env.throw(made),
            None => env.throw_text(&format!("{}: {message}", code.as_str())),
        }
    }
}

/// `setError(constructor)`: what makes the errors that are thrown.
fn set_error(call: &Call<'_>) -> Result<Value> {
    *call.state.error.borrow_mut() = call.env.keep(call.value(0));
    Ok(call.undefined())
}

/// `share(buffer)`: the `ArrayBuffer` in which bodies are written.
fn share(call: &Call<'_>) -> Result<Value> {
    *call.state.shared.borrow_mut() = call.env.shared(call.value(0));
    Ok(call.undefined())
}

/// `forget(hub)`: JavaScript has no use for it any more.
fn forget(call: &Call<'_>) -> Result<Value> {
    let slot = call.state.hubs.borrow_mut().get_mut(call.id(0) as usize).and_then(Option::take);
    if let Some(slot) = slot {
        slot.end();
    }
    Ok(call.undefined())
}

/// `version()`: that of the core.
fn version(call: &Call<'_>) -> Result<Value> {
    Ok(call.env.string(env!("CARGO_PKG_VERSION").as_bytes()))
}

/// Gives a text to JavaScript, written into the environment's buffer.
pub(crate) fn give(
    call: &Call<'_>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<Value> {
    let mut buffer = call.state.buffer.take();
    buffer.clear();
    let written = write(&mut buffer);
    let value = call.env.string(&buffer);
    if buffer.capacity() > events::KEEP {
        buffer = Vec::new();
    }
    call.state.buffer.replace(buffer);
    written.map(|()| value)
}
