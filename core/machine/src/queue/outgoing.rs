//! One message on its way to a store: its body checked and normalised, its delay checked.
use super::texts;
use crate::{Result, json, limits};
use alloc::{string::String, vec::Vec};

/// Keys that a host uses for what is not JSON; no object of a body may have one, at any depth, however escaped.
pub const RESERVED_KEYS: [&str; 4] = ["$句柄", "$未定义", "$大整数", "$数字"];

/// A message that obeys every rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Normalised JSON text.
    pub body: String,
    /// How many seconds from now it is first delivered; 0 is at once.
    pub delay_seconds: u32,
}

/// Checks one message, `text` being its body as JSON text and `delay` seconds; what is no number is NaN.
///
/// The rules in their order: size as given, JSON, Unicode, reserved keys, normalised size, depth, delay. The first
/// that is broken gives the error. An empty binding is looked for before, by [`super::Deployment::binding`].
pub fn outgoing(text: &[u8], delay: f64) -> Result<Outgoing> {
    Ok(Outgoing { body: body(text)?, delay_seconds: check_delay(delay)? })
}

/// A body's text, checked and as `JSON.stringify(JSON.parse(text))` gives it.
pub(super) fn body(text: &[u8]) -> Result<String> {
    if text.len() > limits::QUEUE_BODY_BYTES {
        return Err(texts::body_size(text.len()));
    }
    let mut body = Vec::new();
    let reading = json::stringify(text, &mut body, limits::QUEUE_DEPTH, &RESERVED_KEYS);
    let reading = reading.filter(|reading| !reading.overflow).ok_or_else(texts::not_json)?;
    if reading.lone {
        return Err(texts::body_unicode());
    }
    if reading.reserved {
        return Err(texts::body_reserved());
    }
    if reading.size > limits::QUEUE_BODY_BYTES {
        return Err(texts::body_size(reading.size));
    }
    if reading.depth > limits::QUEUE_DEPTH {
        return Err(texts::body_depth(reading.depth));
    }
    // What is made of Unicode is Unicode.
    String::from_utf8(body).map_err(|_| texts::not_json())
}

/// Checks a delay in seconds: whole, 0 to 43,200. What is no number at all is given as NaN.
pub fn check_delay(delay: f64) -> Result<u32> {
    let whole = delay as u32;
    // Exact on purpose: NaN, fractions and what is out of the type's range differ.
    #[allow(clippy::float_cmp)]
    if f64::from(whole) != delay || whole as usize > limits::QUEUE_DELAY_MAX {
        return Err(texts::delay());
    }
    Ok(whole)
}

/// Checks a delay given as JSON text, as [`check_delay`] does; none is 0. Anything but a number is refused.
pub fn check_delay_text(text: Option<&[u8]>) -> Result<u32> {
    let Some(text) = text else { return Ok(0) };
    let limits = json::Limits { depth: 0, nodes: 1, bytes: limits::QUEUE_BODY_BYTES };
    let number = json::validate(text, &limits).ok().and_then(|()| json::double(text.trim_ascii()));
    check_delay(number.unwrap_or(f64::NAN))
}
