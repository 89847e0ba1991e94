//! A directory of one's own that goes away with its owner.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A fresh private directory under the system's temporary one, removed on drop. A test that is
/// panicking keeps it, so that logs and configurations can be looked at.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl TempDir {
    /// Makes a directory whose name begins with `posthouse-` and `purpose`.
    pub fn new(purpose: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = std::process::id();
        loop {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("posthouse-{purpose}-{id}-{n}"));
            match std::fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // Left over by an earlier process with the same id: take the next number.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => panic!("cannot make the directory {}: {e}", path.display()),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it and says where.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content)
            .unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
        path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // Nothing useful can be done about a directory that will not go.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
