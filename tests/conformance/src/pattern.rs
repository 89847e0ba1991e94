//! How an expectation is compared with what came.
//!
//! An expectation is JSON. Text between `<` and `>` is a wildcard (`<any>`, `<string>`, `<int>`,
//! `<bind:x>` …, all listed in the README); everything else has to be equal, numbers by value.
//! Objects are compared whole unless they carry the key `...`; the outermost one is always open.
use std::collections::HashMap;

use serde_json::{Map, Value};

/// Values that a scenario has named so far, by `<bind:name>` or by the runner.
pub type Binds = HashMap<String, Value>;

/// Compares with the outermost object open: fields the pattern does not name may be anything.
pub fn matches_open(
    pattern: &Map<String, Value>,
    actual: &Value,
    binds: &mut Binds,
) -> Result<(), String> {
    let Value::Object(actual) = actual else {
        return Err(format!("an object was expected, got {actual}"));
    };
    object(pattern, actual, true, binds, "")
}

/// Compares one value with one pattern; the error names the place and the difference.
pub fn matches(pattern: &Value, actual: &Value, binds: &mut Binds, at: &str) -> Result<(), String> {
    match (pattern, actual) {
        (Value::String(text), _) if text.starts_with('<') && text.ends_with('>') => {
            wildcard(&text[1..text.len() - 1], actual, binds).map_err(|why| format!("{at}: {why}"))
        }
        (Value::Object(want), _) if want.contains_key("$set") => {
            unordered(&want["$set"], actual, binds, at)
        }
        (Value::Object(want), Value::Object(have)) => {
            object(want, have, want.contains_key("..."), binds, at)
        }
        (Value::Array(want), Value::Array(have)) => {
            let open = want.last().is_some_and(|last| last == "<rest>");
            let fixed = if open { want.len() - 1 } else { want.len() };
            if have.len() < fixed || (!open && have.len() != fixed) {
                return Err(format!(
                    "{at}: {fixed} items were expected, got {}: {}",
                    have.len(),
                    short(actual)
                ));
            }
            for (index, (want, have)) in want[..fixed].iter().zip(have).enumerate() {
                matches(want, have, binds, &format!("{at}[{index}]"))?;
            }
            Ok(())
        }
        (Value::Number(want), Value::Number(have)) if same_number(want, have) => Ok(()),
        _ if pattern == actual => Ok(()),
        _ => Err(format!("{at}: {} was expected, got {}", short(pattern), short(actual))),
    }
}

fn object(
    want: &Map<String, Value>,
    have: &Map<String, Value>,
    open: bool,
    binds: &mut Binds,
    at: &str,
) -> Result<(), String> {
    for (key, pattern) in want.iter().filter(|(key, _)| *key != "...") {
        let place = format!("{at}.{key}");
        match (pattern.as_str(), have.get(key)) {
            (Some("<absent>"), None) => {}
            (Some("<absent>"), Some(found)) => {
                return Err(format!("{place}: it should be absent, got {}", short(found)));
            }
            (_, None) => return Err(format!("{place}: missing")),
            (_, Some(found)) => matches(pattern, found, binds, &place)?,
        }
    }
    match have.keys().find(|key| !open && !want.contains_key(*key)) {
        Some(extra) => Err(format!("{at}.{extra}: not expected: {}", short(&have[extra]))),
        None => Ok(()),
    }
}

fn unordered(want: &Value, actual: &Value, binds: &mut Binds, at: &str) -> Result<(), String> {
    let (Value::Array(want), Value::Array(have)) = (want, actual) else {
        return Err(format!("{at}: a list was expected, got {}", short(actual)));
    };
    let mut left: Vec<&Value> = have.iter().collect();
    for pattern in want {
        let found = left.iter().position(|item| matches(pattern, item, binds, at).is_ok());
        match found {
            Some(index) => drop(left.swap_remove(index)),
            None => {
                return Err(format!("{at}: no item like {} in {}", short(pattern), short(actual)));
            }
        }
    }
    if left.is_empty() { Ok(()) } else { Err(format!("{at}: {} items too many", left.len())) }
}

