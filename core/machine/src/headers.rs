//! Message headers: native NATS header blocks as an ordered map of several values a key.
//!
//! Names are kept as given or received and found in any case; [`Headers::encode`] sends them in lowercase,
//! the values of one key together. All text lies in one buffer, so a received block costs two allocations.
use crate::{Code, Error, Result, limits, name};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Range;

const VERSION: &str = "NATS/1.0";

/// How many entries and bytes the headers of a message may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLimits {
    /// Entries: every value of every key counts.
    pub entries: usize,
    /// Bytes as [`Headers::encoded_len`] measures them.
    pub bytes: usize,
}

impl HeaderLimits {
    /// What a hub allows unless told otherwise: 32 entries, 4,096 bytes.
    pub const DEFAULT: Self = Self { entries: 32, bytes: 4_096 };
}

impl Default for HeaderLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The status line of a header block that has one: `NATS/1.0 503 No Responders`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Three digits.
    pub code: u16,
    /// What follows the code, trimmed; often empty.
    pub description: String,
}

impl Status {
    /// The code that says nobody listens to the subject of a request.
    pub const NO_RESPONDERS: u16 = 503;
}

/// The headers of a message.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    text: String,
    entries: Vec<Entry>,
}

/// Where in the text an entry's name and value are.
#[derive(Clone, Debug)]
struct Entry {
    name: Range<u32>,
    value: Range<u32>,
}

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self { text: String::new(), entries: Vec::new() }
    }

    /// Adds a value to those of `name`. `INVALID_HEADERS` if either has characters that must not be;
    /// spaces around the value are trimmed. How much may be added, [`Headers::check`] says.
    pub fn append(&mut self, name: &str, value: &str) -> Result<()> {
        let value = checked(name, value)?;
        self.push(name, value);
        Ok(())
    }

    /// Makes `value` the only one of `name`, at the place of its first. Fails as [`Headers::append`].
    pub fn insert(&mut self, name: &str, value: &str) -> Result<()> {
        let value = checked(name, value)?;
        let mut kept = Self::new();
        let mut placed = false;
        for (other, old) in self.iter() {
            if !other.eq_ignore_ascii_case(name) {
                kept.push(other, old);
            } else if !placed {
                kept.push(name, value);
                placed = true;
            }
        }
        if !placed {
            kept.push(name, value);
        }
        *self = kept;
        Ok(())
    }

    fn push(&mut self, name: &str, value: &str) {
        let name = self.push_text(name);
        let value = self.push_text(value);
        self.entries.push(Entry { name, value });
    }

    fn push_text(&mut self, text: &str) -> Range<u32> {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }

    fn text(&self, range: &Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The first value of `name`, in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All values of `name`, in any case, in order.
    pub fn get_all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Every entry, the names as given or received.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + '_ {
        self.entries.iter().map(|entry| (self.text(&entry.name), self.text(&entry.value)))
    }

    /// The number of entries: every value of every key counts.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The size of the header block in bytes, which is also the size that limits speak of: 0 for no headers.
    pub fn encoded_len(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let entries =
            self.iter().map(|(name, value)| name.len() + value.len() + limits::HEADER_ENTRY_BYTES);
        limits::HEADER_FIXED_BYTES + entries.sum::<usize>()
    }

    /// Checks the headers against `limits`: `MESSAGE_TOO_LARGE` past either of them.
    pub fn check(&self, limits: &HeaderLimits) -> Result<()> {
        if self.len() > limits.entries {
            return Err(Error::over(
                Code::MessageTooLarge,
                format!(
                    "the message has {} header entries; at most {} are allowed: send fewer, or put the data in the body",
                    self.len(),
                    limits.entries
                ),
                limits.entries as u64,
                self.len() as u64,
            ));
        }
        let bytes = self.encoded_len();
        if bytes > limits.bytes {
            return Err(Error::over(
                Code::MessageTooLarge,
                format!(
                    "the message's headers need {bytes} bytes; at most {} are allowed: shorten them, or put the data in the body",
                    limits.bytes
                ),
                limits.bytes as u64,
                bytes as u64,
            ));
        }
        Ok(())
    }

    /// Appends the header block: names in lowercase, the values of one key together and in order, keys as
    /// first met. Nothing for no headers.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        out.reserve(self.encoded_len());
        out.extend_from_slice(VERSION.as_bytes());
        out.extend_from_slice(b"\r\n");
        for (index, (name, _)) in self.iter().enumerate() {
            if self.iter().take(index).any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                continue;
            }
            for (other, value) in self.iter().skip(index) {
                if other.eq_ignore_ascii_case(name) {
                    out.extend(name.bytes().map(|byte| byte.to_ascii_lowercase()));
                    out.extend_from_slice(b": ");
                    out.extend_from_slice(value.as_bytes());
                    out.extend_from_slice(b"\r\n");
                }
            }
        }
        out.extend_from_slice(b"\r\n");
    }

    /// The status of a received header block, whatever follows its first line.
    pub fn status(block: &[u8]) -> Option<Status> {
        let end = block.windows(2).position(|pair| pair == b"\r\n")?;
        let line = core::str::from_utf8(block.get(..end)?).ok()?;
        status(line).ok().flatten()
    }

    /// Reads a received header block, from its version line to the empty line that ends it.
    /// `INVALID_HEADERS` for anything a peer must not send. Limits are not checked here.
    pub fn decode(block: &[u8]) -> Result<(Option<Status>, Self)> {
        let Ok(text) = core::str::from_utf8(block) else {
            return Err(broken("the header block is not ASCII"));
        };
        let Some(body) = text.strip_suffix("\r\n\r\n") else {
            return Err(broken("the header block does not end with an empty line"));
        };
        let mut lines = body.split("\r\n");
        let status = status(lines.next().unwrap_or_default())?;
        let mut headers = Self::new();
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                return Err(broken(&format!("the header line {} has no colon", name::shown(line))));
            };
            headers.append(name, value)?;
        }
        Ok((status, headers))
    }
}

