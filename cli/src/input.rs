//! Data and headers from arguments and from the input.
use crate::exit::{Failure, USAGE};
use posthouse::{Headers, Value};
use std::io::{self, Read as _};

/// A value given as an argument; `-` stands for the whole input.
pub fn value(argument: &str, text: bool) -> Result<Value, Failure> {
    if argument == "-" {
        let mut all = String::new();
        io::stdin().read_to_string(&mut all).map_err(|error| {
            Failure::new(USAGE, "INVALID_VALUE", format!("the input cannot be read: {error}"))
        })?;
        return parse(if text { all.strip_suffix('\n').unwrap_or(&all) } else { &all }, text);
    }
    parse(argument, text)
}

/// Reads JSON, or takes text as it is.
pub fn parse(given: &str, text: bool) -> Result<Value, Failure> {
    if text {
        return Ok(Value::String(given.to_owned()));
    }
    serde_json::from_str(given).map_err(|error| {
        // Most often a bare word: say how to write it.
        let shown: String = given.trim().chars().take(40).collect();
        let message =
            format!("{shown:?} is no JSON ({error}); write text in quotes, or give --text");
        Failure::new(USAGE, "INVALID_VALUE", message)
    })
}

/// Headers given as `name:value`.
pub fn headers(given: &[String]) -> Result<Option<Headers>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut headers = Headers::new();
    for header in given {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            let message = format!("{header:?} is no header; write NAME:VALUE");
            Failure::new(USAGE, "INVALID_HEADERS", message)
        })?;
        headers.append(name.trim(), value.trim())?;
    }
    Ok(Some(headers))
}

/// Headers as JSON: each name with one text or several.
pub fn headers_json(headers: &Headers) -> Value {
    let mut map = serde_json::Map::new();
    for (name, value) in headers.iter() {
        match map.get_mut(name) {
            None => _ = map.insert(name.to_owned(), Value::String(value.to_owned())),
            Some(Value::Array(list)) => list.push(Value::String(value.to_owned())),
            Some(one) => *one = Value::Array(vec![one.take(), Value::String(value.to_owned())]),
        }
    }
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse::json;

    #[test]
    fn data_is_json_or_text() {
        assert_eq!(parse("{\"a\":1}", false).unwrap(), json!({"a": 1}));
        assert_eq!(parse("hello", true).unwrap(), json!("hello"));
        let refused = parse("hello", false).unwrap_err();
        assert_eq!(refused.exit, USAGE);
        assert!(refused.message.contains("--text"), "{}", refused.message);
    }

    #[test]
    fn headers_keep_their_order_and_repeat() {
        let given = ["a: 1", "b:2", "a:3"].map(str::to_owned);
        let headers = headers(&given).unwrap().unwrap();
        assert_eq!(headers_json(&headers), json!({"a": ["1", "3"], "b": "2"}));
        assert_eq!(super::headers(&["nonsense".to_owned()]).unwrap_err().code, "INVALID_HEADERS");
        assert_eq!(super::headers(&["a b: 1".to_owned()]).unwrap_err().code, "INVALID_HEADERS");
    }
}
