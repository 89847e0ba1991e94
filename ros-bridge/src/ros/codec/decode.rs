//! Bytes of a message to JSON text, in one walk.
use super::{
    Bytes, Floats, Integers, NUMBER_BOUND, Reason, Refusal, Rules,
    layout::{Item, Member, Part, Plan},
    select::{Selection, Step},
};
use crate::ros::message::Array;
use data_encoding::BASE64;
use posthouse_core::json::{Fault, Writer};

type Result<T> = std::result::Result<T, Refusal>;

/// What was changed on the way because JSON, or the hub, has no form for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// Floats that became null or a string.
    pub floats: u64,
    /// Strings in which bad UTF-8 was replaced.
    pub texts: u64,
}

/// Writes a whole message; bytes left over are a fault.
pub(super) fn message(
    plan: &Plan,
    body: &[u8],
    rules: Rules,
    writer: &mut Writer<'_>,
) -> Result<Decoded> {
    let mut walk = Walk::new(plan, body, rules);
    walk.message(plan.get(0), writer)?;
    if walk.rest.is_empty() {
        return Ok(walk.decoded);
    }
    Err(malformed(format!("{} bytes more than the type has", walk.rest.len())))
}

/// Writes the selected part of a message.
pub(super) fn part(
    plan: &Plan,
    selection: &Selection,
    body: &[u8],
    rules: Rules,
    writer: &mut Writer<'_>,
) -> Result<Decoded> {
    let mut walk = Walk::new(plan, body, rules);
    walk.select(plan.get(0), &selection.steps, writer)
        .map_err(|refusal| Refusal { path: selection.path.clone(), ..refusal })?;
    Ok(walk.decoded)
}

struct Walk<'a> {
    plan: &'a Plan,
    rest: &'a [u8],
    rules: Rules,
    decoded: Decoded,
    base64: String,
}

#[cold]
fn malformed(what: String) -> Refusal {
    Refusal::new(Reason::Malformed, what)
}

impl<'a> Walk<'a> {
    fn new(plan: &'a Plan, body: &'a [u8], rules: Rules) -> Self {
        Self { plan, rest: body, rules, decoded: Decoded::default(), base64: String::new() }
    }

    #[cold]
    fn short(&self, wanted: u64) -> Refusal {
        malformed(format!("{wanted} bytes are needed and {} are left", self.rest.len()))
    }

