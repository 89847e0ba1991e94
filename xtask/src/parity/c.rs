//! C: the program compiles against the header, and the built library exports the functions of the table and
//! nothing else.
use super::{Fault, compile};
use crate::{
    generate::uses::{C, EXTRAS},
    table::Table,
};
use std::{collections::BTreeSet, env::consts, process::Command};

pub fn check(table: &Table) -> Result<Vec<Fault>, String> {
    let mut compiler = Command::new(compile::tool("CC", "cc"));
    compiler.args([
        "-std=c11",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wno-unused-value",
        "-Werror=implicit-function-declaration",
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
        "-Ibindings-c/include",
        C,
    ]);
    let mut faults = compile::compile("c", compiler, C)?;
    let exported = exported()?;
    let mut named = BTreeSet::new();
    for operation in table.operations() {
        for name in operation.calls("c").iter().flat_map(|call| functions(call)) {
            if !exported.contains(name) {
                let text = format!("the library does not export {name}");
                faults.push(Fault::new("c", &operation.name, text));
            }
            named.insert(name.to_owned());
        }
    }
    for name in
        table.extras("c").flat_map(|extra| extra.calls.all()).flat_map(|call| functions(call))
    {
        if !exported.contains(name) {
            faults.push(Fault::new("c", EXTRAS, format!("the library does not export {name}")));
        }
        named.insert(name.to_owned());
    }
    for name in exported.difference(&named) {
        faults.push(Fault::new("c", EXTRAS, format!("the table does not name {name}")));
    }
    Ok(faults)
}

/// The functions that a call names.
fn functions(call: &str) -> impl Iterator<Item = &str> {
    call.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with("posthouse_"))
}

/// What the library offers to the dynamic linker.
fn exported() -> Result<BTreeSet<String>, String> {
    let name = format!("{}posthouse{}", consts::DLL_PREFIX, consts::DLL_SUFFIX);
    let library = compile::target().join("debug").join(name);
    let done = Command::new("nm")
        .args(["-D", "--defined-only", "--format=posix"])
        .arg(&library)
        .output()
        .map_err(|error| format!("nm does not start: {error}"))?;
    if !done.status.success() {
        return Err(format!("{}: {}", library.display(), String::from_utf8_lossy(&done.stderr)));
    }
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}
