//! The C header: its types are kept in `bindings-c/header/types.h`, codes, limits and options come from
//! the table, and the functions, with what is said about them, from the Rust functions that are exported.
use super::{BANNER, c_options, c_options::snake};
use crate::{root::root, table::Table};
use std::{fmt::Write as _, fs};

pub const HEADER: &str = "bindings-c/include/posthouse.h";

/// The files whose functions are exported, with the heading of each part.
const SOURCES: &[(&str, &str)] = &[
    ("library", "The library"),
    ("slice", "Bytes"),
    ("error", "Errors"),
    ("headers", "Headers"),
    ("hub", "Hubs"),
    ("process", "Callbacks on the program's own thread"),
    ("operation", "Operations and their results"),
    ("variable", "Variables: state"),
    ("messages", "Variables: messages"),
    ("message", "Messages and answers"),
    ("subscription", "Subscriptions"),
    ("watch", "Watches"),
];

pub fn header(table: &Table) -> Result<String, String> {
    let types = read("bindings-c/header/types.h")?;
    let abi = abi()?;
    let mut out = format!(
        "/* {BANNER}\n * The types are kept in bindings-c/header/types.h, the functions in bindings-c/src. */\n/* clang-format off */\n\
         /** @file\n * Posthouse for C: state, events and requests by name over NATS. docs/c.md has the whole story.\n *\n\
        \x20* Who owns what: `*_free` takes what the program owns, also NULL. Everything called `posthouse_str_t` is\n\
        \x20* borrowed. What is handed out through a pointer to a pointer is the program's from then on.\n *\n\
        \x20* Errors: what can fail returns a code, POSTHOUSE_OK for success, and fills `error` unless that is NULL;\n\
        \x20* the program frees it. After a failure the other results are unset. No function unwinds. */\n\
         #ifndef POSTHOUSE_H\n#define POSTHOUSE_H\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
         /** The binary interface that this header describes: the number in the library's name. */\n#define POSTHOUSE_ABI {abi}\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    let types = types.split_once('\n').map_or("", |(_, rest)| rest);
    let (before, after) = types.split_once("/* Callbacks.").ok_or("types.h has no callbacks")?;
    out.push_str(before);
    out.push_str(&c_options::header(table));
    out.push_str("\n/* Callbacks.");
    out.push_str(after);
    for (module, heading) in SOURCES {
        let source = read(&format!("bindings-c/src/{module}.rs"))?;
        _ = write!(out, "\n/* ---- {heading} ---- */\n");
        for function in functions(&source).map_err(|what| format!("{module}.rs: {what}"))? {
            _ = write!(out, "\n{function}");
        }
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* POSTHOUSE_H */\n");
    Ok(out)
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

fn abi() -> Result<String, String> {
    let source = read("bindings-c/src/library.rs")?;
    let number =
        source.split_once("pub const ABI: u32 = ").and_then(|(_, rest)| rest.split_once(';'));
    number.map(|(number, _)| number.to_owned()).ok_or_else(|| "library.rs has no ABI".to_owned())
}

/// The exported functions of a file as C declares them.
fn functions(source: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut doc: Vec<&str> = Vec::new();
    let mut lines = source.lines();
    let mut exported = false;
    let mut hidden = false;
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text);
        } else if line.starts_with("#[unsafe(no_mangle)]") {
            exported = true;
        } else if line.starts_with("#[cfg(feature") {
            hidden = true;
        } else if exported && line.starts_with("pub ") {
            let mut head = line.to_owned();
            while !head.contains('{') {
                head.push(' ');
                head.push_str(lines.next().ok_or("a function without a body")?.trim());
            }
            if !hidden {
                all.push(declaration(&doc, &head)?);
            }
            (exported, hidden) = (false, false);
            doc.clear();
        } else if !line.starts_with("#[") {
            (exported, hidden) = (false, false);
            doc.clear();
        }
    }
    Ok(all)
}

fn declaration(doc: &[&str], head: &str) -> Result<String, String> {
    let parse = || {
        let (_, rest) = head.split_once(" fn ")?;
        let (name, rest) = rest.split_once('(')?;
        let (arguments, rest) = rest.rsplit_once(')')?;
        let result = rest.trim_end().trim_end_matches('{').trim().trim_start_matches("->").trim();
        Some((name, arguments, if result.is_empty() { "()" } else { result }))
    };
    let (name, arguments, result) = parse().ok_or_else(|| format!("not understood: {head}"))?;
    if doc.is_empty() {
        return Err(format!("{name} is not documented"));
    }
    let mut all = Vec::new();
    for argument in arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        let (name, kind) = argument.split_once(':').ok_or_else(|| format!("{head}: {argument}"))?;
        all.push(declare(kind.trim(), name.trim())?);
    }
    let arguments = if all.is_empty() { "void".to_owned() } else { all.join(", ") };
    let text = doc.join("\n *");
    let mut out = format!("/**{} */\n", text.replace("*/", "* /"));
    let line = format!("{}({arguments});", declare(result, name)?);
    if line.len() <= 100 {
        _ = writeln!(out, "{line}");
    } else {
        _ = writeln!(out, "{}(\n    {});", declare(result, name)?, all.join(",\n    "));
    }
    Ok(out)
}

/// A name with its type, as C writes them.
fn declare(kind: &str, name: &str) -> Result<String, String> {
    let (mut stars, mut kind, mut constant) = (String::new(), kind, "");
    loop {
        if let Some(inner) = kind.strip_prefix("*mut ") {
            stars.push('*');
            kind = inner;
        } else if let Some(inner) = kind.strip_prefix("*const ") {
            stars.push('*');
            kind = inner;
            constant = "const ";
        } else {
            break;
        }
    }
    let base = match kind {
        "()" | "c_void" => "void".to_owned(),
        "bool" => "bool".to_owned(),
        "i32" => "int32_t".to_owned(),
        "u32" => "uint32_t".to_owned(),
        "i64" => "int64_t".to_owned(),
        "u64" => "uint64_t".to_owned(),
        "usize" => "size_t".to_owned(),
        "Status" => "posthouse_code_t".to_owned(),
        "Outcome" => "posthouse_result_t".to_owned(),
        other if other.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
            format!("posthouse_{}_t", snake(other))
        }
        other => return Err(format!("{other} has no form in C")),
    };
    Ok(format!("{constant}{base} {stars}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_functions_become_declarations() {
        let source = "/// Closes.\n///\n/// Twice is fine.\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn posthouse_hub_close(\n    hub: *const Hub,\n    error: *mut *mut Error,\n) -> Status {\n}\n\n/// Not ours.\nfn other() {}\n\n/// Hidden.\n#[cfg(feature = \"test-hooks\")]\n#[unsafe(no_mangle)]\npub extern \"C\" fn posthouse_hidden() {\n}\n\n/// Now.\n#[unsafe(no_mangle)]\npub extern \"C\" fn posthouse_now() -> u64 {\n";
        let all = functions(source).expect("understood");
        assert_eq!(
            all,
            [
                "/** Closes.\n *\n * Twice is fine. */\nposthouse_code_t posthouse_hub_close(const posthouse_hub_t *hub, posthouse_error_t **error);\n",
                "/** Now. */\nuint64_t posthouse_now(void);\n",
            ]
        );
        assert!(functions("#[unsafe(no_mangle)]\npub extern \"C\" fn undocumented() {\n").is_err());
        assert!(declare("Vec<u8>", "x").is_err() || declare("&str", "x").is_err());
    }
}
