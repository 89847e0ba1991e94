//! C++: the program compiles against the headers; and every public member function of their classes is named.
use super::{Fault, compile};
use crate::{
    generate::uses::{CPP, EXTRAS},
    table::Table,
};
use std::process::Command;

/// Under which names the program has objects of a class.
const OBJECTS: &[(&str, &[&str])] = &[
    ("BasicHub", &["hub.", "hub.instances()."]),
    ("BasicVariable", &["variable."]),
    ("BasicSubscription", &["subscription."]),
    ("BasicContext", &["context."]),
    ("BasicHandleContext", &["handleContext."]),
    ("BasicDeferred", &["deferred."]),
    ("Watch", &["watch."]),
    ("Request", &["request.", "std::move(request)."]),
    ("Outcome", &["outcome."]),
    ("Headers", &["headers.", "Headers::"]),
    ("Error", &["error."]),
];

const HEADERS: &[&str] =
    &["error", "headers", "hub", "json", "message", "request", "subscription", "variable"];

pub fn check(_: &Table) -> Result<Vec<Fault>, String> {
    let mut compiler = Command::new(compile::tool("CXX", "c++"));
    compiler.args([
        "-std=c++20",
        "-fsyntax-only",
        "-Wno-unused-value",
        "-Ibindings-c/include",
        "-Ibindings-cpp/include",
        CPP,
    ]);
    let mut faults = compile::compile("cpp", compiler, CPP)?;
    let used = compile::read(CPP)?;
    for name in HEADERS {
        let header = compile::read(&format!("bindings-cpp/include/posthouse/{name}.hpp"))?;
        for (class, function) in public(&header) {
            let objects = OBJECTS.iter().find(|(known, _)| *known == class);
            let Some((_, objects)) = objects else {
                return Err(format!("{name}.hpp: the check knows no object of class {class}"));
            };
            if !compile::has_member(&used, objects, &function) {
                let text = format!("the table does not name {class}::{function}");
                faults.push(Fault::new("cpp", EXTRAS, text));
            }
        }
    }
    Ok(faults)
}

/// Public member functions of classes outside `detail`, by the shape that clang-format gives them; not
/// constructors, destructors and operators.
fn public(header: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let (mut class, mut open, mut detail) = (None, false, false);
    for line in header.lines() {
        if line.starts_with("namespace detail") {
            detail = true;
        } else if line.starts_with("} // namespace detail") {
            detail = false;
        } else if let Some(head) = line.strip_prefix("class ") {
            let mut words = head.split(' ').filter(|word| word.starts_with(char::is_uppercase));
            class = words.next_back().map(|word| word.trim_end_matches(['{', ';']).to_owned());
        } else if line.starts_with('}') {
            (class, open) = (None, false);
        } else if line == "public:" {
            open = true;
        } else if line == "private:" {
            open = false;
        }
        let Some(class) = class.as_deref().filter(|_| open && !detail) else { continue };
        let Some(text) =
            line.strip_prefix("    ").filter(|text| !text.starts_with([' ', '/', ':']))
        else {
            continue;
        };
        let Some((head, _)) = text.split_once('(') else { continue };
        // `Type name(`: what is only called has no type in front.
        let Some((_, name)) = head.rsplit_once([' ', '&', '*']) else { continue };
        let is_name = name.starts_with(char::is_lowercase)
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if is_name && name != class && !head.contains("operator") && !head.contains("return ") {
            all.push((class.to_owned(), name.to_owned()));
        }
    }
    all
}
