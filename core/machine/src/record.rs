//! The state record: one version of one variable, as it travels.
use crate::{
    Code, Error, Result,
    counter::Counter,
    json,
    name::{check_id, check_name},
};
use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};
use core::cmp::Ordering;
use serde::{Deserialize, Serialize};
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

#[derive(Deserialize)]
struct VersionIn<'a> {
    #[serde(borrow)]
    counter: Cow<'a, str>,
    #[serde(borrow)]
    writer: Cow<'a, str>,
}

#[derive(Deserialize)]
struct RecordIn<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    version: VersionIn<'a>,
    deleted: bool,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    scope: Option<&'a RawValue>,
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
        let input: RecordIn<'_> =
            serde_json::from_slice(bytes).map_err(|e| bad(&format!("{e}")))?;
        if input.scope.is_some() {
            return Err(bad("it has the field `scope` of another protocol"));
        }
        let counter = Counter::parse(&input.version.counter)
            .ok_or_else(|| bad("its counter is no whole number of 1 to 40 digits"))?;
        check_id(&input.version.writer).map_err(|_| bad("its writer is no identity"))?;
        check_name(&input.name).map_err(|_| bad("its name is no variable name"))?;
        let value = if input.deleted {
            None
        } else {
            let text = input
                .value
                .ok_or_else(|| bad("it has no value and is not marked deleted"))?
                .get()
                .as_bytes();
            let mut out = Vec::with_capacity(text.len());
            json::canonical(text, &mut out, limits)
                .map_err(|e| e.into_error(Code::InvalidRecord, Code::InvalidRecord))?;
            Some(out.into_boxed_slice())
        };
        let version = Version { counter, writer: input.version.writer.into() };
        Ok((input.name.into_owned(), Self { version, value }))
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

/// Reads a field that is there, `null` included, as `Some`.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
