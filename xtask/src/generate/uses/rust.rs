//! Every call in Rust, as functions of the crate `posthouse-parity`.
use super::{CODES, MARK, Use, calls, options_of, words};
use crate::{
    generate::{BANNER, pascal},
    table::{Group, Kind, Opt, Table},
};
use std::fmt::Write as _;

pub const PATH: &str = "tests/parity/rust/src/uses.rs";

/// What `Given` declares.
const GIVEN: &[&str] = &[
    "hub",
    "variable",
    "subscription",
    "listener",
    "owned_subscription",
    "owned_listener",
    "message",
    "guard",
    "watch",
    "change",
    "headers",
    "made_headers",
    "error",
    "collect_error",
    "reply",
    "many",
    "data",
    "value",
    "fallback",
    "lamp",
    "timeout",
    "namespace",
    "name",
    "text",
    "signal",
    "callback",
    "handler",
    "answering",
    "on_error",
    "typed",
    "owned_typed",
];

pub fn text(table: &Table) -> String {
    let mut all = calls(table, "rust");
    for group in table.given_groups() {
        options(&mut all, group);
    }
    for code in &table.codes {
        all.push(Use { case: CODES.to_owned(), call: format!("Code::{}", pascal(&code.name)) });
    }
    let mut out = format!(
        "//! {BANNER}\nuse crate::given::{{Given, Lamp}};\nuse futures_util::StreamExt as _;\nuse posthouse::*;\n\n"
    );
    for (index, one) in all.iter().enumerate() {
        let waits = if one.call.contains(".await") { "async " } else { "" };
        let given: Vec<&str> = {
            let mut known: Vec<&str> = GIVEN.to_vec();
            known.retain(|name| words(&one.call).any(|word| word == *name));
            known
        };
        let names = given.iter().fold(String::new(), |text, name| format!("{text}{name}, "));
        _ = write!(
            out,
            "// {MARK}{}\n/// Compiles.\npub {waits}fn use_{index}(Given {{ {names} .. }}: Given<'_>) -> Result<(), Box<dyn std::error::Error>> {{\n_ = {};\nOk(())\n}}\n\n",
            one.case, one.call
        );
    }
    out
}

fn options(all: &mut Vec<Use>, group: &Group) {
    for option in group.options.iter().filter(|option| option.is_in("rust")) {
        let call = match (group.name.as_str(), &option.rust) {
            ("hub" | "tls", Some(setter)) => format!("Hub::builder(namespace){setter}"),
            ("hub", None) => format!("HubOptions::default().{}", field(option)),
            ("selection", _) => format!("Selection::default().{}", field(option)),
            ("messaging", _) => format!("MessagingLimits::default().{}", field(option)),
            ("subscription", _) => format!("variable.subscribe().{}", setter(option)),
            ("request", _) => format!("variable.request(data).{}", setter(option)),
            ("request_many", _) => format!("variable.request_many(data).{}", setter(option)),
            // Parameters of the operations.
            _ => continue,
        };
        all.push(Use { case: options_of(&group.name), call });
    }
}

fn field(option: &Opt) -> String {
    let unit = if option.kind == Kind::Duration && !option.raw_milliseconds { "_ms" } else { "" };
    format!("{}{unit}", option.name)
}

fn setter(option: &Opt) -> String {
    let value = match option.kind {
        Kind::Duration => "timeout",
        Kind::Count | Kind::Bytes => "1",
        Kind::Value if option.name == "headers" => "headers.clone()",
        _ => "text",
    };
    format!("{}({value})", option.name)
}
