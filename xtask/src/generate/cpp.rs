//! Error codes, limits and option structures for C++, with what turns the latter into those of C.
use super::{BANNER, c_options, camel, pascal, rust_limits};
use crate::table::{Group, Kind, Table};
use std::fmt::Write as _;

pub const PATH: &str = "bindings-cpp/include/posthouse/options.hpp";

/// Fields of a hub's options that only C++ has, because only C++ can say them.
const HOST: &str = "    /// Runs handlers and callbacks on a thread of the program's: called, on any thread, with a short task\n    /// to be run there. Without it, and without `dispatch`, they run on threads of the library.\n    std::function<void(std::function<void()>)> executor{};\n    /// Who runs handlers and callbacks; see `BasicHub::fd` and `BasicHub::process`.\n    Dispatch dispatch{Dispatch::threads};\n    /// Hears of lines for the program's log, which never carry a secret or a value.\n    std::function<void(LogLevel level, std::string_view code, std::string_view line)> onLog{};\n";

pub fn text(table: &Table) -> String {
    let mut out = format!(
        "// {BANNER}\n// clang-format off\n#ifndef POSTHOUSE_OPTIONS_HPP\n#define POSTHOUSE_OPTIONS_HPP\n\n#include <posthouse/headers.hpp>\n#include <posthouse/host.hpp>\n\n#include <chrono>\n#include <cstdint>\n#include <exception>\n#include <functional>\n#include <optional>\n#include <string>\n#include <string_view>\n#include <vector>\n\nnamespace posthouse {{\n\n/// Limits that no option changes.\nnamespace limits {{\n"
    );
    for limit in &table.limits {
        _ = writeln!(
            out,
            "/// {} In {}.\ninline constexpr std::int64_t {} = {};",
            limit.doc,
            limit.unit,
            rust_limits::constant(limit),
            limit.value
        );
    }
    out.push_str("} // namespace limits\n");
    for name in ["tls", "selection", "messaging", "hub", "subscription", "request", "request_many"]
    {
        if let Some(group) = table.group(name) {
            structure(&mut out, table, group);
        }
    }
    out.push_str("\nnamespace detail {\n");
    for (name, _) in c_options::GROUPS {
        if let Some(group) = table.group(name) {
            conversion(&mut out, table, group);
        }
    }
    out.push_str("\n} // namespace detail\n} // namespace posthouse\n\n#endif\n");
    out
}

/// The error codes, in a file of their own, for it needs nothing.
pub fn codes(table: &Table) -> String {
    let mut out = format!(
        "// {BANNER}\n// clang-format off\n#ifndef POSTHOUSE_CODE_HPP\n#define POSTHOUSE_CODE_HPP\n\n#include <posthouse.h>\n\n#include <string_view>\n\nnamespace posthouse {{\n\n/// What went wrong, as a code that every language shares. New ones may come.\nenum class ErrorCode {{\n"
    );
    for code in &table.codes {
        _ = writeln!(
            out,
            "    /// {}\n    {} = POSTHOUSE_{},",
            code.meaning,
            pascal(&code.name),
            code.name
        );
    }
    out.push_str("};\n\n/// A code as every language spells it, e.g. `NO_RESPONDERS`.\ninline std::string_view codeName(ErrorCode code) noexcept {\n    const posthouse_str_t name = posthouse_code_name(static_cast<posthouse_code_t>(code));\n    return {name.data, name.len};\n}\n\n} // namespace posthouse\n\n#endif\n");
    out
}

pub const CODES: &str = "bindings-cpp/include/posthouse/code.hpp";

fn type_name(group: &Group) -> String {
    format!("{}Options", pascal(&group.name.to_uppercase()))
}

fn structure(out: &mut String, table: &Table, group: &Group) {
    _ = writeln!(out, "\n/// {}\nstruct {} {{", group.doc, type_name(group));
    for option in group.options.iter().filter(|option| option.is_in("cpp")) {
        let name = camel(&option.name);
        let kind = match option.kind {
            Kind::Duration => "std::optional<std::chrono::milliseconds>",
            Kind::Count | Kind::Bytes => "std::optional<std::int64_t>",
            Kind::Ratio => "std::optional<double>",
            Kind::Text if option.name != "user" => "std::optional<std::string>",
            Kind::Text | Kind::Secret => "std::optional<Credential>",
            Kind::List => "std::optional<std::vector<std::string>>",
            Kind::Callback => {
                "std::function<void(std::string_view what, std::exception_ptr error)>"
            }
            Kind::Group => {
                let held = option.group.as_deref().and_then(|name| table.group(name));
                _ = writeln!(
                    out,
                    "    /// {}\n    {} {name}{{}};",
                    option.doc,
                    held.map(type_name).unwrap_or_default()
                );
                continue;
            }
            Kind::Value if option.name == "headers" => "Headers",
            Kind::Flag | Kind::Value => "std::optional<bool>",
        };
        _ = writeln!(out, "    /// {}\n    {kind} {name}{{}};", c_options::describe(option));
    }
    if group.name == "hub" {
        out.push_str(HOST);
    }
    out.push_str("};\n");
}

fn conversion(out: &mut String, table: &Table, group: &Group) {
    let snake = c_options::snake(&type_name(group));
    let texts = group.options.iter().any(|option| option.kind == Kind::List);
    let extra = if texts { ", std::vector<posthouse_str_t> &texts" } else { "" };
    _ = writeln!(
        out,
        "\ninline posthouse_{snake}_t toC(const {} &options{extra}) {{\n    posthouse_{snake}_t all = POSTHOUSE_{}_INIT;",
        type_name(group),
        snake.to_uppercase()
    );
    for field in c_options::fields(table, group) {
        let path: Vec<String> = field.path.split('.').map(camel).collect();
        let from = format!("options.{}", path.join("."));
        let name = &field.name;
        match field.option.kind {
            Kind::Duration => _ = writeln!(out, "    if ({from}) all.{name} = {from}->count();"),
            Kind::Count | Kind::Bytes | Kind::Ratio => {
                _ = writeln!(out, "    if ({from}) all.{name} = *{from};");
            }
            Kind::Text if field.option.name != "user" => {
                _ = writeln!(out, "    if ({from}) all.{name} = toC(*{from});");
            }
            Kind::Text | Kind::Secret => {
                _ = writeln!(out, "    if ({from}) all.{name} = {from}->text();");
            }
            Kind::List => {
                _ = writeln!(
                    out,
                    "    if ({from}) {{\n        for (const std::string &text : *{from}) texts.push_back(toC(text));\n        static constexpr posthouse_str_t none{{nullptr, 0}};\n        all.{name} = texts.empty() ? &none : texts.data();\n        all.{name}_count = texts.size();\n    }}"
                );
            }
            _ if field.option.name == "headers" => {
                _ = writeln!(out, "    all.{name} = {from}.given();");
            }
            _ => _ = writeln!(out, "    if ({from}) all.{name} = *{from} ? 1 : 0;"),
        }
    }
    out.push_str("    return all;\n}\n");
}
