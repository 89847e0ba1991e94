//! Being told of forks: a flag that the system sets in every child spares asking who we are at each
//! operation, which costs as much as the operation.
use super::io_thread::{forks_are_told, in_child};

/// Asks the system to tell. Where it cannot, each operation goes on asking by itself.
#[cfg(unix)]
#[allow(unsafe_code)]
pub(super) fn watch() {
    extern "C" fn child() {
        in_child();
    }
    // SAFETY: `child` lives as long as the program and only stores a number, which is allowed in
    // a child at any time.
    if unsafe { libc::pthread_atfork(None, None, Some(child)) } == 0 {
        forks_are_told();
    }
}

#[cfg(not(unix))]
pub(super) fn watch() {
    // There are no forks.
    forks_are_told();
}
