//! Rust: the crate `posthouse-parity` has to compile; and every public function of the SDK's types is named.
use super::{Fault, compile};
use crate::{
    generate::uses::{EXTRAS, RUST},
    root::root,
    table::Table,
};
use serde::Deserialize;
use std::process::Command;

/// The files of the types that a program works with.
const SOURCES: &[&str] = &[
    "builder",
    "collect",
    "hub",
    "listener",
    "message",
    "request",
    "subscription",
    "typed",
    "variable",
    "watch",
];

/// Under which names the program has objects of a type; the functions of others may be anywhere.
const OBJECTS: &[(&str, &[&str])] = &[
    ("Hub", &["hub.", "Hub::"]),
    ("Instances", &["hub.instances()."]),
    ("Variable", &["variable."]),
    ("Subscription", &["subscription."]),
    ("Listener", &["listener.", "owned_listener."]),
    ("Message", &["message."]),
    ("WatchGuard", &["guard."]),
    ("Change", &["change."]),
    ("SubscriptionAs", &["owned_typed."]),
];

#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    #[serde(rename = "message")]
    text: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    is_primary: bool,
}

pub fn check(_: &Table) -> Result<Vec<Fault>, String> {
    let done = Command::new(compile::tool("CARGO", "cargo"))
        .args(["check", "--quiet", "--locked", "-p", "posthouse-parity", "--message-format=json"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    let mut faults = Vec::new();
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let Ok(Line { message: Some(message) }) = serde_json::from_str(line) else { continue };
        let own = |span: &&Span| span.is_primary && span.file_name.ends_with(RUST);
        if let Some(span) = message.spans.iter().find(own).filter(|_| message.level == "error") {
            let case = compile::case(RUST, span.line_start)?;
            faults.push(Fault::new("rust", &case, message.text));
        }
    }
    if faults.is_empty() && !done.status.success() {
        return Err(format!(
            "posthouse-parity does not compile: {}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        ));
    }
    let used = compile::read(RUST)?;
    for name in SOURCES {
        let source = compile::read(&format!("core/runtime/src/{name}.rs"))?;
        for (kind, function) in public(&source) {
            let objects = OBJECTS.iter().find(|(known, _)| *known == kind);
            let named = match objects {
                Some((_, objects)) => compile::has_member(&used, objects, &function),
                None => compile::mentioned(&used, &function),
            };
            if !named {
                let text = format!("the table does not name {kind}::{function} of {name}.rs");
                faults.push(Fault::new("rust", EXTRAS, text));
            }
        }
    }
    Ok(faults)
}

/// Functions of public types that are public and not hidden, with their type, by the shape that rustfmt gives them.
fn public(source: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let (mut inside, mut hidden) = (true, false);
    let mut kind = String::new();
    for line in source.lines() {
        if let Some(head) = line.strip_prefix("impl") {
            // Traits have their own rules; `Core`, `Pending` and the like are not exported.
            let name = head.trim_start_matches(|letter| letter != ' ').trim_start();
            let end = |letter: char| !letter.is_alphanumeric();
            name.split(end).next().unwrap_or_default().clone_into(&mut kind);
            inside = !head.contains(" for ")
                && !["Core", "Pending", "Cancel"].iter().any(|own| name.starts_with(own));
        } else if line.starts_with('}') {
            inside = true;
        }
        let line = line.trim_start();
        if line.starts_with("#[doc(hidden)]") {
            hidden = true;
        } else if line.starts_with("pub ") && line.contains("fn ") {
            let name = line.split_once("fn ").map(|(_, rest)| rest);
            let name = name.and_then(|rest| rest.split(['(', '<']).next());
            let name = name.filter(|_| inside && !hidden);
            all.extend(name.map(|name| (kind.clone(), name.to_owned())));
            hidden = false;
        }
    }
    all
}
