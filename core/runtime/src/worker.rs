//! Where handlers run: on the caller's tokio runtime, or, for a program without one, on a thread of
//! the SDK. Never on the I/O thread.
use std::{any::Any, future::Future, sync::OnceLock};
use tokio::runtime::{Builder, Handle, Runtime};

/// Spawns a handler's task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    match Handle::try_current() {
        Ok(handle) => drop(handle.spawn(task)),
        Err(_) => {
            if let Some(runtime) = own() {
                runtime.spawn(task);
            }
        }
    }
}

fn own() -> Option<&'static Runtime> {
    static OWN: OnceLock<Option<Runtime>> = OnceLock::new();
    let make = || {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .thread_name("posthouse-handlers")
            .build();
        runtime
            .inspect_err(|e| log::error!(target: "posthouse", "no thread for handlers: {e}"))
            .ok()
    };
    OWN.get_or_init(make).as_ref()
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.map_or_else(|| "it panicked".to_owned(), |text| format!("it panicked: {text}"))
}
