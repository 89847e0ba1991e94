//! Codes, limits, defaults and options for JavaScript, and their types. Durations are milliseconds.
use super::{BANNER, camel, grouped, pascal};
use crate::table::{Default, Group, Kind, Opt, Table};
use std::fmt::Write as _;

pub const MODULE: &str = "bindings-node/lib/generated.js";
pub const TYPES: &str = "bindings-node/lib/generated.d.ts";

/// The values.
pub fn module(table: &Table) -> String {
    let mut out = format!(
        "\"use strict\";\n// {BANNER}\n\n/** The stable codes that an error carries in `code`. */\nexports.ErrorCode = Object.freeze({{\n"
    );
    for code in &table.codes {
        _ = writeln!(out, "  {0}: \"{0}\",", code.name);
    }
    out.push_str(
        "});\n\n/** Limits that no option changes; durations in milliseconds. */\nexports.LIMITS = Object.freeze({\n",
    );
    for limit in &table.limits {
        _ = writeln!(
            out,
            "  {}: {},",
            camel(&limit.name.to_lowercase()),
            grouped(limit.value, "_")
        );
    }
    out.push_str(
        "});\n\n/** Defaults of options that are numbers, by group; durations in milliseconds. */\nexports.DEFAULTS = Object.freeze({\n",
    );
    for group in &table.groups {
        let mut members = String::new();
        for option in options(group) {
            if let Some(value) = option.number() {
                _ = writeln!(members, "    {}: {},", camel(&option.name), number(option, value));
            }
        }
        if !members.is_empty() {
            _ = writeln!(out, "  {}: Object.freeze({{\n{members}  }}),", camel(&group.name));
        }
    }
    out.push_str("});\n");
    out
}

/// The types.
pub fn types(table: &Table) -> String {
    let mut out = format!(
        "// {BANNER}\n\nimport type {{ Credential, HeadersInput, PosthouseError }} from \"./index.js\";\n\n\
         /** The stable codes that an error carries in `code`. */\nexport declare const ErrorCode: {{\n"
    );
    for code in &table.codes {
        _ = writeln!(out, "  /** {} {} */", code.meaning, code.action);
        _ = writeln!(out, "  readonly {0}: \"{0}\";", code.name);
    }
    out.push_str("};\nexport type ErrorCode = keyof typeof ErrorCode;\n");
    for group in &table.groups {
        _ = write!(out, "\n/** {} */\nexport interface {} {{\n", group.doc, interface(&group.name));
        for option in options(group) {
            _ = writeln!(out, "  /** {}{} */", option.doc, extent(option));
            _ = writeln!(out, "  {}?: {} | undefined;", camel(&option.name), of(option));
        }
        out.push_str("}\n");
    }
    out
}

fn options(group: &Group) -> impl Iterator<Item = &Opt> {
    group.options.iter().filter(|option| option.is_in("javascript"))
}

fn interface(group: &str) -> String {
    match group {
        "subscription" => "SubscribeOptions".to_owned(),
        other => format!("{}Options", pascal(other)),
    }
}

fn of(option: &Opt) -> String {
    match (option.kind, option.name.as_str()) {
        (Kind::Duration | Kind::Count | Kind::Bytes | Kind::Ratio, _) => "number".to_owned(),
        (Kind::Group, _) => interface(option.group.as_deref().unwrap_or_default()),
        (Kind::Secret, _) | (Kind::Text, "user") => "Credential".to_owned(),
        (Kind::Text, _) => "string".to_owned(),
        (Kind::List, _) => "string | readonly string[]".to_owned(),
        (Kind::Flag, _) => "boolean".to_owned(),
        (Kind::Callback, _) => "((error: PosthouseError) => void)".to_owned(),
        (Kind::Value, "node") => "\"auto\" | boolean".to_owned(),
        (Kind::Value, "headers") => "HeadersInput".to_owned(),
        (Kind::Value, "signal") => "AbortSignal".to_owned(),
        (Kind::Value, _) => "unknown".to_owned(),
    }
}

/// Default, unit and range.
fn extent(option: &Opt) -> String {
    let unit = match option.kind {
        Kind::Duration => " ms",
        Kind::Bytes => " bytes",
        _ => "",
    };
    let default = match (&option.default, &option.percent_of, option.percent) {
        (Some(Default::Words(words)), ..) => words.clone(),
        (_, Some(base), Some(percent)) => format!("{percent} % of `{}`", camel(base)),
        _ => match option.number() {
            Some(value) => format!("{}{unit}", number(option, value)),
            None => return String::new(),
        },
    };
    match (option.kind.is_number(), option.min, option.max) {
        (true, Some(min), Some(max)) => {
            format!(" Default {default}; {} to {}{unit}.", number(option, min), number(option, max))
        }
        _ => format!(" Default: {default}."),
    }
}

fn number(option: &Opt, value: f64) -> String {
    match option.kind {
        Kind::Ratio => format!("{value:?}"),
        _ => grouped(value as u64, "_"),
    }
}
