//! Members of a small JSON object by name, as they stand: of a duplicate key the last wins, others
//! are passed over. For what the protocol itself sends; values of programs are `json`'s.
use alloc::{borrow::Cow, string::String};
use core::fmt;
use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members called `names` of the object in `text`.
pub(crate) fn members<'a, const N: usize>(
    text: &'a [u8],
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], serde_json::Error> {
    let mut input = serde_json::Deserializer::from_slice(text);
    let found = (&mut input).deserialize_map(Members(names))?;
    input.end()?;
    Ok(found)
}

/// The text of a JSON string.
pub(crate) fn string(raw: &RawValue) -> Result<Cow<'_, str>, serde_json::Error> {
    let text = raw.get();
    match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str::<String>(text).map(Cow::Owned),
    }
}

struct Members<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(at) = map.next_key_seed(Name(&self.0))? {
            match at.and_then(|at| found.get_mut(at)) {
                Some(place) => *place = Some(map.next_value()?),
                // Passed over, but not what is no UTF-8.
                None => drop(map.next_value::<&RawValue>()?),
            }
        }
        Ok(found)
    }
}

/// Reads a key and gives its place among the names.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_duplicate_wins_whatever_the_others_are() {
        let text = br#" {"a":1,"x":{"a":2},"\u0061":"z\n","b":null} "#;
        let [a, b, c] = members(text, ["a", "b", "c"]).unwrap();
        assert_eq!(string(a.unwrap()).unwrap(), "z\n");
        assert_eq!(b.unwrap().get(), "null");
        assert!(c.is_none() && string(b.unwrap()).is_err());
        for bad in [&b"[]"[..], b"{", b"{} x", b"1", b"{\"a\":}", b"", b"{\"x\":\"\xff\"}"] {
            assert!(members(bad, ["a"]).is_err());
        }
    }
}
