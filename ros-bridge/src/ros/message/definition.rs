//! What one definition text says: fields and constants of one type.
use super::Literal;

/// One message type, by its own text alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Full name (`geometry_msgs/Pose`).
    pub name: String,
    /// Fields in the order of the text, which is that of the wire.
    pub fields: Vec<Field>,
    /// Constants in the order of the text. They do not travel.
    pub constants: Vec<Constant>,
    /// The text, with `\n` as the end of a line.
    pub text: String,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it is, or what its elements are.
    pub base: Base,
    /// Whether it is an array.
    pub array: Array,
    /// Its type as the text spells it.
    pub spelled: String,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type, a simple one.
    pub base: Base,
    /// Its type as the text spells it; part of the checksum.
    pub kind: String,
    /// Its value.
    pub value: Literal,
    /// The value as the text spells it; part of the checksum.
    pub spelled: String,
}

/// Whether a field is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// It is not.
    No,
    /// Of any length.
    Any,
    /// Of exactly this length.
    Fixed(u32),
}

/// The type of a value, or of an array's elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// `bool`, one byte.
    Bool,
    /// `int8`, and `byte`.
    I8,
    /// `uint8`, and `char`.
    U8,
    /// `int16`.
    I16,
    /// `uint16`.
    U16,
    /// `int32`.
    I32,
    /// `uint32`.
    U32,
    /// `int64`.
    I64,
    /// `uint64`.
    U64,
    /// `float32`.
    F32,
    /// `float64`.
    F64,
    /// `string`: bytes that are meant to be UTF-8.
    Text,
    /// `time`: seconds and nanoseconds, both unsigned.
    Time,
    /// `duration`: seconds and nanoseconds, both signed.
    Duration,
    /// Another message type, by its full name.
    Message(String),
}

impl Base {
    /// The builtin type of that name.
    pub fn builtin(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int8" | "byte" => Self::I8,
            "uint8" | "char" => Self::U8,
            "int16" => Self::I16,
            "uint16" => Self::U16,
            "int32" => Self::I32,
            "uint32" => Self::U32,
            "int64" => Self::I64,
            "uint64" => Self::U64,
            "float32" => Self::F32,
            "float64" => Self::F64,
            "string" => Self::Text,
            "time" => Self::Time,
            "duration" => Self::Duration,
            _ => return None,
        })
    }
}
