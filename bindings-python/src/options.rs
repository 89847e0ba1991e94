//! Options as Python gives them, handed to the kit as what they are.
//!
//! Names, ranges, units and the words of a refusal are the kit's; this module only tells it which
//! kind of thing a Python object is.
use crate::error::raise;
use posthouse_kit::{Dialect, Error, Given, HubSettings, Set};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

pub(crate) const PYTHON: Dialect = Dialect::PYTHON;

/// What a Python object is, with what the kit's view of it borrows from.
enum Kind {
    Absent,
    Flag(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Texts(Vec<String>),
    Callback,
    Object,
    Other(String),
}

fn kind(value: &Bound<'_, PyAny>) -> Kind {
    if value.is_none() {
        Kind::Absent
    } else if value.is_instance_of::<PyBool>() {
        value.extract().map_or_else(|_| other(value), Kind::Flag)
    } else if value.is_instance_of::<PyInt>() {
        value.extract().map_or_else(|_| Kind::Other("a number far too large".into()), Kind::Integer)
    } else if value.is_instance_of::<PyFloat>() {
        value.extract().map_or_else(|_| other(value), Kind::Float)
    } else if value.is_instance_of::<PyString>() {
        value.extract().map_or_else(|_| Kind::Other("invalid Unicode".into()), Kind::Text)
    } else if value.is_instance_of::<PyDict>() {
        Kind::Object
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        // Checked one by one: a string in a list would else count as several.
        let all: Option<Vec<String>> = value.try_iter().ok().and_then(|all| {
            all.map(|one| one.ok()?.cast::<PyString>().ok()?.extract().ok()).collect()
        });
        all.map_or_else(|| Kind::Other("a list of other things".into()), Kind::Texts)
    } else if value.is_callable() {
        Kind::Callback
    } else if let Ok(path) = value.extract::<std::path::PathBuf>() {
        path.into_os_string().into_string().map_or_else(|_| other(value), Kind::Text)
    } else {
        other(value)
    }
}

fn other(value: &Bound<'_, PyAny>) -> Kind {
    let name = value.get_type();
    let name = name.name().map_or_else(|_| "unknown".to_owned(), |name| name.to_string());
    Kind::Other(format!("of type {name}"))
}

/// Hands an option over as what it is.
pub(crate) fn given<R>(
    value: &Bound<'_, PyAny>,
    set: impl FnOnce(Given<'_>) -> Result<R, Error>,
) -> PyResult<R> {
    let texts: Vec<&str>;
    let kind = kind(value);
    let given = match &kind {
        Kind::Absent => Given::Absent,
        Kind::Flag(flag) => Given::Flag(*flag),
        Kind::Integer(number) => Given::Integer(*number),
        Kind::Float(number) => Given::Float(*number),
        Kind::Text(text) => Given::Text(text),
        Kind::Texts(all) => {
            texts = all.iter().map(String::as_str).collect();
            Given::Texts(&texts)
        }
        Kind::Callback => Given::Callback,
        Kind::Object => Given::Object,
        Kind::Other(what) => Given::Other(what),
    };
    set(given).map_err(|error| raise(value.py(), &error))
}

/// Sets the options of a hub; groups are dicts.
pub(crate) fn hub(settings: &mut HubSettings, options: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in options.iter() {
        let name: String = name.extract()?;
        if given(&value, |given| settings.set(&name, given))? == Set::Group
            && let Ok(group) = value.cast::<PyDict>()
        {
            for (member, value) in group.iter() {
                let member = member.str()?.to_string();
                given(&value, |given| settings.set(&format!("{name}.{member}"), given))?;
            }
        }
    }
    Ok(())
}