    #[inline]
    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let Some((taken, rest)) = split else { return Err(self.short(count)) };
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn word<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((word, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.short(N as u64));
        };
        self.rest = rest;
        Ok(*word)
    }

    #[inline]
    fn count(&mut self) -> Result<u64> {
        self.word().map(u32::from_le_bytes).map(u64::from)
    }

    /// The number of elements of an array that comes next; that many can be there.
    fn elements(&mut self, member: &Member) -> Result<u64> {
        let count = match member.array {
            Array::No => 1,
            Array::Any => self.count()?,
            Array::Fixed(count) => count.into(),
        };
        let least = count.saturating_mul(member.element.least);
        if least > self.rest.len() as u64 {
            return Err(malformed(format!(
                "{count} elements need {least} bytes and {} are left",
                self.rest.len()
            )));
        }
        Ok(count)
    }

    fn message(&mut self, part: &Part, writer: &mut Writer<'_>) -> Result<()> {
        writer.begin_object().map_err(Refusal::of_writer)?;
        for member in &part.members {
            writer
                .key(&member.name)
                .map_err(Refusal::of_writer)
                .and_then(|()| self.member(member, writer))
                .map_err(|refusal| refusal.under(&member.name))?;
        }
        writer.end_object().map_err(Refusal::of_writer)
    }

    fn member(&mut self, member: &Member, writer: &mut Writer<'_>) -> Result<()> {
        if member.array == Array::No {
            return self.item(member.item, writer);
        }
        let count = self.elements(member)?;
        if member.item == Item::U8 && self.rules.bytes == Bytes::Base64 {
            let bytes = self.take(count)?;
            self.base64.clear();
            BASE64.encode_append(bytes, &mut self.base64);
            return writer.str(&self.base64).map_err(Refusal::of_writer);
        }
        writer.begin_array().map_err(Refusal::of_writer)?;
        match member.item {
            Item::F32 => self.singles(count, writer)?,
            Item::F64 => self.doubles(count, writer)?,
            Item::U8 => {
                for byte in self.take(count)? {
                    writer.u64((*byte).into()).map_err(Refusal::of_writer)?;
                }
            }
            item => {
                for index in 0..count {
                    self.item(item, writer).map_err(|refusal| refusal.at(index as usize))?;
                }
            }
        }
        writer.end_array().map_err(Refusal::of_writer)
    }

    fn item(&mut self, item: Item, writer: &mut Writer<'_>) -> Result<()> {
        let written = match item {
            Item::Bool => writer.bool(self.word::<1>()? != [0]),
            Item::I8 => writer.i64(i8::from_le_bytes(self.word()?).into()),
            Item::U8 => writer.i64(u8::from_le_bytes(self.word()?).into()),
            Item::I16 => writer.i64(i16::from_le_bytes(self.word()?).into()),
            Item::U16 => writer.i64(u16::from_le_bytes(self.word()?).into()),
            Item::I32 => writer.i64(i32::from_le_bytes(self.word()?).into()),
            Item::U32 => writer.i64(u32::from_le_bytes(self.word()?).into()),
            Item::I64 => {
                let value = i64::from_le_bytes(self.word()?);
                return self.wide(i128::from(value), writer);
            }
            Item::U64 => {
                let value = u64::from_le_bytes(self.word()?);
                return self.wide(i128::from(value), writer);
            }
            Item::F32 => return self.singles(1, writer),
            Item::F64 => return self.doubles(1, writer),
            Item::Text => return self.text(writer),
            Item::Time => {
                let (secs, nsecs) = (self.word()?, self.word()?);
                instant(u32::from_le_bytes(secs).into(), u32::from_le_bytes(nsecs).into(), writer)
            }
            Item::Duration => {
                let (secs, nsecs) = (self.word()?, self.word()?);
                instant(i32::from_le_bytes(secs).into(), i32::from_le_bytes(nsecs).into(), writer)
            }
            Item::Message(at) => return self.message(self.plan.get(at), writer),
        };
        written.map_err(Refusal::of_writer)
    }

    fn singles(&mut self, count: u64, writer: &mut Writer<'_>) -> Result<()> {
        let bytes = self.take(count.saturating_mul(4))?;
        for (index, chunk) in bytes.chunks_exact(4).enumerate() {
            let value = f32::from_le_bytes(chunk.try_into().unwrap_or_default());
            // False for NaN, too.
            if f64::from(value.abs()) < NUMBER_BOUND {
                writer.f32(value).map_err(Refusal::of_writer)?;
            } else {
                self.odd(value.into(), || format!("{value:e}"), writer)
                    .map_err(|refusal| if count == 1 { refusal } else { refusal.at(index) })?;
            }
        }
        Ok(())
    }

    fn doubles(&mut self, count: u64, writer: &mut Writer<'_>) -> Result<()> {
        let bytes = self.take(count.saturating_mul(8))?;
        for (index, chunk) in bytes.chunks_exact(8).enumerate() {
            let value = f64::from_le_bytes(chunk.try_into().unwrap_or_default());
            if value.abs() < NUMBER_BOUND {
                writer.f64(value).map_err(Refusal::of_writer)?;
            } else {
                self.odd(value, || format!("{value:e}"), writer)
                    .map_err(|refusal| if count == 1 { refusal } else { refusal.at(index) })?;
            }
        }
        Ok(())
    }

    /// A float for which there is no number.
    #[cold]
    fn odd(
        &mut self,
        value: f64,
        digits: impl Fn() -> String,
        writer: &mut Writer<'_>,
    ) -> Result<()> {
        self.decoded.floats += 1;
        let written = match self.rules.floats {
            Floats::Null => writer.null(),
            Floats::Strings if value.is_nan() => writer.str("NaN"),
            Floats::Strings if value.is_infinite() => {
                writer.str(if value > 0.0 { "Infinity" } else { "-Infinity" })
            }
            Floats::Strings => writer.str(&digits()),
            Floats::Refuse => {
                return Err(Refusal::new(
                    Reason::NonFinite,
                    format!("{value:e} is no number that the hub carries, and the rules refuse it"),
                ));
            }
        };
        written.map_err(Refusal::of_writer)
    }

    /// A 64-bit integer.
    fn wide(&mut self, value: i128, writer: &mut Writer<'_>) -> Result<()> {
        if self.rules.integers == Integers::Strings {
            return writer.str(&value.to_string()).map_err(Refusal::of_writer);
        }
        let written = i64::try_from(value).map_err(|_| Fault::Number);
        written.and_then(|value| writer.i64(value)).map_err(|fault| match fault {
            Fault::Number => Refusal::new(
                Reason::UnsafeInteger,
                format!("{value} is beyond ±(2^53 − 1): let 64-bit integers become strings"),
            ),
            fault => Refusal::of_writer(fault),
        })
    }

    fn text(&mut self, writer: &mut Writer<'_>) -> Result<()> {
        let count = self.count()?;
        let bytes = self.take(count)?;
        let written = if let Ok(text) = std::str::from_utf8(bytes) {
            writer.str(text)
        } else {
            self.decoded.texts += 1;
            writer.str(&String::from_utf8_lossy(bytes))
        };
        written.map_err(Refusal::of_writer)
    }

    /// Passes over a field. The loops are bounded by the bytes: elements of variable size have a least size.
    fn skip(&mut self, member: &Member) -> Result<()> {
        if member.size.fixed {
            return self.take(member.size.least).map(drop);
        }
        let count = self.elements(member)?;
        self.skip_elements(member, count)
    }

    fn skip_elements(&mut self, member: &Member, count: u64) -> Result<()> {
        if member.element.fixed {
            return self.take(count.saturating_mul(member.element.least)).map(drop);
        }
        for _ in 0..count {
            if let Item::Message(at) = member.item {
                for member in &self.plan.get(at).members {
                    self.skip(member)?;
                }
            } else {
                let length = self.count()?;
                self.take(length)?;
            }
        }
        Ok(())
    }

    /// Passes over what is before the part that `steps` lead to from `part`, and writes that.
    fn select(&mut self, part: &Part, steps: &[Step], writer: &mut Writer<'_>) -> Result<()> {
        let Some((first, steps)) = steps.split_first() else { return self.message(part, writer) };
        let (before, rest) = part.members.split_at_checked(first.field).unwrap_or_default();
        for member in before {
            self.skip(member)?;
        }
        let Some(member) = rest.first() else {
            return Err(Refusal::new(Reason::NoSuchField, "there is no such field"));
        };
        if let Some(index) = first.index {
            let count = self.elements(member)?;
            if index >= count {
                return Err(Refusal::new(
                    Reason::NoSuchField,
                    format!("the array has {count} elements here"),
                ));
            }
            self.skip_elements(member, index)?;
        } else if steps.is_empty() {
            return self.member(member, writer);
        }
        match member.item {
            Item::Message(at) => self.select(self.plan.get(at), steps, writer),
            item => self.item(item, writer),
        }
    }
}

fn instant(secs: i64, nsecs: i64, writer: &mut Writer<'_>) -> std::result::Result<(), Fault> {
    writer.begin_object()?;
    writer.key("secs")?;
    writer.i64(secs)?;
    writer.key("nsecs")?;
    writer.i64(nsecs)?;
    writer.end_object()
}
