//! Node: the program compiles against the declarations, and another looks everything up in the loaded package.
use super::{Fault, compile, python};
use crate::{generate::uses::TYPESCRIPT, table::Table};
use std::process::Command;

pub fn check(_: &Table) -> Result<Vec<Fault>, String> {
    let tools = compile::target().join("node-tools/node_modules");
    let mut compiler = Command::new(tools.join(".bin/tsc"));
    compiler
        .args(["-p", "tests/parity/node", "--pretty", "false", "--typeRoots"])
        .arg(tools.join("@types"));
    let mut faults = compile::compile("node", compiler, TYPESCRIPT)?;
    let mut live = Command::new(compile::tool("POSTHOUSE_NODE", "node"));
    live.arg("tests/parity/node/live.mjs");
    faults.extend(python::lines(live)?);
    Ok(faults)
}
