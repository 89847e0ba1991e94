//! What is about the library as a whole.
use crate::{
    error::{Status, quiet},
    exit,
    slice::Str,
};
use posthouse_kit::Code;

/// The number of the binary interface: in the name that programs look for, and what
/// `posthouse_abi` tells. It changes with every change that a compiled program would notice.
pub const ABI: u32 = 0;

/// The binary interface of the library that is loaded; compare it with POSTHOUSE_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn posthouse_abi() -> u32 {
    ABI
}

/// The version of the library that is loaded, e.g. `0.1.0`. Static.
#[unsafe(no_mangle)]
pub extern "C" fn posthouse_version() -> Str {
    Str::of(env!("CARGO_PKG_VERSION").as_bytes())
}

/// A code as every language spells it, e.g. `NO_RESPONDERS`; `OK` for 0. Static; NULL for a number that
/// is no code.
#[unsafe(no_mangle)]
pub extern "C" fn posthouse_code_name(code: Status) -> Str {
    if code == 0 {
        return Str::of(b"OK");
    }
    let known = Code::ALL.get(code as usize - 1);
    known.map_or(Str::NONE, |code| Str::of(code.as_str().as_bytes()))
}

/// Ends the library's threads, e.g. before a plugin is unloaded: closes the hubs that are left and waits,
/// at most a second. A hub opened later starts anew. At the end of the program this happens by itself.
#[unsafe(no_mangle)]
pub extern "C" fn posthouse_shutdown() {
    quiet((), exit::stop);
}
