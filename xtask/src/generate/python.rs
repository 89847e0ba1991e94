//! Codes, limits, defaults and option names for Python. Durations become seconds.
use super::{BANNER, grouped, rust_limits};
use crate::table::{Group, Kind, Opt, Table};
use std::fmt::Write as _;

pub const PATH: &str = "bindings-python/python/posthouse/_generated.py";

pub fn text(table: &Table) -> String {
    let mut out = format!(
        "# {BANNER}\n\"\"\"Error codes, limits, option names and defaults, shared with every other language.\"\"\"\n\n\
         from __future__ import annotations\n\nfrom typing import Final, Literal\n\nCode = Literal[\n"
    );
    for code in &table.codes {
        _ = writeln!(out, "    \"{}\",", code.name);
    }
    out.push_str("]\n\n\nclass ErrorCode:\n    \"\"\"The stable codes that an error carries in `code`.\"\"\"\n");
    for code in &table.codes {
        _ = write!(out, "\n    {0}: Final = \"{0}\"\n    \"\"\"", code.name);
        out.push_str(wrap(&code.meaning, 92, "    ").trim_start());
        out.push_str("\"\"\"\n");
    }
    out.push_str("\n\nCODES: Final[tuple[Code, ...]] = (\n");
    for code in &table.codes {
        _ = writeln!(out, "    \"{}\",", code.name);
    }
    out.push_str(
        ")\n\n# Limits that no option changes; durations in milliseconds, as their names say.\n",
    );
    for limit in &table.limits {
        _ = writeln!(
            out,
            "{}: Final = {}",
            rust_limits::constant(limit),
            rust_limits::literal(limit)
        );
    }
    out.push_str("\n# Defaults of options; durations in seconds.\n");
    for group in &table.groups {
        for option in &group.options {
            if let Some(value) = option.number().filter(|_| option.is_in("python")) {
                _ = writeln!(
                    out,
                    "{}_DEFAULT_{}: Final = {}",
                    group.name.to_uppercase(),
                    option.name.to_uppercase(),
                    number(option, value)
                );
            }
        }
    }
    out.push_str("\n# The option names that each group knows.\n");
    for group in &table.groups {
        names(&mut out, group);
    }
    out.push_str("\n# Environment variables.\n");
    for variable in &table.environment {
        _ = writeln!(
            out,
            "ENV_{}: Final = \"{}\"",
            variable.name.trim_start_matches("POSTHOUSE_"),
            variable.name
        );
    }
    out
}

fn names(out: &mut String, group: &Group) {
    let known = || group.options.iter().filter(|option| option.is_in("python"));
    let quoted: Vec<String> = known().map(|option| format!("\"{}\"", option.name)).collect();
    let head = format!("{}_OPTIONS: Final[tuple[str, ...]] = (", group.name.to_uppercase());
    let comma = if quoted.len() == 1 { "," } else { "" };
    let line = format!("{head}{}{comma})", quoted.join(", "));
    if line.len() <= 100 {
        _ = writeln!(out, "{line}");
    } else {
        _ = writeln!(out, "{head}\n    {},\n)", quoted.join(",\n    "));
    }
}

fn number(option: &Opt, value: f64) -> String {
    match option.kind {
        Kind::Ratio => format!("{value:?}"),
        Kind::Duration if !option.raw_milliseconds => format!("{:?}", value / 1000.0),
        _ => grouped(value as u64, "_"),
    }
}

/// How wide a text is as linters count: Chinese characters take two columns.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

/// Breaks a text into lines of at most `width` characters, each after `indent`.
fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    for word in text.split(' ') {
        if columns(&line) + 1 + columns(word) > width && line.len() > indent.len() {
            out.push_str(line.trim_end());
            out.push('\n');
            indent.clone_into(&mut line);
        }
        line.push_str(word);
        line.push(' ');
    }
    out.push_str(line.trim_end());
    out
}
