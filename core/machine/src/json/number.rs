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
    if push_decimal(value, out) {
        return Ok(());
    }
    push_float(value, value, out)
}

/// Writes a number of at most three decimals, as measured values often are, several times faster
/// than the general way; false if it is none.
///
/// Up to 15 digits, different decimals are different doubles. So a decimal of no more digits that
/// reads back as `value` is the shortest one, and the one that the general way finds.
#[inline]
fn push_decimal(value: f64, out: &mut Vec<u8>) -> bool {
    const DIGITS_15: f64 = 1e15;
    let size = value.abs();
    if !(1e-3..DIGITS_15 / 1e3).contains(&size) {
        return false;
    }
    for (places, power) in [(1, 10), (2, 100), (3, 1000)] {
        let scaled = (size * power as f64 + 0.5) as u64;
        // Both sides of the division are exact, so it rounds as reading the decimal does.
        #[allow(clippy::float_cmp)]
        if scaled as f64 / power as f64 == size {
            let (whole, mut rest) = (scaled / power, scaled % power);
            if rest == 0 {
                return false;
            }
            if value < 0.0 {
                out.push(b'-');
            }
            out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
            let mut text = *b".000";
            for at in (1..=places).rev() {
                text[at] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            out.extend_from_slice(text.get(..=places).unwrap_or_default());
            return true;
        }
    }
    false
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: f64) -> Vec<u8> {
        let mut out = Vec::new();
        push_f64(value, &mut out).unwrap();
        out
    }

    #[test]
    fn short_decimals_are_written_as_the_general_way_writes_them() {
        let mut state = 88_172_645_463_325_252_u64;
        for _ in 0..200_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let digits = 10_u64.pow((state % 16) as u32);
            let value = (state >> 4).cast_signed() % digits.cast_signed();
            for power in [1.0, 10.0, 100.0, 1000.0, 10_000.0, 1e5] {
                let value = value as f64 / power;
                for value in [value, -value, value.next_up(), value.next_down()] {
                    let mut general = Vec::new();
                    push_float(value, value, &mut general).unwrap();
                    assert_eq!(written(value), general, "{value:?}");
                }
            }
        }
        assert_eq!(written(-0.5), b"-0.5");
        assert_eq!(written(1_764_500_000.125), b"1764500000.125");
        assert_eq!(written(0.05), b"0.05");
        assert_eq!(written(-0.0), b"0");
    }
}
