//! What serde hands over as text: the keys of maps, and the JSON inside a serde_json `RawValue`.
use super::{JsonError, Writer, ser::Stop};
use alloc::{boxed::Box, string::ToString};
use serde::ser::{Impossible, Serialize, Serializer};

type Result<T = (), E = Stop> = core::result::Result<T, E>;

/// Where the text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    /// The key of the next member.
    Key,
    /// One whole JSON value.
    Raw,
}

/// Takes strings and what has an obvious text: characters, integers, booleans, names of unit variants.
pub(super) struct TextSerializer<'w, 'a>(pub(super) &'w mut Writer<'a>, pub(super) As);

impl TextSerializer<'_, '_> {
    #[inline]
    fn text(self, text: &str) -> Result {
        match self.1 {
            As::Key => Ok(self.0.key(text)?),
            As::Raw => self.0.raw(text.as_bytes()).map_err(|error| Stop(Box::new(error))),
        }
    }

    fn integer(self, value: impl itoa::Integer) -> Result {
        self.text(itoa::Buffer::new().format(value))
    }

    #[cold]
    fn refuse<T>() -> Result<T> {
        let what = "an object whose key is no string, integer, boolean or character";
        Err(Stop(Box::new(JsonError::unsupported(what))))
    }
}

impl Serializer for TextSerializer<'_, '_> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Impossible<(), Stop>;
    type SerializeTuple = Impossible<(), Stop>;
    type SerializeTupleStruct = Impossible<(), Stop>;
    type SerializeTupleVariant = Impossible<(), Stop>;
    type SerializeMap = Impossible<(), Stop>;
    type SerializeStruct = Impossible<(), Stop>;
    type SerializeStructVariant = Impossible<(), Stop>;

    #[inline]
    fn serialize_str(self, value: &str) -> Result {
        self.text(value)
    }
    fn serialize_char(self, value: char) -> Result {
        self.text(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_bool(self, value: bool) -> Result {
        self.text(if value { "true" } else { "false" })
    }
    fn serialize_i8(self, value: i8) -> Result {
        self.integer(value)
    }
    fn serialize_i16(self, value: i16) -> Result {
        self.integer(value)
    }
    fn serialize_i32(self, value: i32) -> Result {
        self.integer(value)
    }
    fn serialize_i64(self, value: i64) -> Result {
        self.integer(value)
    }
    fn serialize_i128(self, value: i128) -> Result {
        self.text(&value.to_string())
    }
    fn serialize_u8(self, value: u8) -> Result {
        self.integer(value)
    }
    fn serialize_u16(self, value: u16) -> Result {
        self.integer(value)
    }
    fn serialize_u32(self, value: u32) -> Result {
        self.integer(value)
    }
    fn serialize_u64(self, value: u64) -> Result {
        self.integer(value)
    }
    fn serialize_u128(self, value: u128) -> Result {
        self.text(&value.to_string())
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result {
        self.text(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }
    fn serialize_f32(self, _: f32) -> Result {
        Self::refuse()
    }
    fn serialize_f64(self, _: f64) -> Result {
        Self::refuse()
    }
    fn serialize_bytes(self, _: &[u8]) -> Result {
        Self::refuse()
    }
    fn serialize_none(self) -> Result {
        Self::refuse()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result {
        Self::refuse()
    }
    fn serialize_unit(self) -> Result {
        Self::refuse()
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result {
        Self::refuse()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result {
        Self::refuse()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Self::refuse()
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Self::refuse()
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Self::refuse()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Self::refuse()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Self::refuse()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        Self::refuse()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Self::refuse()
    }
}
