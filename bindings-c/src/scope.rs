//! Which callbacks run on this thread: what would wait for itself is refused.
//!
//! Plain cells, with nothing to be destroyed: the end of the process asks after a thread's own data
//! has gone.
use posthouse_kit::SubId;
use std::cell::Cell;

/// Callbacks inside callbacks that are told apart; hardly any program has two.
const DEPTH: usize = 8;

#[derive(Clone, Copy)]
struct Running {
    hub: usize,
    sub: Option<SubId>,
}

thread_local! {
    static RUNNING: Cell<([Option<Running>; DEPTH], usize)> = const { Cell::new(([None; DEPTH], 0)) };
}

/// A callback that runs on this thread, until it is dropped.
pub struct Entered;

/// A callback of a hub begins, one of a subscription's handlers if it says which. `hub` is the
/// hub's place in memory, which no other has while it lives.
pub fn enter(hub: usize, sub: Option<SubId>) -> Entered {
    let (mut running, depth) = RUNNING.get();
    if let Some(place) = running.get_mut(depth) {
        *place = Some(Running { hub, sub });
    }
    RUNNING.set((running, depth + 1));
    Entered
}

impl Drop for Entered {
    fn drop(&mut self) {
        let (mut running, depth) = RUNNING.get();
        let depth = depth.saturating_sub(1);
        if let Some(place) = running.get_mut(depth) {
            *place = None;
        }
        RUNNING.set((running, depth));
    }
}

fn any(wanted: impl Fn(Running) -> bool) -> bool {
    let (running, _) = RUNNING.get();
    running.into_iter().flatten().any(wanted)
}

/// Whether this thread runs a callback of the hub.
pub fn inside(hub: usize) -> bool {
    any(|running| running.hub == hub)
}

/// Whether this thread runs the handler of the subscription.
pub fn inside_handler(hub: usize, sub: SubId) -> bool {
    any(|running| running.hub == hub && running.sub == Some(sub))
}
