//! Writing calls and responses.
use super::Value;
use std::fmt::Write as _;

/// The text of a call.
pub fn write_call(method: &str, params: &[Value]) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?>\n<methodCall><methodName>");
    escaped(method, &mut out);
    out.push_str("</methodName><params>");
    for param in params {
        out.push_str("<param>");
        value(param, &mut out);
        out.push_str("</param>");
    }
    out.push_str("</params></methodCall>\n");
    out
}

/// The text of a response.
pub fn write_response(result: &Value) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?>\n<methodResponse><params><param>");
    value(result, &mut out);
    out.push_str("</param></params></methodResponse>\n");
    out
}

/// The text of a response that says that the call failed.
pub fn write_fault(code: i32, what: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?>\n<methodResponse><fault>");
    let fault = vec![
        ("faultCode".to_owned(), Value::Int(code)),
        ("faultString".to_owned(), Value::from(what)),
    ];
    value(&Value::Struct(fault), &mut out);
    out.push_str("</fault></methodResponse>\n");
    out
}

fn value(value: &Value, out: &mut String) {
    out.push_str("<value>");
    match value {
        Value::Int(number) => {
            let _ = write!(out, "<i4>{number}</i4>");
        }
        Value::Bool(flag) => {
            let _ = write!(out, "<boolean>{}</boolean>", u8::from(*flag));
        }
        Value::Double(number) => {
            let _ = write!(out, "<double>{number:?}</double>");
        }
        Value::Text(text) => {
            out.push_str("<string>");
            escaped(text, out);
            out.push_str("</string>");
        }
        Value::Date(text) => {
            out.push_str("<dateTime.iso8601>");
            escaped(text, out);
            out.push_str("</dateTime.iso8601>");
        }
        Value::Binary(bytes) => {
            let _ = write!(out, "<base64>{}</base64>", data_encoding::BASE64.encode(bytes));
        }
        Value::Array(values) => {
            out.push_str("<array><data>");
            for element in values {
                self::value(element, out);
            }
            out.push_str("</data></array>");
        }
        Value::Struct(members) => {
            out.push_str("<struct>");
            for (name, member) in members {
                out.push_str("<member><name>");
                escaped(name, out);
                out.push_str("</name>");
                self::value(member, out);
                out.push_str("</member>");
            }
            out.push_str("</struct>");
        }
        Value::Nil => out.push_str("<nil/>"),
    }
    out.push_str("</value>");
}

fn escaped(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Readers turn a bare one into a line feed.
            '\r' => out.push_str("&#13;"),
            // Characters that XML does not have in any spelling.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
}
