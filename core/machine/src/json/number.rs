//! Numbers: doubles, of which the integer-valued ones stay where every integer is exact.
use super::error::Fault;
use alloc::vec::Vec;

/// The greatest integer allowed, 2^53 − 1; the least is its negative.
pub const MAX_INTEGER: i64 = crate::limits::SAFE_INTEGER.cast_signed();

/// From here on every double is an integer, so it is the bound of all numbers.
const BOUND: f64 = (MAX_INTEGER + 1) as f64;

/// Integers of that many digits are in range whatever fraction follows.
pub(super) const SAFE_DIGITS: usize = 15;

/// Reads a number whose grammar has been checked as a double, which may be infinite.
pub(crate) fn double(text: &[u8]) -> Option<f64> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

/// Reads a number whose grammar has been checked.
pub(super) fn parse(text: &[u8]) -> Result<f64, Fault> {
    match double(text) {
        Some(value) if value.abs() < BOUND => Ok(value),
        _ => Err(Fault::Number),
    }
}

/// Appends a checked number of at most 15 digits and without exponent; false, and nothing appended, where its
/// value must be read to know its form.
///
/// No other decimal of so few digits is the same double, so the text but for trailing zeros is the shortest.
pub(super) fn push_decimal(text: &[u8], out: &mut Vec<u8>) -> bool {
    let zeros = text.iter().rev().take_while(|&&byte| byte == b'0').count();
    let text = text.get(..text.len() - zeros).unwrap_or_default();
    let text = text.strip_suffix(b".").unwrap_or(text);
    if is_tiny(text) || text == b"-0" {
        return false;
    }
    out.extend_from_slice(text);
    true
}

/// Whether a fraction that [`push_decimal`] takes is in the form that it gives.
pub(super) fn is_short(text: &[u8]) -> bool {
    !is_tiny(text) && !text.ends_with(b"0")
}

/// Below 1e-6 there is an exponent.
fn is_tiny(text: &[u8]) -> bool {
    text.starts_with(b"0.000000") || text.starts_with(b"-0.000000")
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
    push_float(value, out, |out| {
        if !push_short(value, out) {
            push_shortest(value, out);
        }
    })
}

/// A single as the shortest text that reads back as the same single.
#[inline]
pub(super) fn push_f32(value: f32, out: &mut Vec<u8>) -> Result<(), Fault> {
    push_float(f64::from(value), out, |out| push_shortest(value, out))
}

#[inline]
fn push_float(
    value: f64,
    out: &mut Vec<u8>,
    fraction: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Fault> {
    if value.is_nan() || value.abs() >= BOUND {
        return Err(Fault::Number);
    }
    let whole = value as i64;
    // Exact on purpose: equal means integer-valued. A -0 becomes 0 here.
    #[allow(clippy::float_cmp)]
    if whole as f64 == value {
        return push_i64(whole, out);
    }
    fraction(out);
    Ok(())
}

/// Appends what JavaScript writes for any finite number.
pub(super) fn push_finite(value: f64, out: &mut Vec<u8>) {
    if push_f64(value, out).is_err() {
        push_shortest(value, out);
    }
}

fn push_shortest(value: impl ryu_js::Float, out: &mut Vec<u8>) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(value).as_bytes());
}

/// Most fractions people send have a few decimals. Writes those of up to 15 digits in all, of which 6
/// behind the point, or 5 from a thousand million on: times in seconds are there.
///
/// At most one decimal of so few digits reads back as `value`, so one that does is the shortest form, which
/// `JSON.stringify` gives; and from 1e-6 on that has no exponent.
#[inline]
fn push_short(value: f64, out: &mut Vec<u8>) -> bool {
    let size = value.abs();
    if size < 1e9 {
        push_scaled::<6>(value, 1_000_000, out)
    } else {
        size < 1e10 && push_scaled::<5>(value, 100_000, out)
    }
}

/// Writes a fraction of up to `DECIMALS` decimals; `scale` is ten to the power of that.
#[inline]
fn push_scaled<const DECIMALS: usize>(value: f64, scale: u64, out: &mut Vec<u8>) -> bool {
    let size = value.abs();
    // If there is such a decimal, the product is off by less than a half.
    let scaled = (size * scale as f64 + 0.5) as u64;
    // Exact on purpose: both are exact doubles, so the quotient is what the decimal reads as.
    #[allow(clippy::float_cmp)]
    if scaled as f64 / scale as f64 != size {
        return false;
    }
    let mut text = [b'0'; 7];
    text[0] = b'.';
    let mut rest = scaled % scale;
    let mut len = 1;
    for at in (1..=DECIMALS).rev() {
        let digit = (rest % 10) as u8;
        rest /= 10;
        text[at] += digit;
        if digit != 0 && len == 1 {
            len = at + 1;
        }
    }
    if value < 0.0 {
        out.push(b'-');
    }
    out.extend_from_slice(itoa::Buffer::new().format(scaled / scale).as_bytes());
    out.extend_from_slice(text.get(..len).unwrap_or_default());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::format;

    #[test]
    fn the_short_way_gives_the_shortest_form() {
        let mut rng = Rng::new(6);
        let mut taken = 0;
        for _ in 0..60_000 {
            let digits = rng.below(16) as u32;
            let whole = rng.below(10_u64.pow(digits));
            let decimal = whole as f64 / 10_f64.powi(rng.below(9) as i32);
            let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
            for near in
                [decimal, decimal.next_up(), decimal.next_down(), f64::from_bits(rng.next_u64())]
            {
                let value = sign * near;
                if value.is_nan() || value.fract() == 0.0 {
                    continue;
                }
                let mut out = Vec::new();
                if push_short(value, &mut out) {
                    taken += 1;
                    let wanted = ryu_js::Buffer::new().format_finite(value).as_bytes().to_vec();
                    assert_eq!(out, wanted, "{value:e}");
                } else {
                    assert!(out.is_empty());
                }
            }
        }
        assert!(taken > 10_000, "{taken}");
    }

    #[test]
    fn a_short_decimal_text_is_the_shortest_form() {
        let mut rng = Rng::new(8);
        for _ in 0..60_000 {
            let places = 1 + rng.below(14) as usize;
            let digits = rng.below(16 - places as u64) as u32;
            let whole = rng.below(10_u64.pow(digits));
            let digits = rng.below(places as u64 + 1) as u32;
            let fraction = rng.below(10_u64.pow(digits));
            let text = format!("{}{whole}.{fraction:0places$}", ["", "-"][rng.below(2) as usize]);
            let value: f64 = text.parse().unwrap();
            let mut out = Vec::new();
            if push_decimal(text.as_bytes(), &mut out) {
                let wanted = ryu_js::Buffer::new().format_finite(value).as_bytes().to_vec();
                assert_eq!(out, wanted, "{text}");
            } else {
                assert!(value.abs() < 1e-6 && out.is_empty(), "{text}");
            }
        }
    }
}
