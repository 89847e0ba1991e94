//! What is looked up in the living modules of Python and JavaScript.
use super::{CODES, EXTRAS, options_of};
use crate::{
    generate::{BANNER, camel},
    table::Table,
};
use serde_json::{Value, json};

pub const PATH: &str = "tests/parity/uses.json";

pub fn text(table: &Table) -> Result<String, String> {
    let all = json!({
        "//": BANNER,
        "python": calls(table, "python"),
        "javascript": calls(table, "javascript"),
        "options": options(table),
        "codes": { "case": CODES, "names": table.codes.iter().map(|code| &code.name).collect::<Vec<_>>() },
        "beyond": EXTRAS,
    });
    let text = serde_json::to_string_pretty(&all).map_err(|error| format!("{PATH}: {error}"))?;
    Ok(format!("{text}\n"))
}

fn calls(table: &Table, language: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for operation in table.operations() {
        let options = operation.options.as_deref().and_then(|name| table.group(name));
        let options = options.into_iter().flat_map(|group| &group.options);
        let takes: Vec<Value> = operation
            .takes
            .iter()
            .filter(|parameter| parameter.is_in(language))
            .map(|parameter| json!({ "name": parameter.name, "required": parameter.default.is_none() }))
            .chain(
                options
                    .filter(|option| option.is_in(language))
                    .map(|option| json!({ "name": option.name, "required": false })),
            )
            .collect();
        let absent: Vec<&String> = operation.absent.keys().collect();
        for call in operation.calls(language) {
            all.push(json!({
                "case": operation.name, "call": call, "takes": takes, "group": operation.options, "absent": absent,
            }));
        }
    }
    for call in table.extras(language).flat_map(|extra| extra.calls.all()) {
        all.push(json!({ "case": EXTRAS, "call": call, "absent": [] }));
    }
    all
}

fn options(table: &Table) -> Vec<Value> {
    let group = |group: &crate::table::Group| {
        let of = |language: &str| {
            let known = group.options.iter().filter(|option| option.is_in(language));
            known.map(|option| option.name.as_str()).collect::<Vec<_>>()
        };
        json!({
            "case": options_of(&group.name),
            "group": group.name,
            "python": of("python"),
            "javascript": of("javascript").into_iter().map(camel).collect::<Vec<_>>(),
        })
    };
    table.given_groups().map(group).collect()
}
