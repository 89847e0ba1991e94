//! The thread on which the queues of a process wait: started with the first of them, ended with the last environment.
//! SQLite has threads of its own; this one only waits for them, for servers and for the time.
use posthouse_kit::{Code, Error, Result};
use std::{
    sync::{Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread::JoinHandle,
    time::Duration,
};
use tokio::{runtime::Handle, sync::oneshot};

/// What is still to be told to stores when the process ends has so long.
const LAST: Duration = Duration::from_secs(1);

static THREAD: Mutex<Option<Thread>> = Mutex::new(None);

struct Thread {
    handle: Handle,
    stop: oneshot::Sender<()>,
    join: JoinHandle<()>,
}

/// The thread's runtime.
pub(super) fn handle() -> Result<Handle> {
    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(thread) = &*thread {
        return Ok(thread.handle.clone());
    }
    let started = start().map_err(|error| {
        Error::new(Code::Internal, format!("the system gives no thread for queues: {error}"))
    })?;
    let handle = started.handle.clone();
    *thread = Some(started);
    Ok(handle)
}

fn start() -> std::io::Result<Thread> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel();
    let join = std::thread::Builder::new().name("posthouse-queue".into()).spawn(move || {
        // Either the end was asked for or nobody can ask any more: both mean to stop.
        let _ = runtime.block_on(stopped);
        runtime.shutdown_background();
    })?;
    Ok(Thread { handle, stop, join })
}

/// Begins something on the thread, and tells its end there. Its first part, until it has to wait, is done here, and if that
/// is all of it the end is given instead: what can be refused at once is, and what was begun first waits first.
pub(super) fn begin<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    tell: impl FnOnce(T) + Send + 'static,
) -> Result<Option<T>> {
    let handle = handle()?;
    let mut future = Box::pin(future);
    let _entered = handle.enter();
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(end) => Ok(Some(end)),
        Poll::Pending => {
            handle.spawn(async move { tell(future.await) });
            Ok(None)
        }
    }
}

/// Waits for what an ending environment has left to tell, on any thread but this one, for no longer than a moment.
pub(super) fn finish(future: impl Future<Output = ()> + Send + 'static) {
    let (ended, end) = std::sync::mpsc::channel();
    let told = begin(future, move |()| {
        let _ = ended.send(());
    });
    if matches!(told, Ok(None)) {
        let _ = end.recv_timeout(LAST);
    }
}

/// Ends the thread. A later queue starts a new one.
pub(crate) fn shutdown() {
    let thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Thread { stop, join, .. }) = thread {
        let _ = stop.send(());
        let _ = join.join();
    }
}
