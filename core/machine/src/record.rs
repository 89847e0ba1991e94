//! The state record: one version of one variable, as it travels.
use crate::{
    Code, Error, Result,
    counter::Counter,
    fields::{members, string},
    json,
    name::{check_id, check_name},
};
use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};
use core::cmp::Ordering;
use serde::Serialize;
use serde_json::value::RawValue;

/// When and by whom a variable was written: the higher counter wins, then the greater writer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Rises with every write that the writer knows of.
    pub counter: Counter,
    /// The identity of the hub that wrote.
    pub writer: Box<str>,
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.counter, self.writer.as_bytes()).cmp(&(other.counter, other.writer.as_bytes()))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A version and what it says: a value in canonical JSON text, or none where it was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When and by whom.
    pub version: Version,
    /// Canonical JSON; `None` is a tombstone.
    pub value: Option<Box<[u8]>>,
}

impl Record {
    /// Reads a record from the wire: the variable's name and the record.
    pub fn parse(bytes: &[u8], limits: &json::Limits) -> Result<(String, Self)> {
        let bad = |why: &str| {
            Error::new(
                Code::InvalidRecord,
                format!(
                    "a state record was refused: {why}; it was ignored, and its sender must be mended"
                ),
            )
        };
        // The parser's own words may repeat what was sent, of any length.
        let not_json = |e: serde_json::Error| {
            bad(&format!("it is no JSON object of a record's kind (byte {})", e.column()))
        };
        let [name, version, deleted, value, scope] =
            members(bytes, ["name", "version", "deleted", "value", "scope"]).map_err(not_json)?;
        if scope.is_some() {
            return Err(bad("it has the field `scope` of another protocol"));
        }
        let text = |raw: Option<&'_ RawValue>, what: &str| {
            let raw = raw.ok_or_else(|| bad(&format!("it has no {what}")))?;
            string(raw).map(Cow::into_owned).map_err(|_| bad(&format!("its {what} is no text")))
        };
        let version = version.ok_or_else(|| bad("it has no version"))?.get().as_bytes();
        let [counter, writer] = members(version, ["counter", "writer"]).map_err(not_json)?;
        let (counter, writer) = (text(counter, "counter")?, text(writer, "writer")?);
        let counter = Counter::parse(&counter)
            .ok_or_else(|| bad("its counter is no whole number of 1 to 40 digits"))?;
        check_id(&writer).map_err(|_| bad("its writer is no identity"))?;
        let name = text(name, "name")?;
        check_name(&name).map_err(|_| bad("its name is no variable name"))?;
        let deleted = match deleted.map(RawValue::get) {
            Some("true") => true,
            Some("false") => false,
            _ => return Err(bad("its field `deleted` is neither true nor false")),
        };
        let value = if deleted {
            None
        } else {
            let text = value
                .ok_or_else(|| bad("it has no value and is not marked deleted"))?
                .get()
                .as_bytes();
            let mut out = Vec::with_capacity(text.len());
            json::canonical(text, &mut out, limits)
                .map_err(|e| e.into_error(Code::InvalidRecord, Code::InvalidRecord))?;
            Some(out.into_boxed_slice())
        };
        let version = Version { counter, writer: writer.into() };
        Ok((name, Self { version, value }))
    }

    /// Appends the record's wire form.
    pub fn write(&self, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"name\":");
        // A name is short, valid text: writing it cannot fail.
        let _ = json::Writer::new(out, &json::Limits::VALUE).str(name);
        out.extend_from_slice(b",\"version\":{\"counter\":\"");
        out.extend_from_slice(self.version.counter.as_str().as_bytes());
        out.extend_from_slice(b"\",\"writer\":\"");
        out.extend_from_slice(self.version.writer.as_bytes());
        if let Some(value) = &self.value {
            out.extend_from_slice(b"\"},\"deleted\":false,\"value\":");
            out.extend_from_slice(value);
            out.push(b'}');
        } else {
            out.extend_from_slice(b"\"},\"deleted\":true}");
        }
    }

    /// What the record counts against the memory limit: the bytes of its name, writer and value.
    pub fn cost(&self, name: &str) -> usize {
        name.len() + self.version.writer.len() + self.value.as_ref().map_or(0, |v| v.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_repeats_nothing_of_what_was_sent() {
        let long = "x".repeat(5_000);
        for bad in [
            format!("\"{long}\""),
            format!("{{\"version\":\"{long}\"}}"),
            format!("{{\"version\":{{\"counter\":\"{long}\",\"writer\":\"w\"}}}}"),
            format!(
                "{{\"deleted\":\"{long}\",\"version\":{{\"counter\":\"1\",\"writer\":\"w\"}},\"name\":\"n\"}}"
            ),
        ] {
            let error = Record::parse(bad.as_bytes(), &json::Limits::VALUE).unwrap_err();
            assert_eq!(error.code(), Code::InvalidRecord);
            assert!(error.message().len() < 300 && !error.message().contains("xx"), "{error}");
        }
    }
}
