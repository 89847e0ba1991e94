//! The tables as a JSON Schema, by which editors complete and check the file.
use super::{
    schema::{Field, Kind, Need, Rule, Table},
    tables::{FILE, TO_HUB, TO_ROS},
};
use serde_json::{Map, Value, json};

/// The schema, as the text of its file.
pub fn text() -> String {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "posthouse_bridge",
        "description": "Written by `posthouse_bridge --print-schema`. Do not edit.",
    });
    if let (Value::Object(all), Value::Object(file)) = (&mut schema, table(&FILE)) {
        all.extend(file);
    }
    format!("{schema:#}\n")
}

fn table(table: &Table) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in table.all() {
        properties.insert(field.name.to_owned(), property(field));
        if field.need == Need::Required {
            required.push(field.name);
        }
    }
    let mut schema = json!({
        "type": "object",
        "description": plain(table.doc),
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let conditions: Vec<Value> =
        [TO_HUB, TO_ROS].iter().filter_map(|direction| without(table, direction)).collect();
    if !conditions.is_empty() {
        schema["allOf"] = json!(conditions);
    }
    schema
}

/// In this direction the keys of the other one are not allowed.
fn without(table: &Table, direction: &str) -> Option<Value> {
    let foreign: Map<String, Value> = table
        .all()
        .filter(|field| field.only.is_some_and(|only| only != direction))
        .map(|field| (field.name.to_owned(), Value::Bool(false)))
        .collect();
    (!foreign.is_empty()).then(|| {
        json!({
            "if": {"properties": {"direction": {"const": direction}}},
            "then": {"properties": foreign},
        })
    })
}

fn property(field: &Field) -> Value {
    let mut schema = kind(&field.kind);
    if field.need != Need::Required {
        allow_nothing(&mut schema);
    }
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), json!(plain(field.doc)));
        if let Need::Default(text) = field.need {
            let default = match field.kind {
                Kind::Flag | Kind::Whole { .. } | Kind::Number { .. } => {
                    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
                }
                _ => json!(text),
            };
            members.insert("default".to_owned(), default);
        }
    }
    schema
}

/// A key with nothing behind it is as if it were not there.
fn allow_nothing(schema: &mut Value) {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    } else if let Some(Value::Array(values)) = schema.get_mut("enum") {
        if !values.contains(&Value::Null) {
            values.push(Value::Null);
        }
    } else if let Some(Value::Array(kinds)) = schema.get_mut("oneOf") {
        kinds.push(json!({"type": "null"}));
    }
}

fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text(rule) => ruled(rule),
        Kind::Texts(rule) => {
            json!({"oneOf": [ruled(rule), {"type": "array", "items": ruled(rule)}]})
        }
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Whole { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Kind::Number { above, max } => {
            json!({"type": "number", "exclusiveMinimum": above, "maximum": max})
        }
        Kind::Choice(words) => {
            // `true` and `null` without quotes are no texts in YAML.
            let word = |word: &str| match word {
                "true" | "false" | "null" => serde_json::from_str(word).unwrap_or_default(),
                _ => json!(word),
            };
            let values: Vec<Value> = words
                .iter()
                .flat_map(|(text, _)| {
                    let bare = word(text);
                    if bare.is_string() { vec![bare] } else { vec![bare, json!(text)] }
                })
                .collect();
            json!({"enum": values})
        }
        Kind::Headers => json!({
            "type": "object",
            "additionalProperties": {
                "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            },
        }),
        Kind::Table(inner) => table(inner),
        Kind::Items(inner) => json!({"type": "array", "items": table(inner)}),
    }
}

fn ruled(rule: &Rule) -> Value {
    match rule.pattern {
        Some(pattern) => json!({"type": "string", "pattern": pattern}),
        None => json!({"type": "string"}),
    }
}

/// Editors show no Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "")
}
