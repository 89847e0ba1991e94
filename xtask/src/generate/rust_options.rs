//! Option structs for the machine: what is a number, with its default and its range.
use super::{BANNER, grouped, pascal};
use crate::table::{Group, Kind, Opt, Table};
use std::fmt::Write as _;

pub const PATH: &str = "core/machine/src/generated/options.rs";

pub fn text(table: &Table) -> String {
    let mut out = format!(
        "//! Options with their defaults and ranges, and the names that each group knows.\n//!\n//! {BANNER}\n\n\
         use crate::{{Result, options::{{Kind, Spec, in_range, ratio_in_range}}}};\n\n"
    );
    for group in &table.groups {
        if let Some(name) = &group.type_name {
            structure(&mut out, table, group, name);
        }
    }
    out.push_str(
        "/// The groups of options, for telling a known name from an unknown one.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum Group {\n",
    );
    for group in &table.groups {
        _ = writeln!(out, "/// {}\n{},", group.doc, pascal(&group.name));
    }
    out.push_str(
        "}\n\nimpl Group {\n/// Every option name of the group, in the spelling of Rust and Python.\n\
         pub const fn names(self) -> &'static [&'static str] { match self {\n",
    );
    for group in &table.groups {
        let names: Vec<&str> = group.options.iter().map(|option| option.name.as_str()).collect();
        _ = writeln!(out, "Self::{} => &{names:?},", pascal(&group.name));
    }
    out.push_str(
        "} }\n\n/// Every option of the group, in the order of the table.\n\
         pub const fn specs(self) -> &'static [Spec] { match self {\n",
    );
    for group in &table.groups {
        _ = writeln!(out, "Self::{} => &[", pascal(&group.name));
        for option in &group.options {
            spec(&mut out, option);
        }
        out.push_str("],\n");
    }
    out.push_str("} }\n}\n");
    out
}

/// What is known of an option, for hosts that set it by its name.
fn spec(out: &mut String, option: &Opt) {
    let kind = match option.kind {
        Kind::Duration if option.raw_milliseconds => "Milliseconds".to_owned(),
        Kind::Duration => "Duration".to_owned(),
        Kind::Group => {
            format!("Group(Group::{})", pascal(option.group.as_deref().unwrap_or_default()))
        }
        kind => pascal(kind.word()),
    };
    let number = |number: Option<f64>| {
        let number = number.unwrap_or_default();
        let whole = grouped(number as u64, "_");
        if number.fract() == 0.0 { format!("{whole}.0") } else { format!("{number:?}") }
    };
    let languages = match &option.languages {
        Some(list) => format!("Some(&{list:?})"),
        None => "None".to_owned(),
    };
    _ = writeln!(
        out,
        "Spec {{ name: {:?}, kind: Kind::{kind}, min: {}, max: {}, languages: {languages} }},",
        option.name,
        number(option.min),
        number(option.max)
    );
}

