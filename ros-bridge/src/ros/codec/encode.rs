//! JSON text to the bytes of a message, in one pass over the text.
//!
//! Members may come in any order: those that come in the order of the type are written straight out, others are
//! kept aside until it is their turn.
use super::{
    Bytes, Floats, Integers, Reason, Refusal, Rules,
    layout::{Item, Part, Plan},
};
use crate::ros::message::Array;
use data_encoding::BASE64;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::{cell::RefCell, fmt};

/// Appends the encoded message.
pub(super) fn message(
    plan: &Plan,
    text: &[u8],
    rules: Rules,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let context = Context { plan, rules, refusal: RefCell::new(None) };
    let mut reader = serde_json::Deserializer::from_slice(text);
    let target = Target { context: &context, item: Item::Message(0), array: Array::No, out };
    let read = target.deserialize(&mut reader).and_then(|()| reader.end());
    match (context.refusal.into_inner(), read) {
        (Some(refusal), _) => Err(refusal),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(Refusal::new(Reason::NotJson, format!("no JSON: {error}"))),
    }
}

struct Context<'a> {
    plan: &'a Plan,
    rules: Rules,
    /// Why reading was stopped; the reader's own error says less.
    refusal: RefCell<Option<Refusal>>,
}

impl Context<'_> {
    #[cold]
    fn refuse<E: serde::de::Error>(&self, reason: Reason, what: impl Into<String>) -> E {
        *self.refusal.borrow_mut() = Some(Refusal::new(reason, what));
        E::custom("refused")
    }

    /// Puts a piece before the refusal's path, on the way out.
    #[cold]
    fn within<E>(&self, error: E, add: impl FnOnce(Refusal) -> Refusal) -> E {
        let mut refusal = self.refusal.borrow_mut();
        *refusal = refusal.take().map(add);
        error
    }
}

/// A place in the message that the next value goes to.
struct Target<'a, 'o> {
    context: &'a Context<'a>,
    item: Item,
    array: Array,
    out: &'o mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for Target<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Target<'_, '_> {
    /// What belongs here, as a noun phrase.
    fn wanted(&self) -> String {
        let rules = self.context.rules;
        match (self.array, self.item) {
            (Array::No, item) => simple(item, rules),
            (_, Item::U8) if rules.bytes == Bytes::Base64 => "a string in base64".to_owned(),
            (Array::Fixed(length), item) => {
                format!("an array of {length} elements, each {}", simple(item, rules))
            }
            (Array::Any, item) => format!("an array of elements, each {}", simple(item, rules)),
        }
    }

    #[cold]
    fn wrong<E: serde::de::Error>(&self, given: &str) -> E {
        let wanted = self.wanted();
        self.context.refuse(Reason::WrongType, format!("{given} was given; {wanted} is wanted"))
    }

    fn integer<E: serde::de::Error>(self, value: i128) -> Result<(), E> {
        if self.array != Array::No {
            return Err(self.wrong("a number"));
        }
        macro_rules! put {
            ($type:ty) => {
                match <$type>::try_from(value) {
                    Ok(value) => self.out.extend_from_slice(&value.to_le_bytes()),
                    Err(_) => {
                        let (least, most) = (<$type>::MIN, <$type>::MAX);
                        return Err(self.context.refuse(
                            Reason::OutOfRange,
                            format!("{value} is not within {least} … {most}"),
                        ));
                    }
                }
            };
        }
        match self.item {
            Item::I8 => put!(i8),
            Item::U8 => put!(u8),
            Item::I16 => put!(i16),
            Item::U16 => put!(u16),
            Item::I32 => put!(i32),
            Item::U32 => put!(u32),
            Item::I64 => put!(i64),
            Item::U64 => put!(u64),
            Item::F32 | Item::F64 => return self.float(value as f64),
            _ => return Err(self.wrong("a number")),
        }
        Ok(())
    }

    fn float<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        match (self.array, self.item) {
            (Array::No, Item::F64) => self.out.extend_from_slice(&value.to_le_bytes()),
            (Array::No, Item::F32) => {
                let single = value as f32;
                if single.is_infinite() && value.is_finite() {
                    return Err(self.context.refuse(
                        Reason::OutOfRange,
                        format!("{value:e} is beyond what a float32 holds (±3.4028235e38)"),
                    ));
                }
                self.out.extend_from_slice(&single.to_le_bytes());
            }
            _ => return Err(self.wrong("a number")),
        }
        Ok(())
    }

    fn text(&mut self, bytes: &[u8]) {
        // A JSON text of 4 GiB does not get here.
        self.out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.out.extend_from_slice(bytes);
    }

    /// An element of this array, or a member of this message.
    fn below(&mut self, item: Item, array: Array) -> Target<'_, '_> {
        Target { context: self.context, item, array, out: self.out }
    }

    fn bytes<E: serde::de::Error>(mut self, text: &str) -> Result<(), E> {
        let bytes = BASE64.decode(text.as_bytes()).map_err(|error| {
            self.context.refuse(Reason::WrongType, format!("this is no base64: {error}"))
        })?;
        match self.array {
            Array::Fixed(length) if bytes.len() != length as usize => Err(self.context.refuse(
                Reason::WrongLength,
                format!("{} bytes were given; {length} are wanted", bytes.len()),
            )),
            Array::Fixed(_) => {
                self.out.extend_from_slice(&bytes);
                Ok(())
            }
            _ => {
                self.text(&bytes);
                Ok(())
            }
        }
    }
}

