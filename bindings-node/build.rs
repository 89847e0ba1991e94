//! How the addon is linked: what Node provides is found when Node loads it, and it is never unloaded,
//! for a worker that ends must not take the code of the process-wide network thread with it.
fn main() {
    // By itself only when the target changes.
    println!("cargo:rerun-if-env-changed=CARGO_CFG_TARGET_OS");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => println!("cargo:rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup"),
        Ok("linux") => println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete"),
        _ => {}
    }
}
