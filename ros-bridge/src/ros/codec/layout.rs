//! A type compiled for the wire: its parts in one table, each with the least and, where it is fixed, the exact
//! number of bytes, so that lengths are checked before anything is read or allocated.
use super::{Decoded, Refusal, Rules, decode, encode, select::Selection};
use crate::ros::{
    Result,
    message::{Array, Base, Schema, ServiceSchema},
};
use posthouse_core::json::{Limits, Writer};

/// A message type, ready to turn bytes into JSON and JSON into bytes.
#[derive(Debug)]
pub struct Layout {
    name: String,
    md5: String,
    definition: String,
    pub(super) plan: Plan,
}

/// A service type.
#[derive(Debug)]
pub struct ServiceLayout {
    name: String,
    md5: String,
    /// What is asked.
    pub request: Layout,
    /// What is answered.
    pub response: Layout,
}

impl ServiceLayout {
    /// Compiles a service type.
    pub fn new(schema: &ServiceSchema) -> Result<Self> {
        Ok(Self {
            name: schema.name.clone(),
            md5: schema.md5.clone(),
            request: Layout::new(&schema.request)?,
            response: Layout::new(&schema.response)?,
        })
    }

    /// Full name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The checksum that nodes compare, in hexadecimal.
    pub fn md5(&self) -> &str {
        &self.md5
    }
}

impl Layout {
    /// Compiles a message type.
    pub fn new(schema: &Schema) -> Result<Self> {
        Ok(Self {
            name: schema.name().to_owned(),
            md5: schema.md5().to_owned(),
            definition: schema.full_text(),
            plan: Plan::new(schema),
        })
    }

    /// Full name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The checksum that nodes compare, in hexadecimal.
    pub fn md5(&self) -> &str {
        &self.md5
    }

    /// The definition with all its parts, as nodes send it to each other.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// Appends the JSON text of an encoded message to `out`; on a refusal `out` is as before.
    ///
    /// Memory is bounded by `limits`, whatever the bytes say.
    pub fn to_json(
        &self,
        body: &[u8],
        rules: Rules,
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> std::result::Result<Decoded, Refusal> {
        let mut writer = Writer::new(out, limits);
        match self.write_json(body, rules, &mut writer) {
            Ok(decoded) => writer.finish().map(|()| decoded).map_err(Refusal::from),
            Err(refusal) => {
                writer.rollback();
                Err(refusal)
            }
        }
    }

    /// Writes an encoded message as one value of a larger JSON text.
    pub fn write_json(
        &self,
        body: &[u8],
        rules: Rules,
        writer: &mut Writer<'_>,
    ) -> std::result::Result<Decoded, Refusal> {
        decode::message(&self.plan, body, rules, writer)
    }

    /// Appends the encoded message of a JSON text to `out`; on a refusal `out` is as before. The text must have every
    /// field of the type, of the right type and range, and no other.
    pub fn from_json(
        &self,
        text: &[u8],
        rules: Rules,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), Refusal> {
        let start = out.len();
        let result = encode::message(&self.plan, text, rules, out);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// A part of the messages: `path` has field names and, for arrays, indices (`pose.position.x`,
    /// `points[0].x`, or `points.0.x`).
    pub fn select(&self, path: &str) -> std::result::Result<Selection, Refusal> {
        Selection::new(&self.plan, path)
    }

    /// Appends the JSON text of the selected part of an encoded message to `out`; on a refusal `out` is as before.
    pub fn part_to_json(
        &self,
        selection: &Selection,
        body: &[u8],
        rules: Rules,
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> std::result::Result<Decoded, Refusal> {
        let mut writer = Writer::new(out, limits);
        match decode::part(&self.plan, selection, body, rules, &mut writer) {
            Ok(decoded) => writer.finish().map(|()| decoded).map_err(Refusal::from),
            Err(refusal) => {
                writer.rollback();
                Err(refusal)
            }
        }
    }

    /// Whether the messages start with a `std_msgs/Header header`.
    pub fn has_header(&self) -> bool {
        let root = self.plan.get(0);
        root.members.first().is_some_and(|member| {
            &*member.name == "header"
                && member.array == Array::No
                && matches!(member.item, Item::Message(at) if &*self.plan.get(at).name == "std_msgs/Header")
        })
    }
}

/// The parts of a type; the first one is the type itself.
#[derive(Debug)]
pub(super) struct Plan {
    parts: Box<[Part]>,
}

/// One message type within a plan.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) name: Box<str>,
    pub(super) members: Box<[Member]>,
}

/// A field.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Box<str>,
    pub(super) item: Item,
    pub(super) array: Array,
    /// Of one element.
    pub(super) element: Size,
    /// Of the whole field.
    pub(super) size: Size,
}

/// How many bytes something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Never fewer. Nothing that takes no bytes is of variable size.
    pub(super) least: u64,
    /// Always exactly `least`.
    pub(super) fixed: bool,
}

