//! How one process tells the others that something was put into the file.
//!
//! After a commit the writer opens the log file for writing and closes it again, which takes little
//! and changes nothing; on Linux whoever waits sleeps in inotify until then. The log exists as
//! long as anybody has the file open, and SQLite has no locks on it that closing it could break. A watch on the
//! writes themselves would come too early: the commit is to be seen only after the sync that follows them.
//! Setting the file's times, as an alternative, costs more than it looks: the next sync has to write them.
use std::{
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
};

/// Rings for every process that has the file open.
pub(super) struct Bell(PathBuf);

/// The log of a queue file.
fn log_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push("-wal");
    name.into()
}

impl Bell {
    pub(super) fn new(path: &Path) -> Self {
        Self(log_of(path))
    }

    /// Wakes whoever waits. Where that fails they look by themselves within a second.
    pub(super) fn ring(&self) {
        drop(File::options().write(true).open(&self.0));
    }
}

/// Hears the bell.
pub(super) struct Ear {
    #[cfg(target_os = "linux")]
    notify: Option<inotify::Inotify>,
}

impl Ear {
    #[cfg(target_os = "linux")]
    pub(super) fn new(path: &Path) -> Self {
        let notify = inotify::Inotify::init().and_then(|notify| {
            notify.watches().add(log_of(path), inotify::WatchMask::CLOSE_WRITE)?;
            Ok(notify)
        });
        if let Err(error) = &notify {
            log::warn!(
                "queue file: no inotify ({error}): messages of other processes are looked for instead"
            );
        }
        Self { notify: notify.ok() }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new(_: &Path) -> Self {
        Self {}
    }

    /// Returns after the bell rang, and sometimes without reason. Where it cannot be heard it
    /// returns a few milliseconds later.
    pub(super) fn listen(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(notify) = &mut self.notify {
            let mut buffer = [0; 1_024];
            match notify.read_events_blocking(&mut buffer) {
                Ok(_) => return,
                Err(error) => {
                    log::warn!("queue file: inotify failed ({error})");
                    self.notify = None;
                }
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
}