fn simple(item: Item, rules: Rules) -> String {
    let text = match item {
        Item::Bool => "true or false",
        Item::I64 | Item::U64 if rules.integers == Integers::Strings => {
            "an integer, as a string of digits"
        }
        Item::F32 | Item::F64 => match rules.floats {
            Floats::Null => "a number or null",
            Floats::Strings => "a number, \"NaN\", \"Infinity\" or \"-Infinity\"",
            Floats::Refuse => "a number",
        },
        Item::Text => "a string",
        Item::Time | Item::Duration => "an object with secs and nsecs",
        Item::Message(_) => "an object",
        _ => "an integer",
    };
    text.to_owned()
}

impl<'de> Visitor<'de> for Target<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.wanted())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        if (self.array, self.item) != (Array::No, Item::Bool) {
            return Err(self.wrong("a boolean"));
        }
        self.out.push(value.into());
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.integer(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.integer(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        if matches!(self.item, Item::F32 | Item::F64) {
            return self.float(value);
        }
        // 1e3 and 1.0 are integers, too.
        #[allow(clippy::float_cmp)]
        if value.trunc() == value && value.abs() < super::NUMBER_BOUND {
            return self.integer(value as i128);
        }
        Err(self.wrong("a fraction"))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        let float = matches!(self.item, Item::F32 | Item::F64) && self.array == Array::No;
        if float && self.context.rules.floats == Floats::Null {
            return self.float(f64::NAN);
        }
        Err(self.wrong("null"))
    }

    fn visit_str<E: serde::de::Error>(mut self, value: &str) -> Result<(), E> {
        let rules = self.context.rules;
        match (self.array, self.item) {
            (Array::No, Item::Text) => {
                self.text(value.as_bytes());
                Ok(())
            }
            (Array::No, Item::F32 | Item::F64) if rules.floats == Floats::Strings => {
                let read = match value {
                    "NaN" => Some(f64::NAN),
                    "Infinity" => Some(f64::INFINITY),
                    "-Infinity" => Some(f64::NEG_INFINITY),
                    digits if digits.contains(|c: char| c.is_ascii_digit()) => digits.parse().ok(),
                    _ => None,
                };
                match read {
                    Some(float) => self.float(float),
                    None => Err(self.wrong("another string")),
                }
            }
            (Array::No, Item::I64 | Item::U64) if rules.integers == Integers::Strings => {
                match value.parse() {
                    Ok(integer) => self.integer(integer),
                    Err(_) => Err(self.wrong("another string")),
                }
            }
            (Array::Any | Array::Fixed(_), Item::U8) if rules.bytes == Bytes::Base64 => {
                self.bytes(value)
            }
            _ => Err(self.wrong("a string")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        let (context, item) = (self.context, self.item);
        let as_text = item == Item::U8 && context.rules.bytes == Bytes::Base64;
        let limit = match self.array {
            Array::No => return Err(self.wrong("an array")),
            _ if as_text => return Err(self.wrong("an array")),
            Array::Any => u32::MAX,
            Array::Fixed(length) => length,
        };
        let start = self.out.len();
        if self.array == Array::Any {
            self.out.extend_from_slice(&[0; 4]);
        }
        let mut count = 0_u32;
        loop {
            if count == limit {
                // One more is one too many, whatever it is.
                if elements.next_element::<serde::de::IgnoredAny>()?.is_some() {
                    return Err(context.refuse(
                        Reason::WrongLength,
                        format!("more than {limit} elements were given"),
                    ));
                }
                break;
            }
            let element = self.below(item, Array::No);
            match elements.next_element_seed(element) {
                Ok(Some(())) => count += 1,
                Ok(None) => break,
                Err(error) => {
                    return Err(context.within(error, |refusal| refusal.at(count as usize)));
                }
            }
        }
        match self.array {
            Array::Fixed(length) if count < length => Err(context.refuse(
                Reason::WrongLength,
                format!("{count} elements were given; {length} are wanted"),
            )),
            Array::Any => {
                if let Some(place) = self.out.get_mut(start..start + 4) {
                    place.copy_from_slice(&count.to_le_bytes());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let context = self.context;
        if self.array != Array::No {
            return Err(self.wrong("an object"));
        }
        match self.item {
            Item::Message(at) => {
                let part = context.plan.get(at);
                Members { context, part, out: self.out }.read(members)
            }
            Item::Time => read_instant(context, Item::U32, self.out, members),
            Item::Duration => read_instant(context, Item::I32, self.out, members),
            _ => Err(self.wrong("an object")),
        }
    }
}

/// The members of one message.
struct Members<'a, 'o> {
    context: &'a Context<'a>,
    part: &'a Part,
    out: &'o mut Vec<u8>,
}

impl Members<'_, '_> {
    fn read<'de, A: MapAccess<'de>>(self, mut given: A) -> Result<(), A::Error> {
        let Self { context, part, out } = self;
        // The member whose turn it is, and those that came too early.
        let mut next = 0;
        let mut early: Vec<Option<Vec<u8>>> = Vec::new();
        let name = |at: usize| part.members.get(at).map_or("", |member| &*member.name);
        loop {
            let key = Key {
                next: name(next),
                find: |key: &str| part.members.iter().position(|member| &*member.name == key),
            };
            let at = match given.next_key_seed(key)? {
                None => break,
                Some(Found::Next) => next,
                Some(Found::At(at)) => at,
                Some(Found::Unknown(key)) => {
                    let refusal = format!("{} has no such field", part.name);
                    let error = context.refuse(Reason::UnknownField, refusal);
                    return Err(context.within(error, |refusal| refusal.under(&key)));
                }
            };
            let Some(member) = part.members.get(at) else { break };
            if at < next || early.get(at).is_some_and(Option::is_some) {
                let error = context.refuse(Reason::WrongType, "the field is there twice");
                return Err(context.within(error, |refusal| refusal.under(&member.name)));
            }
            let (item, array) = (member.item, member.array);
            let within = |error| context.within(error, |refusal| refusal.under(&member.name));
            if at == next {
                given.next_value_seed(Target { context, item, array, out }).map_err(within)?;
                next += 1;
                while let Some(kept) = early.get_mut(next).and_then(Option::take) {
                    out.extend_from_slice(&kept);
                    next += 1;
                }
            } else {
                let mut kept = Vec::new();
                let target = Target { context, item, array, out: &mut kept };
                given.next_value_seed(target).map_err(within)?;
                if early.is_empty() {
                    early.resize_with(part.members.len(), || None);
                }
                if let Some(place) = early.get_mut(at) {
                    *place = Some(kept);
                }
            }
        }
        if next < part.members.len() {
            let refusal = format!("{} needs this field, and it is missing", part.name);
            let error = context.refuse(Reason::MissingField, refusal);
            return Err(context.within(error, |refusal| refusal.under(name(next))));
        }
        Ok(())
    }
}

fn read_instant<'de, A: MapAccess<'de>>(
    context: &Context<'_>,
    item: Item,
    out: &mut Vec<u8>,
    mut given: A,
) -> Result<(), A::Error> {
    const NAMES: [&str; 2] = ["secs", "nsecs"];
    let mut parts: [Option<Vec<u8>>; 2] = [None, None];
    loop {
        let key = Key { next: "", find: |key: &str| NAMES.iter().position(|name| *name == key) };
        let at = match given.next_key_seed(key)? {
            None => break,
            Some(Found::Next) => 0,
            Some(Found::At(at)) => at,
            Some(Found::Unknown(key)) => {
                let error = context.refuse(Reason::UnknownField, "a time has secs and nsecs only");
                return Err(context.within(error, |refusal| refusal.under(&key)));
            }
        };
        let mut bytes = Vec::with_capacity(4);
        let target = Target { context, item, array: Array::No, out: &mut bytes };
        let name = NAMES.get(at).copied().unwrap_or_default();
        let within = |error| context.within(error, |refusal| refusal.under(name));
        given.next_value_seed(target).map_err(within)?;
        match parts.get_mut(at) {
            Some(place @ None) => *place = Some(bytes),
            _ => {
                return Err(within(context.refuse(Reason::WrongType, "the field is there twice")));
            }
        }
    }
    for (part, name) in parts.iter().zip(NAMES) {
        let Some(part) = part else {
            let error: A::Error = context.refuse(Reason::MissingField, "a time needs this field");
            return Err(context.within(error, |refusal| refusal.under(name)));
        };
        out.extend_from_slice(part);
    }
    Ok(())
}

/// Finds the member that a key names, without keeping the key.
struct Key<'a, F> {
    /// The key that is most likely; empty for none.
    next: &'a str,
    find: F,
}

enum Found {
    Next,
    At(usize),
    Unknown(String),
}

impl<'de, F: Fn(&str) -> Option<usize>> DeserializeSeed<'de> for Key<'_, F> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<F: Fn(&str) -> Option<usize>> Visitor<'_> for Key<'_, F> {
    type Value = Found;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Found, E> {
        if !self.next.is_empty() && key == self.next {
            return Ok(Found::Next);
        }
        Ok((self.find)(key)
            .map_or_else(|| Found::Unknown(key.chars().take(80).collect()), Found::At))
    }
}
