//! Values that a call carries.

/// A value of XML-RPC.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `<i4>`, `<int>`.
    Int(i32),
    /// `<boolean>`.
    Bool(bool),
    /// `<double>`.
    Double(f64),
    /// `<string>`, or nothing around the text.
    Text(String),
    /// `<dateTime.iso8601>`, as it came.
    Date(String),
    /// `<base64>`.
    Binary(Vec<u8>),
    /// `<array>`.
    Array(Vec<Value>),
    /// `<struct>`, in the order given.
    Struct(Vec<(String, Value)>),
    /// `<nil>`, an extension.
    Nil,
}

impl Value {
    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of an integer.
    pub const fn as_int(&self) -> Option<i32> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The same as JSON: dates as their text, binary as base64, a double that JSON has no number for as null.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Int(value) => (*value).into(),
            Self::Bool(value) => (*value).into(),
            Self::Double(value) => (*value).into(),
            Self::Text(text) | Self::Date(text) => text.as_str().into(),
            Self::Binary(bytes) => data_encoding::BASE64.encode(bytes).into(),
            Self::Array(values) => values.iter().map(Self::to_json).collect(),
            Self::Struct(members) => {
                members.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
            Self::Nil => serde_json::Value::Null,
        }
    }

    /// A JSON value as one of XML-RPC; says what has no counterpart otherwise.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, String> {
        Ok(match value {
            serde_json::Value::Null => {
                return Err("null has no counterpart among parameters".to_owned());
            }
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => {
                if let Some(integer) = number.as_i64() {
                    Self::Int(i32::try_from(integer).map_err(|_| {
                        format!("{integer} is beyond 32 bits, which parameters cannot hold")
                    })?)
                } else if let Some(float) = number.as_f64() {
                    Self::Double(float)
                } else {
                    return Err(format!("{number} has no counterpart among parameters"));
                }
            }
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(values) => {
                Self::Array(values.iter().map(Self::from_json).collect::<Result<_, _>>()?)
            }
            serde_json::Value::Object(members) => Self::Struct(
                members
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), Self::from_json(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
        })
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}
