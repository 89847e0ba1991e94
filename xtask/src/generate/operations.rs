//! The reference pages of operations: one a page of the table, and an overview.
use super::BANNER;
use crate::table::{Operation, Page, Parameter, Platform, Table};
use std::fmt::Write as _;

/// Where a page of the table goes.
pub fn path(page: &Page) -> String {
    format!("docs/reference/operations/{}.md", page.name)
}

/// What there is on which platform.
pub fn overview(table: &Table) -> String {
    let mut out = format!(
        "<!-- {BANNER} -->\n\n# Operations\n\nWhat there is on which platform; `make test-parity` holds this table against each of them. \
         Every page has the calls in each language, parameters with defaults, and errors.\n"
    );
    let mut holes = Vec::<&str>::new();
    for page in &table.pages {
        _ = write!(
            out,
            "\n## [{}](operations/{}.md)\n\n{}\n\n| operation |",
            page.title, page.name, page.doc
        );
        for platform in &table.platforms {
            _ = write!(out, " {} |", platform.title);
        }
        _ = writeln!(out, "\n|---|{}", "---|".repeat(table.platforms.len()));
        for operation in &page.operations {
            _ = write!(
                out,
                "| [`{}`](operations/{}.md#{}) |",
                operation.name,
                page.name,
                anchor(&operation.name)
            );
            for platform in &table.platforms {
                let mark = operation.absent.get(&platform.name).map_or_else(
                    || "✓".to_owned(),
                    |reason| format!("– ({})", number(&mut holes, reason)),
                );
                _ = write!(out, " {mark} |");
            }
            out.push('\n');
        }
    }
    out.push_str("\n## Why one is absent\n\n");
    for (index, reason) in holes.iter().enumerate() {
        _ = writeln!(out, "{}. {reason}", index + 1);
    }
    out
}

/// The number of a reason, a new one where it has not been given yet.
fn number<'a>(known: &mut Vec<&'a str>, reason: &'a str) -> usize {
    known.iter().position(|other| *other == reason).map_or_else(
        || {
            known.push(reason);
            known.len()
        },
        |at| at + 1,
    )
}

pub fn page(table: &Table, page: &Page) -> String {
    let mut out = format!("<!-- {BANNER} -->\n\n# {}\n\n{}\n\n", page.title, page.doc);
    let common: Vec<String> = table.common_errors.iter().map(|code| format!("`{code}`")).collect();
    _ = writeln!(
        out,
        "Durations are seconds in Python, milliseconds in JavaScript and C, `std::chrono` in C++ and `Duration` in Rust. What may fail \
         may also give {}; \
         [error codes](../errors.md) says what to do. `posthouse.sync` has the calls of Python without `await`; there, in C and in C++, \
         what waits fails with `BLOCKING_IN_HANDLER` inside a callback of the hub.",
        common.join(", ")
    );
    for operation in &page.operations {
        one(&mut out, table, operation);
    }
    if page.extras.is_empty() {
        return out;
    }
    out.push_str("\n## Besides, in one language\n\n| language | call | |\n|---|---|---|\n");
    for extra in &page.extras {
        let calls: Vec<String> = extra.calls.all().iter().map(|call| code(call)).collect();
        let title = table.platforms.iter().find(|platform| platform.language == extra.language);
        _ = writeln!(
            out,
            "| {} | {} | {} |",
            title.map_or("", |platform| &platform.title),
            calls.join("<br>"),
            cell(&extra.doc)
        );
    }
    out
}

fn one(out: &mut String, table: &Table, operation: &Operation) {
    _ = write!(out, "\n## {}\n\n{}\n\n", operation.name, operation.doc);
    out.push_str("| | |\n|---|---|\n");
    for platform in &table.platforms {
        if let Some(reason) = operation.absent.get(&platform.name) {
            _ = writeln!(out, "| {} | none: {} |", platform.title, cell(reason));
        } else if !is_second(table, platform) {
            let calls: Vec<String> =
                operation.calls(&platform.language).iter().map(|call| code(call)).collect();
            _ = writeln!(out, "| {} | {} |", platform.title, calls.join("<br>"));
        }
    }
    out.push('\n');
    for parameter in &operation.takes {
        _ = writeln!(out, "- `{}`: {}", parameter.name, takes(parameter));
    }
    if let Some(group) = operation.options.as_ref() {
        _ = writeln!(
            out,
            "- options: [{}](../options.md#{})",
            group.replace('_', " "),
            anchor(&group.replace('_', " "))
        );
    }
    let later = if operation.waits { ", once it has ended" } else { "" };
    _ = writeln!(out, "- gives{later}: {}", operation.gives);
    match &operation.errors {
        None => {}
        Some(codes) if codes.is_empty() => out.push_str("- errors: the common ones\n"),
        Some(codes) => {
            let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
            _ = writeln!(out, "- errors: {}", codes.join(", "));
        }
    }
}

/// Whether another platform before it is written in the same language.
fn is_second(table: &Table, platform: &Platform) -> bool {
    let first = table.platforms.iter().find(|other| other.language == platform.language);
    first.is_some_and(|first| first.name != platform.name)
}

fn takes(parameter: &Parameter) -> String {
    let mut text = format!("{}. {}", parameter.kind, parameter.doc);
    if let Some(default) = &parameter.default {
        _ = write!(text, " Default: {default}.");
    }
    if let Some(languages) = &parameter.languages {
        let all: Vec<&str> = languages.iter().map(|name| super::reference::proper(name)).collect();
        _ = write!(text, " In {} only.", all.join(", "));
    }
    text
}

/// A call that may stand in a table's cell.
fn code(call: &str) -> String {
    format!("`{}`", cell(call))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The anchor that a heading gets.
pub fn anchor(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-');
    heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}
