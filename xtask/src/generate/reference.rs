//! Reference pages: error codes, limits and options.
use super::{BANNER, grouped};
use crate::table::{Default, Group, Kind, Opt, Table};
use std::fmt::Write as _;

pub fn errors(table: &Table) -> String {
    let mut out = head("Error codes");
    out.push_str(
        "Every error of every SDK carries one of these codes, spelled the same in each language, and a\n\
         message that says what was given, what is allowed and what to do. Where a limit was passed the\n\
         error also carries `limit` and `actual`. Codes that no operation gives are told in the status, in the\n\
         log, or by the file that a deployment is configured with.\n\n\
         | code | meaning | what to do | given by |\n|---|---|---|---|\n",
    );
    for code in &table.codes {
        _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            code.name,
            cell(&code.meaning),
            cell(&code.action),
            givers(table, &code.name)
        );
    }
    out
}

/// The operations that give a code.
fn givers(table: &Table, code: &String) -> String {
    if table.common_errors.contains(code) {
        return "whatever can fail".to_owned();
    }
    if code == "BLOCKING_IN_HANDLER" {
        return "whatever waits, where calls block".to_owned();
    }
    let mut all = Vec::new();
    for page in &table.pages {
        for operation in &page.operations {
            if operation.errors.iter().flatten().any(|given| given == code) {
                let anchor = super::operations::anchor(&operation.name);
                all.push(format!("[`{}`](operations/{}.md#{anchor})", operation.name, page.name));
            }
        }
    }
    all.join(" ")
}

pub fn limits(table: &Table) -> String {
    let mut out = head("Limits");
    out.push_str("What no option changes. Limits that an option does change are in [options](options.md).\n\n");
    out.push_str("| name | value | meaning | contract |\n|---|---|---|---|\n");
    for limit in &table.limits {
        let unit = match limit.unit.as_str() {
            "integer" | "port" => "",
            unit => unit,
        };
        let value =
            if limit.unit == "port" { limit.value.to_string() } else { grouped(limit.value, ",") };
        _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            limit.name,
            format!("{value} {unit}").trim_end(),
            cell(&limit.doc),
            cell(&limit.source)
        );
    }
    out
}

pub fn options(table: &Table) -> String {
    let mut out = head("Options");
    out.push_str(
        "Names are those of Rust and Python; JavaScript writes them in camelCase. Durations are shown in\n\
         seconds; Python takes seconds, JavaScript milliseconds, C++ `std::chrono`, Rust `Duration`. An\n\
         unknown option is refused by name with the nearest known one, an option out of range with the\n\
         range (`INVALID_OPTIONS`).\n",
    );
    for group in &table.groups {
        _ = write!(
            out,
            "\n## {}\n\n{}\n\n| option | type | default | range | meaning |\n|---|---|---|---|---|\n",
            title(group),
            group.doc
        );
        for option in &group.options {
            let only = option.languages.as_ref().map_or_else(String::new, |list| {
                format!(
                    " Only in {}.",
                    list.iter().map(|name| proper(name)).collect::<Vec<_>>().join(", ")
                )
            });
            _ = writeln!(
                out,
                "| `{}` | {} | {} | {} | {}{only} |",
                option.name,
                option.kind.word(),
                default(option),
                range(option),
                cell(&option.doc)
            );
        }
    }
    out.push_str("\n## Environment\n\n| variable | meaning |\n|---|---|\n");
    for variable in &table.environment {
        _ = writeln!(out, "| `{}` | {} |", variable.name, cell(&variable.doc));
    }
    out
}

fn head(title: &str) -> String {
    format!("<!-- {BANNER} -->\n\n# {title}\n\n")
}

/// A text that may stand in a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn title(group: &Group) -> String {
    let words = group.name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn proper(language: &str) -> &str {
    match language {
        "python" => "Python",
        "javascript" => "JavaScript",
        "rust" => "Rust",
        "c" => "C",
        "cpp" => "C++",
        other => other,
    }
}

fn default(option: &Opt) -> String {
    match (&option.default, option.percent, &option.percent_of) {
        (_, Some(percent), Some(base)) => format!("{percent} % of `{base}`"),
        (Some(Default::Number(value)), ..) => amount(option, *value),
        (Some(Default::Words(words)), ..) => words.clone(),
        (None, ..) => "none".to_owned(),
    }
}

fn range(option: &Opt) -> String {
    match (option.min, option.max) {
        (Some(min), Some(max)) => format!("{} to {}", amount(option, min), amount(option, max)),
        _ => String::new(),
    }
}

fn amount(option: &Opt, value: f64) -> String {
    match option.kind {
        Kind::Duration if option.raw_milliseconds => format!("{} ms", grouped(value as u64, ",")),
        Kind::Duration => format!("{} s", value / 1000.0),
        Kind::Ratio => format!("{value}"),
        Kind::Bytes => format!("{} bytes", grouped(value as u64, ",")),
        _ => grouped(value as u64, ","),
    }
}
