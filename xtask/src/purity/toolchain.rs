//! A Rust that can build for bare targets: Debian's, which brings the sources of the standard
//! library, or else the ordinary one with the targets that rustup adds.
use crate::root::root;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

pub enum Toolchain {
    /// Debian's packages rustc-web, cargo-web and rust-web-src: `core` is built from source.
    Debian,
    /// The toolchain in use, with its targets added.
    Rustup,
}

const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library/core";

impl Toolchain {
    pub fn find(targets: &[&str]) -> Result<Self, String> {
        let debian = ["/usr/bin/cargo", "/usr/bin/rustc", DEBIAN_SOURCES];
        if debian.iter().all(|path| Path::new(path).exists()) {
            return Ok(Self::Debian);
        }
        let done = Command::new("rustup").args(["target", "add"]).args(targets).status();
        if done.is_ok_and(|status| status.success()) {
            return Ok(Self::Rustup);
        }
        Err("no Rust that builds for bare targets: install Debian's rustc-web, cargo-web and rust-web-src, \
             or let rustup add the targets"
            .to_owned())
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Debian => "Debian's Rust",
            Self::Rustup => "the toolchain of rustup",
        }
    }

    /// Builds a package in a profile, `libraries` being the parts of the standard library that it needs, and gives the
    /// folder with the result.
    pub fn build(
        &self,
        package: &str,
        target: &str,
        profile: &str,
        libraries: &str,
    ) -> Result<PathBuf, String> {
        let folder = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root().join("target"), PathBuf::from)
            .join("purity");
        let mut command = match self {
            Self::Debian => {
                let mut command = Command::new("/usr/bin/cargo");
                command.arg("build").arg(format!("-Zbuild-std={libraries}"));
                // A wrapper around the other toolchain may have set these.
                for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER", "RUSTFLAGS"] {
                    command.env_remove(name);
                }
                command.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
                if libraries.contains("panic_abort") {
                    // A module without imports can tell nobody why it ends: it need not carry the words.
                    command.env("RUSTFLAGS", "-Zunstable-options -Cpanic=immediate-abort");
                }
                command
            }
            Self::Rustup => {
                let mut command = Command::new("cargo");
                command.arg("build");
                command
            }
        };
        if let Some(linker) = linker() {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        let done = command
            .args(["--locked", "--quiet", "-p", package, "--target", target, "--profile", profile])
            .env("CARGO_TARGET_DIR", &folder)
            .current_dir(root())
            .status()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if !done.success() {
            return Err(format!("{package} does not build for {target}"));
        }
        let place = if profile == "dev" { "debug" } else { profile };
        Ok(folder.join(target).join(place))
    }
}

/// The linker that comes with the toolchain in use; Debian's Rust brings none for WebAssembly.
fn linker() -> Option<PathBuf> {
    let done = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let libraries = PathBuf::from(String::from_utf8(done.stdout).ok()?.trim());
    let path = libraries.parent()?.join("bin/rust-lld");
    if path.exists() {
        return Some(path);
    }
    let path = PathBuf::from("/usr/bin/wasm-ld");
    path.exists().then_some(path)
}
