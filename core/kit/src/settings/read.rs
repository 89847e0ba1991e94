//! One option: finding it in the table, and reading what was given for it.
use super::{Dialect, Given};
use posthouse_core::{
    Code, Error, Result,
    options::{Group, Kind, Spec, nearest},
};
use std::borrow::Cow;

/// What was given, in the form that the option has.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    Absent,
    /// In the table's unit.
    Number(f64),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
    /// A callback that tells it.
    Ask,
    Host,
    Group(Group),
}

/// Finds an option and reads what was given for it. `name` may be `group.member`.
pub(super) fn read(
    dialect: Dialect,
    group: Group,
    name: &str,
    given: Given<'_>,
) -> Result<(&'static Spec, Read)> {
    let (spec, member) = find(dialect, group, name)?;
    let Some((inner, member)) = member else {
        return Ok((spec, value(dialect, spec, name, given)?));
    };
    let (spec, deeper) = find(dialect, inner, member)?;
    if deeper.is_some() {
        return Err(unknown(dialect, inner, member));
    }
    Ok((spec, value(dialect, spec, name, given)?))
}

/// The option of a name, and where that has a dot, the group and the name behind it.
fn find(
    dialect: Dialect,
    group: Group,
    name: &str,
) -> Result<(&'static Spec, Option<(Group, &str)>)> {
    let known = |name: &str| known(dialect, group).find(|spec| spell(dialect, spec) == name);
    if let Some(spec) = known(name) {
        return Ok((spec, None));
    }
    if let Some((outer, member)) = name.split_once('.')
        && let Some(spec) = known(outer)
        && let Kind::Group(inner) = spec.kind
    {
        return Ok((spec, Some((inner, member))));
    }
    Err(unknown(dialect, group, name))
}

fn known(dialect: Dialect, group: Group) -> impl Iterator<Item = &'static Spec> {
    let in_language =
        move |spec: &&Spec| spec.languages.is_none_or(|list| list.contains(&dialect.language));
    group.specs().iter().filter(in_language)
}

/// An option's name as the language writes it.
fn spell(dialect: Dialect, spec: &Spec) -> Cow<'static, str> {
    if !dialect.camel_case || !spec.name.contains('_') {
        return Cow::Borrowed(spec.name);
    }
    let mut text = String::with_capacity(spec.name.len());
    let mut upper = false;
    for letter in spec.name.chars() {
        match letter {
            '_' => upper = true,
            letter if std::mem::take(&mut upper) => text.push(letter.to_ascii_uppercase()),
            letter => text.push(letter),
        }
    }
    Cow::Owned(text)
}

fn unknown(dialect: Dialect, group: Group, name: &str) -> Error {
    let names: Vec<Cow<'_, str>> = known(dialect, group).map(|spec| spell(dialect, spec)).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let hint = match nearest(name, &names) {
        Some(near) => format!("; did you mean {near:?}?"),
        None if names.is_empty() => "; there are none here".to_owned(),
        None => format!("; known are {}", names.join(", ")),
    };
    let name: String = name.chars().take(64).collect();
    Error::new(Code::InvalidOptions, format!("there is no option {name:?}{hint}"))
}

fn value(dialect: Dialect, spec: &Spec, name: &str, given: Given<'_>) -> Result<Read> {
    let wrong = |allowed: &str| Err(wrong(name, given, allowed));
    if given == Given::Absent {
        return Ok(Read::Absent);
    }
    match spec.kind {
        Kind::Duration => {
            let ms = duration(dialect, name, given, spec.min, spec.max)?;
            Ok(ms.map_or(Read::Absent, Read::Number))
        }
        Kind::Milliseconds => {
            let in_ms = Dialect { seconds: false, ..dialect };
            let ms = duration(in_ms, name, given, spec.min, spec.max)?;
            Ok(ms.map_or(Read::Absent, Read::Number))
        }
        Kind::Count | Kind::Bytes => {
            let number = match given {
                Given::Integer(number) => number as f64,
                Given::Float(number) if number.fract() == 0.0 => number,
                Given::Float(_) => return wrong("a whole number"),
                _ => return wrong("a number"),
            };
            let unit = if spec.kind == Kind::Bytes { " bytes" } else { "" };
            in_range(name, number, spec.min, spec.max, 1.0, unit).map(Read::Number)
        }
        Kind::Ratio => {
            let number = match given {
                Given::Integer(number) => number as f64,
                Given::Float(number) => number,
                _ => return wrong("a number"),
            };
            in_range(name, number, spec.min, spec.max, 1.0, "").map(Read::Number)
        }
        Kind::Group(group) => match given {
            Given::Object => Ok(Read::Group(group)),
            _ => wrong("a group of options, given by their names"),
        },
        Kind::Text => match given {
            Given::Text(text) => Ok(Read::Text(text.to_owned())),
            // Of the texts only the user's name may be asked for, as the table says.
            Given::Callback if spec.name == "user" => Ok(Read::Ask),
            _ => wrong("a text"),
        },
        Kind::Secret => match given {
            Given::Text(text) => Ok(Read::Text(text.to_owned())),
            Given::Callback => Ok(Read::Ask),
            _ => wrong("a text, or a function that tells it"),
        },
        Kind::List => match given {
            Given::Text(text) => Ok(Read::Texts(vec![text.to_owned()])),
            Given::Texts(texts) => Ok(Read::Texts(texts.iter().map(|t| (*t).to_owned()).collect())),
            _ => wrong("a list of texts, or one text"),
        },
        Kind::Flag => match given {
            Given::Flag(flag) => Ok(Read::Flag(flag)),
            _ => wrong("true or false"),
        },
        Kind::Callback => match given {
            Given::Callback => Ok(Read::Host),
            _ => wrong("a function"),
        },
        Kind::Value if spec.name == "node" => match given {
            Given::Flag(flag) => Ok(Read::Flag(flag)),
            Given::Text("auto") => Ok(Read::Absent),
            _ => wrong("\"auto\", true or false"),
        },
        Kind::Value => Ok(Read::Host),
    }
}

