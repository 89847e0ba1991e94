//! The one I/O thread of the process, started by the first hub.
use super::fork;
use posthouse_core::{Code, Error, Result};
use std::{
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicU8, AtomicU32, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};
use tokio::{runtime::Handle, sync::oneshot};

/// The longest that [`shutdown`] waits for the thread to end.
pub const SHUTDOWN_LIMIT: Duration = Duration::from_secs(1);

struct Io {
    handle: Handle,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

/// Forks are watched from the first start on.
static WATCH: Once = Once::new();
static IO: Mutex<Option<Io>> = Mutex::new(None);
/// The process that started the thread; 0: none did.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Nobody tells of forks: each look asks the system who we are.
const ASK: u8 = 0;
/// [`in_child`] would have told.
const TOLD: u8 = 1;
/// This is a child.
const CHILD: u8 = 2;
static FORK: AtomicU8 = AtomicU8::new(ASK);

/// Whether this process is a child, forked after the thread was started: it has the memory of
/// the hubs but not the thread, so nothing it sends would ever leave.
pub fn forked() -> bool {
    match FORK.load(Ordering::Relaxed) {
        TOLD => false,
        CHILD => true,
        _ => {
            let owner = OWNER.load(Ordering::Relaxed);
            owner != 0 && owner != std::process::id()
        }
    }
}

/// Promises that [`in_child`] is called in every child that is forked from now on. That spares
/// asking the system at every operation, which costs as much as the operation.
pub fn forks_are_told() {
    let _ = FORK.compare_exchange(ASK, TOLD, Ordering::Relaxed, Ordering::Relaxed);
}

/// Called in a child right after the fork; only stores a number. A child of a process that never
/// opened a hub may open its own.
pub fn in_child() {
    if OWNER.load(Ordering::Relaxed) != 0 {
        FORK.store(CHILD, Ordering::Relaxed);
    }
}

pub(super) fn check_fork() -> Result<()> {
    if forked() {
        return Err(Error::new(
            Code::Forked,
            "this process was forked after a hub was opened, and hubs do not pass into a child: open hubs in the child only, before or without opening one in its parent",
        ));
    }
    Ok(())
}

/// The thread's runtime; starts the thread if it does not run.
pub(super) fn handle() -> Result<Handle> {
    check_fork()?;
    let mut io = IO.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(io) = &*io {
        return Ok(io.handle.clone());
    }
    WATCH.call_once(fork::watch);
    let started = start()?;
    let handle = started.handle.clone();
    OWNER.store(std::process::id(), Ordering::Relaxed);
    *io = Some(started);
    Ok(handle)
}

fn start() -> Result<Io> {
    let no_thread = |e: std::io::Error| {
        Error::new(Code::Internal, format!("the system gives no thread for input and output: {e}"))
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        // Only for blocking credential callbacks and name look-ups.
        .max_blocking_threads(8)
        .thread_name("posthouse-aux")
        .build()
        .map_err(no_thread)?;
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("posthouse-io".into())
        .spawn(move || {
            // Either the end was asked for or the sender is gone: both mean to stop.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        })
        .map_err(no_thread)?;
    Ok(Io { handle, stop, thread })
}

/// Stops the thread, for a host language that is about to end: hubs that are still open are dead
/// afterwards. Waits at most [`SHUTDOWN_LIMIT`]. A later hub starts a new thread.
pub fn shutdown() {
    if forked() {
        return;
    }
    let io = IO.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(io) = io else { return };
    let _ = io.stop.send(());
    let (ended, end) = std::sync::mpsc::channel();
    let waiter = std::thread::Builder::new().name("posthouse-end".into()).spawn(move || {
        let _ = io.thread.join();
        let _ = ended.send(());
    });
    if waiter.is_ok() {
        let _ = end.recv_timeout(SHUTDOWN_LIMIT);
    }
}
