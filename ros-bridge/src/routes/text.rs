//! JSON text that is ready, as a value to serialise: the hub checks it while it copies it.
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// The name under which serde knows a text that is JSON already.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    /// The text that a codec wrote; `None` if it is no Unicode, which a codec never writes.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok().map(Self)
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW_VALUE, 1)?;
        raw.serialize_field(RAW_VALUE, self.0)?;
        raw.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn it_is_what_serde_json_calls_raw() {
        let text = r#"{"a":[1,2.50,"x"]}"#;
        let ours = serde_json::to_string(&Text::new(text.as_bytes()).unwrap()).unwrap();
        let theirs: Box<RawValue> = serde_json::from_str(text).unwrap();
        assert_eq!(ours, serde_json::to_string(&theirs).unwrap());
    }
}