/// A duration in milliseconds, rounded up: a wait must not end before its time.
pub(super) fn duration(
    dialect: Dialect,
    name: &str,
    given: Given<'_>,
    min: f64,
    max: f64,
) -> Result<Option<f64>> {
    let (words, per_unit, unit) = if dialect.seconds {
        ("a number of seconds", 1000.0, " s")
    } else {
        ("a number of milliseconds", 1.0, " ms")
    };
    let number = match given {
        Given::Absent => return Ok(None),
        Given::Integer(number) => number as f64,
        Given::Float(number) => number,
        _ => return Err(wrong(name, given, words)),
    };
    // By way of whole microseconds: 0.07 s are 70 ms, and not one more for the last binary digit.
    let ms = ((number * per_unit * 1000.0).round() / 1000.0).ceil();
    // What is out of range is shown as it was given.
    let ms = if ms >= min && ms <= max { ms } else { number * per_unit };
    in_range(name, ms, min, max, per_unit, unit).map(Some)
}

/// Refuses a number out of its range, which is shown in the language's unit.
fn in_range(name: &str, number: f64, min: f64, max: f64, per_unit: f64, unit: &str) -> Result<f64> {
    if number >= min && number <= max {
        return Ok(number);
    }
    let text = format!(
        "{name} is {}{unit}; allowed is {} to {}{unit}",
        number / per_unit,
        min / per_unit,
        max / per_unit
    );
    if number >= 0.0 && number.is_finite() {
        let limit = if number < min { min } else { max };
        return Err(Error::over(Code::InvalidOptions, text, limit as u64, number as u64));
    }
    Err(Error::new(Code::InvalidOptions, text))
}