fn wildcard(kind: &str, actual: &Value, binds: &mut Binds) -> Result<(), String> {
    let (kind, argument) = kind.split_once(':').unwrap_or((kind, ""));
    let text = actual.as_str().unwrap_or_default();
    let number =
        || actual.as_f64().ok_or_else(|| format!("a number was expected, got {}", short(actual)));
    let bound = || argument.parse::<f64>().map_err(|_| format!("`{argument}` is no number"));
    let fine = match kind {
        "any" => true,
        "string" => actual.is_string(),
        "number" => actual.is_number(),
        "int" => actual.is_i64() || actual.is_u64(),
        "bool" => actual.is_boolean(),
        "array" => actual.is_array(),
        "object" => actual.is_object(),
        "has" => text.contains(argument),
        "lacks" => actual.is_string() && !text.contains(argument),
        "starts" => text.starts_with(argument),
        "oneof" => argument.split('|').any(|option| option == text),
        "not" => text != argument,
        "ge" => number()? >= bound()?,
        "le" => number()? <= bound()?,
        "count" => actual.as_array().is_some_and(|items| argument == items.len().to_string()),
        "set" => {
            binds.insert(argument.to_owned(), actual.clone());
            true
        }
        "bind" => match binds.get(argument) {
            Some(before) if before != actual => {
                return Err(format!(
                    "`{argument}` was {} before, now {}",
                    short(before),
                    short(actual)
                ));
            }
            Some(_) => true,
            None => {
                binds.insert(argument.to_owned(), actual.clone());
                true
            }
        },
        _ => return Err(format!("`<{kind}>` is no wildcard")),
    };
    if fine {
        Ok(())
    } else {
        Err(format!("`<{kind}:{argument}>` was expected, got {}", short(actual)))
    }
}

fn same_number(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a == b,
        _ => a.as_f64() == b.as_f64(),
    }
}

/// The value as text, cut where it is too long to read.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 400 { text } else { text.chars().take(400).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fits(pattern: &Value, actual: &Value) -> bool {
        matches(pattern, actual, &mut Binds::new(), "").is_ok()
    }

    #[test]
    fn objects_are_whole_unless_opened() {
        assert!(!fits(&json!({"a": 1}), &json!({"a": 1, "b": 2})));
        assert!(fits(&json!({"a": 1, "...": true}), &json!({"a": 1, "b": 2})));
        assert!(!fits(&json!({"a": 1, "b": 2}), &json!({"a": 1})));
        assert!(fits(&json!({"a": "<absent>"}), &json!({})));
        assert!(!fits(&json!({"a": "<absent>"}), &json!({"a": null})));
    }

    #[test]
    fn numbers_compare_by_value_and_nothing_else_converts() {
        assert!(fits(&json!(1), &json!(1.0)));
        assert!(!fits(&json!(1), &json!("1")));
        assert!(!fits(&json!(0), &json!(false)));
        assert!(!fits(&json!(9_007_199_254_740_992_u64), &json!(9_007_199_254_740_993_u64)));
    }

    #[test]
    fn a_bound_name_has_one_value() {
        let mut binds = Binds::new();
        assert!(matches(&json!("<bind:x>"), &json!(1), &mut binds, "").is_ok());
        assert!(matches(&json!("<bind:x>"), &json!(2), &mut binds, "").is_err());
        assert_eq!(binds["x"], json!(1));
    }

    #[test]
    fn lists_keep_their_order_unless_called_a_set() {
        assert!(!fits(&json!([1, 2]), &json!([2, 1])));
        assert!(fits(&json!({"$set": [1, 2]}), &json!([2, 1])));
        assert!(!fits(&json!({"$set": [1, 1]}), &json!([2, 1])));
        assert!(fits(&json!([1, "<rest>"]), &json!([1, 2, 3])));
    }
}
