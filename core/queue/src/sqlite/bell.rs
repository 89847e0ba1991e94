//! How one process tells the others that something was put into the file.
//!
//! After a commit the writer sets the times of the log file, which costs about a microsecond and
//! writes nothing to it; on Linux whoever waits sleeps in inotify until then. The log exists as long as
//! anybody has the file open. A watch on the writes themselves would come too early: the
//! commit is to be seen only after the sync that follows them.
use std::{
    ffi::OsString,
    fs::{File, FileTimes},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Rings for every process that has the file open.
pub(super) struct Bell(Option<File>);

/// The log of a queue file.
fn log_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push("-wal");
    name.into()
}

impl Bell {
    pub(super) fn new(path: &Path) -> Self {
        Self(File::options().write(true).open(log_of(path)).ok())
    }

    /// Wakes whoever waits. Where that fails they look by themselves within a second.
    pub(super) fn ring(&self) {
        if let Some(file) = &self.0 {
            // Both times: only then is it told as a change of attributes.
            let now = SystemTime::now();
            let _ = file.set_times(FileTimes::new().set_accessed(now).set_modified(now));
        }
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
            notify.watches().add(log_of(path), inotify::WatchMask::ATTRIB)?;
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
