//! A type with everything it is made of: checksum and full text by the rules of ROS's generator.
use super::{Base, Definition, MAX_DEPTH, MAX_TEXT, MAX_TYPES, is_type_name, parse_message};
use crate::ros::{Code, Error, Result};
use md5::{Digest, Md5};
use std::{collections::HashMap, fmt::Write as _, sync::Arc};

/// A message type and all types it is made of.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The type itself first, then the others in the order in which they are met.
    types: Vec<Arc<Definition>>,
    index: HashMap<String, usize>,
    md5: String,
}

/// A service type.
#[derive(Clone, Debug)]
pub struct ServiceSchema {
    /// Full name.
    pub name: String,
    /// What is asked.
    pub request: Schema,
    /// What is answered.
    pub response: Schema,
    /// The checksum of both, in hexadecimal.
    pub md5: String,
}

impl ServiceSchema {
    /// A service of two resolved types.
    pub fn new(name: String, request: Schema, response: Schema) -> Self {
        let mut hash = Md5::new();
        for schema in [&request, &response] {
            hash.update(schema.md5_text());
        }
        Self { name, request, response, md5: hex(hash) }
    }
}

/// Gives the definition of a type by its full name.
pub type Find<'a> = dyn FnMut(&str) -> Result<Arc<Definition>> + 'a;

impl Schema {
    /// Resolves `root` with the definitions that `find` gives. Refuses a type that contains itself.
    pub fn resolve(root: &Arc<Definition>, find: &mut Find<'_>) -> Result<Self> {
        let mut resolver =
            Resolver { find, types: Vec::new(), index: HashMap::new(), heights: HashMap::new() };
        resolver.visit(root, 0)?;
        let Resolver { types, index, .. } = resolver;
        let mut schema = Self { types, index, md5: String::new() };
        schema.md5 = hash_of(&schema.md5_text());
        Ok(schema)
    }

    /// Reads a definition that brings all its parts along, as publishers send it when they are connected to.
    pub fn from_full_text(name: &str, text: &str) -> Result<Self> {
        if !is_type_name(name) {
            return Err(Error::new(
                Code::TypeInvalid,
                format!("{name:?} is no type name: write package/Name"),
            ));
        }
        if text.len() > MAX_TEXT {
            return Err(Error::new(
                Code::TypeInvalid,
                format!(
                    "the definition of {name} has {} bytes; at most {MAX_TEXT} are allowed",
                    text.len()
                ),
            ));
        }
        let text = text.replace("\r\n", "\n");
        let (root, parts) = sections(&text);
        let root = Arc::new(parse_message(name, root, &format!("the definition sent for {name}"))?);
        Self::resolve(&root, &mut |wanted| {
            let part = parts.get(wanted).ok_or_else(|| {
                Error::new(
                    Code::TypeUnknown,
                    format!("the definition sent for {name} does not say what {wanted} is"),
                )
            })?;
            parse_message(wanted, part, &format!("the definition of {wanted} sent for {name}"))
                .map(Arc::new)
        })
    }

    /// Full name of the type.
    pub fn name(&self) -> &str {
        self.root().map_or("", |root| &root.name)
    }

    /// The checksum that nodes compare, in hexadecimal.
    pub fn md5(&self) -> &str {
        &self.md5
    }

    /// The type itself first, then all it is made of, each once.
    pub fn types(&self) -> &[Arc<Definition>] {
        &self.types
    }

    /// Where in [`Schema::types`] the type of that name is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The text of the type and of all it is made of, as nodes send it to each other.
    pub fn full_text(&self) -> String {
        let mut text = self.root().map_or_else(String::new, |root| root.text.clone());
        for part in self.types.iter().skip(1) {
            let _ = write!(text, "\n{}\nMSG: {}\n{}", "=".repeat(80), part.name, part.text);
        }
        text
    }

    fn root(&self) -> Option<&Definition> {
        self.types.first().map(AsRef::as_ref)
    }

    /// The text whose checksum is the type's.
    fn md5_text(&self) -> String {
        let mut sums = HashMap::new();
        self.root().map_or_else(String::new, |root| self.text_of(root, &mut sums))
    }

