//! A timer that is exact to some microseconds; the runtime's own counts in milliseconds.
use std::{io, time::Duration};

#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
#[cfg(target_os = "linux")]
use tokio::io::{Interest, unix::AsyncFd};

/// A timer of one task.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(super) struct Nap(AsyncFd<OwnedFd>);

/// Elsewhere there is none.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(super) enum Nap {}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
impl Nap {
    /// # Errors
    /// Where the system has no such timer to give.
    pub fn new() -> io::Result<Self> {
        let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
        // SAFETY: takes no memory of ours.
        let fd = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call above made it, and nobody else has it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: the descriptor belongs to the `AsyncFd` alone, which closes it when it is dropped.
        Ok(Self(unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }?))
    }

    /// Starts it; a second start before it has run out begins anew.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(&self, nap: Duration) -> io::Result<()> {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let once = libc::timespec {
            tv_sec: nap.as_secs().try_into().unwrap_or(libc::time_t::MAX),
            // Below a thousand million.
            tv_nsec: nap.subsec_nanos() as libc::c_long,
        };
        let spec = libc::itimerspec { it_interval: zero, it_value: once };
        // SAFETY: `spec` is read during the call only; the old value is not wanted.
        let set = unsafe {
            libc::timerfd_settime(self.0.as_raw_fd(), 0, &raw const spec, std::ptr::null_mut())
        };
        if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Waits until it has run out.
    ///
    /// # Errors
    /// Those of the system.
    pub async fn over(&self) -> io::Result<()> {
        self.0
            .async_io(Interest::READABLE, |fd| {
                let mut count = [0_u8; 8];
                // SAFETY: reads at most the eight bytes that are there for it.
                let read =
                    unsafe { libc::read(fd.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
                if read < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
            })
            .await
    }
}

#[cfg(not(target_os = "linux"))]
impl Nap {
    pub fn new() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn start(&self, _: Duration) -> io::Result<()> {
        match *self {}
    }

    pub async fn over(&self) -> io::Result<()> {
        match *self {}
    }
}
