//! Fixed limits for the machine.
use super::{BANNER, grouped};
use crate::table::{Limit, Table};
use std::fmt::Write as _;

pub const PATH: &str = "core/machine/src/generated/limits.rs";

pub fn text(table: &Table) -> String {
    let mut out = format!("//! Limits that no option changes.\n//!\n//! {BANNER}\n\n");
    for limit in &table.limits {
        let kind = match limit.unit.as_str() {
            "ms" | "integer" | "percent" => "u64",
            "port" => "u16",
            _ => "usize",
        };
        _ = writeln!(
            out,
            "/// {} In {}.\n///\n/// Contract: {}\npub const {}: {kind} = {};\n",
            limit.doc,
            if limit.unit == "ms" { "milliseconds" } else { &limit.unit },
            limit.source,
            constant(limit),
            literal(limit),
        );
    }
    out
}

/// The name of the constant: a duration says its unit.
pub fn constant(limit: &Limit) -> String {
    if limit.unit == "ms" { format!("{}_MS", limit.name) } else { limit.name.clone() }
}

/// The value as Rust and Python write it: thousands grouped, but not in a port.
pub fn literal(limit: &Limit) -> String {
    if limit.unit == "port" { limit.value.to_string() } else { grouped(limit.value, "_") }
}