/// What a value, or an element of an array, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    Text,
    Time,
    Duration,
    /// Number of the part.
    Message(usize),
}

impl Item {
    /// Of a value that is no message.
    const fn size(self) -> Size {
        let (least, fixed) = match self {
            Self::Bool | Self::I8 | Self::U8 => (1, true),
            Self::I16 | Self::U16 => (2, true),
            Self::I32 | Self::U32 | Self::F32 => (4, true),
            Self::I64 | Self::U64 | Self::F64 | Self::Time | Self::Duration => (8, true),
            Self::Text => (4, false),
            Self::Message(_) => (0, true),
        };
        Size { least, fixed }
    }
}

impl Size {
    const NOTHING: Self = Self { least: 0, fixed: true };

    fn and(self, other: Self) -> Self {
        Self { least: self.least.saturating_add(other.least), fixed: self.fixed && other.fixed }
    }

    fn of(self, array: Array) -> Self {
        match array {
            Array::No => self,
            Array::Any => Self { least: 4, fixed: false },
            Array::Fixed(0) => Self::NOTHING,
            Array::Fixed(length) => {
                Self { least: self.least.saturating_mul(length.into()), ..self }
            }
        }
    }
}

impl Plan {
    fn new(schema: &Schema) -> Self {
        let types = schema.types();
        let mut sizes: Vec<Option<Size>> = vec![None; types.len()];
        let mut parts: Vec<Part> = types.iter().map(|_| Part::default()).collect();
        for at in 0..types.len() {
            part(schema, at, &mut sizes, &mut parts);
        }
        Self { parts: parts.into() }
    }

    /// The part of that number.
    #[inline]
    pub(super) fn get(&self, at: usize) -> &Part {
        // Numbers come from the same table.
        &self.parts[at]
    }
}

/// Compiles one type after those it is made of. Recursion is bounded by the schema's depth.
fn part(schema: &Schema, at: usize, sizes: &mut [Option<Size>], parts: &mut [Part]) -> Size {
    if let Some(known) = sizes.get(at).copied().flatten() {
        return known;
    }
    let Some(definition) = schema.types().get(at) else { return Size::NOTHING };
    let mut members = Vec::with_capacity(definition.fields.len());
    let mut size = Size::NOTHING;
    for field in &definition.fields {
        let item = item(schema, &field.base);
        let element = match item {
            Item::Message(below) => part(schema, below, sizes, parts),
            simple => simple.size(),
        };
        let whole = element.of(field.array);
        size = size.and(whole);
        members.push(Member {
            name: field.name.as_str().into(),
            item,
            array: field.array,
            element,
            size: whole,
        });
    }
    sizes[at] = Some(size);
    parts[at] = Part { name: definition.name.as_str().into(), members: members.into() };
    size
}

fn item(schema: &Schema, base: &Base) -> Item {
    match base {
        Base::Bool => Item::Bool,
        Base::I8 => Item::I8,
        Base::U8 => Item::U8,
        Base::I16 => Item::I16,
        Base::U16 => Item::U16,
        Base::I32 => Item::I32,
        Base::U32 => Item::U32,
        Base::I64 => Item::I64,
        Base::U64 => Item::U64,
        Base::F32 => Item::F32,
        Base::F64 => Item::F64,
        Base::Text => Item::Text,
        Base::Time => Item::Time,
        Base::Duration => Item::Duration,
        // A schema has every type that it names.
        Base::Message(name) => Item::Message(schema.position(name).unwrap_or_default()),
    }
}
