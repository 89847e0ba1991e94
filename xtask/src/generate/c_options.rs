//! Error codes and option structures of the C binding, both sides of the boundary: the parts of the
//! header, and the Rust structures with the same layout.
use super::{BANNER, pascal, rust_limits};
use crate::table::{Group, Kind, Opt, Table};
use std::fmt::Write as _;

pub const RUST: &str = "bindings-c/src/generated.rs";

/// An option as a field of a C structure. Groups that another one holds are flattened, so that
/// structures grow at their ends only.
pub struct Field<'a> {
    /// `messaging.requests`, as the kit knows it.
    pub path: String,
    /// `messaging_requests`.
    pub name: String,
    pub option: &'a Opt,
}

/// The groups that have a structure, with the name of it.
pub const GROUPS: &[(&str, &str)] = &[
    ("hub", "HubOptions"),
    ("subscription", "SubscriptionOptions"),
    ("request", "RequestOptions"),
    ("request_many", "RequestManyOptions"),
];

/// The fields of a group, those of groups that it holds among them.
pub fn fields<'a>(table: &'a Table, group: &'a Group) -> Vec<Field<'a>> {
    let mut all = Vec::new();
    for option in group.options.iter().filter(|option| option.is_in("c")) {
        if let Some(held) = option.group.as_deref().and_then(|name| table.group(name)) {
            all.extend(held.options.iter().filter(|option| option.is_in("c")).map(|member| {
                Field {
                    path: format!("{}.{}", option.name, member.name),
                    name: format!("{}_{}", option.name, member.name),
                    option: member,
                }
            }));
        } else if option.kind != Kind::Callback {
            all.push(Field { path: option.name.clone(), name: option.name.clone(), option });
        }
    }
    for field in &mut all {
        if field.option.kind == Kind::Duration && !field.option.raw_milliseconds {
            field.name.push_str("_ms");
        }
    }
    all
}

fn is_headers(option: &Opt) -> bool {
    option.kind == Kind::Value && option.name == "headers"
}

/// What a field means, with its default and range.
pub fn describe(option: &Opt) -> String {
    let mut text = option.doc.trim_end_matches('.').to_owned();
    let unit = match option.kind {
        Kind::Duration => " ms",
        Kind::Bytes => " bytes",
        _ => "",
    };
    if let Some(number) = option.number() {
        _ = write!(text, ". Default {number}{unit}");
    } else if let (Some(percent), Some(base)) = (option.percent, &option.percent_of) {
        _ = write!(text, ". Default {percent} % of `{base}`");
    }
    if let (Some(min), Some(max)) = (option.min, option.max) {
        _ = write!(text, ", allowed {min} to {max}");
    }
    text.push('.');
    text.replace("*/", "* /")
}

/// The part of the header: codes, limits, option structures.
pub fn header(table: &Table) -> String {
    let mut out = String::from(
        "/** What went wrong, as a code that every language shares. New ones may come. */\ntypedef enum posthouse_code {\n    POSTHOUSE_OK = 0, /**< Nothing went wrong. */\n",
    );
    for (index, code) in table.codes.iter().enumerate() {
        let comma = if index + 1 == table.codes.len() { "" } else { "," };
        _ = writeln!(
            out,
            "    /** {} */\n    POSTHOUSE_{} = {}{comma}",
            code.meaning,
            code.name,
            index + 1
        );
    }
    out.push_str("} posthouse_code_t;\n\n");
    for limit in &table.limits {
        _ = writeln!(
            out,
            "/** {} In {}. */\n#define POSTHOUSE_{} {}",
            limit.doc,
            limit.unit,
            rust_limits::constant(limit),
            limit.value
        );
    }
    out.push_str("\n/** An option that is not given: the default holds. */\n#define POSTHOUSE_DEFAULT INT64_MIN\n/** The same for a ratio. */\n#define POSTHOUSE_DEFAULT_RATIO (-1.0)\n/** The same for what is true (1) or false (0). */\n#define POSTHOUSE_DEFAULT_FLAG (-1)\n");
    for (name, type_name) in GROUPS {
        let Some(group) = table.group(name) else { continue };
        let snake = snake(type_name);
        let upper = snake.to_uppercase();
        _ = writeln!(
            out,
            "\n/** {} Start from `POSTHOUSE_{upper}_INIT`. */\ntypedef struct posthouse_{snake} {{\n    uint32_t size; /**< sizeof(posthouse_{snake}_t) */",
            group.doc
        );
        let mut init = vec![format!("sizeof(posthouse_{snake}_t)")];
        for field in fields(table, group) {
            _ = writeln!(out, "    /** {} */", describe(field.option));
            let (kind, value): (&str, &str) = match field.option.kind {
                Kind::Duration | Kind::Count | Kind::Bytes => ("int64_t ", "POSTHOUSE_DEFAULT"),
                Kind::Ratio => ("double ", "POSTHOUSE_DEFAULT_RATIO"),
                Kind::Text | Kind::Secret => ("posthouse_str_t ", "{NULL, 0}"),
                Kind::List => ("const posthouse_str_t *", "NULL"),
                _ if is_headers(field.option) => ("const posthouse_headers_t *", "NULL"),
                _ => ("int32_t ", "POSTHOUSE_DEFAULT_FLAG"),
            };
            _ = writeln!(out, "    {kind}{};", field.name);
            init.push(value.to_owned());
            if field.option.kind == Kind::List {
                _ = writeln!(
                    out,
                    "    /** How many `{}` points at. */\n    size_t {}_count;",
                    field.name, field.name
                );
                init.push("0".to_owned());
            }
        }
        _ = writeln!(
            out,
            "}} posthouse_{snake}_t;\n\n#define POSTHOUSE_{upper}_INIT \\\n    {{ {} }}",
            init.join(", \\\n      ")
        );
    }
    out
}

