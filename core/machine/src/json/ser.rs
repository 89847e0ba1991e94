//! Any `serde::Serialize` written straight to JSON text, in the shapes that serde_json uses.
//!
//! Faults travel up as one boxed error; each container adds its step of the path on the way out, so
//! the good path pays a counter an array element and nothing else.
use super::{
    Fault, JsonError, Limits, Writer,
    ser_key::{As, TextSerializer},
};
use alloc::{boxed::Box, format, string::ToString, vec::Vec};
use serde::ser::{self, Serialize};

/// Appends `value` as JSON text, in the order its `Serialize` gives. On an error `out` is as before, and
/// the error tells the way to the bad value.
pub fn to_vec<T: Serialize + ?Sized>(
    value: &T,
    out: &mut Vec<u8>,
    limits: &Limits,
) -> Result<(), JsonError> {
    let mut writer = Writer::new(out, limits);
    match value.serialize(ValueSerializer(&mut writer)) {
        Ok(()) => writer.finish(),
        Err(Stop(error)) => {
            let error = writer.complete(*error);
            writer.rollback();
            Err(error)
        }
    }
}

/// A [`JsonError`] on its way up, one word wide.
#[derive(Debug)]
pub(super) struct Stop(pub(super) Box<JsonError>);

type Result<T = (), E = Stop> = core::result::Result<T, E>;

impl From<Fault> for Stop {
    #[cold]
    fn from(fault: Fault) -> Self {
        Self(Box::new(fault.into()))
    }
}

impl Stop {
    #[cold]
    fn under_key(mut self, key: &str) -> Self {
        *self.0 = self.0.under_key(key);
        self
    }

    #[cold]
    fn under_index(mut self, index: usize) -> Self {
        *self.0 = self.0.under_index(index);
        self
    }
}

impl core::fmt::Display for Stop {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for Stop {}

impl ser::Error for Stop {
    #[cold]
    fn custom<T: core::fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        Self(Box::new(JsonError::unsupported(format!("not serializable ({text})"))))
    }
}

/// The name under which serde_json hands over a `RawValue`.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

struct ValueSerializer<'w, 'a>(&'w mut Writer<'a>);

impl<'w, 'a> ser::Serializer for ValueSerializer<'w, 'a> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Elements<'w, 'a>;
    type SerializeTuple = Elements<'w, 'a>;
    type SerializeTupleStruct = Elements<'w, 'a>;
    type SerializeTupleVariant = Elements<'w, 'a>;
    type SerializeMap = Members<'w, 'a>;
    type SerializeStruct = Members<'w, 'a>;
    type SerializeStructVariant = Members<'w, 'a>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result {
        Ok(self.0.bool(value)?)
    }
    #[inline]
    fn serialize_i8(self, value: i8) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i16(self, value: i16) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i32(self, value: i32) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i64(self, value: i64) -> Result {
        Ok(self.0.i64(value)?)
    }
    fn serialize_i128(self, value: i128) -> Result {
        self.serialize_i64(i64::try_from(value).map_err(|_| Fault::Number)?)
    }
    #[inline]
    fn serialize_u8(self, value: u8) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_u16(self, value: u16) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_u32(self, value: u32) -> Result {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_u64(self, value: u64) -> Result {
        Ok(self.0.u64(value)?)
    }
    fn serialize_u128(self, value: u128) -> Result {
        self.serialize_i64(i64::try_from(value).map_err(|_| Fault::Number)?)
    }
    #[inline]
    fn serialize_f32(self, value: f32) -> Result {
        Ok(self.0.f32(value)?)
    }
    #[inline]
    fn serialize_f64(self, value: f64) -> Result {
        Ok(self.0.f64(value)?)
    }
    fn serialize_char(self, value: char) -> Result {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }
    #[inline]
    fn serialize_str(self, value: &str) -> Result {
        Ok(self.0.str(value)?)
    }
    fn serialize_bytes(self, value: &[u8]) -> Result {
        self.0.begin_array()?;
        for &byte in value {
            self.0.i64(byte.into())?;
        }
        Ok(self.0.end_array()?)
    }
    #[inline]
    fn serialize_none(self) -> Result {
        self.serialize_unit()
    }
    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }
    #[inline]
    fn serialize_unit(self) -> Result {
        Ok(self.0.null()?)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result {
        self.serialize_unit()
    }
    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result {
        self.serialize_str(variant)
    }
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        self.0.begin_object()?;
        self.0.key(variant)?;
        value.serialize(ValueSerializer(self.0)).map_err(|stop| stop.under_key(variant))?;
        Ok(self.0.end_object()?)
    }
    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'w, 'a>> {
        self.0.begin_array()?;
        Ok(Elements { writer: self.0, index: 0, variant: None })
    }
    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Elements<'w, 'a>> {
        self.serialize_seq(None)
    }
    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements<'w, 'a>> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements<'w, 'a>> {
        self.0.begin_object()?;
        self.0.key(variant)?;
        self.0.begin_array().map_err(|fault| Stop::from(fault).under_key(variant))?;
        Ok(Elements { writer: self.0, index: 0, variant: Some(variant) })
    }
    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        self.0.begin_object()?;
        Ok(Members { writer: self.0, kind: Kind::Map { key: 0 } })
    }
    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'w, 'a>> {
        if name == RAW_VALUE {
            return Ok(Members { writer: self.0, kind: Kind::Raw });
        }
        self.0.begin_object()?;
        Ok(Members { writer: self.0, kind: Kind::Struct })
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.0.begin_object()?;
        self.0.key(variant)?;
        self.0.begin_object().map_err(|fault| Stop::from(fault).under_key(variant))?;
        Ok(Members { writer: self.0, kind: Kind::Variant(variant) })
    }
}

