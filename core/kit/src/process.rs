//! The kit and the process: forks and the end.
use posthouse::engine;
use posthouse_core::{Code, Error, Result};

/// Whether this process is a forked child of one that had opened a hub: every call fails with
/// `FORKED` then, and dropping a hub does nothing.
pub fn forked() -> bool {
    engine::forked()
}

/// Ends the I/O thread, for a host that is about to end: waits at most a second. Open hubs are closed:
/// what waits for them is told. A hub opened later starts a new thread. Must be called with no
/// lock of the host held that an event's handling needs.
pub fn shutdown() {
    engine::shutdown();
}

/// `FORKED` in a child; to be called before a lock of the kit is taken, which another thread of
/// the parent may have held at the moment of the fork.
pub(crate) fn check_fork() -> Result<()> {
    if forked() {
        return Err(Error::new(
            Code::Forked,
            "this process was forked after a hub was opened, and hubs do not pass into a child: open hubs in the child only, before or without opening one in its parent",
        ));
    }
    Ok(())
}

/// Makes forks known from the first hub on, which makes asking cheap.
pub(crate) fn watch_forks() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            extern "C" fn child() {
                engine::in_child();
            }
            // SAFETY: the handler is a function of this library, which is never unloaded while a
            // hub's thread runs, and only stores to an atomic.
            let failed = unsafe { libc::pthread_atfork(None, None, Some(child)) } != 0;
            if !failed {
                engine::forks_are_told();
            }
        });
    }
}