/// The Rust side.
pub fn rust(table: &Table) -> String {
    let mut out = format!(
        "//! Codes and option structures as C sees them.\n//!\n//! {BANNER}\nuse crate::{{headers::Headers, options::{{Fields, Sized, UNSET, UNSET_FLAG, UNSET_RATIO}}, slice::Str}};\nuse posthouse_kit::{{Code, Given, Result}};\nuse std::ptr;\n\n/// The number of a code; 0 is none.\npub fn number(code: Code) -> u32 {{\nmatch code {{\n"
    );
    // The last arm stands for it.
    for (index, code) in table.codes.iter().enumerate().filter(|(_, code)| code.name != "INTERNAL")
    {
        _ = writeln!(out, "Code::{} => {},", pascal(&code.name), index + 1);
    }
    let internal = table.codes.iter().position(|code| code.name == "INTERNAL").unwrap_or(0) + 1;
    _ = writeln!(out, "_ => {internal},\n}}\n}}\n");
    for (name, type_name) in GROUPS {
        let Some(group) = table.group(name) else { continue };
        let all = fields(table, group);
        _ = writeln!(
            out,
            "/// {}\n#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {type_name} {{\n/// Of the caller's structure.\npub size: u32,",
            group.doc
        );
        let mut defaults = String::from("size: size_of::<Self>() as u32,");
        let mut puts = String::new();
        let mut headers = String::new();
        for field in &all {
            let name = &field.name;
            _ = writeln!(out, "/// {}", describe(field.option));
            let (kind, value, put) = match field.option.kind {
                Kind::Duration | Kind::Count | Kind::Bytes => ("i64", "UNSET", "integer"),
                Kind::Ratio => ("f64", "UNSET_RATIO", "ratio"),
                Kind::Text | Kind::Secret => ("Str", "Str::NONE", "text"),
                Kind::List => ("*const Str", "ptr::null()", "texts"),
                _ if is_headers(field.option) => ("*const Headers", "ptr::null()", ""),
                _ => ("i32", "UNSET_FLAG", "flag"),
            };
            _ = writeln!(out, "pub {name}: {kind},");
            _ = writeln!(defaults, "{name}: {value},");
            match put {
                "" => {
                    _ = writeln!(
                        headers,
                        "/// The headers to send along.\npub fn headers(&self) -> *const Headers {{ self.{name} }}"
                    );
                }
                "texts" => {
                    _ = writeln!(out, "/// How many there are.\npub {name}_count: usize,");
                    _ = writeln!(defaults, "{name}_count: 0,");
                    _ = writeln!(
                        puts,
                        "fields.texts({:?}, self.{name}, self.{name}_count)?;",
                        field.path
                    );
                }
                put => _ = writeln!(puts, "fields.{put}({:?}, self.{name})?;", field.path),
            }
        }
        _ = writeln!(
            out,
            "}}\n\nimpl Default for {type_name} {{\nfn default() -> Self {{\nSelf {{ {defaults} }}\n}}\n}}\n"
        );
        _ = writeln!(
            out,
            "impl Sized for {type_name} {{\nfn size(&self) -> u32 {{ self.size }}\n\nfn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()> {{\nlet mut fields = Fields::new(set);\n{puts}Ok(())\n}}\n}}\n"
        );
        if !headers.is_empty() {
            _ = writeln!(out, "impl {type_name} {{\n{headers}}}\n");
        }
    }
    out
}

/// `HubOptions` as `hub_options`.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
