//! What a scenario may write instead of long or awkward values.
//!
//! `${name}` puts in a bound value, `${hex:text}` its wire token, `"json:…"` is JSON that TOML cannot
//! say (null above all), and `{ "$repeat" = "x", times = 9 }`, `{ "$nest" = 33 }`, `{ "$items" = 9 }`
//! make long texts, deep arrays and long arrays.
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::pattern::Binds;

/// The bytes of the text's UTF-8 as lower-case hex digits: a name's token on the wire.
pub fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The value with everything above put in, at every depth.
pub fn expand(value: &Value, binds: &Binds) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match text.strip_prefix("json:") {
            Some(json) => {
                serde_json::from_str(&fill(json, binds)?).map_err(|e| format!("{text}: {e}"))?
            }
            None => match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
                Some(name) if !name.contains(['$', ':']) => look_up(name, binds)?,
                _ => Value::String(fill(text, binds)?),
            },
        },
        Value::Array(items) => {
            Value::Array(items.iter().map(|v| expand(v, binds)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => match generated(map, binds)? {
            Some(made) => made,
            None => Value::Object(expand_map(map, binds)?),
        },
        other => other.clone(),
    })
}

/// The same for the fields of a step. The steps of a loop's body wait until their turn.
pub fn expand_map(map: &Map<String, Value>, binds: &Binds) -> Result<Map<String, Value>, String> {
    map.iter()
        .map(|(key, value)| {
            let value = if key == "steps" { value.clone() } else { expand(value, binds)? };
            Ok((fill(key, binds)?, value))
        })
        .collect()
}

fn generated(map: &Map<String, Value>, binds: &Binds) -> Result<Option<Value>, String> {
    let count = |key: &str| {
        map.get(key).and_then(Value::as_u64).ok_or_else(|| format!("`{key}` needs a number"))
    };
    if let Some(part) = map.get("$repeat").and_then(Value::as_str) {
        return Ok(Some(Value::String(fill(part, binds)?.repeat(count("times")? as usize))));
    }
    if map.contains_key("$nest") {
        return Ok(Some(
            (1..count("$nest")?).fold(Value::Array(vec![]), |inner, _| Value::Array(vec![inner])),
        ));
    }
    if map.contains_key("$items") {
        return Ok(Some(Value::Array(vec![Value::from(0); count("$items")? as usize])));
    }
    Ok(None)
}

fn fill(text: &str, binds: &Binds) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let end = rest[start..]
            .find('}')
            .ok_or_else(|| format!("`{text}` opens ${{ and does not close it"))?
            + start;
        let name = &rest[start + 2..end];
        match name.split_once(':') {
            Some(("hex", plain)) => out.push_str(&hex(plain)),
            Some(("hexof", bound)) => {
                out.push_str(&hex(look_up(bound, binds)?.as_str().unwrap_or_default()));
            }
            _ => match look_up(name, binds)? {
                Value::String(value) => out.push_str(&value),
                value => out.push_str(&value.to_string()),
            },
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

fn look_up(name: &str, binds: &Binds) -> Result<Value, String> {
    binds.get(name).cloned().ok_or_else(|| format!("nothing is named `{name}` here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_put_in_whole_or_as_text() {
        let binds = Binds::from([("n".to_owned(), json!(7)), ("t".to_owned(), json!("é"))]);
        assert_eq!(expand(&json!("${n}"), &binds), Ok(json!(7)));
        assert_eq!(expand(&json!("a${n}.${hex:é}.${hexof:t}"), &binds), Ok(json!("a7.c3a9.c3a9")));
        assert_eq!(expand(&json!("json:[null,${n}]"), &binds), Ok(json!([null, 7])));
        assert!(expand(&json!("${missing}"), &binds).is_err());
    }

    #[test]
    fn long_and_deep_values_are_made() {
        let binds = Binds::new();
        assert_eq!(expand(&json!({"$repeat": "ab", "times": 2}), &binds), Ok(json!("abab")));
        assert_eq!(expand(&json!({"$nest": 3}), &binds), Ok(json!([[[]]])));
        assert_eq!(expand(&json!({"$items": 2}), &binds), Ok(json!([0, 0])));
    }
}
