//! Values of constants.
use super::{Base, parse::shown};

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Of a `bool`.
    Bool(bool),
    /// Of any integer type.
    Integer(i128),
    /// Of a `float32` or `float64`.
    Float(f64),
    /// Of a `string`.
    Text(String),
}

impl Literal {
    /// Reads the value of a constant of type `base`; says what is wrong with it otherwise.
    pub(super) fn read(base: &Base, text: &str) -> Result<Self, String> {
        let (least, most) = match base {
            Base::Text => return Ok(Self::Text(text.to_owned())),
            Base::Bool => {
                return match text {
                    "True" | "true" => Ok(Self::Bool(true)),
                    "False" | "false" => Ok(Self::Bool(false)),
                    _ => integer(text).map(|value| Self::Bool(value != 0)).ok_or_else(|| {
                        format!("{:?} is no bool: write True or False, or a number", shown(text))
                    }),
                };
            }
            Base::F32 | Base::F64 => {
                return text
                    .replace('_', "")
                    .parse()
                    .map(Self::Float)
                    .map_err(|_| format!("{:?} is no number", shown(text)));
            }
            Base::I8 => (i128::from(i8::MIN), i128::from(i8::MAX)),
            Base::U8 => (0, i128::from(u8::MAX)),
            Base::I16 => (i128::from(i16::MIN), i128::from(i16::MAX)),
            Base::U16 => (0, i128::from(u16::MAX)),
            Base::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Base::U32 => (0, i128::from(u32::MAX)),
            Base::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
            Base::U64 => (0, i128::from(u64::MAX)),
            Base::Time | Base::Duration | Base::Message(_) => {
                return Err("a constant is a bool, an integer, a float or a string".to_owned());
            }
        };
        let value = integer(text)
            .ok_or_else(|| format!("{:?} is no whole number in decimal digits", shown(text)))?;
        if value < least || value > most {
            return Err(format!("{value} is not within {least} … {most}"));
        }
        Ok(Self::Integer(value))
    }
}

/// A whole number as Python's `int()` reads it: a sign, digits, single `_` between digits.
fn integer(text: &str) -> Option<i128> {
    let well = !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    if !well {
        return None;
    }
    text.replace('_', "").parse().ok()
}
