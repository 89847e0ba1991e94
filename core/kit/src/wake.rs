//! The one signal that tells a host that its queue has something.
use posthouse_core::Result;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// How a host is told that [`crate::Hub::poll`] has something. One signal a batch: after it none comes
/// until the queue was polled.
pub enum Wake {
    /// Not at all: the host waits with [`crate::Hub::wait_events`], or asks.
    None,
    /// A file descriptor is readable while there are events: see [`crate::Hub::wake_fd`]. Unix only.
    Fd,
    /// A function is called, on whatever thread caused the event. It must be quick, and must not
    /// call this hub.
    Callback(Box<dyn Fn() + Send + Sync>),
}

impl std::fmt::Debug for Wake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Fd => "Fd",
            Self::Callback(_) => "Callback",
        })
    }
}

/// A wake made ready.
pub(crate) enum Waker {
    None,
    #[cfg(unix)]
    Fd(crate::signal::Signal),
    /// The lock is held during the call, so that whoever takes the callback out knows that it
    /// neither runs nor will.
    Callback(Mutex<Option<Box<dyn Fn() + Send + Sync>>>),
}

impl Waker {
    pub fn new(wake: Wake) -> Result<Self> {
        match wake {
            Wake::None => Ok(Self::None),
            #[cfg(unix)]
            Wake::Fd => Ok(Self::Fd(crate::signal::Signal::new()?)),
            #[cfg(not(unix))]
            Wake::Fd => Err(posthouse_core::Error::new(
                posthouse_core::Code::Unsupported,
                "this system has no file descriptors to wait on: use a wake callback",
            )),
            Wake::Callback(call) => Ok(Self::Callback(Mutex::new(Some(call)))),
        }
    }

    /// Tells the host. Under no lock but this one's own.
    pub fn raise(&self) {
        match self {
            Self::None => {}
            #[cfg(unix)]
            Self::Fd(signal) => signal.raise(),
            Self::Callback(call) => {
                if let Some(call) = &*call.lock().unwrap_or_else(PoisonError::into_inner) {
                    // Its panic would end the connection whose news it was to tell.
                    let _ = catch_unwind(AssertUnwindSafe(call));
                }
            }
        }
    }

    /// A batch was taken and there is more: a callback is called again, a descriptor stays readable.
    pub fn again(&self) {
        if let Self::Callback(_) = self {
            self.raise();
        }
    }

    /// The queue is empty: whatever was raised is answered.
    pub fn clear(&self) {
        #[cfg(unix)]
        if let Self::Fd(signal) = self {
            signal.clear();
        }
    }

    /// No signal from here on.
    pub fn stop(&self) {
        match self {
            Self::None => {}
            #[cfg(unix)]
            Self::Fd(signal) => signal.stop(),
            Self::Callback(call) => {
                let call = call.lock().unwrap_or_else(PoisonError::into_inner).take();
                // Dropped outside the lock: it may be anything.
                drop(call);
            }
        }
    }
}
