//! Signals for a process of ours, safe against a number that has passed to another process.

use std::process::Child;

/// Sends a signal to a child that has not been waited for, which `running` says.
pub(crate) fn signal(child: &Child, running: bool, signal: libc::c_int) {
    assert!(running, "this process has been ended; restart it first");
    let pid = libc::pid_t::try_from(child.id()).expect("process ids fit pid_t");
    // SAFETY: kill() touches no memory of ours. The child has not been waited for, so
    // even if it has ended its id cannot have passed to another process.
    let result = unsafe { libc::kill(pid, signal) };
    assert_eq!(result, 0, "cannot signal the process {pid}");
}

/// Stops a child in its tracks; returns once every thread of it stands still.
pub(crate) fn freeze(child: &Child, running: bool) {
    signal(child, running, libc::SIGSTOP);
    // SAFETY: siginfo_t is plain data for which all zeros is a value; waitid() writes to it
    // and to nothing else. WSTOPPED alone does not reap the child, which its owner goes on owning.
    let result = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WSTOPPED)
    };
    assert_eq!(result, 0, "the process has ended instead of standing still");
}
