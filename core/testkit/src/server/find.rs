//! Which nats-server to run.

use std::path::PathBuf;
use std::process::Command;

/// The two generations that tests run against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// The one of the system, the oldest supported: `POSTHOUSE_NATS_SERVER`, else `nats-server` on
    /// `PATH` or in the usual places.
    #[default]
    System,
    /// The current one: `POSTHOUSE_NATS_SERVER_CURRENT`, else the system's if that is 2.12 or newer.
    Current,
}

/// Where the binary is, or `None`.
pub fn find_nats_server(binary: Binary) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    match binary {
        Binary::System => set("POSTHOUSE_NATS_SERVER").or_else(|| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let usual = ["/usr/sbin", "/usr/local/bin", "/usr/bin"].map(PathBuf::from);
            std::env::split_paths(&path)
                .chain(usual)
                .map(|dir| dir.join("nats-server"))
                .find(|file| file.is_file())
        }),
        Binary::Current => set("POSTHOUSE_NATS_SERVER_CURRENT").or_else(|| {
            find_nats_server(Binary::System)
                .filter(|file| version(file).is_some_and(|version| version >= (2, 12)))
        }),
    }
}

impl Binary {
    /// Whether a test that needs this server can run. Says so on stderr where it cannot; with `CI`
    /// or `POSTHOUSE_REQUIRE_SERVERS` set, a missing server fails the test instead.
    pub fn available(self) -> bool {
        let found = find_nats_server(self).is_some();
        if !found {
            let needed = ["CI", "POSTHOUSE_REQUIRE_SERVERS"]
                .iter()
                .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
            assert!(!needed, "{}", self.missing());
            eprintln!("skipped: {}", self.missing());
        }
        found
    }

    /// The binary; panics where there is none.
    pub(super) fn require(self) -> PathBuf {
        find_nats_server(self).unwrap_or_else(|| panic!("{}", self.missing()))
    }

    fn missing(self) -> &'static str {
        match self {
            Self::System => {
                "no nats-server found: install the package nats-server or name one in \
                 POSTHOUSE_NATS_SERVER"
            }
            Self::Current => {
                "no current nats-server (2.12 or newer) found: name one in \
                 POSTHOUSE_NATS_SERVER_CURRENT"
            }
        }
    }
}

/// The major and minor version that the binary tells.
fn version(file: &PathBuf) -> Option<(u32, u32)> {
    let out = Command::new(file).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut parts = text.trim().rsplit_once('v')?.1.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