    fn text_of(&self, of: &Definition, sums: &mut HashMap<String, String>) -> String {
        let mut text = String::new();
        for constant in &of.constants {
            let _ = writeln!(text, "{} {}={}", constant.kind, constant.name, constant.spelled);
        }
        for field in &of.fields {
            let Base::Message(kind) = &field.base else {
                let _ = writeln!(text, "{} {}", field.spelled, field.name);
                continue;
            };
            if !sums.contains_key(kind) {
                let part = self.position(kind).and_then(|at| self.types.get(at));
                let sum = part.map_or_else(String::new, |part| hash_of(&self.text_of(part, sums)));
                sums.insert(kind.clone(), sum);
            }
            let sum = sums.get(kind).map_or("", String::as_str);
            let _ = writeln!(text, "{sum} {}", field.name);
        }
        text.trim().to_owned()
    }
}

/// The root's text, and the texts of the parts by name: each behind a line of `=` and a line `MSG: name`.
fn sections(text: &str) -> (&str, HashMap<&str, &str>) {
    // Where the section before ends, where this one's text starts, its name.
    let mut heads: Vec<(usize, usize, &str)> = Vec::new();
    let mut ruler = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        if line.len() >= 40 && line.bytes().all(|byte| byte == b'=') {
            ruler = Some(start);
        } else if let Some(end) = ruler.take()
            && let Some(name) = line.strip_prefix("MSG:")
        {
            heads.push((end, at, name.trim()));
        }
    }
    let section = |from: usize, next: Option<&(usize, usize, &str)>| match next {
        None => text.get(from..).unwrap_or_default(),
        Some((end, ..)) => {
            let section = text.get(from..*end).unwrap_or_default();
            section.strip_suffix('\n').unwrap_or(section)
        }
    };
    let mut parts = HashMap::new();
    for (number, (_, from, name)) in heads.iter().enumerate() {
        parts.entry(*name).or_insert_with(|| section(*from, heads.get(number + 1)));
    }
    (section(0, heads.first()), parts)
}

struct Resolver<'a, 'b> {
    find: &'a mut Find<'b>,
    types: Vec<Arc<Definition>>,
    index: HashMap<String, usize>,
    /// How many levels a type has; absent while it is being visited.
    heights: HashMap<String, usize>,
}

impl Resolver<'_, '_> {
    /// Adds a type and all below it; gives its height.
    fn visit(&mut self, definition: &Arc<Definition>, level: usize) -> Result<usize> {
        let refuse = |what: String| Err(Error::new(Code::TypeInvalid, what));
        let name = &definition.name;
        if self.types.len() >= MAX_TYPES {
            return refuse(format!("{name} is one of more than {MAX_TYPES} types"));
        }
        if level > MAX_DEPTH {
            return refuse(format!("{name} is nested deeper than {MAX_DEPTH} levels"));
        }
        self.index.insert(name.clone(), self.types.len());
        self.types.push(Arc::clone(definition));
        let mut height = 0;
        for field in &definition.fields {
            let Base::Message(kind) = &field.base else { continue };
            let below = match self.heights.get(kind) {
                Some(known) => *known,
                None if self.index.contains_key(kind) => {
                    return refuse(format!("{name}.{} makes {kind} contain itself", field.name));
                }
                None => {
                    let part = (self.find)(kind).map_err(|error| Error {
                        message: format!("{} (needed for {name}.{})", error.message, field.name),
                        ..error
                    })?;
                    self.visit(&part, level + 1)?
                }
            };
            height = height.max(below + 1);
            if level + height > MAX_DEPTH {
                return refuse(format!("{name} is nested deeper than {MAX_DEPTH} levels"));
            }
        }
        self.heights.insert(name.clone(), height);
        Ok(height)
    }
}

fn hash_of(text: &str) -> String {
    let mut hash = Md5::new();
    hash.update(text);
    hex(hash)
}

fn hex(hash: Md5) -> String {
    data_encoding::HEXLOWER.encode(&hash.finalize())
}
