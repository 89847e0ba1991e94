//! Numbers of a JSON text: one scan, and the exact double for the common short ones.

/// A number as Python will see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

/// Powers of ten that a double holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Reads the number at the start of `text` and says how many bytes it took; `None` where there is
/// no number. Without a fraction and an exponent it is an integer, as in Python's own `json`.
pub(super) fn scan(text: &[u8]) -> Option<(Number, usize)> {
    let negative = text.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let mut mantissa = 0u64;
    let mut digits = 0usize;
    let start = at;
    while let Some(digit) = digit(text, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        digits += 1;
        at += 1;
    }
    if at == start {
        return None;
    }
    let mut float = false;
    let mut exponent = 0i64;
    if text.get(at) == Some(&b'.') {
        float = true;
        at += 1;
        while let Some(digit) = digit(text, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            digits += 1;
            exponent -= 1;
            at += 1;
        }
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        float = true;
        at += 1;
        let minus = text.get(at) == Some(&b'-');
        at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
        let mut written = 0i64;
        while let Some(digit) = digit(text, at) {
            written = written.saturating_mul(10).saturating_add(digit.cast_signed());
            at += 1;
        }
        exponent = exponent.saturating_add(if minus { -written } else { written });
    }
    if !float && digits <= 18 {
        let whole = mantissa.cast_signed();
        return Some((Number::Int(if negative { -whole } else { whole }), at));
    }
    // Mantissa and power of ten are both exact here, so the one division or multiplication rounds
    // once, as the standard wants.
    if digits <= 19 && mantissa < 1 << 53 && exponent.unsigned_abs() < EXACT.len() as u64 {
        let power = EXACT[exponent.unsigned_abs() as usize];
        let mantissa = mantissa as f64;
        let value = if exponent < 0 { mantissa / power } else { mantissa * power };
        return Some((Number::Float(if negative { -value } else { value }), at));
    }
    let text = core::str::from_utf8(&text[..at]).ok()?;
    Some((Number::Float(text.parse().ok()?), at))
}

fn digit(text: &[u8], at: usize) -> Option<u64> {
    match text.get(at) {
        Some(byte @ b'0'..=b'9') => Some(u64::from(byte - b'0')),
        _ => None,
    }
}
