//! A file descriptor that is readable while there are events: an eventfd, elsewhere a pipe.
#![cfg(unix)]
use posthouse_core::{Code, Error, Result};
use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    sync::{Mutex, PoisonError},
};

#[derive(Debug)]
pub(crate) struct Signal {
    read: File,
    /// The same descriptor where one serves both ends.
    write: Option<File>,
    /// Locked while it is written to, so that nothing is written after the stop.
    stopped: Mutex<bool>,
}

impl Signal {
    pub fn new() -> Result<Self> {
        let (read, write) = open().map_err(|e| {
            Error::new(
                Code::Internal,
                format!("the system gives no file descriptor to wake the program by: {e}"),
            )
        })?;
        Ok(Self { read, write, stopped: Mutex::new(false) })
    }

    pub fn fd(&self) -> RawFd {
        self.read.as_raw_fd()
    }

    pub fn raise(&self) {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            return;
        }
        let mut to = self.write.as_ref().unwrap_or(&self.read);
        // One that is full is readable already.
        let _ = to.write(&1_u64.to_ne_bytes());
    }

    pub fn clear(&self) {
        let mut buffer = [0; 64];
        // Nothing to read is fine. A pipe is read until it is empty.
        while (&self.read).read(&mut buffer).is_ok_and(|count| count == buffer.len()) {}
    }

    pub fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.clear();
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn open() -> io::Result<(File, Option<File>)> {
    // SAFETY: the call takes no pointer; its result is checked before it is owned.
    let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, and ours alone.
    Ok((File::from(unsafe { OwnedFd::from_raw_fd(fd) }), None))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open() -> io::Result<(File, Option<File>)> {
    let mut fds = [0; 2];
    // SAFETY: the array has room for the two descriptors that the call writes.
    if unsafe { libc::pipe(fds.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptors are open, and ours alone.
    let [read, write] = fds.map(|fd| File::from(unsafe { OwnedFd::from_raw_fd(fd) }));
    for end in [&read, &write] {
        // SAFETY: the descriptor is open; the calls change only its flags.
        unsafe {
            libc::fcntl(end.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK);
        }
    }
    Ok((read, Some(write)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readable(signal: &Signal) -> bool {
        let mut poll = libc::pollfd { fd: signal.fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry, no waiting.
        unsafe { libc::poll(&raw mut poll, 1, 0) == 1 }
    }

    #[test]
    fn readable_from_raise_to_clear() {
        let signal = Signal::new().expect("a descriptor");
        assert!(!readable(&signal));
        signal.raise();
        signal.raise();
        assert!(readable(&signal));
        signal.clear();
        assert!(!readable(&signal));
        signal.raise();
        signal.stop();
        signal.raise();
        assert!(!readable(&signal));
    }
}
