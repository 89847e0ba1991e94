//! Which callbacks run on this thread: what would wait for itself is refused.
use posthouse_kit::SubId;
use std::cell::RefCell;

thread_local! {
    static RUNNING: RefCell<Vec<(usize, Option<SubId>)>> = const { RefCell::new(Vec::new()) };
}

/// A callback that runs on this thread, until it is dropped.
pub struct Entered;

/// A callback of a hub begins, one of a subscription's handlers if it says which. `hub` is the
/// hub's place in memory, which no other has while it lives.
pub fn enter(hub: usize, sub: Option<SubId>) -> Entered {
    RUNNING.with_borrow_mut(|running| running.push((hub, sub)));
    Entered
}

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(Vec::pop);
    }
}

/// Whether this thread runs a callback of the hub.
pub fn inside(hub: usize) -> bool {
    RUNNING.with_borrow(|running| running.iter().any(|(other, _)| *other == hub))
}

/// Whether this thread runs the handler of the subscription.
pub fn inside_handler(hub: usize, sub: SubId) -> bool {
    RUNNING.with_borrow(|running| running.contains(&(hub, Some(sub))))
}