/// An open array.
struct Elements<'w, 'a> {
    writer: &'w mut Writer<'a>,
    index: usize,
    /// The enum variant whose one-member object surrounds the array.
    variant: Option<&'static str>,
}

impl Elements<'_, '_> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        if let Err(stop) = value.serialize(ValueSerializer(self.writer)) {
            let stop = stop.under_index(self.index);
            return Err(match self.variant {
                Some(variant) => stop.under_key(variant),
                None => stop,
            });
        }
        self.index += 1;
        Ok(())
    }

    #[inline]
    fn close(self) -> Result {
        self.writer.end_array()?;
        if self.variant.is_some() {
            self.writer.end_object()?;
        }
        Ok(())
    }
}

macro_rules! elements {
    ($($which:ident $method:ident),*) => { $(
        impl ser::$which for Elements<'_, '_> {
            type Ok = ();
            type Error = Stop;
            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
                self.element(value)
            }
            #[inline]
            fn end(self) -> Result {
                self.close()
            }
        }
    )* };
}
elements!(
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
);

/// An open object, or a raw value that looks like one to serde.
struct Members<'w, 'a> {
    writer: &'w mut Writer<'a>,
    kind: Kind,
}

enum Kind {
    Struct,
    /// The one-member object of this enum variant surrounds the object.
    Variant(&'static str),
    /// A map, and where in the output its last key begins.
    Map {
        key: usize,
    },
    Raw,
}

impl Members<'_, '_> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        if let Kind::Raw = self.kind {
            return value.serialize(TextSerializer(self.writer, As::Raw));
        }
        let result = match self.writer.key(key) {
            Ok(()) => value.serialize(ValueSerializer(self.writer)),
            Err(fault) => Err(fault.into()),
        };
        result.map_err(|stop| match self.kind {
            Kind::Variant(variant) => stop.under_key(key).under_key(variant),
            _ => stop.under_key(key),
        })
    }

    #[inline]
    fn close(self) -> Result {
        match self.kind {
            Kind::Raw => return Ok(()),
            Kind::Variant(_) => self.writer.end_object()?,
            _ => {}
        }
        Ok(self.writer.end_object()?)
    }
}

impl ser::SerializeStruct for Members<'_, '_> {
    type Ok = ();
    type Error = Stop;
    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        self.field(key, value)
    }
    #[inline]
    fn end(self) -> Result {
        self.close()
    }
}

impl ser::SerializeStructVariant for Members<'_, '_> {
    type Ok = ();
    type Error = Stop;
    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        self.field(key, value)
    }
    #[inline]
    fn end(self) -> Result {
        self.close()
    }
}

impl ser::SerializeMap for Members<'_, '_> {
    type Ok = ();
    type Error = Stop;
    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        self.kind = Kind::Map { key: self.writer.written() };
        key.serialize(TextSerializer(self.writer, As::Key))
    }
    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        value.serialize(ValueSerializer(self.writer)).map_err(|stop| {
            let Kind::Map { key } = self.kind else { return stop };
            stop.under_key(&self.writer.key_at(key))
        })
    }
    #[inline]
    fn end(self) -> Result {
        self.close()
    }
}
