//! A tree against a table: every key known, every value of its kind. All faults are found, not only
//! the first.
use super::{
    problem::Problem,
    schema::{Field, Kind, Need, Rule, Table},
    yaml::{Data, Node, shortened},
};
use posthouse_core::options::nearest;
use std::rc::Rc;

/// The faults of a tree against a table.
pub fn check(node: &Node, table: &Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    mapping(node, table, "", &mut problems);
    problems
}

fn mapping(node: &Node, table: &Table, path: &str, problems: &mut Vec<Problem>) {
    let Data::Map(pairs) = &node.data else {
        let text = format!("is {}; it has to be a mapping", node.kind());
        problems.push(Problem::new(node.line, path, text));
        return;
    };
    for (key, value) in pairs {
        match table.field(&key.text) {
            Some(field) => one(value, field, &join(path, &key.text), key.line, problems),
            None => problems.push(Problem::new(key.line, path, unknown(&key.text, table))),
        }
    }
    let direction = pairs.iter().find(|(key, _)| key.text == "direction");
    let direction = direction.and_then(|(_, value)| text_of(value));
    for field in table.all() {
        let pair = pairs.iter().find(|(key, value)| key.text == field.name && !value.is_null());
        match pair {
            None if field.need == Need::Required => {
                let text = format!("{} is missing; it is {}", field.name, kind(&field.kind));
                problems.push(Problem::new(node.line, path, text));
            }
            Some((key, _))
                if direction.is_some_and(|given| field.only.is_some_and(|only| only != given)) =>
            {
                let (only, given) = (field.only.unwrap_or_default(), direction.unwrap_or_default());
                let text = format!("is for direction {only}; this route is {given}: remove it");
                problems.push(Problem::new(key.line, join(path, field.name), text));
            }
            _ => {}
        }
    }
}

fn unknown(name: &str, table: &Table) -> String {
    let names: Vec<&str> = table.all().map(|field| field.name).collect();
    let name = shortened(name);
    match nearest(&name, &names) {
        Some(near) => format!("there is no key {name:?}; did you mean {near:?}?"),
        None => format!("there is no key {name:?}; known are {}", names.join(", ")),
    }
}

fn one(node: &Node, field: &Field, path: &str, key_line: Option<usize>, out: &mut Vec<Problem>) {
    if node.is_null()
        && !matches!(field.kind, Kind::Choice(words) if words.iter().any(|(word, _)| *word == "null"))
    {
        // `key:` with nothing behind it reads as if the key were not there.
        if field.need == Need::Required {
            return;
        }
        if !matches!(field.kind, Kind::Table(_) | Kind::Items(_)) {
            let text = format!("has no value; it is {}", kind(&field.kind));
            out.push(Problem::new(key_line, path, text));
        }
        return;
    }
    match field.kind {
        Kind::Table(table) => mapping(node, table, path, out),
        Kind::Items(table) => match &node.data {
            Data::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    mapping(item, table, &format!("{path}[{index}]"), out);
                }
            }
            _ => wrong(node, field, path, out),
        },
        Kind::Texts(rule) => match &node.data {
            Data::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    ruled(item, field, rule, &format!("{path}[{index}]"), out);
                }
            }
            _ => ruled(node, field, rule, path, out),
        },
        Kind::Text(rule) => ruled(node, field, rule, path, out),
        Kind::Flag => {
            if flag_of(node).is_none() {
                wrong(node, field, path, out);
            }
        }
        Kind::Whole { min, max } => {
            if !whole_of(node).is_some_and(|number| (min..=max).contains(&number)) {
                wrong(node, field, path, out);
            }
        }
        Kind::Number { above, max } => {
            if !number_of(node).is_some_and(|number| number > above && number <= max) {
                wrong(node, field, path, out);
            }
        }
        Kind::Choice(words) => {
            if !text_of(node).is_some_and(|text| words.iter().any(|(word, _)| *word == text)) {
                wrong(node, field, path, out);
            }
        }
        Kind::Headers => headers(node, path, out),
    }
}

fn headers(node: &Node, path: &str, out: &mut Vec<Problem>) {
    let Data::Map(pairs) = &node.data else {
        let text = format!("is {}; it has to be a mapping of header names to texts", node.kind());
        out.push(Problem::new(node.line, path, text));
        return;
    };
    for (key, value) in pairs {
        let path = join(path, &key.text);
        let one;
        let values: &[Rc<Node>] = if let Data::List(items) = &value.data {
            items
        } else {
            one = [Rc::clone(value)];
            &one
        };
        for value in values {
            let Some(text) = text_of(value) else {
                let text = format!("is {}; it has to be a text or a list of texts", value.kind());
                out.push(Problem::new(value.line, path.as_str(), text));
                continue;
            };
            if let Err(error) = posthouse_core::Headers::new().append(&key.text, text) {
                out.push(Problem::new(value.line, path.as_str(), error.message()));
            }
        }
    }
}

fn ruled(node: &Node, field: &Field, rule: Rule, path: &str, out: &mut Vec<Problem>) {
    match text_of(node) {
        None => wrong(node, field, path, out),
        Some(text) => {
            if let Err(why) = (rule.check)(text) {
                // Not the value itself: it may be a password.
                let shown = if secret(field.name) {
                    String::new()
                } else {
                    format!("{:?} ", shortened(text))
                };
                out.push(Problem::new(node.line, path, format!("{shown}{why}")));
            }
        }
    }
}

fn secret(name: &str) -> bool {
    matches!(name, "token" | "password")
}

fn wrong(node: &Node, field: &Field, path: &str, out: &mut Vec<Problem>) {
    let given = if secret(field.name) { "of another kind".to_owned() } else { node.kind() };
    let text = format!("is {given}; it has to be {}", kind(&field.kind));
    out.push(Problem::new(node.line, path, text));
}

/// What a value has to be, in words.
pub fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Text(rule) => rule.what.to_owned(),
        Kind::Texts(rule) => format!("{}, or a list of them", rule.what),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole { min, max } => format!("a whole number from {min} to {max}"),
        Kind::Number { above, max } => format!("a number above {above}, at most {max}"),
        Kind::Choice(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!("one of {}", words.join(", "))
        }
        Kind::Headers => "a mapping of header names to texts".to_owned(),
        Kind::Table(_) => "a mapping".to_owned(),
        Kind::Items(_) => "a list of mappings".to_owned(),
    }
}

/// The text of a single value; whether it is quoted does not matter.
pub fn text_of(node: &Node) -> Option<&str> {
    match &node.data {
        Data::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// A plain true or false.
pub fn flag_of(node: &Node) -> Option<bool> {
    match &node.data {
        Data::Scalar { text, plain: true } => match text.as_str() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A plain whole number; `1_000` and `1e3` are texts.
pub fn whole_of(node: &Node) -> Option<u64> {
    match &node.data {
        Data::Scalar { text, plain: true } if text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().ok()
        }
        _ => None,
    }
}

/// A plain finite number.
pub fn number_of(node: &Node) -> Option<f64> {
    match &node.data {
        Data::Scalar { text, plain: true }
            if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+')) =>
        {
            text.parse().ok().filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

fn join(path: &str, key: &str) -> String {
    let key = shortened(key);
    if path.is_empty() { key } else { format!("{path}.{key}") }
}