fn structure(out: &mut String, table: &Table, group: &Group, name: &str) {
    let mut fields = String::new();
    let mut defaults = String::new();
    let mut checks = String::new();
    let mut extra = String::new();
    let mut puts = String::new();
    for option in &group.options {
        let field = field(option);
        if let Some((held, kind)) = held_struct(table, option) {
            _ = writeln!(fields, "/// {}\npub {field}: {kind},", option.doc);
            _ = writeln!(defaults, "{field}: {kind}::default(),");
            _ = writeln!(checks, "self.{field}.check()?;");
            debug_assert_eq!(held.type_name.as_deref(), Some(kind));
            continue;
        }
        if !option.kind.is_number() {
            continue;
        }
        let optional = option.percent_of.is_some();
        let path = table.path(group, option);
        let (kind, unit) = match option.kind {
            Kind::Duration => ("u64", " ms"),
            Kind::Bytes => ("usize", " bytes"),
            Kind::Ratio => ("f64", ""),
            _ => ("usize", ""),
        };
        let cast_number =
            if kind == "f64" { "number".to_owned() } else { format!("number as {kind}") };
        let put = if optional { format!("Some({cast_number})") } else { cast_number };
        _ = writeln!(puts, "{:?} => self.{field} = {put},", option.name);
        let range = |number: Option<f64>| {
            let number = number.unwrap_or_default();
            if kind == "f64" { format!("{number:?}") } else { grouped(number as u64, "_") }
        };
        let (min, max) = (range(option.min), range(option.max));
        let call = if kind == "f64" {
            format!("ratio_in_range({path:?}, VALUE, {min}, {max})?;")
        } else {
            format!("in_range({path:?}, VALUE, {min}, {max}, {unit:?})?;")
        };
        let cast = |value: &str| {
            if kind == "usize" { format!("{value} as u64") } else { value.to_owned() }
        };
        if let (Some(base), Some(percent)) = (&option.percent_of, option.percent) {
            _ = writeln!(
                fields,
                "/// {}\n///\n/// Milliseconds; `None` stands for {percent} % of `{base}`.\npub {field}: Option<u64>,",
                option.doc
            );
            _ = writeln!(defaults, "{field}: None,");
            _ = writeln!(
                checks,
                "if let Some(given) = self.{field} {{ {} }}",
                call.replace("VALUE", "given")
            );
            _ = write!(
                extra,
                "\n/// `{}` in milliseconds: as given, else {percent} % of `{base}`, at least 1.\n\
                 pub fn {0}_or_default_ms(&self) -> u64 {{\n\
                 self.{field}.unwrap_or_else(|| (self.{base}_ms.saturating_mul({percent}) / 100).max(1))\n}}\n",
                option.name
            );
            continue;
        }
        let default = range(option.number());
        let unit_words = match option.kind {
            Kind::Duration => "Milliseconds, ",
            Kind::Bytes => "Bytes, ",
            _ => "",
        };
        _ = writeln!(
            fields,
            "/// {}\n///\n/// {unit_words}{} to {}; default {}.\npub {field}: {kind},",
            option.doc,
            min.replace('_', ","),
            max.replace('_', ","),
            default.replace('_', ",")
        );
        _ = writeln!(defaults, "{field}: {default},");
        _ = writeln!(checks, "{}", call.replace("VALUE", &cast(&format!("self.{field}"))));
    }
    let equal = if fields.contains("f64") || fields.contains("Selection") { "" } else { ", Eq" };
    _ = write!(
        out,
        "/// {}\n#[derive(Clone, Copy, Debug, PartialEq{equal})]\npub struct {name} {{\n{fields}}}\n\n\
         impl Default for {name} {{\nfn default() -> Self {{ Self {{\n{defaults}}} }}\n}}\n\n\
         impl {name} {{\n/// Refuses what is out of range with `INVALID_OPTIONS`, naming the option, what was\n\
         /// given and what is allowed.\npub fn check(&self) -> Result<()> {{\n{checks}Ok(())\n}}\n{extra}\n\
         /// Sets the number of an option by its name in the table and in the table's unit, durations\n\
         /// in milliseconds. False if this struct has no such number itself. Ranges are `check`'s.\n\
         pub fn put(&mut self, option: &str, number: f64) -> bool {{\n\
         match option {{\n{puts}_ => return false,\n}}\ntrue\n}}\n}}\n\n",
        group.doc
    );
}

/// The struct that a group option holds, where the group has one.
fn held_struct<'t>(table: &'t Table, option: &Opt) -> Option<(&'t Group, &'t str)> {
    let group = table.group(option.group.as_deref()?)?;
    Some((group, group.type_name.as_deref()?))
}

/// The field's name: a duration says its unit, once.
fn field(option: &Opt) -> String {
    if option.kind == Kind::Duration && !option.name.ends_with("_ms") {
        format!("{}_ms", option.name)
    } else {
        option.name.clone()
    }
}
