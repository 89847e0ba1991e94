//! The configuration's text: every name known, every value of its type and in its range.
use super::{Binding, Deployment};
use crate::{
    Code, Error, Result, json,
    name::{self, shown},
    options::{Group, Kind, Spec, nearest},
    queue::Settings,
};
use alloc::{format, string::String, vec::Vec};
use serde_json::{Map, Value};

/// What a configuration may measure; far more than any deployment needs.
const LIMITS: json::Limits = json::Limits { depth: 8, nodes: 100_000, bytes: 4 << 20 };

pub(super) fn read(text: &str) -> Result<Deployment> {
    json::validate(text.as_bytes(), &LIMITS)
        .map_err(|error| invalid(&format!("the configuration is no JSON of its kind: {error}")))?;
    let whole: Value = serde_json::from_str(text)
        .map_err(|error| invalid(&format!("line {} is no JSON", error.line())))?;
    let whole = object(&whole, "the configuration")?;
    known(whole, "the configuration", &["queues", "grants"])?;
    let mut deployment = Deployment::new();
    let mut plain = Vec::new();
    if let Some(queues) = whole.get("queues") {
        for (name, entry) in object(queues, "\"queues\"")? {
            check_name(name, "queue binding")?;
            let what = format!("the queue {}", shown(name));
            let entry = object(entry, &what)?;
            known(entry, &what, &["store", "queue", "settings"])?;
            let mut binding = Binding {
                store: text_of(entry, "store", &what)?,
                queue: text_of(entry, "queue", &what)?,
                dead_letter_queue: None,
                settings: Settings::default(),
            };
            check_name(&binding.queue, "queue")?;
            match entry.get("settings") {
                Some(given) => {
                    settings(
                        object(given, &format!("\"settings\" of {what}"))?,
                        &what,
                        &mut binding,
                    )?;
                    deployment.bindings.insert(name.clone(), binding);
                    deployment.check_same(name)?;
                }
                None => plain.push((name, binding)),
            }
        }
    }
    // Who says nothing of a queue's settings takes what another binding of it says.
    for (name, mut binding) in plain {
        let same = |that: &&Binding| that.store == binding.store && that.queue == binding.queue;
        if let Some(that) = deployment.bindings.values().find(same) {
            binding = that.clone();
        }
        deployment.bindings.insert(name.clone(), binding);
    }
    if let Some(grants) = whole.get("grants") {
        grant(object(grants, "\"grants\"")?, &mut deployment)?;
    }
    Ok(deployment)
}

fn grant(grants: &Map<String, Value>, deployment: &mut Deployment) -> Result<()> {
    known(grants, "\"grants\"", &["QUEUE"])?;
    let Some(list) = grants.get("QUEUE") else { return Ok(()) };
    let wrong = || invalid("\"QUEUE\" of \"grants\" must be a list of names of bindings");
    for name in list.as_array().ok_or_else(wrong)? {
        let name = name.as_str().ok_or_else(wrong)?;
        check_name(name, "granted queue binding")?;
        deployment.grant(name);
    }
    Ok(())
}

fn settings(given: &Map<String, Value>, what: &str, binding: &mut Binding) -> Result<()> {
    for (name, value) in given {
        Group::Queue
            .expect(name)
            .map_err(|error| invalid(&format!("{what}: {}", error.message())))?;
        let Some(spec) = Group::Queue.specs().iter().find(|spec| spec.name == name) else {
            continue;
        };
        if spec.kind == Kind::Text {
            let dead = value.as_str().ok_or_else(|| {
                invalid(&format!(
                    "{what}: {name} must be the name of a queue; leave it out for none"
                ))
            })?;
            check_name(dead, "dead-letter queue")?;
            binding.dead_letter_queue = Some(dead.into());
        } else {
            binding.settings.put(name, number(spec, value, what)?);
        }
    }
    binding.settings.checked().map(drop)
}

/// A setting's number in the table's unit, times being seconds here and milliseconds there.
fn number(spec: &Spec, value: &Value, what: &str) -> Result<f64> {
    let scale = if spec.kind == Kind::Duration { 1_000.0 } else { 1.0 };
    let unit = if spec.kind == Kind::Duration { " seconds" } else { "" };
    let given = value.as_f64().map(|given| given * scale);
    // Decimals of seconds are no exact doubles: the nearest millisecond is meant.
    let nearest = given.map(|given| (given + 0.5) as u64 as f64);
    let whole = nearest.filter(|nearest| {
        given.is_some_and(|given| (given - nearest).abs() < 1e-6)
            && (spec.name != "retry_delay" || nearest % 1_000.0 == 0.0)
    });
    whole.filter(|number| (spec.min..=spec.max).contains(number)).ok_or_else(|| {
        let kind = match (spec.kind, spec.name) {
            (Kind::Duration, "retry_delay") => "whole ",
            (Kind::Duration, _) => "",
            _ => "a whole number, ",
        };
        invalid(&format!(
            "{what}: {} is {}; allowed is {kind}{} to {}{unit}",
            spec.name,
            shown_value(value),
            spec.min / scale,
            spec.max / scale
        ))
    })
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::String(text) => shown(text),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        other => format!("{other}"),
    }
}

fn known(object: &Map<String, Value>, what: &str, names: &[&str]) -> Result<()> {
    for given in object.keys() {
        if !names.contains(&given.as_str()) {
            let hint = match nearest(given, names) {
                Some(near) => format!("; did you mean {near:?}?"),
                None => format!("; known are {}", names.join(", ")),
            };
            return Err(invalid(&format!("{what} has an unknown {}{hint}", shown(given))));
        }
    }
    Ok(())
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| invalid(&format!("{what} must be an object with names")))
}

fn text_of(entry: &Map<String, Value>, field: &str, what: &str) -> Result<String> {
    match entry.get(field).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.into()),
        _ => Err(invalid(&format!("{what} needs {field:?}, a text that is not empty"))),
    }
}

/// Names of bindings and queues obey the rule of all names.
pub(super) fn check_name(text: &str, what: &str) -> Result<()> {
    if name::is_name(text) {
        return Ok(());
    }
    Err(invalid(&format!(
        "the {what} {} must be 1 to 128 UTF-8 bytes without control characters",
        shown(text)
    )))
}

pub(super) fn invalid(text: &str) -> Error {
    Error::new(Code::InvalidOptions, text)
}