/// Headers are equal when they say the same: the same keys in any case and order, each with the same values
/// in order.
impl PartialEq for Headers {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|(name, _)| self.get_all(name).eq(other.get_all(name)))
    }
}

impl Eq for Headers {}

fn broken(why: &str) -> Error {
    Error::new(
        Code::InvalidHeaders,
        format!("{why}: a peer sent it; look at what publishes on this subject"),
    )
}

/// Reads the first line of a block.
fn status(line: &str) -> Result<Option<Status>> {
    let wrong = || {
        let line = name::shown(line);
        broken(&format!(
            "the header block begins with {line} instead of {VERSION} and at most a status"
        ))
    };
    let rest = line.strip_prefix(VERSION).ok_or_else(wrong)?;
    let trimmed = rest.trim_matches(' ');
    if trimmed.is_empty() {
        return Ok(None);
    }
    if !rest.starts_with(' ') || !trimmed.bytes().all(is_visible) {
        return Err(wrong());
    }
    let (digits, description) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
    if digits.len() != 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let code = digits.parse().map_err(|_| wrong())?;
    Ok(Some(Status { code, description: description.trim_matches(' ').to_string() }))
}

const fn is_visible(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7E)
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

/// Checks an entry and returns its value trimmed. The errors do not show the value, which may be a secret.
fn checked<'a>(name: &str, value: &'a str) -> Result<&'a str> {
    if name.is_empty() || !name.bytes().all(is_name_byte) {
        return Err(Error::new(
            Code::InvalidHeaders,
            format!(
                "the header name {} is not valid: use one or more of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~",
                name::shown(name)
            ),
        ));
    }
    let value = value.trim_matches(' ');
    if let Some(at) = value.bytes().position(|byte| !is_visible(byte)) {
        return Err(Error::new(
            Code::InvalidHeaders,
            format!(
                "the value of the header {} has the byte 0x{:02X} at {at}: use visible ASCII and spaces, and encode the rest (base64, percent)",
                name::shown(name),
                value.as_bytes()[at]
            ),
        ));
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
