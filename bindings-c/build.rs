//! The name that programs look for at run time, and that the library is never unloaded.
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src/library.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let source = fs::read_to_string("src/library.rs").unwrap_or_default();
        let abi = source
            .split_once("pub const ABI: u32 = ")
            .and_then(|(_, rest)| rest.split_once(';'))
            .map_or("", |(number, _)| number);
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libposthouse.so.{abi}");
        // Threads of the library, and a handler for forks, may outlive a dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
