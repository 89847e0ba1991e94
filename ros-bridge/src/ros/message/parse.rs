//! Reading `.msg` and `.srv` texts.
//!
//! Accepts what ROS's own generator accepts, and tabs where it wants spaces. An error names the file (or the type)
//! and the line. Work and memory are linear in the text, whose length and number of members are bounded.
use super::{
    Array, Base, Constant, Definition, Field, Literal, MAX_MEMBERS, MAX_NAME, MAX_TEXT, is_word,
};
use crate::ros::{Code, Error, Result};
use std::collections::HashSet;

/// Reads the text of the message type `name`; `origin` stands for it in errors (a path).
pub fn parse_message(name: &str, text: &str, origin: &str) -> Result<Definition> {
    too_long(text, origin)?;
    Parser { package: package(name), origin, first_line: 1 }.message(name, &plain_lines(text))
}

/// Reads the text of the service type `name`: its request (`pkg/NameRequest`) and its response.
pub fn parse_service(name: &str, text: &str, origin: &str) -> Result<(Definition, Definition)> {
    too_long(text, origin)?;
    let text = plain_lines(text);
    let (mut request, mut response) = (String::new(), String::new());
    let mut response_line = None;
    for (number, line) in text.split('\n').enumerate() {
        if line.starts_with("---") {
            response_line.get_or_insert(number + 2);
            continue;
        }
        let part = if response_line.is_some() { &mut response } else { &mut request };
        part.push_str(line);
        part.push('\n');
    }
    let parser = Parser { package: package(name), origin, first_line: 1 };
    let request = parser.message(&format!("{name}Request"), &request)?;
    // Without the line between them there is a request alone.
    let parser = Parser { first_line: response_line.unwrap_or(1), ..parser };
    let response = parser.message(&format!("{name}Response"), &response)?;
    Ok((request, response))
}

fn package(name: &str) -> &str {
    name.split_once('/').map_or("", |(package, _)| package)
}

fn too_long(text: &str, origin: &str) -> Result<()> {
    if text.len() <= MAX_TEXT {
        return Ok(());
    }
    let what = format!(
        "{origin}: the definition has {} bytes; at most {MAX_TEXT} are allowed",
        text.len()
    );
    Err(Error::new(Code::TypeInvalid, what))
}

fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn invalid(origin: &str, line: usize, what: &str) -> Error {
    Error::new(Code::TypeInvalid, format!("{origin}, line {line}: {what}"))
}

struct Parser<'a> {
    package: &'a str,
    origin: &'a str,
    first_line: usize,
}

impl Parser<'_> {
    fn message(&self, name: &str, text: &str) -> Result<Definition> {
        let (mut fields, mut constants) = (Vec::new(), Vec::new());
        let mut names = HashSet::new();
        for (number, line) in text.split('\n').enumerate() {
            let fail = |what: String| invalid(self.origin, self.first_line + number, &what);
            let code = line.split('#').next().unwrap_or_default().trim();
            if code.is_empty() {
                continue;
            }
            if fields.len() + constants.len() >= MAX_MEMBERS {
                return Err(fail(format!("more than {MAX_MEMBERS} fields and constants")));
            }
            if code.contains('=') {
                constants.push(constant(line, code).map_err(fail)?);
            } else {
                let field = self.field(code).map_err(fail)?;
                if !names.insert(field.name.clone()) {
                    return Err(fail(format!("there are two fields {}", field.name)));
                }
                fields.push(field);
            }
        }
        Ok(Definition { name: name.to_owned(), fields, constants, text: text.to_owned() })
    }

    fn field(&self, code: &str) -> std::result::Result<Field, String> {
        let mut words = code.split_whitespace();
        let (Some(spelled), Some(name), None) = (words.next(), words.next(), words.next()) else {
            return Err(format!("{:?} is no field: write a type and a name", shown(code)));
        };
        if !is_word(name) {
            return Err(format!(
                "{:?} is no field name: a letter, then letters, digits and _, at most {MAX_NAME}",
                shown(name)
            ));
        }
        let (base, array) = match spelled.split_once('[') {
            None => (spelled, Array::No),
            Some((base, length)) => (base, array(length)?),
        };
        let base = Base::builtin(base)
            .or_else(|| self.reference(base, array).map(Base::Message))
            .ok_or_else(|| {
            format!("{:?} is no type: write a builtin type, Name or package/Name", shown(base))
        })?;
        Ok(Field { name: name.to_owned(), base, array, spelled: spelled.to_owned() })
    }

    /// The full name of another message type.
    fn reference(&self, name: &str, array: Array) -> Option<String> {
        // In an array it is a type like any other.
        if name == "Header" && array == Array::No {
            return Some("std_msgs/Header".to_owned());
        }
        match name.split_once('/') {
            Some((package, kind)) => (is_word(package) && is_word(kind)).then(|| name.to_owned()),
            None => is_word(name).then(|| format!("{}/{name}", self.package)),
        }
    }
}

/// The length behind the `[`.
fn array(text: &str) -> std::result::Result<Array, String> {
    let wrong =
        || format!("[{} is no array: write [] or [NUMBER], with one dimension only", shown(text));
    let length = text.strip_suffix(']').ok_or_else(wrong)?;
    if length.is_empty() {
        return Ok(Array::Any);
    }
    if !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    length
        .parse()
        .map(Array::Fixed)
        .map_err(|_| format!("an array of {} elements is too long", shown(length)))
}

/// A constant; `line` is the whole line, since a string may hold what is a comment elsewhere.
fn constant(line: &str, code: &str) -> std::result::Result<Constant, String> {
    let (left, value) = code.split_once('=').unwrap_or((code, ""));
    let mut words = left.split_whitespace();
    let (Some(kind), Some(name), None) = (words.next(), words.next(), words.next()) else {
        return Err(format!(
            "{:?} is no constant: write a type, a name, = and a value",
            shown(code)
        ));
    };
    let base = Base::builtin(kind)
        .filter(|base| !matches!(base, Base::Time | Base::Duration))
        .ok_or_else(|| {
            format!(
                "{:?} is no type of a constant: take a bool, integer, float or string",
                shown(kind)
            )
        })?;
    if !is_word(name.trim_start_matches('_')) || name.len() > MAX_NAME {
        return Err(format!("{:?} is no name of a constant", shown(name)));
    }
    let value = match base {
        Base::Text => line.split_once('=').map_or("", |(_, value)| value),
        _ if value.contains('=') => return Err(format!("two = in {:?}", shown(code))),
        _ => value,
    };
    let value = value.trim();
    let read = Literal::read(&base, value)?;
    Ok(Constant {
        name: name.to_owned(),
        kind: kind.to_owned(),
        base,
        value: read,
        spelled: value.to_owned(),
    })
}

/// Foreign text for a message: cut where it is long.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
