//! One line of the input, and how its fields are asked for.

use posthouse_testkit::Direction;
use serde_json::{Map, Value};

/// A value to answer with, or why there is none.
pub type Answer = Result<Value, String>;

/// The fields of a request, or of an object inside it.
pub struct Request(Map<String, Value>);

impl Request {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, String> {
        serde_json::from_str(line).map(Self).map_err(|e| format!("no JSON object: {e}"))
    }

    /// A text that has to be there.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.optional_text(name).ok_or_else(|| format!("the text {name:?} is missing"))
    }

    /// A text that may be left out.
    pub fn optional_text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A number that has to be there.
    pub fn number<N: TryFrom<u64>>(&self, name: &str) -> Result<N, String> {
        self.optional_number(name).ok_or_else(|| format!("the number {name:?} is missing"))
    }

    /// A number that may be left out.
    pub fn optional_number<N: TryFrom<u64>>(&self, name: &str) -> Option<N> {
        N::try_from(self.0.get(name)?.as_u64()?).ok()
    }

    /// Whether a switch is on; off where it is left out.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    /// The objects of a list; none where it is left out.
    pub fn list(&self, name: &str) -> Vec<Self> {
        let items = self.0.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_object).cloned().map(Self).collect()
    }

    /// The texts of a list; none where it is left out.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        let items = self.0.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// An object inside this one; empty where it is left out.
    pub fn inside(&self, name: &str) -> Self {
        Self(self.0.get(name).and_then(Value::as_object).cloned().unwrap_or_default())
    }

    /// Which way bytes go: `to` is `server`, `client`, or both where it is left out.
    pub fn direction(&self) -> Result<Direction, String> {
        match self.optional_text("to") {
            None | Some("both") => Ok(Direction::Both),
            Some("server") => Ok(Direction::ToServer),
            Some("client") => Ok(Direction::ToClient),
            Some(other) => Err(format!("`to` is server, client or both, not {other:?}")),
        }
    }

    /// Fails on a field that nobody reads: a typing error must not look like a passing test.
    pub fn only(&self, known: &[&str]) -> Result<(), String> {
        match self.0.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("{key:?} is none of {}", known.join(", "))),
            None => Ok(()),
        }
    }
}
