//! Proof that the machine is pure: it builds where there is no operating system, asks nothing of
//! its host, and depends only on crates known to be the same.
mod toolchain;
mod wasm;

use crate::{Outcome, cargo, root::root};
use std::path::Path;
use toolchain::Toolchain;

/// What the machine may depend on. None of these has a clock, a socket, a thread or a random
/// source in the features that the machine uses; a new name here needs that looked at.
const ALLOWED: &[&str] = &[
    "equivalent",
    "foldhash",
    "hashbrown",
    "indexmap",
    "itoa",
    "memchr",
    "posthouse-core",
    "ryu-js",
    "serde",
    "serde_core",
    "serde_json",
    "zmij",
];

/// Bare metal without atomic compare-and-swap: the narrowest platform that must work.
const BARE: &str = "riscv32imc-unknown-none-elf";
const WEB: &str = "wasm32-unknown-unknown";
/// The parts of the standard library that need no operating system.
const NO_SYSTEM: &str = "core,alloc";

pub fn run() -> Outcome {
    dependencies()?;
    let toolchain = Toolchain::find(&[BARE, WEB])?;
    println!("building for {BARE} and {WEB} with {}", toolchain.name());
    toolchain.build("posthouse-core", BARE, "dev", NO_SYSTEM)?;
    let folder = toolchain.build("posthouse-purity", WEB, "dev", NO_SYSTEM)?;
    alone(&folder.join("posthouse_purity.wasm"))?;
    println!("the machine is pure: it builds for {BARE}, and its {WEB} module imports nothing");
    Ok(())
}

/// Builds the module of the Cloudflare adapter and puts it beside its JavaScript.
pub fn cloudflare() -> Outcome {
    let toolchain = Toolchain::find(&[WEB])?;
    // Its allocator and its end on panic are the standard library's, which on this target asks for nothing either.
    let folder = toolchain.build("posthouse-cloudflare", WEB, "wasm", "std,panic_abort")?;
    let bytes = alone(&folder.join("posthouse_cloudflare.wasm"))?;
    let place = root().join("bindings-node/cloudflare/core.wasm");
    if std::fs::read(&place).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    println!("bindings-node/cloudflare/core.wasm has {} kB", bytes.len().div_ceil(1_000));
    std::fs::write(&place, bytes).map_err(|error| format!("{}: {error}", place.display()))
}

/// Reads a module and fails where it imports anything.
fn alone(module: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
    let imports = wasm::imports(&bytes).ok_or("the module cannot be read as WebAssembly")?;
    if imports.is_empty() {
        return Ok(bytes);
    }
    Err(format!("{} asks its host for: {}", module.display(), imports.join(", ")))
}

fn dependencies() -> Outcome {
    let tree = cargo::output(&[
        "tree",
        "--locked",
        "-p",
        "posthouse-core",
        "--target",
        "all",
        "-e",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ])?;
    let names =
        tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty());
    let mut foreign: Vec<&str> = names.filter(|name| !ALLOWED.contains(name)).collect();
    foreign.sort_unstable();
    foreign.dedup();
    if foreign.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the machine depends on {}, which xtask/src/purity.rs does not allow",
        foreign.join(", ")
    ))
}
