//! What cargo knows about the workspace.
use crate::root::root;
use serde::Deserialize;
use std::process::Command;

/// A package of the dependency graph, on any platform.
#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// `None` for the workspace's own crates.
    pub source: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Every package in Cargo.lock.
pub fn packages() -> Result<Vec<Package>, String> {
    let text = output(&["metadata", "--format-version", "1", "--locked"])?;
    let metadata: Metadata =
        serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(metadata.packages)
}

/// What a cargo command prints.
pub fn output(words: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .args(words)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo {}: {error}", words.join(" ")))?;
    if !done.status.success() {
        let text = String::from_utf8_lossy(&done.stderr);
        return Err(format!("cargo {} failed:\n{}", words.join(" "), text.trim()));
    }
    String::from_utf8(done.stdout).map_err(|error| format!("cargo {}: {error}", words.join(" ")))
}