/// The error for something of the wrong kind. Never shows a text: it may be a secret in the wrong place.
fn wrong(name: &str, given: Given<'_>, allowed: &str) -> Error {
    let given = match given {
        Given::Absent => "nothing".into(),
        Given::Flag(flag) => flag.to_string(),
        Given::Integer(number) => number.to_string(),
        Given::Float(number) => number.to_string(),
        Given::Text(_) => "a text".into(),
        Given::Texts(_) => "a list of texts".into(),
        Given::Callback => "a function".into(),
        Given::Object => "an object".into(),
        Given::Other(kind) => kind.to_owned(),
    };
    Error::new(Code::InvalidOptions, format!("{name} is {given}; allowed is {allowed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(dialect: Dialect, group: Group, name: &str, given: Given<'_>) -> String {
        let error = read(dialect, group, name, given).expect_err("refused");
        assert_eq!(error.code(), Code::InvalidOptions);
        error.message().to_owned()
    }

    fn number(dialect: Dialect, name: &str, given: Given<'_>) -> Read {
        read(dialect, Group::Hub, name, given).expect("read").1
    }

    #[test]
    fn durations_are_in_the_language_s_unit() {
        let (py, js) = (Dialect::PYTHON, Dialect::JAVASCRIPT);
        for (seconds, ms) in [(0.07, 70.0), (1.005, 1005.0), (0.000_4, 1.0), (2.0, 2000.0)] {
            assert_eq!(number(py, "timeout", Given::Float(seconds)), Read::Number(ms));
        }
        assert_eq!(number(py, "peer_timeout", Given::Integer(3)), Read::Number(3000.0));
        assert_eq!(number(js, "peerTimeout", Given::Float(3.0)), Read::Number(3.0));
        // In milliseconds everywhere, as its name says.
        let improvement = "selection.improvement_ms";
        assert_eq!(number(py, improvement, Given::Integer(7)), Read::Number(7.0));
        assert_eq!(number(js, "selection.improvementMs", Given::Integer(7)), Read::Number(7.0));
        assert_eq!(
            text(py, Group::Hub, "timeout", Given::Integer(-1)),
            "timeout is -1 s; allowed is 0.001 to 2147483.647 s"
        );
        assert_eq!(
            text(js, Group::Hub, "timeout", Given::Float(0.0)),
            "timeout is 0 ms; allowed is 1 to 2147483647 ms"
        );
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            text(py, Group::Hub, "timeout", Given::Float(odd));
        }
        let error = read(py, Group::Hub, "timeout", Given::Integer(0)).expect_err("refused");
        assert_eq!((error.limit(), error.actual()), (Some(1), Some(0)));
    }

    #[test]
    fn unknown_names_get_the_nearest_in_the_language_s_spelling() {
        for (dialect, given, says) in [
            (Dialect::PYTHON, "timout", "did you mean \"timeout\"?"),
            (Dialect::PYTHON, "peerTimeout", "did you mean \"peer_timeout\"?"),
            (Dialect::JAVASCRIPT, "peer_timeout", "did you mean \"peerTimeout\"?"),
            (Dialect::PYTHON, "messaging.request", "did you mean \"requests\"?"),
            (Dialect::JAVASCRIPT, "messaging.pending_bytes", "did you mean \"pendingBytes\"?"),
            (Dialect::PYTHON, "timeout.x", "there is no option \"timeout.x\""),
            (Dialect::PYTHON, "tls.ca_file.x", "there is no option \"ca_file.x\""),
        ] {
            let text = text(dialect, Group::Hub, given, Given::Integer(1));
            assert!(text.contains(says), "{text}");
        }
        let context =
            text(Dialect::JAVASCRIPT, Group::Subscription, "withContext", Given::Flag(true));
        assert!(context.starts_with("there is no option"), "{context}");
        read(Dialect::PYTHON, Group::Subscription, "with_context", Given::Flag(true))
            .expect("known");
    }

    #[test]
    fn wrong_kinds_are_refused_without_showing_a_text() {
        let py = Dialect::PYTHON;
        for (name, given, says) in [
            (
                "timeout",
                Given::Text("hunter2"),
                "timeout is a text; allowed is a number of seconds",
            ),
            ("timeout", Given::Flag(true), "timeout is true; allowed is a number of seconds"),
            ("max_variables", Given::Float(1.5), "max_variables is 1.5; allowed is a whole number"),
            (
                "token",
                Given::Integer(7),
                "token is 7; allowed is a text, or a function that tells it",
            ),
            (
                "servers",
                Given::Other("a set"),
                "servers is a set; allowed is a list of texts, or one text",
            ),
            ("node", Given::Text("yes"), "node is a text; allowed is \"auto\", true or false"),
            (
                "tls",
                Given::Text("x"),
                "tls is a text; allowed is a group of options, given by their names",
            ),
            (
                "tls.handshake_first",
                Given::Integer(1),
                "tls.handshake_first is 1; allowed is true or false",
            ),
            ("tls.ca_file", Given::Callback, "tls.ca_file is a function; allowed is a text"),
            (
                "on_callback_error",
                Given::Flag(true),
                "on_callback_error is true; allowed is a function",
            ),
            (
                "messaging.requests",
                Given::Integer(0),
                "messaging.requests is 0; allowed is 1 to 1000000",
            ),
        ] {
            assert_eq!(text(py, Group::Hub, name, given), says);
        }
    }

    #[test]
    fn every_option_of_the_table_can_be_set_or_kept() {
        for dialect in [Dialect::PYTHON, Dialect::JAVASCRIPT, Dialect::C] {
            for group in [Group::Hub, Group::Tls, Group::Selection, Group::Messaging, Group::Drain]
            {
                for spec in known(dialect, group) {
                    let given = match spec.kind {
                        Kind::Group(_) => Given::Object,
                        Kind::Text | Kind::Secret | Kind::List => Given::Text("x"),
                        Kind::Flag | Kind::Value => Given::Flag(true),
                        Kind::Callback => Given::Callback,
                        Kind::Ratio => Given::Float(0.5),
                        _ => Given::Integer(1),
                    };
                    read(dialect, group, &spell(dialect, spec), given).expect(spec.name);
                    let absent = read(dialect, group, &spell(dialect, spec), Given::Absent);
                    assert_eq!(absent.expect(spec.name).1, Read::Absent);
                }
            }
        }
    }
}
