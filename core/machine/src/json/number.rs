//! Numbers: doubles, of which the integer-valued ones stay where every integer is exact.
use super::error::Fault;
use alloc::vec::Vec;

/// The greatest integer allowed, 2^53 − 1; the least is its negative.
pub const MAX_INTEGER: i64 = crate::limits::SAFE_INTEGER.cast_signed();

/// From here on every double is an integer, so it is the bound of all numbers.
const BOUND: f64 = (MAX_INTEGER + 1) as f64;

/// Integers of that many digits are in range whatever fraction follows.
pub(super) const SAFE_DIGITS: usize = 15;

/// Reads a number whose grammar has been checked.
pub(super) fn parse(text: &[u8]) -> Result<f64, Fault> {
    let value = core::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.abs() < BOUND => Ok(value),
        _ => Err(Fault::Number),
    }
}

#[inline]
pub(super) fn push_i64(value: i64, out: &mut Vec<u8>) -> Result<(), Fault> {
    if !(-MAX_INTEGER..=MAX_INTEGER).contains(&value) {
        return Err(Fault::Number);
    }
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    Ok(())
}

#[inline]
pub(super) fn push_f64(value: f64, out: &mut Vec<u8>) -> Result<(), Fault> {
    push_float(value, value, out)
}

/// A single as the shortest text that reads back as the same single.
#[inline]
pub(super) fn push_f32(value: f32, out: &mut Vec<u8>) -> Result<(), Fault> {
    push_float(f64::from(value), value, out)
}

#[inline]
fn push_float(value: f64, shown: impl ryu_js::Float, out: &mut Vec<u8>) -> Result<(), Fault> {
    if value.is_nan() || value.abs() >= BOUND {
        return Err(Fault::Number);
    }
    let whole = value as i64;
    // Exact on purpose: equal means integer-valued. A -0 becomes 0 here.
    #[allow(clippy::float_cmp)]
    if whole as f64 == value {
        return push_i64(whole, out);
    }
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(shown).as_bytes());
    Ok(())
}
